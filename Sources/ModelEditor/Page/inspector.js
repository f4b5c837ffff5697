// The inspector: every setting of what is selected.

import { h } from "./dom.js";
import { state, edit } from "./store.js";
import { CONSTRAINT, KINDS, elementOf, findingsFor, nameOf } from "./model.js";
import { remove } from "./rename.js";
import { textField } from "./fields.js";
import { attributeFields } from "./attribute.js";
import { relationshipFields } from "./relationship.js";
import { entityFields, indexFields } from "./entity.js";
import { configurationFields, modelFields } from "./versions.js";
import { constraintFields } from "./constraints.js";
import { fetchedPropertyFields, requestFields } from "./requests.js";

const FIELDS = {
  entity: entityFields, attribute: attributeFields, relationship: relationshipFields, fetchIndex: indexFields,
  fetchedProperty: fetchedPropertyFields, fetchRequest: requestFields, configuration: configurationFields, model: modelFields,
  composite: () => [], [CONSTRAINT]: constraintFields,
};

export function inspector() {
  const item = structuredClone(state.selection);
  const { root } = state.document;
  const element = elementOf(root, item);
  if (!element) return [h("p", { class: "quiet empty" }, "Nothing is selected.")];
  const kind = item.member?.kind ?? item.kind;
  const isNamed = ![CONSTRAINT, "model"].includes(kind);
  const name = kind === CONSTRAINT ? item.member.name : nameOf(element);
  return [
    h("div", { class: "head" }, h("h2", {}, KINDS[kind]),
      kind !== "model" ? h("button", {
        type: "button", class: "plain", id: "remove", "aria-label": `Remove ${KINDS[kind]} ${name}`, onclick: () => remove(item),
      }, "Remove") : null),
    findings(item),
    isNamed ? h("section", { class: "fields", "aria-label": "Name" },
      textField(item, element, "name", "Name", { onset: (to) => edit(item, (at) => ({ rename: { at, to } })) })) : null,
    FIELDS[kind]?.(item, element, root) ?? null,
  ];
}

function findings(item) {
  const found = findingsFor(state.analysis, item).filter((finding) => item.member || !finding.property || item.kind !== "entity");
  if (!found.length) return null;
  return h("ul", { class: "findings", "aria-label": "Problems" },
    found.map((finding) => h("li", { class: finding.severity, dir: "auto" }, finding.message)));
}
