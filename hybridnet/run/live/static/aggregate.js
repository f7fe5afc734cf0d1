// SPDX-License-Identifier: MIT
// What of a big network is drawn: each machine down to the level at which the whole is small enough to see. What is
// below stands for by the node above it, and opens on request.

export const MOST_DRAWN = 400;
const WANTED = 220;
const MOST_OPENED = 160;

export class Aggregation {
  constructor(nodes, links) {
    this.nodes = new Map(nodes.map((node) => [node.name, node]));
    this.links = links;
    this.parent = new Map();
    this.children = new Map(nodes.map((node) => [node.name, []]));
    this.depth = new Map();
    this.shown = new Set(nodes.map((node) => node.name));
    if (nodes.length > MOST_DRAWN) {
      this.#makeForest(nodes);
      this.#showLevels();
    }
  }

  // The drawn node that stands for a node.
  standsFor(name) {
    let at = name;
    while (!this.shown.has(at)) at = this.parent.get(at);
    return at;
  }

  // How many nodes, by kind, a drawn node hides.
  hidden(name) {
    const found = {};
    const waiting = this.children.get(name).filter((child) => !this.shown.has(child));
    while (waiting.length > 0) {
      const at = waiting.pop();
      const { kind } = this.nodes.get(at);
      found[kind] = (found[kind] || 0) + 1;
      waiting.push(...this.children.get(at));
    }
    return found;
  }

  canOpen(name) {
    return this.children.get(name).some((child) => !this.shown.has(child));
  }

  canClose(name) {
    return this.children.get(name).some((child) => this.shown.has(child)) && this.parent.size > 0;
  }

  open(name) {
    this.children.get(name).filter((child) => !this.shown.has(child)).slice(0, MOST_OPENED)
      .forEach((child) => this.shown.add(child));
  }

  close(name) {
    const waiting = [...this.children.get(name)];
    while (waiting.length > 0) {
      const at = waiting.pop();
      this.shown.delete(at);
      waiting.push(...this.children.get(at));
    }
  }

  // Makes a node visible, with all that is above it.
  reveal(name) {
    for (let at = name; at !== undefined && !this.shown.has(at); at = this.parent.get(at)) this.shown.add(at);
  }

  // Drawn edges: {id, a, b, members: numbers of links}; and, by drawn node, the links that it hides.
  edges() {
    const found = new Map();
    const inside = new Map();
    this.links.forEach((link, number) => {
      const a = this.standsFor(link.a.node);
      const b = this.standsFor(link.b.node);
      if (a === b) {
        if (!inside.has(a)) inside.set(a, []);
        inside.get(a).push(number);
        return;
      }
      const single = a === link.a.node && b === link.b.node;
      const id = single ? `link ${link.name}` : `links ${[a, b].sort().join(" ")}`;
      if (!found.has(id)) found.set(id, { id, a, b, members: [] });
      found.get(id).members.push(number);
    });
    return { edges: [...found.values()], inside };
  }

  // Trees, one or more to a machine: from what leads to other machines, else from the node with most links.
  #makeForest(nodes) {
    const beside = new Map(nodes.map((node) => [node.name, []]));
    const gateways = new Set();
    for (const { a, b } of this.links) {
      if (this.nodes.get(a.node).machine === this.nodes.get(b.node).machine) {
        beside.get(a.node).push(b.node);
        beside.get(b.node).push(a.node);
      } else {
        gateways.add(a.node).add(b.node);
      }
    }
    const rank = (name) => (gateways.has(name) ? 1e9 : 0) + beside.get(name).length;
    const order = [...beside.keys()].sort((a, b) => rank(b) - rank(a));
    for (const root of order) {
      if (this.depth.has(root)) continue;
      this.depth.set(root, 0);
      const queue = [root];
      for (const at of queue) {
        for (const other of beside.get(at)) {
          if (this.depth.has(other)) continue;
          this.depth.set(other, this.depth.get(at) + 1);
          this.parent.set(other, at);
          this.children.get(at).push(other);
          queue.push(other);
        }
      }
    }
  }

  #showLevels() {
    const sizes = [];
    for (const depth of this.depth.values()) sizes[depth] = (sizes[depth] || 0) + 1;
    let total = 0;
    let deepest = -1;
    for (const size of sizes) {
      if (deepest >= 0 && total + size > WANTED) break;
      total += size;
      deepest++;
    }
    this.shown = new Set([...this.depth].filter(([, depth]) => depth <= deepest).map(([name]) => name));
  }
}
