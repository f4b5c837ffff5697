// Lists to choose from: types, entities, inverses.

import { h, onChosen } from "./dom.js";
import { edit } from "./store.js";
import { TYPES, inverseChoices, nameOf, names, typeOf } from "./model.js";

/** A list of choices; one that is set but not among them is shown too. */
export function choice({ id, label, value, options, onchange, ...rest }) {
  const all = options.map((option) => (Array.isArray(option) ? option : [option, option]));
  if (!all.some(([key]) => key === value)) all.push([value, `${value} (not there)`]);
  return h("select", {
    id, "aria-label": label, value, ...rest,
    onchange: onChosen(onchange),
  }, all.map(([key, text]) => h("option", { value: key, selected: key === value }, text)));
}

/** The list of types, composite types of the model included. */
export function typeChoice(root, item, attribute, id) {
  const type = typeOf(attribute);
  const value = type === "Composite" ? `Composite:${attribute.settings.composite ?? ""}` : type;
  const composites = names(root, "composite").map((name) => [`Composite:${name}`, `Composite: ${name}`]);
  const plain = TYPES.map(([name]) => name).filter((name) => name !== "Composite" && (name !== "Object ID" || type === name));
  return choice({
    id, value, label: `Type of ${nameOf(attribute)}`, options: [...plain, ...composites],
    onchange: (chosen) => edit(item, (at) => ({
      setType: chosen.startsWith("Composite:")
        ? { at, type: "Composite", composite: chosen.slice("Composite:".length) }
        : { at, type: chosen === "Undefined" ? null : chosen },
    })),
  });
}

/** The list of entities for a destination or parent. */
export const entityOptions = (root, none) => [["", none], ...names(root, "entity").map((name) => [name, name])];

export const destinationChoice = (root, item, relationship, id) => choice({
  id, label: `Destination of ${nameOf(relationship)}`, value: relationship.settings.destinationEntity ?? "",
  options: entityOptions(root, "No Value"),
  onchange: (entity) => edit(item, (at) => ({ setDestination: { at, entity: entity || null } })),
});

export const inverseChoice = (root, item, relationship, id) => choice({
  id, label: `Inverse of ${nameOf(relationship)}`, value: relationship.settings.inverseName ?? "",
  options: [["", "No Inverse"], ...inverseChoices(root, item.name, relationship)],
  onchange: (name) => edit(item, (at) => ({ setInverse: { at, name: name || null } })),
});
