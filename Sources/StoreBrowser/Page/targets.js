// The field that takes an object to link to: by its number, or found by a string that it has.

import { h, whenQuiet } from "./dom.js";
import { get } from "./api.js";
import { asker, change } from "./state.js";

// What was found for the field that is typed in.
const found = { field: null, text: "", targets: [], chosen: -1 };

function find(field, text, targets = []) { Object.assign(found, { field, text, targets, chosen: -1 }); }

const place = (id) => document.getElementById(id);

export function targetField(object, shape) {
  const id = `link-${object.id}-${shape.name}`;
  const list = `${id}-choices`;
  const isOpen = found.field === id && found.targets.length > 0;
  return h("form", { class: "edit", onsubmit: (event) => { event.preventDefault(); submit(id, object, shape); } },
    h("div", { class: "control" },
      h("input", {
        id, "aria-label": `${shape.isToMany ? "Add to" : "Set"} ${shape.name}: number or text of an object`, placeholder: `${shape.destination}/…`, autocomplete: "off",
        role: "combobox", "aria-autocomplete": "list", "aria-controls": list, "aria-expanded": String(isOpen),
        "aria-activedescendant": isOpen && found.chosen >= 0 ? `${id}-choice-${found.chosen}` : null,
        oninput: ({ target }) => { find(id, target.value.trim()); show(id, object, shape); search(id, object, shape); },
        onkeydown: (event) => keyed(event, id, object, shape),
        onblur: () => { if (found.field === id) { find(null, ""); show(id, object, shape); } },
      }),
      h("ul", { id: list, class: "choices", role: "listbox", "aria-label": `Objects for ${shape.name}`, hidden: !isOpen }, isOpen ? items(id, object, shape) : [])),
    h("button", { type: "submit", id: `linked-${object.id}-${shape.name}` }, shape.isToMany ? "Add" : "Set"));
}

const search = whenQuiet(200, async (id, object, shape) => {
  const { text } = found;
  if (found.field !== id || !text) return;
  try {
    const { targets } = await get("/api/targets", { ...asker("targets"), entity: shape.destination, text });
    if (found.field !== id || found.text !== text) return;
    find(id, text, targets);
  } catch {
    // The number of an object can be typed all the same.
    return;
  }
  show(id, object, shape);
});

const items = (id, object, shape) => found.targets.map((target, index) => h("li", {
  id: `${id}-choice-${index}`, role: "option", "aria-selected": String(index === found.chosen), class: index === found.chosen ? "chosen" : null,
  onmousedown: (event) => { event.preventDefault(); link(id, object, shape, target.id); },
}, target.label ? h("span", { dir: "auto" }, `${target.label} `) : null, h("span", { class: "quiet" }, target.id)));

function show(id, object, shape) {
  const [field, list] = [place(id), place(`${id}-choices`)];
  if (!field || !list) return;
  const isOpen = found.field === id && found.targets.length > 0;
  list.hidden = !isOpen;
  list.replaceChildren(...(isOpen ? items(id, object, shape) : []));
  field.setAttribute("aria-expanded", String(isOpen));
  if (isOpen && found.chosen >= 0) field.setAttribute("aria-activedescendant", `${id}-choice-${found.chosen}`);
  else field.removeAttribute("aria-activedescendant");
}

function keyed(event, id, object, shape) {
  const { targets, chosen } = found;
  if (found.field !== id || !targets.length) return;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) found.chosen = chosen < 0 && step < 0 ? targets.length - 1 : (chosen + step + targets.length) % targets.length;
  else if (event.key === "Escape") find(null, "");
  else if (event.key === "Enter" && chosen >= 0) { event.preventDefault(); return link(id, object, shape, targets[chosen].id); }
  else return;
  event.preventDefault();
  show(id, object, shape);
}

function submit(id, object, shape) {
  const to = place(id).value.trim();
  if (to) link(id, object, shape, to.includes("/") ? to : `${shape.destination}/${to}`);
}

async function link(id, object, shape, to) {
  const typed = place(id).value;
  find(null, "");
  show(id, object, shape);
  const isLinked = await change("/api/link", { id: object.id, key: shape.name, to, removing: false });
  // What was refused stays to be mended. Another object may be shown by now.
  if (place(id)) place(id).value = isLinked ? "" : typed;
}
