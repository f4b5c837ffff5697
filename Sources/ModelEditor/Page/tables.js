// The middle of the window: the tables of an entity, or what there is of a fetch request, a configuration, a model.

import { h } from "./dom.js";
import { state, changed, select, edit } from "./store.js";
import {
  CONSTRAINT, KINDS, childrenOf, constraintsOf, elementOf, indexElements, nameOf, propertyNames, sameItem, typeLetter, typeOf,
} from "./model.js";
import { destinationChoice, inverseChoice, typeChoice } from "./choices.js";
import { nameButton } from "./rename.js";
import { addConstraint } from "./constraints.js";
import { addToModel } from "./sidebar.js";
import { requestPage } from "./requests.js";
import { configurationPage, modelPage } from "./versions.js";

/** Adds something to an entity or composite type, and lets its name be typed. */
export async function addMember(holder, kind) {
  const next = await edit(holder, (at) => ({ add: { kind, in: at } }));
  if (!next) return;
  const [outer, inner] = next.location;
  const name = nameOf(next.root.children[outer].children[inner]);
  select({ ...holder, member: { kind, name } });
  state.renaming = structuredClone(state.selection);
  changed();
}

export function tables() {
  const { root } = state.document;
  const holder = { kind: state.selection.kind, name: state.selection.name, member: null };
  const element = elementOf(root, holder);
  switch (holder.kind) {
    case "entity": return [title(holder, element), h("div", { class: "tables", "data-scroll": `${holder.kind} ${holder.name}` }, entityTables(root, holder, element)), addBar(holder)];
    case "composite":
      return [title(holder, element), h("div", { class: "tables", "data-scroll": `${holder.kind} ${holder.name}` }, attributeTable(root, holder, element)), addBar(holder, ["attribute"])];
    case "fetchRequest": return [title(holder, element), requestPage(holder, element), addBar(null)];
    case "configuration": return [title(holder, element), configurationPage(holder, element), addBar(null)];
    default: return [h("h2", { class: "title", dir: "auto" }, state.document.version), modelPage(), addBar(null)];
  }
}

const title = (holder, element) =>
  h("h2", { class: "title", dir: "auto" }, nameOf(element), h("span", { class: "quiet" }, ` ${KINDS[holder.kind].toLowerCase()}`));

// The buttons at the bottom of the editor area.
function addBar(holder, kinds = ["attribute", "relationship", "fetchedProperty", "fetchIndex"]) {
  return h("div", { class: "bar bottom", role: "group", "aria-label": "Add" },
    h("button", { type: "button", id: "bar-entity", onclick: () => addToModel("entity") }, "Add Entity"),
    h("span", { class: "space" }),
    holder ? kinds.map((kind) =>
      h("button", { type: "button", id: `bar-${kind}`, onclick: () => addMember(holder, kind) }, `Add ${KINDS[kind]}`)) : null,
    holder?.kind === "entity"
      ? h("button", { type: "button", id: "bar-constraint", onclick: () => addAndName(holder) }, "Add Constraint") : null);
}

function entityTables(root, holder, entity) {
  return [
    attributeTable(root, holder, entity),
    relationshipTable(root, holder, entity),
    table("Fetched Properties", ["Fetched Property", "Predicate"], childrenOf(entity, "fetchedProperty").map((property) =>
      row(holder, property, "P", code(childrenOf(property, "fetchRequest")[0]?.settings.predicateString)))),
    table("Indexes", ["Fetch Index", "Elements"], childrenOf(entity, "fetchIndex").map((index) =>
      row(holder, index, "I", h("span", { dir: "auto" }, indexElements(index).map(describe).join(", "))))),
    constraintTable(holder, entity),
  ];
}

const code = (text) => h("code", { dir: "auto" }, text ?? "");
const describe = (part) => `${part.expression ?? part.property ?? "?"}${part.isAscending ? "" : " ↓"}${part.type === "RTree" ? " (R-tree)" : ""}`;

function table(name, columns, rows) {
  const id = `table-${name.toLowerCase().replace(/ /g, "-")}`;
  return h("section", { class: "list", "aria-labelledby": id },
    h("h3", { id }, name, h("span", { class: "quiet count" }, ` ${rows.length || ""}`)),
    rows.length
      ? h("table", { "aria-labelledby": id },
        h("thead", {}, h("tr", {}, columns.map((column) => h("th", { scope: "col" }, column)))),
        h("tbody", {}, rows))
      : h("p", { class: "quiet empty" }, "None"));
}

const row = (holder, element, letter, ...cells) =>
  memberRow({ ...holder, member: { kind: element.kind, name: nameOf(element) } }, letter, ...cells);

function memberRow(item, letter, ...cells) {
  const isChosen = sameItem(state.selection, item);
  return h("tr", {
    class: isChosen ? "chosen" : null,
    onclick: (event) => { if (!event.target.closest("select, input, button") && !isChosen) select(item); },
  },
  h("td", {}, h("div", { class: "named" },
    h("span", { class: `letter ${item.member.kind}`, "aria-hidden": "true" }, letter),
    nameButton(item, { isCurrent: isChosen }))),
  cells.map((cell) => h("td", {}, cell)));
}

function attributeTable(root, holder, element) {
  return table("Attributes", ["Attribute", "Type"], childrenOf(element, "attribute").map((attribute) => {
    const item = { ...holder, member: { kind: "attribute", name: nameOf(attribute) } };
    const details = [
      attribute.settings.derived === "YES" ? "derived" : null, attribute.settings.transient === "YES" ? "transient" : null,
    ].filter(Boolean).join(", ");
    return row(holder, attribute, typeLetter(typeOf(attribute)), h("div", { class: "with-note" },
      typeChoice(root, item, attribute, `type-${nameOf(attribute)}`),
      details ? h("span", { class: "quiet note" }, details) : null));
  }));
}

function relationshipTable(root, holder, entity) {
  return table("Relationships", ["Relationship", "Destination", "Inverse"], childrenOf(entity, "relationship").map((relationship) => {
    const name = nameOf(relationship);
    const item = { ...holder, member: { kind: "relationship", name } };
    const isToMany = relationship.settings.toMany === "YES";
    return row(holder, relationship, isToMany ? "M" : "O",
      destinationChoice(root, item, relationship, `destination-${name}`),
      inverseChoice(root, item, relationship, `inverse-${name}`));
  }));
}

// Adds a constraint over a property that is in none alone, and lets its names be typed.
async function addAndName(holder) {
  const { root } = state.document;
  const properties = propertyNames(root, holder.name, ["attribute"]);
  const item = await addConstraint(holder, (all) =>
    properties.find((name) => !all.some((constraint) => constraint.join(",") === name)) ?? "comma,separated,properties");
  if (!item) return;
  select(item);
  state.renaming = structuredClone(item);
  changed();
}

function constraintTable(holder, entity) {
  return table("Constraints", ["Unique Together", "Properties"], constraintsOf(entity).map((constraint) => {
    const item = { ...holder, member: { kind: CONSTRAINT, name: constraint.join(",") } };
    return memberRow(item, "U", String(constraint.length));
  }));
}
