// Pictures of a store. They are requested with the key of the page, which an element alone cannot send.

import { h, announce } from "./dom.js";
import { getBlob } from "./api.js";

// The latest ones, so that a part of the window that is drawn anew shows its pictures at once.
const MOST = 20;
const shown = new Map();

/** An element that shows the picture at an address. */
export function picture(address, alt) {
  const known = shown.get(address);
  const image = h("img", { class: "picture", src: typeof known === "string" ? known : null, alt });
  if (typeof known !== "string") load(address).then((url) => { if (url) image.src = url; });
  return image;
}

function load(address) {
  const known = shown.get(address);
  if (known) return known;
  const loading = getBlob(address).then((blob) => {
    const url = URL.createObjectURL(blob);
    // It may have gone meanwhile.
    if (shown.get(address) === loading) shown.set(address, url);
    return url;
  }, (error) => {
    shown.delete(address);
    announce(error.message, true);
    return null;
  });
  shown.set(address, loading);
  for (const [old, url] of shown) {
    if (shown.size <= MOST) break;
    shown.delete(old);
    if (typeof url === "string") URL.revokeObjectURL(url);
  }
  return loading;
}
