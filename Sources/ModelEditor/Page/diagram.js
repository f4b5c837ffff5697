// The diagram: entities as boxes that can be moved, relationships as lines.

import { h, svg } from "./dom.js";
import { state, changed, select } from "./store.js";
import { layOut } from "./layout.js";
import { drawBox, drawLines, extent, graph, palette } from "./drawing.js";
import { exportPNG, exportSVG } from "./export.js";

/** How far a box is from the frame at least when it is brought into it. */
const MARGIN = 8;

/** Where boxes have been moved to, and what is seen, by version. */
const views = new Map();

function viewOf(drawn) {
  const key = state.document.version;
  let view = views.get(key);
  if (!view) {
    view = { places: new Map(), widths: new Map(), zoom: null, x: 0, y: 0 };
    views.set(key, view);
  }
  for (const { name, width } of drawn.nodes) {
    if (view.places.has(name)) widen(view.places, name, view.widths.get(name), width);
    view.widths.set(name, width);
  }
  const missing = drawn.nodes.filter((node) => !view.places.has(node.name));
  if (missing.length) {
    const places = layOut(drawn.nodes, drawn.lines.map((line) => [line.from, line.to]));
    // Boxes that are there stay where they are; if all are new, they get their positions together.
    const isFresh = missing.length === drawn.nodes.length;
    const bottom = Math.max(0, ...drawn.nodes.filter((node) => view.places.has(node.name)).map((node) => view.places.get(node.name).y + node.height));
    let x = 0;
    for (const node of missing) {
      view.places.set(node.name, isFresh ? places.get(node.name) : { x, y: bottom + 40 });
      x += node.width + 40;
    }
    if (isFresh) view.zoom = null;
  }
  return view;
}

// What is right of a box that has become wider makes room.
function widen(places, name, before, width) {
  const right = places.get(name).x + before;
  if (width > before) for (const [other, { x, y }] of places) if (other !== name && x >= right) places.set(other, { x: x + width - before, y });
}

export function diagram() {
  const drawn = graph(state.document.root);
  const view = viewOf(drawn);
  const colors = palette();
  const lines = svg("g", { "aria-hidden": "true" });
  const boxes = svg("g");
  const scene = svg("g", {}, lines, boxes);
  const area = svg("svg", { id: "diagram", role: "group", "aria-label": "Diagram of the entities" }, scene);
  const place = () => scene.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.zoom})`);
  const redrawLines = () => lines.replaceChildren(...drawLines(drawn, view.places, colors));
  // What the keyboard has reached is seen.
  const reveal = ({ name, width, height }) => {
    const { x, y } = view.places.get(name);
    const into = (start, size, room) => Math.max(MARGIN, Math.min(start, room - size - MARGIN));
    const [left, top] = [view.x + x * view.zoom, view.y + y * view.zoom];
    view.x += into(left, width * view.zoom, area.clientWidth) - left;
    view.y += into(top, height * view.zoom, area.clientHeight) - top;
    place();
  };
  for (const node of drawn.nodes) boxes.append(box(node, view, colors, redrawLines, reveal));
  redrawLines();

  const fitAll = () => {
    const whole = extent(drawn, view.places);
    const { width, height } = area.getBoundingClientRect();
    view.zoom = Math.min(1.25, Math.max(0.1, Math.min(width / whole.width, height / whole.height)));
    view.x = (width - whole.width * view.zoom) / 2 - whole.x * view.zoom;
    view.y = (height - whole.height * view.zoom) / 2 - whole.y * view.zoom;
    place();
  };
  const zoom = (factor, x = area.clientWidth / 2, y = area.clientHeight / 2) => {
    const next = Math.min(4, Math.max(0.1, view.zoom * factor));
    view.x = x - (x - view.x) * (next / view.zoom);
    view.y = y - (y - view.y) * (next / view.zoom);
    view.zoom = next;
    place();
  };
  area.addEventListener("wheel", (event) => {
    event.preventDefault();
    const frame = area.getBoundingClientRect();
    if (event.ctrlKey || event.metaKey || !event.shiftKey) zoom(Math.exp(-event.deltaY * 0.0015), event.clientX - frame.left, event.clientY - frame.top);
    else { view.x -= event.deltaY; place(); }
  }, { passive: false });
  drag(area, (dx, dy) => { view.x += dx; view.y += dy; place(); });
  pinch(area, (factor, x, y, dx, dy) => { view.x += dx; view.y += dy; zoom(factor, x, y); });
  if (view.zoom) place();
  else requestAnimationFrame(fitAll);

  // In a picture nothing is cut.
  const whole = () => {
    const wide = graph(state.document.root, Infinity);
    const places = new Map(view.places);
    drawn.nodes.forEach(({ name, width }, index) => widen(places, name, width, wide.nodes[index].width));
    return [wide, places];
  };
  const relayOut = () => { views.delete(state.document.version); changed(); };
  const button = (id, title, action, label = null) => h("button", { type: "button", id, onclick: action, "aria-label": label, title: label }, title);
  return [
    h("h2", { class: "title", dir: "auto" }, "Diagram", h("span", { class: "quiet" }, ` ${state.document.version}`)),
    h("div", { class: "canvas" }, area),
    h("div", { class: "bar bottom", role: "group", "aria-label": "Diagram" },
      button("zoom-out", "−", () => zoom(1 / 1.25), "Zoom Out"), button("zoom-in", "+", () => zoom(1.25), "Zoom In"),
      button("zoom-fit", "Fit", fitAll), button("lay-out", "Lay Out", relayOut),
      h("span", { class: "space" }),
      button("export-svg", "Export SVG", () => exportSVG(...whole())), button("export-png", "Export PNG", () => exportPNG(...whole()))),
  ];
}

// The box of an entity in the page: it can be moved with the pointer or the arrow keys, and opened.
function box(node, view, colors, redrawLines, reveal) {
  const isChosen = state.selection.kind === "entity" && state.selection.name === node.name;
  const spot = () => view.places.get(node.name);
  const element = svg("g", {
    class: "box", tabindex: 0, role: "button", id: `box-${node.name}`,
    "aria-label": `Entity ${node.name}: ${node.rows.map((row) => `${row.name} ${row.note}`).join(", ")}`,
    "aria-current": isChosen ? "true" : null,
  }, drawBox(node, colors, isChosen));
  const place = () => element.setAttribute("transform", `translate(${spot().x} ${spot().y})`);
  const move = (dx, dy) => {
    view.places.set(node.name, { x: spot().x + dx, y: spot().y + dy });
    place();
    redrawLines();
  };
  const open = () => {
    state.mode = "tables";
    select({ kind: "entity", name: node.name }, "editor");
    // The box that had the focus is gone.
    document.getElementById("editor").focus();
  };
  element.addEventListener("dblclick", open);
  element.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-10, 0], ArrowRight: [10, 0], ArrowUp: [0, -10], ArrowDown: [0, 10] }[event.key];
    if (step) { event.preventDefault(); move(...step); reveal(node); }
    if (event.key === "Enter") open();
  });
  element.addEventListener("keyup", ({ key }) => { if (key === "Tab") reveal(node); });
  drag(element, (dx, dy) => move(dx / view.zoom, dy / view.zoom), () => select({ kind: "entity", name: node.name }));
  place();
  return element;
}

// The fingers on the diagram, with where they are.
const fingers = new Map();

// Calls back with each movement of two fingers: how much further they are from each other, between what, and how far that
// has moved.
function pinch(element, moved) {
  const between = () => {
    const [a, b] = [...fingers.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, distance: Math.max(1, Math.hypot(a.x - b.x, a.y - b.y)) };
  };
  const follow = ({ pointerId, clientX, clientY }) => {
    if (!fingers.has(pointerId)) return;
    const before = fingers.size === 2 ? between() : null;
    fingers.set(pointerId, { x: clientX, y: clientY });
    if (!before) return;
    const now = between();
    const frame = element.getBoundingClientRect();
    moved(now.distance / before.distance, now.x - frame.left, now.y - frame.top, now.x - before.x, now.y - before.y);
  };
  const end = ({ pointerId }) => {
    fingers.delete(pointerId);
    if (fingers.size) return;
    removeEventListener("pointermove", follow);
    for (const type of ["pointerup", "pointercancel"]) removeEventListener(type, end);
  };
  element.addEventListener("pointerdown", ({ pointerId, pointerType, clientX, clientY }) => {
    if (pointerType !== "touch") return;
    if (!fingers.size) {
      addEventListener("pointermove", follow);
      for (const type of ["pointerup", "pointercancel"]) addEventListener(type, end);
    }
    fingers.set(pointerId, { x: clientX, y: clientY });
  }, { capture: true });
}

// Calls back with each movement of a pointer that is held down; a press without a movement is a click.
function drag(element, moved, clicked = null) {
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.stopPropagation();
    let isMoved = false;
    let [x, y] = [event.clientX, event.clientY];
    const follow = (next) => {
      if (next.pointerId !== event.pointerId) return;
      // Two fingers zoom.
      if (fingers.size > 1) { isMoved = true; [x, y] = [next.clientX, next.clientY]; return; }
      if (!isMoved && Math.hypot(next.clientX - x, next.clientY - y) < 3) return;
      isMoved = true;
      moved(next.clientX - x, next.clientY - y);
      [x, y] = [next.clientX, next.clientY];
    };
    const end = (last) => {
      if (last.pointerId !== event.pointerId) return;
      removeEventListener("pointermove", follow);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
      if (!isMoved) clicked?.();
    };
    addEventListener("pointermove", follow);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
  });
}
