// All of an object: values, relationships, and fields to change them.

import { h, announce } from "./dom.js";
import { get } from "./api.js";
import { MEMBERS, state, changed, entityNamed, fieldKey, leaveObject, showMembers, showObject, showEntity } from "./state.js";
import { bytes } from "./bytes.js";
import { clearButton, editor, fieldId, fileEditor, jsonEditor, linkEditor, remove } from "./editing.js";
import { shownNumber } from "./sidebar.js";
import { statements } from "./statements.js";

export function detail() {
  const { detail: object } = state;
  if (!object) return h("p", { class: "quiet note" }, "Choose an object to see all of it.");
  const entity = entityNamed(object.entity);
  const problems = [...state.refused.values(), ...state.problems].filter((problem) => !problem.object || problem.object === object.id);
  return [
    h("div", { class: "head" },
      h("h2", { id: "object", dir: "auto" }, object.label ?? object.id),
      h("button", { type: "button", class: "plain", id: "close", "aria-label": "Close", onclick: close }, "✕")),
    h("p", { class: "quiet id" }, h("span", { dir: "auto" }, object.id), object.state ? h("span", { class: "edited" }, object.state) : null),
    problems.filter((problem) => !problem.field || !object.fields.some((field) => field.name === problem.field || field.elements?.some((element) => element.name === problem.field))).map(({ message, field }) =>
      h("p", { class: "problem note", role: "alert" }, field ? `${field}: ${message}` : message)),
    h("h3", {}, "Attributes"),
    h("dl", { class: "values" }, object.fields.map((field) => attribute(object, entity, field, problems.find((problem) => problem.field === field.name)))),
    object.relationships.length ? h("h3", {}, "Relationships") : null,
    object.relationships.length ? h("dl", { class: "values" }, object.relationships.map((relationship) => relation(object, entity, relationship))) : null,
    state.changes.canWrite
      ? h("div", { class: "bar" }, h("button", { type: "button", id: "delete", disabled: object.state === "deleted", onclick: () => remove(object.id) }, "Delete object")) : null,
    statements([...object.statements, ...object.relationships.flatMap((relationship) => relationship.statements)], "object-statements"),
  ];
}

function close() {
  leaveObject();
  state.pane = "objects";
  changed();
}

function attribute(object, entity, field, problem) {
  const shape = entity.attributes.find((candidate) => candidate.name === field.name);
  const marks = [shape.type, shape.isDerived ? "derived" : null, shape.isTransient ? "transient" : null].filter(Boolean).join(", ");
  const form = state.changes.canWrite && !field.value.isCut && !field.problem && object.state !== "deleted" ? shape.form : null;
  const hasLabel = form === "text" || (form === "json" && field.transformable?.json !== undefined);
  return h("div", { class: "value" },
    h("dt", {}, hasLabel ? h("label", { for: fieldId(object.id, field.name), dir: "auto" }, field.name) : h("span", { dir: "auto" }, field.name), h("span", { class: "mark" }, ` ${marks}`)),
    h("dd", {}, field.problem ? h("p", { class: "problem" }, field.problem) : content(object, shape, field, problem, form)));
}

function content(object, shape, field, problem, form) {
  const shown = () => field.bytes ? bytes(object.id, field) : plain(object.id, field);
  const note = problem ? h("p", { class: "problem", role: "alert" }, problem.message) : null;
  switch (form) {
    case "text": return editor(object, shape, field, problem);
    case "file": return [shown(), fileEditor(object, shape, field), note];
    case "json": return [
      field.bytes || field.transformable?.json === undefined ? shown() : null,
      field.transformable?.json === undefined ? [h("p", { class: "quiet" }, field.transformable?.note), field.transformable?.canClear ? clearButton(object, shape) : null, note]
        : jsonEditor(object, shape, field, problem),
    ];
    case "elements": return [elements(object, shape, field), note];
    default: return field.elements?.length ? parts(object, shape, field) : shown();
  }
}

// A field for each element of a composite value.
function elements(object, shape, field) {
  return h("div", { class: "elements", role: "group", "aria-label": field.name }, field.elements.map((element) => {
    const own = shape.elements.find((candidate) => candidate.name === element.name);
    const refused = state.refused.get(fieldKey(object.id, element.name));
    const name = element.name.slice(field.name.length + 1);
    return h("div", {},
      own.form === "text" && !element.value.isCut
        ? [h("label", { for: fieldId(object.id, element.name), dir: "auto" }, name), h("span", { class: "mark" }, ` ${own.type}`), editor(object, own, element, refused)]
        : [h("span", { dir: "auto" }, name), h("span", { class: "mark" }, ` ${own.type}`), plain(object.id, element)]);
  }));
}

// The elements of a composite value that cannot be changed.
const parts = (object, shape, field) => field.value.kind === "null"
  ? plain(object.id, field)
  : h("ul", { class: "tree", "aria-label": `Elements of ${field.name}` }, field.elements.map((element) =>
    h("li", {}, h("b", { dir: "auto" }, element.name.slice(field.name.length + 1)), " ", plain(object.id, element))));

// Dates are shown as they are stored and in the time of here.
function plain(id, { name, value }) {
  if (value.kind === "null") return h("span", { class: "null" }, "null");
  if (value.kind === "date") {
    const local = new Date(value.text);
    return [h("time", { datetime: value.text }, value.text), Number.isNaN(local.getTime()) ? null : h("span", { class: "quiet local" }, local.toLocaleString())];
  }
  return [
    h("span", { class: "text", dir: "auto", id: `text-${id}-${name}` }, value.text, value.isCut ? "…" : ""),
    value.isCut ? h("button", { type: "button", id: `all-${id}-${name}`, onclick: () => showAll(id, name) }, "Show all") : null,
  ];
}

async function showAll(id, key) {
  try {
    const { text, isCut } = await get("/api/text", { id, key });
    const place = document.getElementById(`text-${id}-${key}`);
    // Another object may be shown by now.
    if (place) place.textContent = isCut ? `${text}…` : text;
    document.getElementById(`all-${id}-${key}`)?.remove();
  } catch (error) {
    announce(error.message, true);
  }
}

// Which members of an ordered relationship are shown, and buttons to others.
function memberParts(object, { name, count, start, links }) {
  const end = start + links.length;
  // Not disabled: the focus stays on it.
  const step = (key, sign, to, isPossible) => h("button", {
    type: "button", id: `${key}-${object.id}-${name}`, "aria-label": `${key === "earlier" ? "Earlier" : "Later"} members of ${name}`,
    "aria-disabled": isPossible ? null : "true", onclick: () => { if (isPossible) showMembers(object.id, name, to); },
  }, sign);
  return h("div", { class: "parts", role: "group", "aria-label": `Members of ${name}` },
    step("earlier", "←", start - MEMBERS, start > 0),
    h("span", { id: `part-${object.id}-${name}` }, `${shownNumber(start + 1)} to ${shownNumber(end)} of ${shownNumber(count)}`),
    step("later", "→", start + MEMBERS, end < count));
}

function relation(object, entity, relationship) {
  const { name, count, links, start, hasParts, problem, canMove } = relationship;
  const shape = entity.relationships.find((candidate) => candidate.name === name);
  const isEdited = state.changes.canWrite && object.state !== "deleted";
  return h("div", { class: "value" },
    h("dt", {}, h("span", { dir: "auto" }, name),
      h("span", { class: "mark" }, ` ${shape.isToMany ? `to many${shape.isOrdered ? ", ordered" : ""}` : "to one"}`)),
    h("dd", {},
      problem ? h("p", { class: "problem" }, problem) : links.length
        ? h("ul", { class: "links", "aria-label": name }, links.map(({ id, label }, index) => h("li", {},
          hasParts ? linkEditor.place(object, shape, id, start + index, count, isEdited && canMove) : null,
          h("button", { type: "button", class: "link", id: `to-${object.id}-${name}-${id}`, dir: "auto", onclick: () => showObject(id) }, label ? `${label} ` : "", h("span", { class: "quiet" }, id)),
          isEdited && canMove ? linkEditor.move(object, shape, id, start + index, count) : null,
          isEdited ? linkEditor.remove(object, shape, id) : null)))
        : h("span", { class: "null" }, shape.isToMany ? "none" : "null"),
      hasParts ? memberParts(object, relationship) : null,
      shape.isToMany && count
        ? h("button", {
          type: "button", id: `table-${object.id}-${name}`, onclick: () => showEntity(shape.destination, { mode: "table", related: { of: object.id, relationship: name } }),
        }, `Show ${count === 1 ? "it" : `all ${shownNumber(count)}`} in a table`)
        : null,
      isEdited ? linkEditor.add(object, shape) : null));
}
