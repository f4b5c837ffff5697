// The SQL behind what is shown, with its time and the way of the database to the rows.

import { h } from "./dom.js";
import { state } from "./state.js";

export function statements(list, id = "statements") {
  if (!list?.length) return null;
  const time = list.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  return h("details", {
    class: "statements", id, open: state.openStatements.has(id),
    ontoggle: ({ target }) => { state.openStatements[target.open ? "add" : "delete"](id); },
  },
  h("summary", { id: `${id}-summary` }, `SQL: ${list.length} statement${list.length === 1 ? "" : "s"}, ${time.toFixed(1)} ms`),
  list.map(({ title, sql, plan, milliseconds }, index) => h("div", { class: "statement" },
    h("h3", { dir: "auto" }, title, h("span", { class: "quiet" }, ` ${milliseconds.toFixed(2)} ms`)),
    h("pre", { dir: "ltr", tabindex: 0, id: `${id}-${index}`, "aria-label": `SQL: ${title}` }, sql),
    h("ul", { "aria-label": "Query plan" }, plan.map((step) => h("li", {}, h("code", {}, step)))))));
}
