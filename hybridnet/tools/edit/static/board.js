// SPDX-License-Identifier: MIT
// The canvas: Cytoscape.js with the look of the page of a running network, and what a hand does there.

import { colour, look } from "./graph.js";

const STEP = 10;
const SHOWN = 3; // options at a link

export class Board {
  // on: select(what or null), add(x, y), join(a, b), move(name, x, y).
  constructor(element, on) {
    this.on = on;
    this.from = null; // where a link begins that is being drawn
    this.joining = false;
    this.adding = false;
    this.cy = cytoscape({ container: element, style: [], minZoom: 0.1, maxZoom: 4, boxSelectionEnabled: false });
    new ResizeObserver(() => this.cy.resize()).observe(element);
    this.cy.on("tap", (event) => this.#tapped(event));
    this.cy.on("dragfree", "node[name]", ({ target }) => on.move(target.data("name"), target.position("x"), target.position("y")));
    this.cy.on("tapstart", "node[name]", ({ target }) => this.joining && this.#begin(target));
    this.cy.on("tapdrag", ({ position }) => this.joining && this.#draw(position));
    this.cy.on("tapend", ({ position }) => this.joining && this.#end(position));
  }

  // What a hand does: "select", "join" or "add".
  use(tool) {
    this.joining = tool === "join";
    this.adding = tool === "add";
    this.from = null;
    this.#forget();
    this.cy.autoungrabify(this.joining);
    this.cy.userPanningEnabled(!this.joining);
  }

  draw(drawing, looksOf, wrong) {
    this.#forget();
    const { cy } = this;
    cy.startBatch();
    cy.elements().remove();
    for (const node of drawing.nodes()) {
      cy.add({
        data: { id: `node ${node.name}`, name: node.name, label: node.name },
        position: { x: node.at[0], y: node.at[1] },
        classes: `${looksOf(node)} ${wrong.has(`node ${node.name}`) ? "wrong" : ""}`,
      });
    }
    drawing.links().forEach((link, index) => {
      const [a, b] = link.between;
      if (a === b || !drawing.has(a) || !drawing.has(b)) return;
      const options = Object.entries(link).filter(([name, value]) => name !== "between" && typeof value !== "object");
      cy.add({
        data: {
          id: `link ${index}`, index, source: `node ${a}`, target: `node ${b}`, width: 2, colour: colour("--muted"),
          badge: options.slice(0, SHOWN).map(([name, value]) => `${name} ${value}`).join(", "),
        },
        classes: wrong.has(`link ${index}`) ? "wrong" : "",
      });
    });
    cy.endBatch();
  }

  mark(selection) {
    this.cy.elements(".marked").removeClass("marked");
    if (selection === null) return;
    this.cy.getElementById(selection.node !== undefined ? `node ${selection.node}` : `link ${selection.link}`).addClass("marked");
  }

  markWrong(wrong) {
    this.cy.batch(() => this.cy.elements().forEach((element) => element.toggleClass("wrong", wrong.has(element.id()))));
  }

  fit() {
    this.cy.fit(undefined, 60);
    if (this.cy.zoom() > 1.6 || this.cy.nodes().empty()) this.cy.zoom(1.6);
    this.cy.center();
  }

  middle() {
    const { x1, y1, x2, y2 } = this.cy.extent();
    return { x: (x1 + x2) / 2, y: (y1 + y2) / 2 };
  }

  restyle() {
    this.cy.style([
      ...look(),
      { selector: "node[name]", style: { "font-size": 10, color: colour("--ink"), "text-outline-color": colour("--ground") } },
      {
        selector: "edge",
        style: {
          "font-size": 8, "font-weight": 400, color: colour("--ink"), "text-background-color": colour("--ground"),
          "text-background-opacity": 0.9, "text-rotation": "autorotate",
        },
      },
      { selector: ".wrong", style: { "underlay-color": colour("--drop"), "underlay-opacity": 0.35, "underlay-padding": 7 } },
      { selector: "node.begun", style: { "underlay-color": colour("--good"), "underlay-opacity": 0.4, "underlay-padding": 8 } },
      { selector: "node.ghost", style: { width: 2, height: 2, opacity: 0, events: "no" } },
      { selector: "edge.ghost", style: { "line-style": "dashed", events: "no" } },
    ]);
  }

  #tapped({ target, position }) {
    if (this.joining) return;
    if (target === this.cy) {
      if (this.adding) this.on.add(position.x, position.y);
      else this.on.select(null);
    } else if (target.data("name") !== undefined) this.on.select({ node: target.data("name") });
    else if (target.data("index") !== undefined) this.on.select({ link: target.data("index") });
  }

  #begin(target) {
    if (this.from === null) {
      this.from = target.data("name");
      this.begunHere = true;
    } else this.begunHere = false;
    this.cy.getElementById(`node ${this.from}`).addClass("begun");
  }

  #draw(position) {
    if (this.from === null) return;
    const ghost = this.cy.getElementById("ghost");
    if (ghost.nonempty()) ghost.position(position);
    else {
      this.cy.add([
        { data: { id: "ghost" }, position, classes: "ghost" },
        { data: { id: "ghost link", source: `node ${this.from}`, target: "ghost", width: 2, colour: colour("--accent"), badge: "" }, classes: "ghost" },
      ]);
    }
  }

  #end({ x, y }) {
    if (this.from === null) return;
    const target = this.cy.nodes("[name]").filter((node) => {
      const { x1, x2, y1, y2 } = node.boundingBox({ includeLabels: false, includeUnderlays: false });
      return x >= x1 - STEP && x <= x2 + STEP && y >= y1 - STEP && y <= y2 + STEP;
    }).first();
    const [from, to] = [this.from, target.nonempty() ? target.data("name") : null];
    this.#forget();
    if (to === from && this.begunHere) { // a tap: the next one says where to
      this.cy.getElementById(`node ${from}`).addClass("begun");
      return;
    }
    this.from = null;
    if (to !== null && to !== from) this.on.join(from, to);
  }

  #forget() {
    this.cy.remove(this.cy.elements(".ghost"));
    this.cy.nodes(".begun").removeClass("begun");
  }
}
