// Changes of objects. The server refuses all of them unless the command was given --write.

import { h, announce, onChosen, tellTyped } from "./dom.js";
import { state, change, changed, fieldKey, goToMember, recount, sendSave, showObject } from "./state.js";
import { targetField } from "./targets.js";

export const undo = () => change("/api/undo", {});
export const redo = () => change("/api/redo", {});

/** The id of the field of an attribute. What is typed for one object is never taken for another's. */
export const fieldId = (object, name) => `f-${object}-${name}`;

export async function save() {
  // What is being typed is reported when its field is left; saving comes after it.
  tellTyped();
  const { id, selectionStart, selectionEnd } = document.activeElement;
  const answer = await sendSave();
  if (answer === undefined) return;
  // A new object has another number now, and its fields have other ids.
  const isLost = document.activeElement.matches("body, #detail");
  for (const [old, now] of Object.entries(answer?.state.renamed ?? {})) {
    const field = isLost && id.includes(`-${old}-`) ? document.getElementById(id.replace(`-${old}-`, `-${now}-`)) : null;
    field?.focus();
    if (typeof selectionStart === "number") field?.setSelectionRange(selectionStart, selectionEnd);
  }
  const problems = answer ? answer.problems : [...state.refused.values()];
  if (answer && !problems.length) {
    announce("Saved.");
    return recount();
  }
  announce(problems.length ? `Not saved: ${problems.length} problem${problems.length === 1 ? "" : "s"}.` : "Not saved: an earlier change was refused.", true);
  const [first] = problems;
  if (!first) return;
  const object = first.object ?? state.detail?.id;
  if (object && object !== state.detail?.id) await showObject(object);
  if (answer) state.problems = problems;
  changed();
  document.getElementById(fieldId(object, first.field))?.focus();
}

/** Gives all changes up, and shows what the store holds now. */
export async function discard() {
  if (!await change("/api/discard", {})) return;
  announce("Discarded; this is what the store holds now.");
  document.getElementById("objects").focus();
  return recount();
}

export async function add(entity) {
  const answer = await change("/api/add", { entity });
  if (!answer) return;
  await showObject(answer.added);
  document.querySelector("#detail input, #detail textarea, #detail select")?.focus();
}

export const remove = (id) => change("/api/delete", { ids: [id] });

const set = (object, key) => (text) => change("/api/set", { id: object.id, key, text }, { field: key });

/** The field of an attribute. Empty means no value, but for strings, which have a button for that. */
export function editor(object, shape, { value }, problem) {
  const id = fieldId(object.id, shape.name);
  const refused = state.refused.get(fieldKey(object.id, shape.name));
  // A refused value stays to be mended.
  const text = refused?.text ?? value.text;
  const send = set(object, shape.name);
  const shared = {
    id, dir: "auto", "aria-invalid": problem ? "true" : null, "aria-describedby": problem ? `${id}-problem` : null,
    autocomplete: "off", spellcheck: "false",
  };
  const isText = shape.type === "String";
  const isNull = value.kind === "null";
  const control = shape.type === "Boolean"
    ? h("select", { ...shared, value: isNull ? "" : value.text, onchange: onChosen((value) => send(value || null)) },
      [["", "null"], ["true", "true"], ["false", "false"]].map(([key, text]) => h("option", { value: key, selected: key === (isNull ? "" : value.text) }, text)))
    : h(isText && /\n|.{60}/.test(text) ? "textarea" : "input", {
      ...shared, value: text, placeholder: isNull ? "null" : null,
      onchange: (event) => send(event.target.value === "" && !isText ? null : event.target.value),
    });
  return [
    h("div", { class: "edit" }, control,
      !isNull && shape.isOptional && shape.type !== "Boolean"
        ? h("button", { type: "button", class: "plain", id: `null-${object.id}-${shape.name}`, "aria-label": `Set ${shape.name} to null`, onclick: () => send(null) }, "∅") : null),
    value.kind === "date" ? h("span", { class: "quiet local" }, new Date(value.text).toLocaleString()) : null,
    problem ? h("p", { class: "problem", id: `${id}-problem`, role: "alert" }, problem.message) : null,
    refused ? storedButton(object, shape) : null,
  ];
}

/** A button that takes the value away. */
export const clearButton = (object, { name }) => h("button", {
  type: "button", id: `null-${object.id}-${name}`, "aria-label": `Set ${name} to null`, onclick: () => change("/api/set", { id: object.id, key: name, text: null }),
}, "Clear");

/** A file replaces the bytes. */
export function fileEditor(object, { name }, { bytes }) {
  const id = fieldId(object.id, name);
  return h("div", { class: "edit file" },
    h("label", { for: id }, bytes ? "Replace with a file" : "Take from a file"),
    h("input", {
      type: "file", id, "aria-label": `${name}: ${bytes ? "replace with a file" : "take from a file"}`, onchange: ({ target }) => {
        const [file] = target.files;
        if (file) change("/api/data", { id: object.id, key: name }, { file });
      },
    }),
    bytes ? clearButton(object, { name }) : null);
}

/** A value of strings, numbers, arrays and dictionaries, as JSON. */
export function jsonEditor(object, shape, { transformable }, problem) {
  const id = fieldId(object.id, shape.name);
  const refused = state.refused.get(fieldKey(object.id, shape.name));
  const text = refused?.text ?? transformable.json;
  const send = set(object, shape.name);
  return [
    h("div", { class: "edit" },
      h("textarea", {
        id, class: "mono", dir: "ltr", rows: Math.min(12, text.split("\n").length + 1), spellcheck: "false", autocomplete: "off", value: text,
        placeholder: "null", "aria-invalid": problem ? "true" : null, "aria-describedby": `${id}-form${problem ? ` ${id}-problem` : ""}`,
        onchange: (event) => send(event.target.value.trim() === "" ? null : event.target.value),
      })),
    h("p", { class: "quiet", id: `${id}-form` }, 'JSON; dates as {"$date": "2024-01-31T12:00:00Z"}, data as {"$data": "Base64"}.'),
    transformable.canClear ? clearButton(object, shape) : null,
    problem ? h("p", { class: "problem", id: `${id}-problem`, role: "alert" }, problem.message) : null,
    refused ? storedButton(object, shape) : null,
  ];
}

const storedButton = (object, { name }) => h("button", {
  type: "button", class: "plain", id: `${fieldId(object.id, name)}-stored`, onclick: () => { state.refused.delete(fieldKey(object.id, name)); changed(); },
}, "Use the value from before");

export const linkEditor = {
  remove: (object, shape, other) => h("button", {
    type: "button", class: "plain", id: `unlink-${object.id}-${shape.name}-${other}`, "aria-label": `Remove ${other} from ${shape.name}`,
    onclick: () => change("/api/link", { id: object.id, key: shape.name, to: other, removing: true }),
  }, "−"),
  add: (object, shape) => targetField(object, shape),
  /** Buttons that put a member of an ordered relationship before or after its neighbour. */
  move: (object, shape, other, place, count) => [["up", "↑", place - 1], ["down", "↓", place + 1]].map(([key, sign, to]) => {
    const isPossible = to >= 0 && to < count;
    return h("button", {
      type: "button", class: "plain", id: `${key}-${object.id}-${shape.name}-${other}`, "aria-label": `Move ${other} ${key} in ${shape.name}`,
      // Not disabled: the focus stays on it while its object is moved.
      "aria-disabled": isPossible ? null : "true",
      onclick: () => { if (isPossible) moveTo(object, shape, other, to); },
    }, sign);
  }),
  /** The position of a member of a long relationship, counted from 1; a field by which it is moved anywhere. */
  place: (object, shape, other, place, count, canMove) => {
    const text = String(place + 1);
    if (!canMove) return h("span", { class: "quiet place" }, text);
    return h("input", {
      id: `place-${object.id}-${shape.name}-${other}`, class: "place", value: text, inputmode: "numeric", autocomplete: "off", "aria-label": `Position of ${other} in ${shape.name}`,
      onchange: async ({ target }) => {
        const to = Number(target.value);
        if (!Number.isInteger(to) || to < 1 || to > count) announce(`The position must be a number from 1 to ${count}.`, true);
        else if (await moveTo(object, shape, other, to - 1)) return;
        target.value = text;
      },
    });
  },
};

/** Moves a member, and goes along with it. The answer is whether that was done; else the part that was shown stays. */
async function moveTo(object, shape, other, to) {
  const before = state.members;
  goToMember(object.id, shape.name, to);
  const after = state.members;
  const answer = await change("/api/move", { id: object.id, key: shape.name, member: other, place: to });
  if (!answer && state.members === after) state.members = before;
  return answer !== null;
}
