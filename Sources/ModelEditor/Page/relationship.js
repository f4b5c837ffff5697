// The settings of a relationship.

import { h, onChosen } from "./dom.js";
import { edit } from "./store.js";
import { isOn } from "./model.js";
import { destinationChoice, inverseChoice } from "./choices.js";
import { checkField, choiceField, field, section, textField } from "./fields.js";
import { userInfo, versioning } from "./userinfo.js";

export function relationshipFields(item, element, root) {
  const isToMany = isOn(element, "toMany");
  return [
    section("Properties",
      checkField(item, element, "transient", "Transient"),
      checkField(item, element, "optional", "Optional")),
    section("Relationship",
      field("f-destinationEntity", "Destination", destinationChoice(root, item, element, "f-destinationEntity")),
      field("f-inverseName", "Inverse", inverseChoice(root, item, element, "f-inverseName")),
      choiceField(item, element, "deletionRule", "Delete Rule", ["No Action", "Nullify", "Cascade", "Deny"], { usual: "Nullify" }),
      field("f-toMany", "Type", typeChoice(item, isToMany)),
      isToMany ? [
        checkField(item, element, "ordered", "Arrangement: Ordered"),
        textField(item, element, "minCount", "Minimum", { inputmode: "numeric", placeholder: "None" }),
        textField(item, element, "maxCount", "Maximum", { inputmode: "numeric", placeholder: "None" }),
      ] : null),
    section("Advanced", checkField(item, element, "spotlightIndexingEnabled", "Index in Spotlight")),
    userInfo(item, element),
    versioning(item, element),
  ];
}

const typeChoice = (item, isToMany) =>
  h("select", {
    id: "f-toMany", value: String(isToMany),
    onchange: onChosen((value) => edit(item, (at) => ({ setToMany: { at, isToMany: value === "true" } }))),
  }, h("option", { value: "false", selected: !isToMany }, "To One"), h("option", { value: "true", selected: isToMany }, "To Many"));
