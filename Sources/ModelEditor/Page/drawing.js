// What the diagram consists of, on the page and in files: boxes, lines, colours.

import { fitText, h, svg, textWidth } from "./dom.js";
import { childrenOf, isOn, nameOf, typeOf } from "./model.js";

/** How wide a box is at most on the page. */
const WIDEST = 600;
const ROW = 18;
const HEAD = 26;
const FONT = "12px system-ui, sans-serif";

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
