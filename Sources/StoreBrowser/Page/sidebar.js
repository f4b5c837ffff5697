// The list of entities with how many objects they have, and what else there is of a store.

import { h } from "./dom.js";
import { state, showEntity, showHistory, showFacts } from "./state.js";
import { statements } from "./statements.js";

const number = new Intl.NumberFormat("en");
export const shownNumber = (value) => number.format(value);

export function sidebar() {
  return h("div", { class: "groups" },
    h("h2", { id: "entities" }, "Entities"),
    h("ul", { "aria-labelledby": "entities" }, state.store.entities.map(item)),
    h("h2", { id: "about" }, "Store"),
    h("ul", { "aria-labelledby": "about" }, place("history", "History", showHistory), place("facts", "Metadata", showFacts)),
    statements(state.countsStatements, "counts-statements"));
}

function item(entity) {
  const isChosen = state.view === "entity" && state.entity === entity.name;
  const count = state.counts[entity.name];
  return h("li", { class: isChosen ? "chosen" : null },
    h("button", {
      type: "button", class: "name", id: `entity-${entity.name}`, "aria-current": isChosen ? "true" : null,
      onclick: () => showEntity(entity.name),
    }, h("span", { class: entity.isAbstract ? "abstract" : null, dir: "auto" }, entity.name),
    h("span", { class: "count", "aria-label": count === undefined ? null : `${count} objects` }, count === undefined ? "" : shownNumber(count))));
}

function place(view, title, show) {
  const isChosen = state.view === view;
  return h("li", { class: isChosen ? "chosen" : null },
    h("button", { type: "button", class: "name", id: `view-${view}`, "aria-current": isChosen ? "true" : null, onclick: show }, title));
}
