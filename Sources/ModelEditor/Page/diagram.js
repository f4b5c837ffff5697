// The diagram: entities as boxes that can be moved, relationships as lines.

import { fitText, h, svg, textWidth } from "./dom.js";
import { state, changed, select } from "./store.js";
import { layOut } from "./layout.js";
import { childrenOf, isOn, nameOf, typeOf } from "./model.js";
import { exportPNG, exportSVG } from "./export.js";

/** How wide a box is at most on the page. */
const WIDEST = 600;
/** How far a box is from the frame at least when it is brought into it. */
const MARGIN = 8;
const ROW = 18;
const HEAD = 26;
const FONT = "12px system-ui, sans-serif";

/** Where boxes have been moved to, and what is seen, by version. */
const views = new Map();

/** The colours of the page, or of a picture on white paper. */
export function palette(isPaper = false) {
  if (isPaper) {
    return { canvas: "#ffffff", box: "#ffffff", head: "#e8effa", line: "#8a8a93", text: "#1c1c1f", quiet: "#5d5d66", accent: "#0a5fd1" };
  }
  const probe = document.body.appendChild(h("span"));
  const color = (name) => {
    probe.style.setProperty("color", `var(${name})`);
    return getComputedStyle(probe).color;
  };
  const colors = {
    canvas: color("--canvas"), box: color("--raised"), head: color("--chosen"), line: color("--edge"), text: color("--text"),
    quiet: color("--quiet"), accent: color("--accent"),
  };
  probe.remove();
  return colors;
}

/** The boxes and lines of the model. No box is wider than `most`. */
export function graph(root, most = WIDEST) {
  const entities = childrenOf(root, "entity");
  const nodes = entities.map((entity) => {
    const rows = [
      ...childrenOf(entity, "attribute").map((attribute) => ({ name: nameOf(attribute), note: typeOf(attribute) })),
      ...childrenOf(entity, "relationship").map((relationship) => ({
        name: nameOf(relationship), note: `${isOn(relationship, "toMany") ? "⇉" : "→"} ${relationship.settings.destinationEntity ?? "?"}`,
        isRelationship: true,
      })),
    ];
    const widest = Math.max(textWidth(nameOf(entity), `600 ${FONT}`) + 24, ...rows.map((row) => textWidth(row.name, FONT) + textWidth(row.note, FONT) + 40), 120);
    return { name: nameOf(entity), isAbstract: isOn(entity, "isAbstract"), rows, width: Math.min(Math.ceil(widest), most), height: HEAD + rows.length * ROW + 8 };
  });
  return { nodes, lines: linesOf(entities) };
}

// One line for a relationship and its inverse, and one for each parent.
function linesOf(entities) {
  const lines = [];
  const seen = new Set();
  for (const entity of entities) {
    const name = nameOf(entity);
    if (entity.settings.parentEntity) lines.push({ from: name, to: entity.settings.parentEntity, isInheritance: true });
    for (const relationship of childrenOf(entity, "relationship")) {
      const { destinationEntity, inverseName, inverseEntity } = relationship.settings;
      if (!destinationEntity) continue;
      const own = `${name}\u0000${nameOf(relationship)}`;
      const other = `${inverseEntity ?? destinationEntity}\u0000${inverseName}`;
      if (inverseName && seen.has(`${other}\u0001${own}`)) continue;
      seen.add(`${own}\u0001${other}`);
      const inverse = entities.find((holder) => nameOf(holder) === (inverseEntity ?? destinationEntity));
      const back = childrenOf(inverse, "relationship").find((candidate) => nameOf(candidate) === inverseName);
      lines.push({
        from: name, to: destinationEntity, label: inverseName ? `${nameOf(relationship)} / ${inverseName}` : nameOf(relationship),
        isMany: isOn(relationship, "toMany"), isBackMany: back ? isOn(back, "toMany") : null,
      });
    }
  }
  return lines;
}

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
    // Boxes that are there stay where they are; if all are new, they get their places together.
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

/** The extent of all boxes. */
export function extent(drawn, places) {
  if (!drawn.nodes.length) return { x: 0, y: 0, width: 200, height: 100 };
  const boxes = drawn.nodes.map((node) => ({ ...places.get(node.name), right: places.get(node.name).x + node.width, bottom: places.get(node.name).y + node.height }));
  const x = Math.min(...boxes.map((box) => box.x)) - 24;
  const y = Math.min(...boxes.map((box) => box.y)) - 24;
  return { x, y, width: Math.max(...boxes.map((box) => box.right)) + 24 - x, height: Math.max(...boxes.map((box) => box.bottom)) + 24 - y };
}

/** Draws the lines: from side to side, with a mark for one and for many at each end. */
export function drawLines(drawn, places, colors) {
  const nodes = new Map(drawn.nodes.map((node) => [node.name, node]));
  return drawn.lines.filter((line) => nodes.has(line.from) && nodes.has(line.to)).map((line) => {
    const ends = connect(nodes.get(line.from), places.get(line.from), nodes.get(line.to), places.get(line.to));
    const color = line.isInheritance ? colors.quiet : colors.accent;
    return svg("g", { fill: "none", stroke: color, "stroke-width": 1.25 },
      svg("path", { d: ends.path, "stroke-dasharray": line.isInheritance ? "5 4" : null }, svg("title", {}, line.label ?? `${line.from} inherits from ${line.to}`)),
      line.isInheritance ? svg("path", { d: arrow(ends.end, 10, true), fill: colors.box }) : [
        mark(ends.end, line.isMany), line.isBackMany === null ? null : mark(ends.start, line.isBackMany),
      ]);
  });
}

const mark = (end, isMany) => svg("path", { d: isMany ? `${arrow(end, 8)} ${arrow({ ...end, x: end.x + end.side * 6 }, 8)}` : arrow(end, 8) });
const arrow = ({ x, y, side }, size, isClosed = false) =>
  `M ${x + side * size} ${y - size / 2} L ${x} ${y} L ${x + side * size} ${y + size / 2}${isClosed ? " Z" : ""}`;

function connect(from, a, to, b) {
  const start = { x: a.x, y: a.y + from.height / 2, side: -1 };
  const end = { x: b.x, y: b.y + to.height / 2, side: -1 };
  if (from.name === to.name) {
    const right = a.x + from.width;
    const y = a.y + HEAD / 2;
    return {
      path: `M ${right} ${y} c 46 -6 46 40 0 34`, start: { x: right, y, side: 1 }, end: { x: right, y: y + 34, side: 1 },
    };
  }
  if (b.x > a.x + from.width) { start.x = a.x + from.width; start.side = 1; }
  else if (a.x > b.x + to.width) { end.x = b.x + to.width; end.side = 1; }
  else { start.x = a.x + from.width; start.side = 1; end.x = b.x + to.width; end.side = 1; }
  const reach = Math.max(36, Math.abs(end.x - start.x) / 2);
  return { path: `M ${start.x} ${start.y} C ${start.x + start.side * reach} ${start.y} ${end.x + end.side * reach} ${end.y} ${end.x} ${end.y}`, start, end };
}

/** Draws the box of an entity at 0, 0. */
export function drawBox(node, colors, isChosen = false) {
  const half = (node.width - 28) / 2;
  // What is cut short is shown whole by a pointer that rests on it.
  const text = (content, width, properties, font = FONT) => {
    const shown = fitText(content, width, font);
    return svg("text", { "font-family": "system-ui, sans-serif", "font-size": 12, fill: colors.text, ...properties },
      shown === content ? null : svg("title", {}, content), shown);
  };
  return [
    svg("title", {}, node.name),
    svg("rect", { width: node.width, height: node.height, rx: 7, fill: colors.box, stroke: isChosen ? colors.accent : colors.line, "stroke-width": isChosen ? 2 : 1 }),
    svg("path", { d: `M 1 ${HEAD} V 8 Q 1 1 8 1 H ${node.width - 8} Q ${node.width - 1} 1 ${node.width - 1} 8 V ${HEAD} Z`, fill: colors.head }),
    text(node.name, node.width - 20, {
      x: node.width / 2, y: 18, "text-anchor": "middle", "font-weight": 600, "font-style": node.isAbstract ? "italic" : null,
    }, `600 ${FONT}`),
    node.rows.map((row, index) => {
      const y = HEAD + 15 + index * ROW;
      const noteWidth = Math.max(half, node.width - 30 - textWidth(row.name, FONT));
      return [
        text(row.name, node.width - 30 - Math.min(noteWidth, textWidth(row.note, FONT)), { x: 10, y }),
        text(row.note, noteWidth, { x: node.width - 10, y, "text-anchor": "end", fill: row.isRelationship ? colors.accent : colors.quiet }),
      ];
    }),
  ];
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
