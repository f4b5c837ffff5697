// Fields whose strings the server checks while they are typed: derivations, predicates, expressions, patterns.

import { h, whenQuiet } from "./dom.js";
import { post } from "./api.js";
import { state } from "./store.js";
import { resolve } from "./model.js";
import { field, setSetting } from "./fields.js";

/** The last answers, so that a field that is drawn again says at once what it said before. */
const answers = new Map();

async function ask(question) {
  const key = JSON.stringify([question, state.document.revision]);
  if (!answers.has(key)) {
    if (answers.size > 100) answers.clear();
    answers.set(key, await post("/api/check", question));
  }
  return answers.get(key);
}

const known = (question) => answers.get(JSON.stringify([question, state.document.revision]));

/** A string with what is wrong with it beneath. kind is one of derivation, predicate, expression, constraint. */
export function checkedField(item, element, setting, label, kind, options = {}) {
  const { id = `f-${setting}`, rows = 2, hint, onset, value = element.settings[setting] ?? "" } = options;
  const note = h("p", { id: `${id}-check`, class: "note check-note", "aria-live": "polite" });
  const area = h("textarea", {
    id, rows, class: "mono", dir: "auto", spellcheck: "false", autocomplete: "off", value, placeholder: options.placeholder,
    "aria-describedby": `${id}-check`,
    oninput: (event) => check(event.target.value),
    onchange: (event) => (onset ?? ((text) => setSetting(item, setting, text)))(event.target.value),
    onkeydown: (event) => {
      if (event.key === "Enter" && !event.shiftKey) {
        event.preventDefault();
        event.target.dispatchEvent(new Event("change"));
      }
    },
  });
  const show = (answer) => {
    area.setAttribute("aria-invalid", String(Boolean(answer.problem)));
    note.className = answer.problem ? "note problem" : "note fine";
    note.textContent = answer.problem ?? (area.value ? "✓ Valid" : hint ?? "");
  };
  const question = (text) => ({ kind, text, at: resolve(state.document.root, item), version: state.document.version });
  const tell = async (text) => {
    if (!text && kind !== "derivation") return show({ problem: null });
    try {
      const answer = await ask(question(text));
      if (area.value === text) show(answer);
    } catch (error) {
      show({ problem: error.message });
    }
  };
  const check = whenQuiet(120, tell);
  const answer = known(question(value));
  if (answer) show(answer);
  // The text may be being typed: then the field holds it once it is in the page.
  queueMicrotask(() => tell(area.value));
  return field(id, label, area, note);
}

/** A field of a name, checked while it is typed: the field, and what is wrong beneath. */
export function checkTyped(field, item, kind) {
  const note = h("p", { id: `${field.id}-check`, class: "note problem", "aria-live": "polite" });
  field.setAttribute("aria-describedby", note.id);
  const tell = async () => {
    const text = field.value;
    const answer = await ask({ kind, text, at: resolve(state.document.root, item), version: state.document.version })
      .catch(({ message }) => ({ problem: message }));
    if (field.value !== text) return;
    field.setAttribute("aria-invalid", String(Boolean(answer.problem)));
    note.textContent = answer.problem ?? "";
  };
  field.addEventListener("input", whenQuiet(120, tell));
  // Drawn again while it is being typed in, the field holds the text once it is in the page.
  const first = field.value;
  queueMicrotask(() => { if (field.value !== first) tell(); });
  return [field, note];
}

/** A regular expression with a field to try it in. */
export function patternField(item, element) {
  const id = "f-regularExpressionString";
  const verdict = h("p", { id: "try-verdict", class: "note", "aria-live": "polite" });
  const pattern = h("input", {
    id, class: "mono", dir: "auto", spellcheck: "false", autocomplete: "off",
    value: element.settings.regularExpressionString ?? "", "aria-describedby": "try-verdict",
    oninput: () => tryLater(), onchange: (event) => setSetting(item, "regularExpressionString", event.target.value),
  });
  const sample = h("input", {
    id: "f-try", dir: "auto", spellcheck: "false", autocomplete: "off", value: state.sample,
    placeholder: "Type a value to try it", "aria-describedby": "try-verdict",
    oninput: (event) => { state.sample = event.target.value; tryLater(); },
  });
  const attempt = async () => {
    verdict.className = "note";
    verdict.textContent = "";
    if (!pattern.value) return;
    let answer;
    try {
      answer = await ask({ kind: "pattern", text: pattern.value, sample: sample.value });
    } catch (error) {
      answer = { problem: error.message };
    }
    pattern.setAttribute("aria-invalid", String(Boolean(answer.problem)));
    if (answer.problem) verdict.textContent = answer.problem;
    else if (sample.value) verdict.textContent = answer.matches ? "✓ Matches" : "✗ Does not match";
    else verdict.textContent = "✓ Valid";
    verdict.className = answer.problem || (sample.value && !answer.matches) ? "note problem" : "note fine";
  };
  const tryLater = whenQuiet(120, attempt);
  queueMicrotask(attempt);
  return [field(id, "Reg. Ex.", pattern), field("f-try", "Try It", sample, verdict)];
}
