// What the changes mean for stores that exist.

import { h } from "./dom.js";
import { state, loadAnalysis } from "./store.js";
import { showNewVersion } from "./versions.js";

export function migrationReport({ migration }) {
  return [
    h("div", { class: "options" },
      h("label", { for: "from" }, "Stores of"),
      h("select", { id: "from", value: state.from, onchange: (event) => { state.from = event.target.value; loadAnalysis(); } },
        h("option", { value: "", selected: state.from === "" }, `${state.document.version} as it is saved`),
        state.document.versions.filter((version) => !version.problem && version.name !== state.document.version)
          .map((version) => h("option", { value: version.name, selected: state.from === version.name }, version.name)))),
    verdict(migration),
    migration.difference ? changes(migration.difference) : null,
  ];
}

function verdict({ difference, allowsLightweightMigration, problem }) {
  if (problem) return h("p", { class: "problem", id: "verdict", dir: "auto" }, `This cannot be determined: ${problem}`);
  if (!difference.changesVersionHashes) {
    return h("p", { class: "fine", id: "verdict" },
      "✓ Stores open without a migration: no version hash has changed.");
  }
  const isSaved = state.from === "";
  return [
    allowsLightweightMigration
      ? h("p", { class: "fine", id: "verdict" }, "✓ Lightweight migration is possible: a mapping can be inferred.")
      : h("p", { class: "problem", id: "verdict" }, "✗ Lightweight migration is not possible:"),
    difference.obstacles.length ? h("ul", { class: "findings" }, difference.obstacles.map((obstacle) =>
      h("li", { class: "error", dir: "auto" }, `${[obstacle.entity, obstacle.property].filter(Boolean).join(".")}: ${obstacle.reason}`))) : null,
    isSaved && state.document.isVersioned
      ? h("p", { class: "warning" },
        "If stores of this version are in use, keep it as it is and make the change in a new version: a migration needs the model that a store was made with. ",
        h("button", { type: "button", id: "migration-new-version", onclick: showNewVersion }, "Add Version…"))
      : null,
  ];
}

const MARKS = { added: "+", removed: "−", renamed: "→", changed: "~" };

function changes(difference) {
  const lines = [
    ...difference.entities.flatMap((entity) => [
      line("entity", entity), ...entity.properties.map((property) => line(property.kind, property, `${entity.name}.`)),
    ]),
    ...difference.configurations.map((part) => line("configuration", part)),
    ...difference.fetchRequests.map((part) => line("fetch request", part)),
  ];
  if (!lines.length) return h("p", { class: "quiet" }, "There is no difference.");
  return h("ul", { class: "changes", "aria-label": "Changes" }, lines);
}

const line = (kind, part, prefix = "") =>
  h("li", { class: part.change, dir: "auto" },
    h("span", { class: "change-mark", "aria-hidden": "true" }, MARKS[part.change]),
    `${kind} ${prefix}${part.name} ${part.change}${part.oldName ? ` from ${part.oldName}` : ""}`,
    part.settings.length
      ? h("span", { class: "quiet" }, `: ${part.settings.map((setting) => `${setting.name} ${setting.old ?? "–"} → ${setting.new ?? "–"}`).join("; ")}`)
      : null);
