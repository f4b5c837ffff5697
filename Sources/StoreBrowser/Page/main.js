// Puts the parts of the browser together.

import { h, announce, onWidth, refill, setLandmarks } from "./dom.js";
import { state, subscribe, changed, start } from "./state.js";
import { toolbar } from "./toolbar.js";
import { sidebar } from "./sidebar.js";
import { entityView } from "./table.js";
import { historyView } from "./history.js";
import { factsView } from "./facts.js";
import { searchView } from "./search.js";
import { detail } from "./detail.js";
import { discard, undo, redo, save } from "./editing.js";

const place = (id) => document.getElementById(id);
const ROLES = { sidebar: "navigation", objects: "main", detail: "complementary" };
const PANES = { sidebar: "Store", objects: "Objects", detail: "Object" };
const VIEWS = { entity: entityView, history: historyView, facts: factsView, search: searchView };

const panes = () => Object.entries(PANES).map(([pane, title]) =>
  h("button", {
    type: "button", id: `pane-${pane}`, "aria-current": state.pane === pane ? "true" : null,
    onclick: () => { state.pane = pane; changed(); },
  }, title));

const conflict = () => state.conflict
  ? h("div", { class: "notice conflict" }, h("span", {}, state.conflict), h("button", { type: "button", id: "discard", onclick: discard }, "Discard changes and read again"))
  : null;

// What takes the focus of a control that has gone, or can do nothing more.
const NEIGHBOURS = { next: "previous", previous: "next", undo: "redo", redo: "undo", save: "undo", clear: "predicate" };

// The focus stays in its part of the window for users of the keyboard.
function keepFocus(id, part) {
  if (document.activeElement !== document.body) return;
  place(NEIGHBOURS[id])?.focus();
  if (document.activeElement === document.body) part.focus({ preventScroll: true });
  if (document.activeElement === document.body) place("objects").focus({ preventScroll: true });
}

function render() {
  if (!state.store) return;
  const { id } = document.activeElement;
  const part = document.activeElement.closest("#toolbar, #panes, #sidebar, #objects, #detail");
  document.body.dataset.pane = state.pane;
  setLandmarks(ROLES, state.pane);
  document.body.dataset.detail = state.detail ? "open" : "closed";
  document.title = `${state.changes.isEdited ? "• " : ""}${state.store.name} – Store Browser`;
  refill(place("toolbar"), toolbar());
  refill(place("panes"), panes());
  refill(place("sidebar"), sidebar());
  refill(place("objects"), state.store.notices.map((notice) => h("p", { class: "notice", dir: "auto" }, notice)), conflict(),
    state.entity || state.view !== "entity" ? VIEWS[state.view]() : []);
  refill(place("detail"), detail());
  if (part) keepFocus(id, part);
}

subscribe(render);
onWidth(() => changed());

// Whether the user types there: then the browser undoes what was typed.
const isTyping = (element) => (element?.matches?.("input:not([type=checkbox], [type=radio]), textarea") ?? false)
  && (["predicate", "words"].includes(element.id) || element.value !== element.defaultValue);

document.addEventListener("keydown", (event) => {
  const command = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  if (state.changes.canWrite && command && key === "s") {
    event.preventDefault();
    save();
  } else if (state.changes.canWrite && command && (key === "z" || key === "y") && !isTyping(document.activeElement)) {
    event.preventDefault();
    (key === "y" || event.shiftKey ? redo : undo)();
  } else if (event.key === "F6") {
    event.preventDefault();
    cycle(event.shiftKey ? -1 : 1);
  }
});

// F6 goes from part to part of the window.
function cycle(step) {
  const order = Object.keys(PANES).map(place).filter((element) => element.getClientRects().length);
  const now = order.findIndex((element) => element.contains(document.activeElement));
  const next = order[(now + step + order.length) % order.length];
  (next.querySelector("[aria-current=true]") ?? next.querySelector("button:enabled, input, select, a, [tabindex]") ?? next).focus();
}

window.addEventListener("beforeunload", (event) => { if (state.changes.isEdited) event.preventDefault(); });

try { await start(); } catch (error) { announce(error.message, true); }
