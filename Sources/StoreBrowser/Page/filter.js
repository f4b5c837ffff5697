// The field of the predicate: it is checked while it is typed, and names are completed.

import { h, whenQuiet } from "./dom.js";
import { get } from "./api.js";
import { state, changed, entityNamed, filter, asker } from "./state.js";

const WORDS = [
  "AND", "OR", "NOT", "BEGINSWITH[cd]", "CONTAINS[cd]", "ENDSWITH[cd]", "LIKE[cd]", "MATCHES", "IN", "BETWEEN", "ANY", "ALL", "NONE", "nil", "TRUE", "FALSE",
];

// What is typed, requested or not. It is of one visit to an entity.
const draft = { visit: 0, text: "", check: null, choices: [], chosen: -1 };

export function filterField() {
  if (draft.visit !== state.visit) begin(state.predicate);
  const { problem, column } = draft.check ?? (state.problem?.field === "predicate" ? { problem: state.problem.message } : {});
  return h("form", { class: "filter", role: "search", "aria-label": "Filter", onsubmit: submit },
    h("label", { for: "predicate" }, "Predicate"),
    h("div", { class: "control" },
      h("input", {
        id: "predicate", class: "mono", dir: "ltr", value: draft.text, autocomplete: "off", spellcheck: "false", autocapitalize: "off",
        placeholder: "title CONTAINS[cd] 'a'", role: "combobox", "aria-autocomplete": "list", "aria-controls": "choices",
        "aria-expanded": String(draft.choices.length > 0), "aria-activedescendant": draft.chosen >= 0 ? `choice-${draft.chosen}` : null,
        "aria-describedby": "predicate-check", "aria-invalid": problem ? "true" : null,
        oninput: typed, onkeydown: keyed, onblur: () => { choose([]); showChoices(); },
      }),
      h("ul", { id: "choices", class: "choices", role: "listbox", "aria-label": "Names", hidden: draft.choices.length === 0 }, draft.choices.map(choiceItem)),
      h("div", { id: "predicate-check", class: "check-text" }, checkContent(problem, column))),
    h("button", { type: "submit", id: "apply" }, "Filter"),
    state.predicate || state.related
      ? h("button", { type: "button", id: "clear", onclick: () => { begin(""); state.related = null; filter(""); } }, "Clear")
      : null);
}

function begin(text) {
  Object.assign(draft, { visit: state.visit, text, check: null });
  choose([]);
}

function choose(choices, chosen = -1) { Object.assign(draft, { choices, chosen }); }

const field = () => document.getElementById("predicate");

function checkContent(problem, column) {
  if (!problem) return [];
  const { text } = draft;
  return [
    h("span", { class: "problem" }, problem, column ? ` (at character ${column})` : ""),
    column
      ? h("code", { class: "place", dir: "ltr" }, text.slice(Math.max(0, column - 31), column - 1), h("mark", {}, text.slice(column - 1, column) || "␣"), text.slice(column, column + 30))
      : null,
  ].filter(Boolean);
}

function submit(event) {
  event.preventDefault();
  const text = field().value.trim();
  // What the check has said of the same string still holds.
  if (text === draft.text) choose([]);
  else {
    begin(text);
    check();
  }
  filter(text);
}

const check = whenQuiet(200, async () => {
  const { text, visit } = draft;
  let found = {};
  if (text.trim()) {
    try { found = await get("/api/check", { ...asker("check"), entity: state.entity, predicate: text }); } catch (error) {
      // The same was requested again.
      if (error.code === "superseded") return;
      found = { problem: error.message };
    }
  }
  if (text !== draft.text || visit !== draft.visit || visit !== state.visit) return;
  draft.check = found;
  document.getElementById("predicate-check")?.replaceChildren(...checkContent(found.problem, found.column));
  if (found.problem) field()?.setAttribute("aria-invalid", "true");
  else field()?.removeAttribute("aria-invalid");
});

function typed() {
  draft.text = field().value;
  check();
  complete();
}

// The key path that ends at the cursor, unless it is in a string.
function wordBefore(text) {
  const quotes = text.match(/(["'])(?:(?!\1).)*(\1|$)/g) ?? [];
  if (quotes.length && text.endsWith(quotes.at(-1)) && !/^(["']).*\1$/.test(quotes.at(-1))) return null;
  return text.match(/[\p{L}_][\p{L}\p{N}_.]*$/u)?.[0] ?? null;
}

function complete() {
  const word = wordBefore(field().value.slice(0, field().selectionStart));
  choose(word ? choicesFor(word) : []);
  showChoices();
}

/** The names that a key path can go on with. */
function choicesFor(word) {
  const steps = word.split(".");
  const last = steps.pop().toLowerCase();
  let entity = entityNamed(state.entity);
  for (const step of steps) {
    const relationship = entity?.relationships.find((candidate) => candidate.name === step);
    entity = relationship ? entityNamed(relationship.destination) : null;
  }
  if (!entity) return [];
  const names = [...entity.attributes, ...entity.relationships].map((property) => property.name).toSorted();
  const all = steps.length ? names : [...names, ...WORDS];
  return all.filter((name) => name.toLowerCase().startsWith(last) && name.toLowerCase() !== last).slice(0, 8)
    .map((name) => [...steps, name].join("."));
}

const choiceItem = (choice, index) => h("li", {
  id: `choice-${index}`, role: "option", "aria-selected": String(index === draft.chosen), class: index === draft.chosen ? "chosen" : null,
  onmousedown: (event) => { event.preventDefault(); take(choice); },
}, choice);

function showChoices() {
  const list = document.getElementById("choices");
  if (!list) return;
  list.hidden = draft.choices.length === 0;
  list.replaceChildren(...draft.choices.map(choiceItem));
  field().setAttribute("aria-expanded", String(!list.hidden));
  if (draft.chosen >= 0) field().setAttribute("aria-activedescendant", `choice-${draft.chosen}`);
  else field().removeAttribute("aria-activedescendant");
}

function take(choice) {
  const input = field();
  const end = input.selectionStart;
  const word = wordBefore(input.value.slice(0, end)) ?? "";
  input.setRangeText(choice, end - word.length, end, "end");
  draft.text = input.value;
  choose([]);
  showChoices();
  check();
}

function keyed(event) {
  const { choices } = draft;
  if (!choices.length) return;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) draft.chosen = draft.chosen < 0 && step < 0 ? choices.length - 1 : (draft.chosen + step + choices.length) % choices.length;
  else if (event.key === "Escape") choose([]);
  else if ((event.key === "Enter" || event.key === "Tab") && draft.chosen >= 0) { event.preventDefault(); return take(choices[draft.chosen]); }
  else return;
  event.preventDefault();
  showChoices();
}

/** What of a relationship is shown. */
export const relatedNote = () => state.related
  ? h("p", { class: "related" }, h("span", { dir: "auto" }, `${state.related.relationship} of ${state.related.of} `),
    h("button", { type: "button", class: "link", id: "unrelate", onclick: () => { state.related = null; changed(); filter(state.predicate); } }, "show all"))
  : null;
