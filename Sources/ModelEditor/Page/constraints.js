// Uniqueness constraints: lists of names, which are written with commas, as in Xcode. A constraint has no name of its own; the
// list is what it is called.

import { h } from "./dom.js";
import { edit } from "./store.js";
import { CONSTRAINT, constraintsOf, propertyNames } from "./model.js";
import { choice } from "./choices.js";
import { section } from "./fields.js";
import { checkedField } from "./checked.js";

const split = (text) => text.split(",").map((name) => name.trim()).filter(Boolean);

/** Gives a constraint other names, as a string with commas; null takes it out. */
export function setConstraint(item, text) {
  const names = text === null ? null : split(text);
  return edit(item, (at, entity) => {
    if (names && !names.length) throw new Error("A constraint has at least one name.");
    const all = constraintsOf(entity);
    const index = all.findIndex((constraint) => constraint.join(",") === item.member.name);
    return { setConstraints: { at, constraints: names ? all.with(index, names) : all.toSpliced(index, 1) } };
  }, names?.join(",") ?? null);
}

/** Adds a constraint; gives the item, or null if that was refused. */
export async function addConstraint(holder, first) {
  let constraint = null;
  const added = await edit(holder, (at, entity) => {
    const all = constraintsOf(entity);
    constraint = [first(all)];
    return { setConstraints: { at, constraints: [...all, constraint] } };
  });
  return added && { ...holder, member: { kind: CONSTRAINT, name: constraint.join(",") } };
}

/** The inspector of a constraint: its names as a string, and one by one. */
export function constraintFields(item, _, root) {
  const names = item.member.name.split(",");
  const set = async (next, focus) => {
    if (await setConstraint(item, next.join(","))) document.querySelector(focus)?.focus();
  };
  const swap = (from, to) => {
    const next = names.with(from, names[to]).with(to, names[from]);
    // At an end one of the two buttons is of no use.
    set(next, `#unique-${to < from ? "up" : "down"}-${to}:enabled, #unique-${to < from ? "down" : "up"}-${to}:enabled`);
  };
  const button = (id, title, label, isOff, action) =>
    h("button", { type: "button", class: "plain", id, disabled: isOff, "aria-label": label, onclick: action }, title);
  const rest = propertyNames(root, item.name, ["attribute", "relationship"]).filter((name) => !names.includes(name));
  return [
    section("Unique Together",
      checkedField(item, null, CONSTRAINT, "Names", "constraint", {
        rows: 1, value: item.member.name, onset: (text) => setConstraint(item, text),
      }),
      h("ol", { class: "uniques", "aria-label": "Unique together" }, names.map((name, index) => h("li", {},
        h("span", { class: "part-name", dir: "auto" }, name),
        button(`unique-up-${index}`, "↑", `Move ${name} up`, index === 0, () => swap(index, index - 1)),
        button(`unique-down-${index}`, "↓", `Move ${name} down`, index === names.length - 1, () => swap(index, index + 1)),
        button(`unique-remove-${index}`, "−", `Remove ${name}`, names.length < 2, () =>
          set(names.toSpliced(index, 1), `#unique-remove-${Math.max(0, index - 1)}:enabled, #unique-add`))))),
      choice({
        id: "unique-add", label: "Add to the constraint", value: "", options: [["", "Add…"], ...rest.map((name) => [name, name])],
        onchange: (name) => name && setConstraint(item, [...names, name].join(",")),
      })),
  ];
}
