// The metadata of the store and the hashes of its model.

import { h } from "./dom.js";
import { state } from "./state.js";
import { factsExports } from "./export.js";
import { statements } from "./statements.js";

export function factsView() {
  const { facts } = state;
  return [
    h("div", { class: "title" }, h("h2", { id: "title" }, "Metadata"), h("span", { class: "space" }), facts ? factsExports() : null),
    facts ? h("div", { class: "page", id: "page", "data-scroll": "facts", tabindex: 0, role: "region", "aria-labelledby": "title" },
      h("table", { "aria-label": "Metadata", class: "facts" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Key"), h("th", { scope: "col" }, "Value"))),
        h("tbody", {}, facts.metadata.map(({ key, value }) => h("tr", {}, h("td", { dir: "auto" }, key), h("td", { dir: "auto" }, value))))),
      h("h3", { class: "gap" }, "Version hashes"),
      h("table", { "aria-label": "Version hashes", class: "facts" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Entity"), h("th", { scope: "col" }, "Model"), h("th", { scope: "col" }, "Store"))),
        h("tbody", {}, facts.hashes.map(({ entity, model, store }) => h("tr", {},
          h("td", { dir: "auto" }, entity), h("td", {}, h("code", {}, model)),
          h("td", { class: store === model ? "quiet" : "warning" }, store === model ? "the same" : store ?? "none")))))) : h("p", { class: "quiet note" }, "…"),
    statements(facts?.statements),
  ];
}
