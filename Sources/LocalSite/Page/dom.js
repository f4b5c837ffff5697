// Makes elements. Text from data becomes text nodes and values of attributes, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element: h("button", { class: "primary", onclick: save }, "Save"). False and null children are left out. */
export function h(name, properties = {}, ...children) {
  return fill(document.createElement(name), properties, children);
}

/** The same for a drawing. */
export function svg(name, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, name), properties, children);
}

function fill(element, properties, children) {
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value") setValue(element, value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  if (element.localName === "select" && "value" in properties) element.value = properties.value;
  return element;
}

// The value at first is kept beside the value, so that typed text can be distinguished from it.
function setValue(element, value) {
  if (element.localName === "textarea") element.textContent = value;
  else element.setAttribute("value", value);
}

/**
 * Puts new children into an element, and the focus back to where it was, with what was being typed there. Parts with
 * the same `data-scroll` stay scrolled as they were.
 */
export const refill = (element, ...children) => renew(element, null, children);

/**
 * The same for fields of a thing: what was being typed is put back only if they are of the same owner as before. So it
 * is within an element that has the owner of its fields as `data-owner`.
 */
export const refillFor = (owner, element, ...children) => renew(element, String(owner), children);

function renew(element, owner, children) {
  if (isHeld(element)) {
    postponed.set(element, [owner, children]);
    return;
  }
  postponed.delete(element);
  const active = document.activeElement;
  const inside = active && active !== element && element.contains(active);
  const memory = inside && active.id ? remember(active) : null;
  const scroll = [element.scrollTop, element.scrollLeft];
  const inner = new Map([...element.querySelectorAll("[data-scroll]")].map((part) => [part.dataset.scroll, [part.scrollTop, part.scrollLeft]]));
  isRefilling = true;
  if (owner !== null) element.dataset.owner = owner;
  element.replaceChildren(...children.flat(Infinity).filter(Boolean));
  isRefilling = false;
  [element.scrollTop, element.scrollLeft] = scroll;
  for (const part of element.querySelectorAll("[data-scroll]")) {
    [part.scrollTop, part.scrollLeft] = inner.get(part.dataset.scroll) ?? [0, 0];
  }
  if (memory) recall(memory);
}

// What is drawn later, because the user is at something that would not survive it.
const postponed = new Map();

function isHeld(element) {
  const { activeElement } = document;
  return (choosing?.list === activeElement && element.contains(activeElement))
    || (date !== null && !hasEnteredDate && element.contains(date))
    || (opened === activeElement && element.contains(activeElement))
    || (pressed !== null && element.contains(pressed));
}

// Draws what was put off. The focus has to be where it goes first.
function drawPostponed() {
  setTimeout(() => { for (const [element, [owner, children]] of [...postponed]) renew(element, owner, children); });
}

// A button that is replaced between the press and the release of a pointer is not clicked. What is typed beside it is reported by
// the press, and the answer comes before a person lets go.
let pressed = null;
function release() {
  if (pressed === null) return;
  pressed = null;
  drawPostponed();
}
document.addEventListener("pointerdown", ({ target }) => { pressed = target.closest("button, summary, label, input, a"); }, { capture: true });
for (const type of ["pointerup", "pointercancel", "dragend"]) document.addEventListener(type, release, { capture: true });
// A release that the page has not heard of, over a menu of the browser's.
document.addEventListener("pointermove", ({ buttons }) => { if (!buttons) release(); }, { capture: true });

// Nor is the menu of a list seen that is replaced under it.
let opened = null;
document.addEventListener("pointerdown", ({ target }) => { opened = target.closest("select"); }, { capture: true });
for (const type of ["change", "focusout"]) {
  document.addEventListener(type, ({ target }) => {
    if (isRefilling || target !== opened) return;
    opened = null;
    drawPostponed();
  }, { capture: true });
}

// A field that is replaced while the user types in it has not been left: so no change is reported.
let isRefilling = false;
let isRecalling = false;
for (const type of ["blur", "focusout", "change"]) {
  document.addEventListener(type, (event) => { if (isRefilling) event.stopImmediatePropagation(); }, { capture: true });
}

// A date is typed in parts, and browsers report a change after each digit and know in which part one is only while the field
// stays. The whole is reported when the field is left or by Enter; until then the field is not drawn anew.
const DATES = "input:is([type=date], [type=datetime-local], [type=month], [type=time], [type=week])";
let isTellingDate = false;
/** The date that has the focus. Between two of its parts nothing has, for a moment. */
let date = null;
let hasEnteredDate = false;

for (const type of ["change", "focusin", "focusout", "keydown"]) {
  document.addEventListener(type, (event) => { if (event.target.matches?.(DATES)) atDate[type](event); }, { capture: true });
}

const atDate = {
  change: (event) => { if (!isTellingDate && event.target === date) event.stopImmediatePropagation(); },
  focusin: ({ target }) => {
    date = target;
    if (!isRecalling) hasEnteredDate = false;
  },
  focusout: ({ target }) => {
    date = null;
    tellDate(target);
    drawPostponed();
  },
  keydown: ({ target, key }) => {
    if (["Shift", "Control", "Alt", "Meta"].includes(key)) return;
    hasEnteredDate = key === "Enter" && tellDate(target);
    if (hasEnteredDate) drawPostponed();
  },
};

// Whether the field says a date, or none.
function tellDate(field) {
  const before = told.get(field) ?? field.defaultValue;
  if (field.validity.badInput) {
    field.value = before;
    announce("The date was incomplete; the previous one was kept.", true);
    return false;
  }
  if (field.value === before) return true;
  isTellingDate = true;
  field.dispatchEvent(new Event("change", { bubbles: true }));
  isTellingDate = false;
  return true;
}

// What fields have reported by a change. The server may return it as another string.
const told = new WeakMap();
document.addEventListener("change", ({ target }) => told.set(target, target.value), { capture: true });

// Whose field it is, from the inside to the outside.
function ownersOf(element) {
  const owners = [];
  for (let part = element.closest("[data-owner]"); part; part = part.parentElement?.closest("[data-owner]")) owners.push(part.dataset.owner);
  return JSON.stringify(owners);
}

function remember(active) {
  const isText = active.matches("input, textarea") && !["checkbox", "radio"].includes(active.type);
  const isTyping = isText && active.value !== active.defaultValue && active.value !== told.get(active);
  const typed = isTyping ? active.value : null;
  const owners = ownersOf(active);
  return { id: active.id, owners, typed, range: isText ? rangeOf(active, owners) : null };
}

// Where the caret was in a value that the page did not have yet when the field was drawn anew, as between a change and its answer.
let awaited = null;

function rangeOf(field, owners) {
  let range = null;
  try { range = [field.selectionStart, field.selectionEnd]; } catch { return null; }
  const isUntouched = awaited !== null && awaited.id === field.id && awaited.owners === owners && awaited.shown === field.value
    && range[0] === field.value.length;
  return isUntouched ? awaited.range : range;
}

function recall({ id, owners, typed, range }) {
  const element = document.getElementById(id);
  if (!element) return;
  isRecalling = true;
  element.focus({ preventScroll: true });
  isRecalling = false;
  // What was typed for one thing is not for another that has the field now.
  if (owners !== ownersOf(element)) return;
  if (typed !== null) {
    element.value = typed;
    sayWhenLeft(element);
  }
  awaited = null;
  if (range && range[0] !== null) {
    try { element.setSelectionRange(...range); } catch { /* A field of numbers has no range. */ }
    if (range[1] > element.value.length) awaited = { id, owners, shown: element.value, range };
  }
}

// Browsers report no change of a value that a script has set; what was typed before must still be reported.
function sayWhenLeft(element) {
  const say = () => {
    if (!isRefilling && element.value !== element.defaultValue) element.dispatchEvent(new Event("change", { bubbles: true }));
  };
  element.addEventListener("blur", say);
  if (element.localName === "input") element.addEventListener("keydown", (event) => { if (event.key === "Enter") say(); });
}

// Arrows and letters choose in a list that is closed, and browsers report a change after each of them. What is chosen is
// reported when the list is left, by Enter or after a second without a key. Until then the list is not drawn anew, so that
// the letters that are typed find it as it was.
const PAUSE = 1000;
let choosing = null;

document.addEventListener("keydown", (event) => {
  const { target: list, key, ctrlKey, metaKey, altKey } = event;
  if (list.localName !== "select" || ["Shift", "Control", "Alt", "Meta", "Tab"].includes(key)) return;
  if (key === "Enter" || key === "Escape" || ctrlKey || metaKey || altKey) return finishChoosing();
  if (choosing?.list !== list) {
    finishChoosing();
    choosing = { list, first: list.value, timer: 0, tell: null };
  }
  clearTimeout(choosing.timer);
  choosing.timer = setTimeout(finishChoosing, PAUSE);
}, { capture: true });
document.addEventListener("focusout", ({ target }) => { if (!isRefilling && target === choosing?.list) finishChoosing(); }, { capture: true });

async function finishChoosing() {
  if (!choosing) return;
  const { list, first, timer, tell } = choosing;
  choosing = null;
  clearTimeout(timer);
  // What comes of the choice draws everything anew; what was put off is older.
  try {
    if (tell && list.value !== first) await tell();
  } finally {
    if (!choosing) drawPostponed();
  }
}

/** What a list does when something is chosen; it gets the value. By keys, that is when the choice is made. */
export const onChosen = (action) => ({ target }) => {
  if (target === choosing?.list) choosing.tell = () => action(target.value);
  else action(target.value);
};

/** Reports what is being typed, as if its field was left; it keeps the focus. */
export function tellTyped() {
  const { activeElement } = document;
  if (!activeElement || activeElement === document.body) return;
  activeElement.blur();
  if (activeElement.isConnected) activeElement.focus({ preventScroll: true });
}

const segmenter = new Intl.Segmenter();
const measure = document.createElement("canvas").getContext("2d");

/** How wide a string is in pixels. */
export function textWidth(text, font) {
  measure.font = font;
  return measure.measureText(text).width;
}

/** A string that fits a width in pixels: whole, or its beginning with dots. */
export function fitText(text, width, font) {
  // No letter is so narrow that more of them are needed.
  const most = Math.ceil(width);
  if (text.length <= most * 8 && textWidth(text, font) <= width) return text;
  const letters = [];
  for (const { segment } of segmenter.segment(text)) {
    if (letters.length === most) break;
    letters.push(segment);
  }
  let [least, beyond] = [0, letters.length + 1];
  while (beyond - least > 1) {
    const middle = (least + beyond) >> 1;
    if (textWidth(`${letters.slice(0, middle).join("")}…`, font) <= width) least = middle;
    else beyond = middle;
  }
  return `${letters.slice(0, least).join("")}…`;
}

/** Announces something to screen readers, and shows it for a while. */
export function announce(text, isProblem = false) {
  const place = document.getElementById("status");
  place.textContent = text;
  place.classList.toggle("problem", isProblem);
  place.classList.add("shown");
  clearTimeout(announce.timer);
  announce.timer = setTimeout(() => place.classList.remove("shown"), isProblem ? 10_000 : 4000);
}

/** A function that waits until it has not been called for a time. */
export function whenQuiet(delay, action) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), delay);
  };
}

const narrow = matchMedia("(max-width: 760px)");

/** Says what the parts of a window are, by their ids. Where only one of them is shown, that is the main part. */
export function setLandmarks(roles, shown) {
  for (const [id, role] of Object.entries(roles)) {
    const own = role === "main" ? "region" : role;
    document.getElementById(id).setAttribute("role", !narrow.matches ? role : id === shown ? "main" : own);
  }
}

/** Calls a function when the window has become narrow, or wide. */
export const onWidth = (action) => narrow.addEventListener("change", action);

/** Hands a file to the browser's downloads. */
export function download(name, blob) {
  const url = URL.createObjectURL(blob);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
