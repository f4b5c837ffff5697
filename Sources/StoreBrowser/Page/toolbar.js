// The bar at the top: the store, whether it can be changed, the search, undo, redo, save.

import { h } from "./dom.js";
import { state } from "./state.js";
import { undo, redo, save } from "./editing.js";
import { searchField } from "./search.js";

export function toolbar() {
  const { store, changes } = state;
  return [
    h("h1", { class: "file", dir: "auto", title: store.path }, store.name),
    h("span", { class: "quiet type" }, store.type.replace(/^an? /, "")),
    h("span", { id: "access", class: changes.isEdited ? "edited" : "badge" },
      !changes.canWrite ? "Read only" : changes.isEdited ? `${changes.count} unsaved` : "Saved"),
    h("span", { class: "space" }),
    searchField(),
    changes.canWrite
      ? [
        h("div", { class: "group", role: "group", "aria-label": "Changes" },
          h("button", { type: "button", id: "undo", disabled: !changes.canUndo, onclick: undo, "aria-keyshortcuts": "Control+Z" }, "Undo"),
          h("button", { type: "button", id: "redo", disabled: !changes.canRedo, onclick: redo, "aria-keyshortcuts": "Control+Shift+Z" }, "Redo")),
        h("button", { type: "button", id: "save", class: "primary", disabled: !changes.isEdited, onclick: save, "aria-keyshortcuts": "Control+S" }, "Save"),
      ]
      : null,
  ];
}
