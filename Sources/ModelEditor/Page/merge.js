// The merge of what is edited with files that another program has changed.

import { h, announce } from "./dom.js";
import { post } from "./api.js";
import { state, request, attempt, changed } from "./store.js";

/**
 * Shows what both sides have changed, and lets conflicts be decided.
 *
 * before: what was decided until the merge was refused, and why that was; what is still to be decided stays so.
 */
export async function showMerge(before = null) {
  const preview = await attempt(() => post("/api/merge/preview", { version: state.document.version }));
  if (!preview) return;
  // Names are keys here, and one may be that of a property of every object.
  const choices = Object.create(null);
  const keep = new Set();
  for (const { name, problem, differences } of before ? preview.versions : []) {
    if (problem && before.keep.has(name)) keep.add(name);
    for (const { id, isConflict } of differences) {
      const side = before.choices[name]?.[id];
      if (isConflict && side) (choices[name] ??= Object.create(null))[id] = side;
    }
  }
  // What is behind an open dialog is neither read nor heard.
  const problem = h("p", { class: "problem", role: "alert" });
  const dialog = document.getElementById("dialog");
  dialog.setAttribute("aria-label", "Changed on Disk");
  dialog.replaceChildren(h("form", {
    method: "dialog",
    onsubmit: async (event) => {
      event.preventDefault();
      const { basis } = preview;
      const merged = await request("/api/merge/apply", { version: state.document.version, basis, choices, keep: [...keep] });
      // What was refused may be another merge by now.
      if (!merged) return showMerge({ choices, keep, problem: document.getElementById("status").textContent });
      state.disk = [];
      dialog.close();
      changed();
      const save = document.getElementById("save");
      (save.disabled ? document.getElementById("editor") : save).focus();
      announce("Merged. Save to write the result.");
    },
  },
  h("h2", {}, "Changed on Disk"),
  problem,
  h("p", {}, "Another program has changed the files since they were read. A change that only one side made is kept; where both sides changed the same thing, choose one."),
  preview.versions.map((version) => versionPart(version, choices, keep)),
  preview.added.length ? h("p", {}, `New versions on disk: ${preview.added.join(", ")}`) : null,
  preview.removed.length ? h("p", {}, `No longer on disk: ${preview.removed.join(", ")}`) : null,
  preview.unclear ? h("p", { dir: "auto" }, `The files no longer say which version is the current one: ${preview.unclear}. The previous one stays current; Save records it.`) : null,
  preview.currentVersion ? h("p", {}, `The current version on disk is ${preview.currentVersion}.`) : null,
  h("div", { class: "buttons" },
    h("button", { type: "button", onclick: () => { dialog.close(); document.getElementById("disk")?.focus(); } }, "Not Now"),
    h("button", { type: "submit", class: "primary" }, "Merge"))));
  if (!dialog.open) dialog.showModal();
  if (!before) return;
  problem.textContent = before.problem;
  dialog.querySelector("select, input, button").focus();
}

function versionPart(version, choices, keep) {
  const caption = h("h3", { dir: "auto" }, version.name);
  if (version.problem) {
    const onchange = ({ target }) => (target.checked ? keep.add(version.name) : keep.delete(version.name));
    return [
      caption, h("p", { class: "problem", dir: "auto" }, version.problem),
      h("p", {}, h("label", {}, h("input", { type: "checkbox", required: true, checked: keep.has(version.name), onchange }), " Keep mine: Save writes it over what is on disk.")),
    ];
  }
  if (!version.differences.length) return [caption, h("p", { class: "quiet" }, "Both are the same.")];
  return [caption, h("div", { class: "scroll" }, h("table", { class: "merge", role: "table", "aria-label": `Differences of ${version.name}` },
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, COLUMNS.map((title) => h("th", { scope: "col", role: "columnheader" }, title)))),
    h("tbody", { role: "rowgroup" }, version.differences.map((difference) => row(version, difference, choices)))))];
}

// On a phone a row is a list of its cells, with their columns. It stays a row for screen readers, by the roles.
const COLUMNS = ["What", "Yours", "On disk", "Take"];

function row(version, difference, choices) {
  const name = `${difference.location}${difference.setting ? ` ${difference.setting}` : ""}`;
  const take = (side) => { (choices[version.name] ??= Object.create(null))[difference.id] = side; };
  const chosen = choices[version.name]?.[difference.id] ?? "";
  const sides = { mine: "Yours", theirs: "On disk" };
  const cell = (column, ...content) => h("td", { role: "cell", "data-column": COLUMNS[column], dir: "auto" }, content);
  return h("tr", { role: "row", class: difference.isConflict ? "conflict" : null },
    cell(0, name), cell(1, h("code", {}, difference.mine ?? "–")), cell(2, h("code", {}, difference.theirs ?? "–")),
    cell(3, difference.isConflict
      ? h("select", { "aria-label": `Take for ${name}`, required: true, value: chosen, onchange: (event) => take(event.target.value) },
        [["", "Choose…"], ...Object.entries(sides)].map(([side, title]) => h("option", { value: side, selected: side === chosen }, title)))
      : h("span", { class: "quiet" }, sides[difference.taken])));
}
