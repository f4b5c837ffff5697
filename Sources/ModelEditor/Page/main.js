// Puts the parts of the editor together.

import { h, onWidth, refill, refillFor, setLandmarks, whenQuiet } from "./dom.js";
import { state, subscribe, changed, load, loadAnalysis, checkDisk, undo, redo, save } from "./store.js";
import { toolbar } from "./toolbar.js";
import { sidebar } from "./sidebar.js";
import { tables } from "./tables.js";
import { diagram } from "./diagram.js";
import { inspector } from "./inspector.js";
import { panel } from "./panel.js";

const place = (id) => document.getElementById(id);
const ROLES = { sidebar: "navigation", editor: "main", inspector: "complementary", panel: "region" };
const PANES = { sidebar: "Model", editor: "Editor", inspector: "Inspector", panel: "Reports" };

function panes() {
  return Object.entries(PANES).map(([pane, title]) =>
    h("button", {
      type: "button", "aria-current": state.pane === pane ? "true" : null,
      onclick: () => { state.pane = pane; changed(); place(pane).focus?.(); },
    }, title));
}

function render(what) {
  if (!state.document) return;
  document.body.dataset.pane = state.pane;
  setLandmarks(ROLES, state.pane);
  document.body.dataset.mode = state.mode;
  document.body.dataset.reports = state.isReportOpen ? "open" : "closed";
  document.title = `${state.document.isEdited ? "• " : ""}${state.document.name} – Model Editor`;
  refill(place("toolbar"), toolbar());
  refill(place("panes"), panes());
  refill(place("sidebar"), sidebar());
  if (!(what === "analysis" && state.mode === "diagram")) {
    refillFor(state.owner, place("editor"),
      state.document.notices.map((notice) => h("p", { class: "notice", dir: "auto" }, notice)),
      state.mode === "diagram" ? diagram() : tables());
  }
  refillFor(state.owner, place("inspector"), inspector());
  refill(place("panel"), panel());
  focusNew();
}

// A name that is to be typed has the focus.
function focusNew() {
  const field = document.querySelector("input.renaming");
  if (!field || field === document.activeElement) return;
  field.focus();
  field.select();
}

const analyse = whenQuiet(120, loadAnalysis);
subscribe(render);
subscribe((what) => { if (what === "document") analyse(); });

const isText = (element) =>
  element?.matches?.("input:not([type=checkbox], [type=radio]), textarea") ?? false;

document.addEventListener("keydown", (event) => {
  const command = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  if (command && key === "s") {
    event.preventDefault();
    save();
  } else if (command && (key === "z" || key === "y") && !isText(document.activeElement)) {
    event.preventDefault();
    (key === "y" || event.shiftKey ? redo : undo)();
  } else if (event.key === "F6") {
    event.preventDefault();
    cycle(event.shiftKey ? -1 : 1);
  }
});

// F6 goes from part to part of the window.
function cycle(step) {
  const order = Object.keys(PANES).map(place).filter((element) => element.offsetParent !== null || element.getClientRects().length);
  const now = order.findIndex((element) => element.contains(document.activeElement));
  const next = order[(now + step + order.length) % order.length];
  (next.querySelector("[aria-current=true], button, input, select, a, [tabindex]") ?? next).focus();
}

window.addEventListener("beforeunload", (event) => { if (state.document?.isEdited) event.preventDefault(); });
window.addEventListener("focus", () => checkDisk());
onWidth(() => changed());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => changed());
setInterval(() => { if (!document.hidden) checkDisk(); }, 2000);

const first = await load();
if (first) {
  const entity = first.root.children.find((child) => child.kind === "entity");
  if (entity) {
    state.selection = { kind: "entity", name: entity.settings.name ?? "", member: null };
    changed();
  }
}
