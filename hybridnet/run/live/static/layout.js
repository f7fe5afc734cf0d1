// SPDX-License-Identifier: MIT
// Where nodes stand: each machine is a disc or a set of rows, machines stand side by side.
//
// A machine whose nodes form a tree with many leaves is a disc, its middle at the tree's centre, with a gap toward the
// other machines. A small tree stands in rows from the root down, and so does what else has levels. For anything else
// the caller lets springs decide.

const DISC_LEAVES = 14;
const LEAF_PITCH = 26;
const ROW_HEIGHT = 92;
const ROW_PITCH = 62;
const MACHINE_GAP = 90;

// nodes: [{id, machine, kind}], edges: [{a, b}]. Returns a map of id to {x, y}, with `rim` for leaves that stand close
// together; null: it has no levels.
export function place(nodes, edges) {
  const machines = new Map();
  for (const node of nodes) {
    if (!machines.has(node.machine)) machines.set(node.machine, []);
    machines.get(node.machine).push(node);
  }
  const machineOf = new Map(nodes.map((node) => [node.id, node.machine]));
  const beside = new Map(nodes.map((node) => [node.id, []]));
  const gateways = new Set();
  for (const { a, b } of edges) {
    if (machineOf.get(a) === machineOf.get(b)) {
      beside.get(a).push(b);
      beside.get(b).push(a);
    } else {
      gateways.add(a).add(b);
    }
  }
  const columns = machines.size <= 4 ? machines.size : Math.ceil(Math.sqrt(machines.size * 1.6));
  const blocks = [];
  let index = 0;
  for (const own of machines.values()) {
    const column = index++ % columns;
    const toward = columns > 1 && column >= columns / 2 ? Math.PI : 0;
    const block = placeMachine(own, beside, gateways, machines.size > 1 ? toward : null);
    if (block === null) return null;
    blocks.push(block);
  }
  return sideBySide(blocks, columns);
}

function placeMachine(nodes, beside, gateways, toward) {
  const parts = components(nodes, beside);
  const placed = parts.map((part) => placeTree(part, beside, gateways, toward) || placeRows(part, beside));
  return placed.includes(null) ? null : sideBySide(placed, Math.ceil(Math.sqrt(placed.length)), 50);
}

function components(nodes, beside) {
  const seen = new Set();
  const parts = [];
  for (const node of nodes) {
    if (seen.has(node.id)) continue;
    const part = new Set();
    const waiting = [node.id];
    seen.add(node.id);
    while (waiting.length > 0) {
      const id = waiting.pop();
      part.add(id);
      for (const other of beside.get(id)) {
        if (!seen.has(other)) {
          seen.add(other);
          waiting.push(other);
        }
      }
    }
    parts.push(part);
  }
  // In their own order, in which neighbours often follow each other.
  return parts.map((part) => nodes.filter(({ id }) => part.has(id)));
}

// Of a tree; null: it is none.
function placeTree(part, beside, gateways, toward) {
  const links = part.reduce((sum, { id }) => sum + beside.get(id).length, 0) / 2;
  if (links !== part.length - 1) return null;
  const root = centre(part, beside, gateways);
  const children = new Map();
  const depth = new Map([[root, 0]]);
  const order = [root];
  for (const id of order) {
    const below = beside.get(id).filter((other) => !depth.has(other));
    children.set(id, below);
    for (const other of below) {
      depth.set(other, depth.get(id) + 1);
      order.push(other);
    }
  }
  const leaves = order.filter((id) => children.get(id).length === 0).length;
  return leaves > DISC_LEAVES
    ? disc(root, children, depth, leaves, gateways, toward)
    : treeRows(root, children, depth);
}

// The middle of the tree: what remains when leaves are taken away again and again. A switch is a better middle than a
// host, and what leads to other machines a better one than its neighbour.
function centre(part, beside, gateways) {
  const degree = new Map(part.map(({ id }) => [id, beside.get(id).length]));
  let left = part.map(({ id }) => id);
  while (left.length > 2) {
    const ends = left.filter((id) => degree.get(id) <= 1);
    const gone = new Set(ends);
    for (const id of ends) for (const other of beside.get(id)) degree.set(other, degree.get(other) - 1);
    left = left.filter((id) => !gone.has(id));
  }
  const kinds = new Map(part.map(({ id, kind }) => [id, kind]));
  const worth = (id) => (kinds.get(id) === "host" ? 0 : 2) + (gateways.has(id) ? 1 : 0);
  return left.sort((a, b) => worth(b) - worth(a))[0];
}

function disc(root, children, depth, leaves, gateways, toward) {
  const deepest = Math.max(...depth.values());
  const gap = toward === null ? 0 : 0.32;
  const radius = Math.max(deepest * 42, (leaves * LEAF_PITCH) / (2 * Math.PI - gap));
  const start = (toward ?? -Math.PI / 2) + gap / 2;
  const step = (2 * Math.PI - gap) / leaves;
  const places = new Map();
  let next = 0;
  const angleOf = (id) => {
    const below = children.get(id);
    let angle;
    if (below.length === 0) {
      angle = start + step * (next++ + 0.5);
    } else {
      const angles = below.map(angleOf);
      angle = (angles[0] + angles[angles.length - 1]) / 2;
    }
    // A leaf that leads to another machine stands in the gap, outside; other leaves stand on the rim.
    if (toward !== null && below.length === 0 && gateways.has(id)) {
      places.set(id, polar(toward, radius + 46));
    } else {
      const share = below.length === 0 ? 1 : (depth.get(id) / deepest) ** 0.92;
      places.set(id, { ...polar(angle, radius * share), rim: below.length === 0 });
    }
    return angle;
  };
  angleOf(root);
  return places;
}

const polar = (angle, radius) => ({ x: radius * Math.cos(angle), y: radius * Math.sin(angle) });

function treeRows(root, children, depth) {
  const places = new Map();
  let next = 0;
  const across = (id) => {
    const below = children.get(id);
    const xs = below.map(across);
    const x = below.length === 0 ? next++ * ROW_PITCH : (xs[0] + xs[xs.length - 1]) / 2;
    places.set(id, { x, y: depth.get(id) * ROW_HEIGHT });
    return x;
  };
  across(root);
  return places;
}

// Rows by the distance to the nearest host, each ordered by where its neighbours stand, if that crosses fewer links than
// the order in which hosts reach them, which keeps the pods of a fat tree together; null: links stay within a row.
function placeRows(part, beside) {
  const level = new Map();
  const order = part.filter(({ kind }) => kind === "host").map(({ id }) => id);
  for (const id of order) level.set(id, 0);
  for (const id of order) {
    for (const other of beside.get(id)) {
      if (!level.has(other)) {
        level.set(other, level.get(id) + 1);
        order.push(other);
      }
    }
  }
  if (level.size < part.length) return null;
  if (part.some(({ id }) => beside.get(id).some((other) => level.get(other) === level.get(id)))) return null;
  const height = Math.max(...level.values());
  const rows = Array.from({ length: height + 1 }, () => []);
  for (const { id } of part) rows[level.get(id)].push(id);
  let x = new Map();
  for (const row of rows) row.forEach((id, at) => x.set(id, (at + 0.5) / row.length));
  let best = { x: new Map(x), crossings: crossings(rows, beside, level, x) };
  for (let sweep = 0; sweep < 12; sweep++) {
    for (const row of sweep % 2 === 0 ? rows : [...rows].reverse()) {
      const middle = new Map(row.map((id) => [id, mean(beside.get(id).map((other) => x.get(other)), x.get(id))]));
      row.sort((a, b) => middle.get(a) - middle.get(b));
      row.forEach((id, at) => x.set(id, (at + 0.5) / row.length));
    }
    const now = crossings(rows, beside, level, x);
    if (now < best.crossings) best = { x: new Map(x), crossings: now };
  }
  x = best.x;
  const width = Math.max(...rows.map((row) => row.length)) * ROW_PITCH;
  return new Map(part.map(({ id }) => [id, { x: x.get(id) * width, y: (height - level.get(id)) * ROW_HEIGHT }]));
}

// How often links between neighbouring rows cross.
function crossings(rows, beside, level, x) {
  let found = 0;
  rows.forEach((row, height) => {
    const links = row.flatMap((id) => beside.get(id).filter((other) => level.get(other) === height + 1).map((other) => [x.get(id), x.get(other)]));
    links.sort(([a, b], [c, d]) => a - c || b - d);
    links.forEach(([from, to], at) => {
      for (let other = at + 1; other < links.length; other++) if (links[other][0] > from && links[other][1] < to) found++;
    });
  });
  return found;
}

const mean = (values, otherwise) =>
  values.length === 0 ? otherwise : values.reduce((sum, value) => sum + value, 0) / values.length;

function sideBySide(blocks, columns, gap = MACHINE_GAP) {
  const boxes = blocks.map((places) => {
    const xs = [...places.values()].map(({ x }) => x);
    const ys = [...places.values()].map(({ y }) => y);
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    return { places, left, top, width: Math.max(...xs) - left, height: Math.max(...ys) - top };
  });
  const result = new Map();
  let y = 0;
  for (let row = 0; row < boxes.length; row += columns) {
    const line = boxes.slice(row, row + columns);
    const height = Math.max(...line.map((box) => box.height));
    let x = 0;
    for (const box of line) {
      for (const [id, at] of box.places) {
        result.set(id, { ...at, x: x + at.x - box.left, y: y + at.y - box.top + (height - box.height) / 2 });
      }
      x += box.width + gap;
    }
    y += height + gap;
  }
  return result;
}
