// The persistent history, the latest transactions first.

import { h } from "./dom.js";
import { state, loadHistory, showObject } from "./state.js";
import { historyExports } from "./export.js";
import { shownNumber } from "./sidebar.js";
import { statements } from "./statements.js";

const KINDS = { insert: "+", update: "∆", delete: "−" };

export function historyView() {
  const { transactions, next, isKept, isLoaded } = state.history;
  return [
    h("div", { class: "title" }, h("h2", { id: "title" }, "History"), h("span", { class: "space" }), transactions.length ? historyExports() : null),
    !isKept ? h("p", { class: "quiet note" }, "The store keeps no history.")
      : isLoaded && !transactions.length ? h("p", { class: "quiet note" }, "The history is empty.") : null,
    h("div", { class: "page", id: "page", "data-scroll": "history", tabindex: 0, role: "region", "aria-labelledby": "title" },
      h("ol", { class: "timeline", "aria-label": "Transactions" }, transactions.map(transaction)),
      next ? h("button", { type: "button", id: "older", onclick: loadHistory }, "Older transactions") : null),
    statements(state.history.statements),
  ];
}

function transaction({ number, date, author, context, bundle, process, changes, changeCount }) {
  const about = [author ? `by ${author}` : null, context, process || bundle].filter(Boolean).join(" · ");
  return h("li", {},
    h("h3", {}, `Transaction ${number} `, h("time", { datetime: date, class: "quiet" }, new Date(date).toLocaleString()), h("span", { class: "quiet", dir: "auto" }, about ? ` ${about}` : "")),
    h("ul", { "aria-label": `Changes of transaction ${number}` }, changes.map(({ kind, object, properties, tombstone }, index) => h("li", { class: kind },
      h("span", { class: "kind", role: "img", "aria-label": kind }, KINDS[kind]),
      kind === "delete" ? h("span", { dir: "auto" }, object)
        : h("button", { type: "button", class: "link", id: `change-${number}-${index}`, dir: "auto", onclick: () => showObject(object) }, object),
      h("span", { class: "quiet", dir: "auto" }, properties.join(", "), Object.entries(tombstone).map(([key, value]) => ` ${key}: ${value}`).join(","))))),
    changeCount > changes.length ? h("p", { class: "quiet" }, `and ${shownNumber(changeCount - changes.length)} more`) : null);
}
