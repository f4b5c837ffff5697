// The list of what a model has: entities, composite types, fetch requests, configurations, versions.

import { h, announce } from "./dom.js";
import { state, select, changed, edit, load } from "./store.js";
import { KINDS, childrenOf, findingsFor, nameOf, sameItem } from "./model.js";
import { nameButton } from "./rename.js";
import { showNewVersion, versionID, versionKeys } from "./versions.js";

const GROUPS = [
  ["entity", "Entities", "E"], ["fetchRequest", "Fetch Requests", "F"], ["configuration", "Configurations", "C"],
  ["composite", "Composites", "S"],
];

/** Adds something to the model, selects it and lets its name be typed. */
export async function addToModel(kind) {
  const next = await edit({ kind: "model" }, (at) => ({ add: { kind, in: at } }));
  if (!next) return;
  const item = { kind, name: nameOf(next.root.children[next.location[0]]), member: null };
  select(item, state.pane === "sidebar" ? null : "editor");
  state.renaming = structuredClone(item);
  changed();
}

export function sidebar() {
  const { document } = state;
  return [
    h("div", { class: "groups" },
      GROUPS.map((group) => itemGroup(document.root, ...group)),
      versionGroup(document)),
  ];
}

function itemGroup(root, kind, title, letter) {
  return h("section", { class: "group", "aria-labelledby": `group-${kind}` },
    h("div", { class: "head" },
      h("h2", { id: `group-${kind}` }, title),
      h("button", {
        type: "button", class: "plain", id: `add-${kind}`, "aria-label": `Add ${KINDS[kind]}`,
        title: `Add ${KINDS[kind]}`, onclick: () => addToModel(kind),
      }, "+")),
    h("ul", {}, childrenOf(root, kind).map((element) => row({ kind, name: nameOf(element), member: null }, letter, element))));
}

function row(item, letter, element) {
  const isChosen = state.selection.kind === item.kind && state.selection.name === item.name;
  const findings = findingsFor(state.analysis, item);
  const worst = findings.some((finding) => finding.severity === "error") ? "error" : findings.length ? "warning" : null;
  return h("li", { class: isChosen ? "chosen" : null },
    h("span", { class: `letter ${item.kind}`, "aria-hidden": "true" }, letter),
    nameButton(item, { isCurrent: isChosen && !state.selection.member, isAbstract: /^yes$/i.test(element.settings.isAbstract ?? "") }),
    worst ? h("span", { class: `mark ${worst}`, role: "img", "aria-label": worst }, "!") : null);
}

function versionGroup(document) {
  const item = { kind: "model", name: "", member: null };
  return h("section", { class: "group", "aria-labelledby": "group-versions" },
    h("div", { class: "head" },
      h("h2", { id: "group-versions" }, "Versions"),
      document.isVersioned
        ? h("button", {
          type: "button", class: "plain", id: "add-version", "aria-label": "Add Version", title: "Add Version",
          onclick: showNewVersion,
        }, "+")
        : null),
    h("ul", {}, document.versions.map((version) => {
      const isShown = version.name === document.version;
      const isChosen = isShown && sameItem(state.selection, item);
      return h("li", { class: isChosen ? "chosen" : null },
        h("span", { class: "letter model", "aria-hidden": "true" }, "V"),
        h("button", {
          type: "button", class: "name", dir: "auto", id: versionID(version.name), "aria-disabled": version.problem ? "true" : null,
          "aria-describedby": version.problem ? `why:${version.name}` : null, "aria-current": isChosen ? "true" : null,
          "aria-keyshortcuts": document.isVersioned ? "F2 Delete" : null, onkeydown: (event) => versionKeys(event, version.name),
          onclick: async () => {
            if (version.problem) return announce(version.problem, true);
            if (!isShown) await load(version.name);
            select(item, "inspector");
          },
        }, version.name, isShown ? h("span", { class: "quiet" }, " – shown") : null),
        version.isEdited ? h("span", { class: "mark", role: "img", "aria-label": "edited" }, "•") : null,
        version.isCurrent ? h("span", { class: "mark current", role: "img", "aria-label": "current version" }, "✓") : null,
        version.problem ? h("p", { class: "why problem", id: `why:${version.name}`, dir: "auto" }, version.problem) : null);
    })));
}
