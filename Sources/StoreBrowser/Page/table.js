// The table of an entity.

import { h } from "./dom.js";
import { state, entityNamed, sortBy, nextPage, previousPage, showObject, showMode } from "./state.js";
import { chartExports, tableExports } from "./export.js";
import { filterField, relatedNote } from "./filter.js";
import { statements } from "./statements.js";
import { chart } from "./chart.js";
import { shownNumber } from "./sidebar.js";
import { add } from "./editing.js";

export function entityView() {
  const entity = entityNamed(state.entity);
  const isChart = state.mode === "chart";
  return [
    h("div", { class: "title" },
      h("h2", { id: "title", dir: "auto" }, entity.name),
      h("span", { class: "quiet", id: "count", role: "status" }, countText()),
      h("span", { class: "space" }),
      state.changes.canWrite && !entity.isAbstract
        ? h("button", { type: "button", id: "add", onclick: () => add(entity.name) }, "Add") : null,
      isChart ? chartExports(entity) : tableExports(entity),
      h("div", { class: "group", role: "group", "aria-label": "View" },
        mode("table", "Table"), mode("chart", "Chart"))),
    filterField(),
    relatedNote(),
    isChart ? chart(entity) : table(entity),
    isChart ? null : pager(),
    statements(isChart ? state.chart.data?.statements : state.page ? [...state.page.statements, ...state.countStatements, ...(state.exported?.statements ?? [])] : []),
  ];
}

function countText() {
  if (state.count === null || state.count === undefined) return state.count === null ? "…" : "";
  return `${shownNumber(state.count)} object${state.count === 1 ? "" : "s"}`;
}

const mode = (key, title) => h("button", {
  type: "button", id: `mode-${key}`, "aria-pressed": String(state.mode === key), onclick: () => showMode(key),
}, title);

function table(entity) {
  if (state.problem && state.problem.field !== "predicate") return h("p", { class: "problem note", role: "alert" }, state.problem.message);
  const { page } = state;
  if (!page) return h("p", { class: "quiet note" }, state.isLoading ? "…" : "");
  if (!page.rows.length) return h("p", { class: "quiet note", id: "none" }, state.predicate ? "No object meets the predicate." : "There are no objects.");
  const numbers = page.columns.map((column) => isNumber(entity, column));
  return h("div", { class: "scroll", id: "scroll", "data-scroll": `table ${entity.name}`, tabindex: 0, role: "region", "aria-labelledby": "title" },
    h("table", { class: "objects", "aria-busy": String(state.isLoading) },
      h("caption", { class: "heard" }, `Objects of ${entity.name}, page ${state.starts.length}`),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { class: "unsorted" }, "Object")), page.columns.map((column, index) => header(entity, column, numbers[index])))),
      h("tbody", {}, page.rows.map((row) => line(page, row, numbers)))));
}

// A column of numbers is set to the right, with what has no value too.
const isNumber = (entity, name) => /^(Integer|Decimal|Double|Float)/.test(entity.attributes.find((attribute) => attribute.name === name)?.type ?? "");

function header(entity, column, isNumber) {
  const attribute = entity.attributes.find((candidate) => candidate.name === column);
  const isSorted = state.sort === column;
  const direction = !isSorted ? null : state.isDescending ? "descending" : "ascending";
  const marks = [attribute?.isDerived ? "derived" : null, attribute?.isTransient ? "transient" : null].filter(Boolean);
  const note = marks.length ? h("span", { class: "mark" }, ` ${marks.join(", ")}`) : null;
  return h("th", { scope: "col", class: isNumber ? "number" : null, "aria-sort": direction },
    attribute?.isSortable
      ? h("button", { type: "button", class: "sort", id: `sort-${column}`, onclick: () => sortBy(column) },
        h("span", { dir: "auto" }, column), h("span", { "aria-hidden": "true" }, !isSorted ? "" : state.isDescending ? " ▼" : " ▲"))
      : h("span", { class: "unsorted", dir: "auto" }, column),
    note);
}

function line(page, row, numbers) {
  const isChosen = state.detail?.id === row.id;
  return h("tr", {
    class: [isChosen ? "chosen" : "", row.state ?? ""].join(" ").trim() || null,
    onclick: (event) => { if (!event.target.closest("button") && !String(getSelection())) showObject(row.id); },
  },
  h("th", { scope: "row" },
    h("button", { type: "button", class: "link", id: `row-${row.id}`, "aria-current": isChosen ? "true" : null, onclick: () => showObject(row.id) }, row.id.replace(/^.*\//, "")),
    row.state ? h("span", { class: "mark" }, ` ${row.state}`) : null),
  row.values.map((value, index) => h("td", { class: numbers[index] ? "number" : null }, cell(value, `${row.id}-${page.columns[index]}`))));
}

function cell(value, id) {
  switch (value.kind) {
    case "null": return h("span", { class: "null" }, "null");
    case "object": return h("button", { type: "button", class: "link", id: `link-${id}`, dir: "auto", onclick: () => showObject(value.target) }, value.text);
    case "bytes": case "other": return h("span", { class: "quiet cut", dir: "auto" }, value.text);
    default: return h("span", { class: "cut", dir: "auto" }, value.text, value.isCut ? "…" : "");
  }
}

function pager() {
  return h("div", { class: "bar", role: "group", "aria-label": "Pages" },
    h("button", { type: "button", id: "previous", disabled: state.starts.length < 2, onclick: previousPage }, "← Previous"),
    h("span", { id: "page-number" }, `Page ${state.starts.length}`),
    h("button", { type: "button", id: "next", disabled: !state.isLoading && !state.page?.next, onclick: nextPage }, "Next →"));
}
