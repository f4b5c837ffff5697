// The reports at the bottom: warnings, generated Swift, version hashes, and what changes mean for stores.

import { h, announce } from "./dom.js";
import { state, changed, loadAnalysis, select } from "./store.js";
import { CONSTRAINT, childrenOf, constraintsOf, nameIn, nameOf } from "./model.js";
import { migrationReport } from "./migration.js";

const REPORTS = {
  warnings: ["Warnings", warnings], swift: ["Generated Swift", swift], hashes: ["Version Hashes", hashes],
  migration: ["Migration", migrationReport],
};

export function panel() {
  if (!state.isReportOpen && state.pane !== "panel") return [];
  const [, content] = REPORTS[state.report];
  return [
    h("div", { class: "tabs", role: "tablist", "aria-label": "Reports" }, Object.entries(REPORTS).map(([key, [title]]) => tab(key, title))),
    h("div", { class: `report ${state.report}`, role: "tabpanel", id: "report", "data-scroll": `${state.report} ${state.selection.name}`, "aria-labelledby": `tab-${state.report}`, tabindex: 0 },
      state.analysis ? content(state.analysis) : h("p", { class: "quiet" }, "…")),
  ];
}

function tab(key, title) {
  const isChosen = state.report === key;
  const show = (next) => { state.report = next; changed(); document.getElementById(`tab-${next}`)?.focus(); };
  const keys = Object.keys(REPORTS);
  return h("button", {
    type: "button", role: "tab", id: `tab-${key}`, "aria-selected": String(isChosen), "aria-controls": "report",
    tabindex: isChosen ? 0 : -1, onclick: () => show(key),
    onkeydown: (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) show(keys[(keys.indexOf(key) + step + keys.length) % keys.length]);
    },
  }, title, key === "warnings" && state.analysis ? h("span", { class: "count" }, ` ${state.analysis.findings.length}`) : null);
}

function warnings({ findings }) {
  if (!findings.length) return h("p", { class: "fine" }, "✓ Nothing is wrong with this version.");
  return h("ul", { class: "findings", "aria-label": "Warnings" }, findings.map((finding, index) => {
    const place = [finding.entity, finding.property].filter(Boolean).join(".");
    return h("li", { class: finding.severity },
      h("span", { class: "severity" }, finding.severity),
      place ? h("button", { type: "button", class: "link", id: `finding-${index}`, dir: "auto", onclick: () => show(finding) }, place) : null,
      h("span", { dir: "auto" }, finding.message), h("code", { class: "quiet" }, finding.code));
  }));
}

// Selects what a finding is about.
function show(finding) {
  const { entity, property, kind } = finding;
  const { root } = state.document;
  const holder = entity ? childrenOf(root, "entity").find((child) => nameOf(child) === entity) : null;
  if (!holder) {
    const other = root.children.find((child) =>
      (kind ? child.kind === kind : ["fetchRequest", "configuration", "composite"].includes(child.kind)) && nameOf(child) === property);
    if (other) select({ kind: other.kind, name: property }, "editor");
    return;
  }
  const member = holder.children.find((child) => nameOf(child) === property && (!kind || child.kind === kind));
  const name = nameIn(finding);
  const isConstraint = kind === CONSTRAINT && constraintsOf(holder).some((constraint) => constraint.join(",") === name);
  state.mode = "tables";
  select({ kind: "entity", name: entity, member: isConstraint ? { kind, name } : member ? { kind: member.kind, name } : null }, "editor");
}

function swift({ sources, notices, sourceProblem }) {
  if (sourceProblem) return h("p", { class: "problem", dir: "auto" }, sourceProblem);
  const entity = state.selection.kind === "entity" ? state.selection.name : null;
  const element = childrenOf(state.document.root, "entity").find((child) => nameOf(child) === entity);
  const className = (element?.settings.representedClassName || entity || "").split(".").pop();
  const own = sources.filter((source) => source.name.startsWith(`${className}+CoreData`));
  // The properties are what changes; the rest of a class stays what it is.
  const isBody = (source) => source.name.includes("+CoreDataProperties");
  const shown = (own.length ? own : sources).toSorted((a, b) => isBody(b) - isBody(a));
  const codegen = { class: "Class Definition: generated with every build", category: "Category/Extension: the properties are generated with every build" };
  return [
    h("div", { class: "options" },
      h("label", { for: "style" }, "Style"),
      h("select", { id: "style", value: state.style, onchange: (event) => { state.style = event.target.value; loadAnalysis(); } },
        [["plain", "Plain Swift"], ["apple", "Xcode (@NSManaged)"]].map(([key, title]) => h("option", { value: key, selected: key === state.style }, title))),
      h("span", { class: "quiet" }, element ? codegen[element.settings.codeGenerationType] ?? "Manual/None: you write the class yourself" : ""),
      h("span", { class: "space" }),
      h("button", {
        type: "button", id: "copy", onclick: async () => {
          await navigator.clipboard.writeText(shown.map((source) => source.text).join("\n"));
          announce("Copied.");
        },
      }, "Copy")),
    notices.map((notice) => h("p", { class: "warning", dir: "auto" }, notice)),
    shown.length ? null : h("p", { class: "quiet" }, "No class is generated."),
    shown.map((source) => [h("h2", { dir: "auto" }, source.name), h("pre", { dir: "ltr", tabindex: 0, "aria-label": source.name }, source.text)]),
  ];
}

function hashes({ hashes: list, checksum }) {
  return [
    h("table", { "aria-label": "Version hashes" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Entity"), h("th", { scope: "col" }, "Version Hash"), h("th", { scope: "col" }, "Against the saved version"))),
      h("tbody", {}, list.map((entry) => h("tr", {},
        h("td", { dir: "auto" }, entry.entity), h("td", {}, h("code", { class: "hash" }, entry.hash)),
        h("td", { class: entry.isChanged ? "warning" : "quiet" }, entry.isChanged ? "changed" : "same"))))),
    h("p", {}, "Checksum of the version: ", h("code", {}, checksum ?? "–")),
  ];
}
