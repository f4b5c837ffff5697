// The fields of the inspector. Each has an id that stays, so that the focus survives what the server answers.

import { h } from "./dom.js";
import { state, edit } from "./store.js";
import { sameItem } from "./model.js";
import { choice } from "./choices.js";

/** A group of fields with a heading. */
export const section = (title, ...children) => {
  const id = `section-${title.toLowerCase().replace(/\W+/g, "-")}`;
  return h("section", { class: "fields", "aria-labelledby": id }, h("h3", { id }, title), children);
};

/** A label, a control, and what is wrong with it. */
export function field(id, label, control, note = null) {
  return h("div", { class: "field" },
    h("label", { for: id }, label),
    h("div", { class: "control" }, control, note));
}

/** Sets a setting of an item. */
export const setSetting = (item, setting, value) =>
  edit(item, (at) => ({ set: { at, setting, value: value === "" && setting !== "defaultValueString" ? null : value } }));

const refusalOf = (item, setting) =>
  state.refusal?.field === setting && sameItem(state.refusal.item, item) ? state.refusal.message : null;

/** A string of a setting; it is sent when it is left or Enter is pressed. */
export function textField(item, element, setting, label, options = {}) {
  const { placeholder, list, type = "text", id = `f-${setting}`, value, onset, isCode, inputmode, step, max } = options;
  const refusal = refusalOf(item, setting);
  return field(id, label, h("input", {
    id, type, placeholder, list, inputmode, step, max, class: isCode ? "mono" : null, dir: "auto", autocomplete: "off", spellcheck: "false",
    value: value ?? element.settings[setting] ?? "", "aria-invalid": refusal ? "true" : null,
    "aria-describedby": refusal ? `${id}-problem` : null,
    onchange: (event) => (onset ?? ((text) => setSetting(item, setting, text)))(event.target.value),
  }), refusal ? h("p", { id: `${id}-problem`, class: "problem note" }, refusal) : null);
}

/** A setting that is on or off. */
export function checkField(item, element, setting, label, options = {}) {
  const { id = `f-${setting}`, isOn = /^(yes|true|1)$/i.test(element.settings[setting] ?? ""), onset, off = null } = options;
  return h("div", { class: "check" },
    h("input", {
      id, type: "checkbox", checked: isOn,
      onchange: (event) => (onset ?? ((on) => setSetting(item, setting, on ? "YES" : off)))(event.target.checked),
    }),
    h("label", { for: id }, label));
}

/** A setting with a few values. */
export function choiceField(item, element, setting, label, choices, options = {}) {
  const { id = `f-${setting}`, onset } = options;
  return field(id, label, choice({
    id, label: null, value: element.settings[setting] ?? options.usual ?? "", options: choices,
    onchange: onset ?? ((value) => setSetting(item, setting, value)),
  }));
}
