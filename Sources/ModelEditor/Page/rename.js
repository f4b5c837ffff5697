// Names of things: a button that selects, and a field that renames in place.

import { h } from "./dom.js";
import { state, changed, edit, select } from "./store.js";
import { CONSTRAINT, sameItem } from "./model.js";
import { setConstraint } from "./constraints.js";
import { checkTyped } from "./checked.js";

const isConstraint = (item) => item.member?.kind === CONSTRAINT;

/** The id of the button or field of an item. */
export const itemID = (item) => `item-${item.kind}-${item.name}${item.member ? `-${item.member.kind}-${item.member.name}` : ""}`;

/** Lets the name of an item be typed. */
export function startRenaming(item) {
  state.renaming = structuredClone(item);
  changed();
}

/** Removes an item. The next of its list is selected, or what is selected then, so that the focus is not lost. */
export async function remove(item) {
  const own = document.getElementById(itemID(item));
  const list = [...(own?.closest("ul, tbody")?.querySelectorAll("button.name") ?? [])];
  const index = list.indexOf(own);
  const next = (list[index + 1] ?? list[index - 1])?.id;
  const removed = await (isConstraint(item) ? setConstraint(item, null) : edit(item, (at) => ({ remove: { at } })));
  if (!removed) return;
  const button = document.getElementById(next) ?? document.getElementById(itemID(state.selection));
  if (!button) return;
  const { id } = button;
  button.click();
  document.getElementById(id)?.focus();
}

/** The name of an item: a click selects, a double click or F2 renames, Delete removes, arrows go on. */
export function nameButton(item, { isCurrent = false, isAbstract = false, pane = null } = {}) {
  const name = item.member?.name ?? item.name;
  if (sameItem(state.renaming, item)) return nameField(item, name);
  return h("button", {
    type: "button", class: isAbstract ? "name abstract" : "name", dir: "auto", id: itemID(item),
    "aria-current": isCurrent ? "true" : null, "aria-keyshortcuts": "F2 Delete",
    onclick: () => {
      // The second click of a double click must find what the first has found.
      if (!sameItem(state.selection, item)) select(item, pane);
    },
    ondblclick: () => startRenaming(item),
    onkeydown: (event) => keys(event, item),
  }, name || h("span", { class: "problem" }, "(no name)"));
}

function keys(event, item) {
  if (event.key === "F2") startRenaming(item);
  else if (event.key === "Delete" || event.key === "Backspace") remove(item);
  else if (event.key === "ArrowDown" || event.key === "ArrowUp") go(event, event.key === "ArrowDown" ? 1 : -1);
  else return;
  event.preventDefault();
}

// To the next name of the same list.
function go(event, step) {
  const list = event.currentTarget.closest("ul, tbody, .groups");
  const buttons = [...list.querySelectorAll("button.name")];
  const next = buttons[buttons.indexOf(event.currentTarget) + step];
  if (!next) return;
  const { id } = next;
  next.click();
  document.getElementById(id)?.focus();
}

function nameField(item, name) {
  let isDone = false;
  const finish = async (to) => {
    if (isDone) return;
    isDone = true;
    if (to === null || to === name) {
      state.renaming = null;
      changed();
      document.getElementById(itemID(item))?.focus();
      return;
    }
    const next = await (isConstraint(item) ? setConstraint(item, to) : edit(item, (at) => ({ rename: { at, to } })));
    // A name that is refused stays in its field, with what is wrong.
    if (!next) { isDone = false; return; }
    state.renaming = null;
    changed();
    document.getElementById(itemID(state.selection))?.focus();
  };
  const field = h("input", {
    class: "renaming", id: `rename-${itemID(item)}`, value: name, dir: "auto", "aria-label": `Name of ${name}`,
    autocomplete: "off", spellcheck: "false",
    "aria-invalid": state.refusal?.field === "name" && sameItem(state.refusal.item, item) ? "true" : null,
    onkeydown: (event) => {
      event.stopPropagation();
      if (event.key === "Enter") finish(event.target.value);
      if (event.key === "Escape") finish(null);
    },
    onblur: (event) => { if (event.target.isConnected) finish(event.target.value); },
  });
  return isConstraint(item) ? checkTyped(field, item, "constraint") : field;
}
