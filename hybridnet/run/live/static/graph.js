// SPDX-License-Identifier: MIT
// The drawing: Cytoscape.js, with the colours of the page's style sheet.

import { place } from "./layout.js";
import { short } from "./units.js";

const LEGIBLE = 0.7; // the zoom from which names can be read
const LEVELS = [[0.02, "--u0"], [0.25, "--u1"], [0.5, "--u2"], [0.75, "--u3"], [0.9, "--u4"], [Infinity, "--u5"]];

export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// The colour of a link: by utilization; of one without a limit, whether it carries anything.
export function heat(utilization, bps) {
  if (utilization === null) return bps > 1e3 ? "--busy" : "--u0";
  return LEVELS.find(([most]) => utilization < most)[1];
}

export const widthOf = (bps) => Math.min(9, 1.4 + Math.max(0, Math.log10(Math.max(bps, 1)) - 3) * 1.1);

export class Graph {
  constructor(element, on) {
    this.on = on;
    this.colours = {};
    this.closest = 1.5; // of fit()
    this.cy = cytoscape({
      container: element,
      style: [],
      minZoom: 0.05,
      maxZoom: 4,
      boxSelectionEnabled: false,
      hideEdgesOnViewport: false,
      textureOnViewport: false,
      pixelRatio: "auto",
    });
    this.moved = false; // by the user, who then keeps what he sees
    this.cy.on("dragpan scrollzoom pinchzoom", () => { this.moved = true; });
    new ResizeObserver(() => {
      this.cy.resize();
      if (!this.moved) this.fit();
    }).observe(element);
    this.restyle();
    this.cy.on("tap", "node.machine", () => on.select(null));
    this.cy.on("tap", "node[name]", (event) => on.select({ node: event.target.data("name") }));
    this.cy.on("tap", "edge", (event) => on.select({ edge: event.target.id() }));
    this.cy.on("tap", (event) => event.target === this.cy && on.select(null));
    this.cy.on("dbltap", "node[name]", (event) => on.toggle(event.target.data("name")));
    this.cy.on("mouseover", "edge, node[name]", (event) => on.hover(event.target, event.renderedPosition));
    this.cy.on("mousemove", "edge, node[name]", (event) => on.hover(event.target, event.renderedPosition));
    this.cy.on("mouseout", "edge, node[name]", () => on.hover(null));
  }

  // Draws an aggregation anew, and keeps places and the view where `keep` says so.
  draw(aggregation, machines, keep) {
    const nodes = [...aggregation.shown].map((name) => aggregation.nodes.get(name));
    const { edges, inside } = aggregation.edges();
    const places = place(
      nodes.map(({ name, machine, kind }) => ({ id: name, machine, kind })),
      edges.map(({ a, b }) => ({ a, b })),
    );
    const elements = machines.map(({ name, address }) => ({
      data: { id: `machine ${name}`, label: name, address }, classes: "machine", selectable: false, grabbable: false,
    }));
    for (const node of nodes) {
      const hidden = aggregation.hidden(node.name);
      const more = Object.values(hidden).reduce((sum, count) => sum + count, 0);
      elements.push({
        data: {
          id: `node ${node.name}`, name: node.name, parent: `machine ${node.machine}`,
          label: more > 0 ? `${node.name}  +${short(more)}` : node.name,
        },
        position: places === null ? undefined : { x: places.get(node.name).x, y: places.get(node.name).y },
        classes: [node.kind, node.simulated ? "simulated" : "emulated", more > 0 ? "stack" : "", places?.get(node.name).rim ? "rim" : ""].join(" "),
      });
    }
    for (const { id, a, b, members } of edges) {
      const links = members.map((number) => aggregation.links[number]);
      const kind = links.some((link) => link.kind === "cut") ? "cut" : links.some((link) => link.simulated) ? "simulated" : "";
      elements.push({
        data: { id, source: `node ${a}`, target: `node ${b}`, members, width: 1.4, colour: this.#named("--u0"), badge: "" },
        classes: kind,
      });
    }
    this.cy.startBatch();
    this.cy.elements().remove();
    this.cy.add(elements);
    this.cy.endBatch();
    if (places === null) {
      this.cy.layout({ name: "cose", animate: false, nodeRepulsion: 9000, idealEdgeLength: 70, randomize: true, numIter: 400 }).run();
    }
    if (!keep) this.fit();
    const edgeOf = new Map();
    for (const edge of this.cy.edges()) for (const number of edge.data("members")) edgeOf.set(number, edge);
    return { edgeOf, inside };
  }

  fit() {
    this.moved = false;
    this.cy.fit(undefined, 34);
    if (this.cy.zoom() > this.closest) {
      this.cy.zoom(this.closest);
      this.cy.center();
    }
  }

  focus(name) {
    const node = this.cy.getElementById(`node ${name}`);
    if (node.empty()) return;
    const { x1, y1, x2, y2 } = this.cy.extent();
    const { x, y } = node.position();
    // Who sees it already, large enough to read, need not lose the rest from sight.
    const seen = this.cy.zoom() >= LEGIBLE && x > x1 && x < x2 && y > y1 && y < y2;
    if (!seen) {
      this.moved = true;
      this.cy.animate({ center: { eles: node }, zoom: Math.max(this.cy.zoom(), 1.1), duration: 250 });
    }
    this.mark(node);
  }

  mark(element) {
    this.cy.elements(".marked").removeClass("marked");
    if (element !== null) element.addClass("marked");
  }

  // Gives a drawn edge the look of what it carries: {bps, utilization, lost, dropped, down}.
  paint(edge, { bps, utilization, lost, dropped, down }) {
    const badges = [dropped > 0 ? `▾ ${short(dropped)}` : "", lost > 0 ? `◦ ${short(lost)}` : ""].filter(Boolean);
    edge.data({
      width: widthOf(bps),
      colour: this.#named(heat(utilization, bps)),
      badge: down ? "down" : badges.join("  "),
    });
    edge.toggleClass("down", down).toggleClass("dropping", dropped > 0).toggleClass("losing", dropped === 0 && lost > 0);
  }

  #named(name) {
    this.colours[name] ??= colour(name);
    return this.colours[name];
  }

  // After a change of the theme.
  restyle() {
    this.colours = {};
    this.cy.style(look());
  }
}

// The style of drawings: nodes have a name and a label, and the classes of their kind; edges a width, colour and badge.
export function look() {
  const text = colour("--ink");
  const font = "Inter, system-ui, sans-serif";
  return [
    {
      selector: "node[name]",
      style: {
        width: 20, height: 20, shape: "ellipse", label: "data(label)", "font-family": font, "font-size": 8.5,
        color: colour("--muted"), "text-valign": "bottom", "text-margin-y": 3, "min-zoomed-font-size": 7,
        "text-outline-color": colour("--group"), "text-outline-width": 2,
        "background-color": colour("--host"), "border-width": 1.6, "border-color": colour("--host"),
        "overlay-opacity": 0, "z-index": 2,
      },
    },
    { selector: "node.switch", style: { shape: "round-rectangle", "background-color": colour("--switch"), "border-color": colour("--switch") } },
    { selector: "node.router", style: { shape: "round-diamond", width: 24, height: 24, "background-color": colour("--router"), "border-color": colour("--router") } },
    { selector: "node.external, node.guest", style: { shape: "round-hexagon", "background-color": colour("--muted"), "border-color": colour("--muted") } },
    { selector: "node.simulated", style: { "background-color": colour("--surface"), "border-style": "dashed", "border-width": 2, "border-color": colour("--simulated") } },
    // Many stand side by side there: without room for names, there are none but that of the chosen one.
    { selector: "node.rim", style: { width: 15, height: 15, "font-size": 7, "text-margin-y": 2, "min-zoomed-font-size": 8 } },
    { selector: "node.stack", style: { width: 30, height: 30, "border-style": "double", "border-width": 6, "font-size": 11, color: text } },
    { selector: "node.stack.rim", style: { width: 19, height: 19, "border-width": 4, "font-size": 7 } },
    {
      selector: "node.machine",
      style: {
        label: "data(label)", shape: "round-rectangle", "corner-radius": 18, "background-color": colour("--group"),
        "background-opacity": 1, "border-width": 1, "border-color": colour("--line"), padding: 26,
        "font-family": font, "font-size": 13, "font-weight": 600, color: colour("--muted"), "text-valign": "top",
        "text-margin-y": -6, "overlay-opacity": 0, "z-index": 0,
      },
    },
    {
      selector: "edge",
      style: {
        width: "data(width)", "line-color": "data(colour)", "curve-style": "bezier", "line-cap": "round",
        label: "data(badge)", "font-family": font, "font-size": 9, "font-weight": 600, color: "#fff",
        "text-background-color": colour("--loss"), "text-background-opacity": 0, "text-background-shape": "round-rectangle",
        "text-background-padding": 3, "min-zoomed-font-size": 6, "overlay-opacity": 0, "z-index": 1,
      },
    },
    { selector: "edge.simulated, edge.cut", style: { "line-style": "dashed", "line-dash-pattern": [9, 4], "line-cap": "butt" } },
    { selector: "edge.losing", style: { "text-background-opacity": 1, "text-background-color": colour("--loss") } },
    { selector: "edge.dropping", style: { "text-background-opacity": 1, "text-background-color": colour("--drop") } },
    {
      selector: "edge.down",
      style: {
        "line-style": "dotted", "line-color": colour("--drop"), "text-background-opacity": 1,
        "text-background-color": colour("--drop"), width: 2,
      },
    },
    { selector: "node.marked", style: { "min-zoomed-font-size": 0, "underlay-color": colour("--accent"), "underlay-opacity": 0.28, "underlay-padding": 7 } },
    { selector: "edge.marked", style: { "underlay-color": colour("--accent"), "underlay-opacity": 0.28, "underlay-padding": 6 } },
  ];
}
