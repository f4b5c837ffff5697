// The settings of an entity and of a fetch index.

import { h } from "./dom.js";
import { edit, state } from "./store.js";
import { TYPES, indexElements, propertyNames } from "./model.js";
import { choice, entityOptions } from "./choices.js";
import { checkField, choiceField, field, section, setSetting, textField } from "./fields.js";
import { checkedField } from "./checked.js";
import { userInfo, versioning } from "./userinfo.js";

/** What an expression of an index may give; what a column can hold. */
const RESULTS = TYPES.map(([name]) => name).filter((name) => !["Undefined", "Transformable", "Object ID", "Composite"].includes(name));
const PRODUCT = "Current Product Module";

export function entityFields(item, element, root) {
  const hash = state.analysis?.hashes.find((entry) => entry.entity === item.name);
  const [module, className] = split(element.settings.representedClassName ?? "");
  const set = (newModule, newName) => setSetting(item, "representedClassName", join(newModule, newName));
  return [
    section("Entity",
      checkField(item, element, "isAbstract", "Abstract Entity"),
      choiceField(item, element, "parentEntity", "Parent Entity",
        entityOptions(root, "No Parent Entity").filter(([name]) => name !== item.name || !name))),
    section("Class",
      textField(item, element, "representedClassName", "Name", {
        value: className, placeholder: "NSManagedObject", onset: (name) => set(module, name),
      }),
      textField(item, element, "module", "Module", {
        value: module, placeholder: "Global namespace", list: "modules", onset: (name) => set(name, className),
      }),
      h("datalist", { id: "modules" }, h("option", { value: PRODUCT })),
      choiceField(item, element, "codeGenerationType", "Codegen",
        [["", "Manual/None"], ["class", "Class Definition"], ["category", "Category/Extension"]])),
    section("Core Spotlight",
      checkedField(item, element, "coreSpotlightDisplayNameExpression", "Display Name", "expression", { rows: 1 })),
    userInfo(item, element),
    versioning(item, element, hash
      ? h("div", { class: "field" }, h("span", {}, "Version Hash"),
        h("code", { class: "hash", id: "version-hash" }, hash.hash, hash.isChanged ? h("em", { class: "warning" }, " changed") : null))
      : null),
  ];
}

// A class is written as Name, Module.Name, or .Name for the module of the product.
function split(text) {
  const point = text.lastIndexOf(".");
  if (point < 0) return ["", text];
  return [point === 0 ? PRODUCT : text.slice(0, point), text.slice(point + 1)];
}

function join(module, name) {
  if (!name || !module) return name;
  return module === PRODUCT ? `.${name}` : `${module}.${name}`;
}

export function indexFields(item, element, root) {
  const parts = indexElements(element);
  const properties = propertyNames(root, item.name, ["attribute", "relationship"]);
  const set = (change) => edit(item, (at, index) => ({ setIndexElements: { at, elements: change(indexElements(index)) } }));
  const change = (index, values) => {
    const fields = document.getElementById(`part-${index}`)?.closest("[data-owner]");
    if (fields) fields.dataset.owner = JSON.stringify({ ...parts[index], ...values });
    return set((now) => now.map((part, other) => (other === index ? { ...part, ...values } : part)));
  };
  const add = () => set((now) => [...now, {
    property: properties.find((name) => !now.some((part) => part.property === name)) ?? properties[0] ?? null,
    expression: null, expressionType: null, type: "Binary", isAscending: true,
  }]);
  return [
    section("Elements",
      parts.map((part, index) => h("fieldset", { class: "part", "data-owner": JSON.stringify(part) },
        h("legend", {}, `Element ${index + 1}`),
        choice({
          id: `part-${index}`, label: `Property of element ${index + 1}`, value: part.expression === null ? part.property ?? "" : "\u0000",
          options: [...properties.map((name) => [name, name]), ["\u0000", "Expression…"]],
          onchange: (name) => change(index, name === "\u0000"
            ? { property: null, expression: part.property ?? "now()", expressionType: "String" }
            : { property: name, expression: null, expressionType: null }),
        }),
        part.expression === null ? null : [
          checkedField(item, element, "expression", "Expression", "expression", {
            id: `expression-${index}`, value: part.expression, rows: 1, onset: (text) => change(index, { expression: text }),
          }),
          field(`result-${index}`, "Result", choice({
            id: `result-${index}`, label: `Result of element ${index + 1}`, value: part.expressionType ?? "",
            options: [["", "Not set"], ...RESULTS], onchange: (type) => change(index, { expressionType: type || null }),
          })),
        ],
        h("div", { class: "pair" },
          choice({
            id: `part-type-${index}`, label: `Type of element ${index + 1}`, value: part.type, options: ["Binary", ["RTree", "R-tree"]],
            onchange: (type) => change(index, { type }),
          }),
          choice({
            id: `part-order-${index}`, label: `Order of element ${index + 1}`, value: String(part.isAscending),
            options: [["true", "Ascending"], ["false", "Descending"]], onchange: (value) => change(index, { isAscending: value === "true" }),
          }),
          h("button", {
            type: "button", class: "plain", id: `part-remove-${index}`, disabled: parts.length < 2,
            "aria-label": `Remove element ${index + 1}`, onclick: () => set((now) => now.toSpliced(index, 1)),
          }, "−")))),
      h("button", { type: "button", id: "part-add", onclick: add }, "Add Element")),
    section("Partial Index",
      checkedField(item, element, "partialIndexPredicate", "Predicate", "predicate", { placeholder: "All objects" })),
  ];
}
