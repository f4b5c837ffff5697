// Places the boxes of a diagram: each group of connected entities in columns, by the distance from its centre.

const GAP = { column: 90, row: 26, group: 60 };

/**
 * Gives every node a position. nodes: [{ name, width, height }]; edges: [[name, name]].
 * The result is a Map from name to { x, y }; the same graph gives the same positions.
 */
export function layOut(nodes, edges) {
  const near = new Map(nodes.map((node) => [node.name, new Set()]));
  for (const [a, b] of edges) {
    if (a === b || !near.has(a) || !near.has(b)) continue;
    near.get(a).add(b);
    near.get(b).add(a);
  }
  const sizes = new Map(nodes.map((node) => [node.name, node]));
  const groups = components(nodes, near).map((names) => columns(names, near, sizes)).map((layers) => place(layers, near, sizes));
  return pack(groups);
}

// Connected groups, the largest first.
function components(nodes, near) {
  const seen = new Set();
  const groups = [];
  for (const { name } of nodes) {
    if (seen.has(name)) continue;
    const group = [name];
    seen.add(name);
    for (let index = 0; index < group.length; index += 1) {
      for (const other of near.get(group[index])) {
        if (!seen.has(other)) { seen.add(other); group.push(other); }
      }
    }
    groups.push(group);
  }
  return groups.sort((a, b) => b.length - a.length);
}

// Names in columns by their distance from the one with the most neighbours. A column that gets too high is cut.
function columns(names, near, sizes) {
  const centre = names.reduce((best, name) => (near.get(name).size > near.get(best).size ? name : best));
  const distance = new Map([[centre, 0]]);
  const queue = [centre];
  for (let index = 0; index < queue.length; index += 1) {
    for (const other of near.get(queue[index])) {
      if (!distance.has(other)) { distance.set(other, distance.get(queue[index]) + 1); queue.push(other); }
    }
  }
  const layers = [];
  for (const name of queue) (layers[distance.get(name)] ??= []).push(name);
  // The first ring is on both sides of the centre.
  const [middle, ring = [], ...rest] = layers;
  const [left, right] = [[], []];
  for (const name of ring) (weight(left, sizes) < weight(right, sizes) ? left : right).push(name);
  return [left, middle, right, ...rest].filter((layer) => layer.length).flatMap((layer) => cut(layer, sizes));
}

const weight = (names, sizes) => names.reduce((sum, name) => sum + sizes.get(name).height + GAP.row, 0);

function cut(layer, sizes) {
  const most = 1100;
  const parts = [[]];
  for (const name of layer) {
    if (parts.at(-1).length && weight([...parts.at(-1), name], sizes) > most) parts.push([]);
    parts.at(-1).push(name);
  }
  return parts;
}

// Coordinates of a group, beginning at 0. Each column is ordered by the mean height of its neighbours, twice.
function place(layers, near, sizes) {
  const centre = new Map();
  const stack = (layer, x, width) => {
    let y = -weight(layer, sizes) / 2;
    for (const name of layer) {
      const { height } = sizes.get(name);
      centre.set(name, { x: x + (width - sizes.get(name).width) / 2, y, middle: y + height / 2 });
      y += height + GAP.row;
    }
  };
  for (let round = 0; round < 3; round += 1) {
    let x = 0;
    for (const layer of layers) {
      const mean = (name) => {
        const heights = [...near.get(name)].map((other) => centre.get(other)?.middle).filter((value) => value !== undefined);
        return heights.length ? heights.reduce((sum, value) => sum + value, 0) / heights.length : 0;
      };
      if (round > 0) layer.sort((a, b) => mean(a) - mean(b) || (a < b ? -1 : 1));
      const width = Math.max(...layer.map((name) => sizes.get(name).width));
      stack(layer, x, width);
      x += width + GAP.column;
    }
  }
  const names = layers.flat();
  const top = Math.min(...names.map((name) => centre.get(name).y));
  const places = new Map(names.map((name) => [name, { x: centre.get(name).x, y: centre.get(name).y - top }]));
  return {
    places,
    width: Math.max(...names.map((name) => places.get(name).x + sizes.get(name).width)),
    height: Math.max(...names.map((name) => places.get(name).y + sizes.get(name).height)),
  };
}

// Groups side by side in lines, about as wide as high.
function pack(groups) {
  const area = groups.reduce((sum, group) => sum + (group.width + GAP.group) * (group.height + GAP.group), 0);
  const most = Math.max(Math.sqrt(area) * 1.4, ...groups.map((group) => group.width));
  const all = new Map();
  let [x, y, high] = [0, 0, 0];
  for (const group of groups) {
    if (x > 0 && x + group.width > most) { x = 0; y += high + GAP.group; high = 0; }
    for (const [name, spot] of group.places) all.set(name, { x: spot.x + x, y: spot.y + y });
    x += group.width + GAP.group;
    high = Math.max(high, group.height);
  }
  return all;
}
