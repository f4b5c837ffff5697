// Versions of the model, its own settings, and its configurations.

import { h, onChosen } from "./dom.js";
import { edit, request, state } from "./store.js";
import { childrenOf, nameOf, names } from "./model.js";
import { checkField, field, section, textField } from "./fields.js";

// Versions

// Shows a dialog; `send` returns the result, or null when it was refused.
function ask(title, text, action, fields, send) {
  const dialog = document.getElementById("dialog");
  // What is behind an open dialog is neither read nor heard.
  const problem = h("p", { class: "problem", role: "alert" });
  const form = h("form", {
    method: "dialog",
    onsubmit: async (event) => {
      event.preventDefault();
      if (await send()) dialog.close();
      else problem.textContent = document.getElementById("status").textContent;
    },
  },
  h("h2", {}, title),
  h("p", { class: "quiet" }, text),
  fields,
  problem,
  h("div", { class: "buttons" },
    h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
    h("button", { type: "submit", class: "primary" }, action)));
  dialog.setAttribute("aria-label", title);
  dialog.replaceChildren(form);
  dialog.showModal();
}

/** The id of the button of a version in the list. */
export const versionID = (name) => `version:${name}`;

// The dialog gives the focus back to what is not there any more; so it is set when that is over.
const focusVersion = (name) => setTimeout(() => document.getElementById(versionID(name))?.focus());

const readable = () => state.document.versions.filter((version) => !version.problem);

/** Prompts for the name and the base of a new version. */
export function showNewVersion() {
  const { versions, version, name } = state.document;
  const base = name.replace(/\.xcdatamodeld$/, "");
  let number = 2;
  while (versions.some((other) => other.name === `${base} ${number}`)) number += 1;
  const nameField = h("input", { id: "new-version-name", value: `${base} ${number}`, dir: "auto", required: true });
  const baseField = h("select", { id: "new-version-base", value: version },
    readable().map((other) => h("option", { value: other.name, selected: other.name === version }, other.name)));
  ask("Add Model Version", "The new version starts as a copy of the other one and is written at once. The current version does not change.", "Add",
    [field("new-version-name", "Version name", nameField), field("new-version-base", "Based on", baseField)],
    async () => {
      const added = await request("/api/versions", { name: nameField.value, from: baseField.value });
      if (added) focusVersion(added.version);
      return added;
    });
  nameField.select();
}

/** Prompts for another name of a version. */
export function showRenameVersion(name) {
  const nameField = h("input", { id: "version-name", value: name, dir: "auto", required: true });
  ask("Rename Model Version", "Its folder is renamed when the model is saved.", "Rename", field("version-name", "Version name", nameField),
    async () => {
      const to = nameField.value;
      const renamed = await request("/api/versions/rename", { name, to });
      if (renamed) focusVersion(to);
      return renamed;
    });
  nameField.select();
}

/** Prompts whether a version is removed, and which one is then the current one. */
export function showRemoveVersion(name) {
  const others = readable().filter((version) => version.name !== name);
  const isCurrent = state.document.versions.some((version) => version.name === name && version.isCurrent);
  const currentField = isCurrent
    ? h("select", { id: "version-next", required: true, value: "" },
      [h("option", { value: "" }, "Choose…"), others.map((other) => h("option", { value: other.name }, other.name))])
    : null;
  ask("Remove Model Version", `“${name}” is removed now, and its folder when the model is saved. Stores of this version cannot be migrated without it.`, "Remove",
    currentField ? field("version-next", "Current version", currentField) : null,
    async () => {
      const removed = await request("/api/versions/remove", { name, ...(currentField ? { current: currentField.value } : {}) });
      if (removed) focusVersion(removed.version);
      return removed;
    });
}

const isOnly = () => readable().length < 2;

/** What the keys do at the name of a version. */
export function versionKeys(event, name) {
  if (!state.document.isVersioned) return;
  if (event.key === "F2") showRenameVersion(name);
  else if ((event.key === "Delete" || event.key === "Backspace") && !isOnly()) showRemoveVersion(name);
  else return;
  event.preventDefault();
}

export function modelFields(item, element) {
  const { versions, version: shown, isVersioned } = state.document;
  const current = versions.find((version) => version.isCurrent)?.name ?? "";
  return [
    section("Core Data Model",
      textField(item, element, "userDefinedModelVersionIdentifier", "Identifier", { placeholder: "Model Version Identifier" }),
      state.analysis?.checksum ? h("div", { class: "field" }, h("span", {}, "Checksum"), h("code", { class: "hash" }, state.analysis.checksum)) : null),
    isVersioned ? section("Model Version",
      field("f-current", "Current", h("select", {
        id: "f-current", value: current, onchange: onChosen((name) => request("/api/current", { name })),
      }, readable().map((version) => h("option", { value: version.name, selected: version.isCurrent }, version.name)))),
      h("div", { class: "actions" },
        h("button", { type: "button", id: "new-version", onclick: showNewVersion }, "Add Version…"),
        h("button", { type: "button", id: "rename-version", onclick: () => showRenameVersion(shown) }, "Rename…"),
        h("button", { type: "button", id: "remove-version", disabled: isOnly(), onclick: () => showRemoveVersion(shown) }, "Remove…"))) : null,
  ];
}

/** What a version of the model has, in numbers. */
export function modelPage() {
  const { root, path } = state.document;
  const count = (kind) => childrenOf(root, kind).length;
  const lines = [
    ["File", path], ["Entities", count("entity")], ["Fetch requests", count("fetchRequest")],
    ["Configurations", count("configuration")], ["Composite types", count("composite")],
    ["Version checksum", state.analysis?.checksum ?? "–"],
  ];
  return h("div", { class: "page" },
    h("dl", { class: "facts" }, lines.map(([name, value]) => [h("dt", {}, name), h("dd", { dir: "auto" }, String(value))])));
}

// Configurations

const members = (element) => childrenOf(element, "memberEntity").map(nameOf);

/** The page of a configuration: the entities that are in it. */
export function configurationPage(item, element) {
  const chosen = new Set(members(element));
  const set = (name, isIn) => edit(item, (at, now) => {
    const next = new Set(members(now));
    if (isIn) next.add(name); else next.delete(name);
    return { setMembers: { at, entities: [...next] } };
  });
  const entities = names(state.document.root, "entity");
  return h("div", { class: "page" }, section("Member Entities",
    entities.length ? null : h("p", { class: "quiet" }, "The model has no entities."),
    entities.map((name, index) => checkField(item, element, "memberEntity", name, {
      id: `member-${index}`, isOn: chosen.has(name), onset: (on) => set(name, on),
    }))));
}

export const configurationFields = (item, element) =>
  section("Configuration", checkField(item, element, "usedWithCloudKit", "Used with CloudKit"));
