// The search for words in the objects of all entities: its field in the bar, and what it has found.

import { h } from "./dom.js";
import { state, showSearch, moreHits, showObject } from "./state.js";
import { shownNumber } from "./sidebar.js";

// What is typed, requested or not.
let draft = "";

export const searchField = () => h("form", { class: "find", role: "search", "aria-label": "Search of all entities", onsubmit: submit },
  h("input", {
    id: "words", type: "search", dir: "auto", value: draft, "aria-label": "Words in the objects of all entities", autocomplete: "off", spellcheck: "false",
    autocapitalize: "off", maxlength: 1000, oninput: ({ target }) => { draft = target.value; },
  }),
  h("button", { type: "submit", id: "find" }, "Search"));

function submit(event) {
  event.preventDefault();
  const words = draft.trim();
  if (words) showSearch(words);
}

export function searchView() {
  const { words, all, answer, problem } = state.search;
  return [
    h("div", { class: "title" },
      h("h2", { id: "title", dir: "auto" }, `Search: ${words}`),
      h("span", { class: "quiet", id: "count", role: "status" }, countText()),
      h("span", { class: "space" }),
      h("label", { class: "all", title: "Strings, URIs and UUIDs, whether they have “Index in Spotlight” or not" },
        h("input", { type: "checkbox", id: "all-strings", checked: all, onchange: ({ target }) => showSearch(words, target.checked) }), "All strings")),
    problem ? h("p", { class: "problem note", role: "alert" }, problem) : null,
    answer ? found(answer) : null,
  ];
}

function countText() {
  const { answer, indexing, problem } = state.search;
  if (problem) return "";
  if (!answer) return indexing ? `Indexing: ${shownNumber(indexing.done)} of ${shownNumber(indexing.total)} objects` : "…";
  return answer.isPossible ? objects(answer.count) : "";
}

const objects = (count) => `${shownNumber(count)} object${count === 1 ? "" : "s"}`;

function found({ isPossible, entities }) {
  if (!isPossible) return state.search.all ? h("p", { class: "quiet note", id: "none" }, "No entity has an attribute with text.") : notIndexed();
  if (!entities.length) return h("p", { class: "quiet note", id: "none" }, "No object has these words.");
  return h("div", { class: "page", id: "page", "data-scroll": `search ${state.search.words}`, tabindex: 0, role: "region", "aria-labelledby": "title" }, entities.map(group));
}

const notIndexed = () => h("div", { class: "note", id: "none" },
  h("p", {}, "No attribute of the model has “Index in Spotlight”, and no entity a display name expression of stored attributes."),
  h("p", { class: "quiet" }, "Check that box of the attributes to be searched in Xcode or ", h("code", {}, "coredata edit"),
    ", or set ", h("code", {}, "isIndexedBySpotlight"), " in code; the model is given by ", h("code", {}, "--model"), "."),
  h("button", { type: "button", id: "search-all", onclick: () => showSearch(state.search.words, true) }, "Search all strings"));

function group({ name, count, isRanked, objects: hits, isComplete }) {
  return [
    h("h3", { class: "gap", id: `found-${name}` }, h("span", { dir: "auto" }, name), h("span", { class: "quiet" }, ` ${objects(count)}${isRanked ? "" : ", by key"}`)),
    h("ul", { class: "hits", "aria-labelledby": `found-${name}` }, hits.map(hit)),
    hits.length < count && !isComplete
      ? h("button", { type: "button", id: `more-${name}`, "aria-label": `More objects of ${name}`, onclick: () => moreHits(name) }, "More") : null,
  ];
}

function hit({ objectID, attribute, snippet }) {
  const isChosen = state.detail?.id === objectID;
  return h("li", {
    class: isChosen ? "chosen" : null,
    onclick: (event) => { if (!event.target.closest("button") && !String(getSelection())) showObject(objectID); },
  },
  h("button", { type: "button", class: "link", id: `hit-${objectID}`, "aria-current": isChosen ? "true" : null, dir: "auto", onclick: () => showObject(objectID) }, objectID),
  h("span", { class: "quiet", dir: "auto" }, attribute ?? "display name"),
  snippet.length
    ? h("span", { class: "snippet", dir: "auto" }, snippet.map(({ text, isHighlighted }) => isHighlighted ? h("mark", {}, text) : text)) : null);
}
