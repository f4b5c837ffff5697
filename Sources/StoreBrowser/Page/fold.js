// Parts that can be opened, and stay as they were left when the page is made anew.

import { h } from "./dom.js";

// Only what differs from how it is at first.
const left = new Map();

/** A part with a name of its own, `key`; `isOpen` says how it is at first. */
export function fold(key, isOpen, properties, summary, ...content) {
  return h("details", {
    ...properties, open: left.get(key) ?? isOpen,
    ontoggle: ({ target }) => { if (target.open === isOpen) left.delete(key); else left.set(key, target.open); },
  }, h("summary", { id: `fold-${key}` }, summary), ...content);
}
