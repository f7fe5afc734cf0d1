// SPDX-License-Identifier: MIT
// Packets on the drawing's links, at an instant of simulated time that follows the simulation's own.

import { get } from "./api.js";

const EVERY_MS = 120; // between two looks at a simulation that goes on
const GLIDE_MS = 350; // by which the drawing follows a step
const MOST_KEPT = 8000;
const INK = { data: "--there", ack: "--back", control: "--drop", icmp: "--router", arp: "--muted", other: "--muted" };

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export class Packets {
  // `told`: called with whether some are not drawn; `tick`: with the instant that is drawn while it goes on.
  constructor(canvas, graph, model, told, tick) {
    Object.assign(this, { canvas, graph, model, told, tick });
    this.flying = new Map();
    this.waiting = [];
    this.clock = { from: 0, to: 0, began: 0, lasts: 1 };
    this.simulation = null;
    this.asked = false;
    this.moving = false;
    canvas.hidden = false;
    graph.cy.on("pan zoom resize position add remove", () => this.#wake());
    new ResizeObserver(() => this.#wake()).observe(canvas);
  }

  // There is something new to be seen.
  follow(simulation) {
    this.simulation = simulation;
    if (simulation.running && simulation.speed === null) {
      this.flying.clear();
      this.waiting = [];
      this.clock = { ...this.clock, from: simulation.time_ns, to: simulation.time_ns };
      this.#wake();
    } else {
      this.#look();
    }
  }

  async #look() {
    if (this.asked) return;
    this.asked = true;
    const seen = await get("/simulation/packets").catch(() => null);
    this.asked = false;
    if (seen !== null) this.#take(seen);
    const { running, speed } = this.simulation;
    if (running && speed !== null) setTimeout(() => this.#look(), EVERY_MS);
  }

  #take({ time_ns: now, capped, directions }) {
    const shown = this.#shown();
    const goesOn = this.simulation.running;
    for (const [key, packet] of this.flying) if (packet.arrives <= shown) this.flying.delete(key);
    this.waiting = [];
    for (const { number, forward, waiting, packets } of directions) {
      if (waiting > 0) this.waiting.push({ number, forward, waiting });
      for (const [place, begins, arrives, bytes, segments, kind] of packets) {
        if (arrives === null || this.flying.size > MOST_KEPT) continue;
        const known = `${number} ${forward} ${arrives} ${bytes} ${kind}`;
        if (this.flying.has(known)) continue;
        const from = begins ?? (place === "delay" ? now - (arrives - now) : now);
        this.flying.set(known, { number, forward, begins: from, arrives, segments, kind });
      }
    }
    const lasts = goesOn ? EVERY_MS * 1.4 : GLIDE_MS;
    this.clock = { from: Math.min(shown, now), to: now, began: performance.now(), lasts };
    this.told(capped);
    this.#wake();
  }

  #shown() {
    const { from, to, began, lasts } = this.clock;
    return from + (to - from) * Math.min(1, (performance.now() - began) / lasts);
  }

  #wake() {
    if (this.moving) return;
    this.moving = true;
    requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.moving = false;
    const { canvas } = this;
    const scale = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== width * scale || canvas.height !== height * scale) [canvas.width, canvas.height] = [width * scale, height * scale];
    const ink = canvas.getContext("2d");
    ink.setTransform(scale, 0, 0, scale, 0, 0);
    ink.clearRect(0, 0, width, height);
    const shown = this.#shown();
    const zoom = Math.min(1.6, Math.max(0.6, this.graph.cy.zoom()));
    let drawn = 0;
    for (const packet of this.flying.values()) {
      if (shown < packet.begins || shown >= packet.arrives) continue;
      const way = this.#way(packet);
      if (way === null) continue;
      const share = (shown - packet.begins) / (packet.arrives - packet.begins);
      this.#dot(ink, way.point(0.06 + 0.88 * share), way.aside(4 * zoom), packet, zoom);
      drawn++;
    }
    for (const queue of this.waiting) {
      const way = this.#way(queue);
      if (way !== null) this.#pill(ink, way.point(0.22), way.aside(14 * zoom), String(queue.waiting), zoom);
    }
    document.body.dataset.packets = String(drawn);
    if (this.simulation?.running && this.simulation.speed !== null) this.tick(shown);
    if (performance.now() < this.clock.began + this.clock.lasts) this.#wake();
  }

  // Of a direction of a link its points on the drawing, by the share of the way; null: it is not drawn.
  #way({ number, forward }) {
    const edge = this.model.edgeOf.get(number);
    if (edge === undefined) return null;
    const link = this.model.links[number];
    const sender = this.model.aggregation.standsFor((forward ? link.a : link.b).node);
    const ends = [edge.source(), edge.target()];
    if (ends[1].data("name") === sender) ends.reverse();
    const [a, b] = ends.map((end) => end.renderedPosition());
    const middle = edge.renderedMidpoint() ?? { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
    const bend = { x: 2 * middle.x - (a.x + b.x) / 2, y: 2 * middle.y - (a.y + b.y) / 2 };
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    return {
      point: (share) => {
        const [p, q, r] = [(1 - share) ** 2, 2 * share * (1 - share), share ** 2];
        return { x: p * a.x + q * bend.x + r * b.x, y: p * a.y + q * bend.y + r * b.y };
      },
      // To the right of the way, so that the two directions do not hide each other.
      aside: (by) => ({ x: (-(b.y - a.y) / length) * by, y: ((b.x - a.x) / length) * by }),
    };
  }

  #dot(ink, at, aside, { kind, segments }, zoom) {
    const radius = (kind === "ack" || kind === "arp" ? 3.6 : 5.2) * zoom;
    const [x, y] = [at.x + aside.x, at.y + aside.y];
    ink.beginPath();
    ink.arc(x, y, radius, 0, 2 * Math.PI);
    ink.fillStyle = colour(INK[kind]);
    ink.fill();
    ink.lineWidth = 1.4;
    ink.strokeStyle = colour("--surface");
    ink.stroke();
    if (segments > 1) {
      ink.font = `600 ${8 * zoom}px system-ui`;
      ink.textAlign = "center";
      ink.textBaseline = "middle";
      ink.fillStyle = "#fff";
      ink.fillText(String(segments), x, y);
    }
  }

  // How many wait, beside the sender's end of the link.
  #pill(ink, at, aside, text, zoom) {
    ink.font = `600 ${10.5 * zoom}px system-ui`;
    ink.textAlign = "center";
    ink.textBaseline = "middle";
    const width = ink.measureText(text).width + 11 * zoom;
    const [x, y] = [at.x + aside.x, at.y + aside.y];
    ink.beginPath();
    ink.roundRect(x - width / 2, y - 8 * zoom, width, 16 * zoom, 5 * zoom);
    ink.fillStyle = colour("--there");
    ink.fill();
    ink.fillStyle = "#fff";
    ink.fillText(text, x, y + 0.5);
  }
}
