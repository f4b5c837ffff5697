// The bar at the top: what is edited, whether it is saved, undo, redo, save, and what is shown.

import { h } from "./dom.js";
import { state, changed, undo, redo, save } from "./store.js";
import { showMerge } from "./merge.js";

const MODES = { tables: "Tables", diagram: "Diagram" };

export function toolbar() {
  const { document } = state;
  const errors = state.analysis?.findings.filter((finding) => finding.severity === "error").length ?? 0;
  return [
    h("h1", { class: "file", dir: "auto", title: document.path }, document.name),
    h("span", { class: "version quiet", title: document.version }, document.versions.length > 1 ? document.version : ""),
    h("span", { class: document.isEdited ? "edited" : "saved", id: "edited" }, document.isEdited ? "Edited" : "Saved"),
    state.disk.length
      ? h("button", { type: "button", class: "disk", id: "disk", onclick: () => showMerge() }, "Changed on disk: show…")
      : null,
    h("span", { class: "space" }),
    h("div", { class: "group", role: "group", "aria-label": "History" },
      h("button", {
        type: "button", id: "undo", disabled: !document.undo, onclick: undo, "aria-keyshortcuts": "Control+Z",
        title: document.undo ? `Undo ${document.undo}` : null,
      }, "Undo"),
      h("button", {
        type: "button", id: "redo", disabled: !document.redo, onclick: redo, "aria-keyshortcuts": "Control+Shift+Z",
        title: document.redo ? `Redo ${document.redo}` : null,
      }, "Redo")),
    h("div", { class: "group", role: "group", "aria-label": "View" },
      Object.entries(MODES).map(([mode, title]) =>
        h("button", {
          type: "button", id: `mode-${mode}`, "aria-pressed": String(state.mode === mode),
          onclick: () => { state.mode = mode; state.pane = "editor"; changed(); },
        }, title))),
    h("button", {
      type: "button", class: "reports", id: "reports", "aria-pressed": String(state.isReportOpen),
      onclick: () => { state.isReportOpen = !state.isReportOpen; changed(); },
    }, errors ? `Reports (${errors})` : "Reports"),
    h("button", {
      type: "button", id: "save", class: "primary", disabled: !document.isEdited, onclick: save,
      "aria-keyshortcuts": "Control+S",
    }, "Save"),
  ];
}
