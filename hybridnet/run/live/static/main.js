// SPDX-License-Identifier: MIT
// Puts the page together: the network and its figures (Model), the drawing, the panel and the header.

import { Aggregation } from "./aggregate.js";
import { get, listen, part } from "./api.js";
import { make, trying } from "./elements.js";
import { Graph } from "./graph.js";
import { messages } from "./inside.js";
import { Packets } from "./packets.js";
import { Panel } from "./panel.js";
import { Steps } from "./steps.js";
import { count, percent, rate, time } from "./units.js";

const LATE_NS = 1e6;
// What a verdict says of: the results, not the network.
const WORTH = { trusted: "results trusted", saturated: "limited by this computer", broken: "results not reliable" };

class Model {
  constructor() {
    this.version = -1;
    this.nodes = new Map();
    this.links = [];
    this.options = [];
    this.edgeOf = new Map();
    this.inside = new Map();
  }

  take(network) {
    const sameLinks = network.links.length === this.links.length && network.links.every((link, at) => link.name === this.links[at].name);
    const sameNodes = network.nodes.length === this.nodes.size && network.nodes.every(({ name }) => this.nodes.has(name));
    this.version = network.version;
    this.machines = network.machines;
    this.nodes = new Map(network.nodes.map((node) => [node.name, node]));
    this.links = network.links;
    if (!sameLinks) {
      const size = this.links.length;
      [this.there, this.back, this.lost, this.dropped] = Array.from({ length: 4 }, () => new Float64Array(size));
    }
    const same = sameLinks && sameNodes && this.aggregation !== undefined;
    if (same) this.aggregation.links = this.links;
    else this.aggregation = new Aggregation(network.nodes, this.links);
    return same;
  }

  update(rows) {
    const touched = new Set();
    for (const [number, there, back, lost, dropped] of rows) {
      [this.there[number], this.back[number], this.lost[number], this.dropped[number]] = [there ?? 0, back ?? 0, lost, dropped];
      const edge = this.edgeOf.get(number);
      if (edge !== undefined) touched.add(edge);
    }
    return touched;
  }

  // What was seen of one link, perhaps later than the last update.
  see({ number, figures }) {
    if (!figures.rate_bps) return;
    const sum = (both) => both[0] + both[1];
    const touched = this.update([[number, ...figures.rate_bps, sum(figures.lost), sum(figures.dropped)]]);
    repaint([...touched]);
    describe();
  }

  load(members) {
    const sum = { bps: 0, utilization: null, lost: 0, dropped: 0, down: members.length > 0 };
    for (const number of members) {
      const { limit_bps: limits, down } = this.links[number];
      const rates = [this.there[number], this.back[number]];
      sum.bps += Math.max(...rates);
      sum.lost += this.lost[number];
      sum.dropped += this.dropped[number];
      sum.down &&= down;
      limits.forEach((limit, way) => {
        if (limit) sum.utilization = Math.max(sum.utilization ?? 0, rates[way] / limit);
      });
    }
    return sum;
  }

  busiest(most) {
    return [...this.links.keys()].map((number) => [Math.max(this.there[number], this.back[number]), number])
      .filter(([bps]) => bps > 0).sort(([one], [other]) => other - one).slice(0, most).map(([, number]) => number);
  }

  membersOf(edge) {
    return graph.cy.getElementById(edge).data("members") ?? [];
  }

  edgeIdOf(name) {
    return this.edgeOf.get(this.links.findIndex((link) => link.name === name))?.id();
  }

  linksOf(name) {
    const found = [];
    this.links.forEach((link, number) => {
      if (link.a.node === name || link.b.node === name) found.push(number);
    });
    return found;
  }

  hosts() {
    return [...this.nodes.values()].filter(({ kind, simulated, addresses }) => kind === "host" && !simulated && addresses.length > 0).map(({ name }) => name);
  }

  hidden(name) { return this.aggregation.hidden(name); }
  hasStacks() { return this.aggregation.parent.size > 0; }
  canOpen(name) { return this.aggregation.canOpen(name); }
  canClose(name) { return this.aggregation.canClose(name); }

  open(name) {
    this.aggregation.open(name);
    draw(true);
    select({ node: name });
  }

  fold(name) {
    this.aggregation.close(name);
    draw(true);
    select({ node: name });
  }

  choose({ link }) {
    const number = this.links.findIndex(({ name }) => name === link);
    for (const end of ["a", "b"]) this.aggregation.reveal(this.links[number][end].node);
    if (!this.edgeOf.has(number) || this.edgeOf.get(number).data("members").length > 1) draw(true);
    select({ edge: this.edgeOf.get(number).id() });
  }
}

const model = new Model();
const graph = new Graph(document.getElementById("graph"), {
  select,
  hover,
  toggle: (name) => (model.canOpen(name) ? model.open(name) : model.canClose(name) && model.nodes.size > 400 && model.fold(name)),
});
const panel = new Panel(document.getElementById("panel"), model);
let selected = null;
let hovered = null;

function draw(keep) {
  Object.assign(model, graph.draw(model.aggregation, model.machines, false));
  if (!keep) select(null);
  repaint(graph.cy.edges());
}

function repaint(edges) {
  graph.cy.batch(() => edges.forEach((edge) => graph.paint(edge, model.load(edge.data("members")))));
}

function select(selection) {
  selected = selection;
  const id = selection === null ? null : selection.edge ?? `node ${selection.node}`;
  graph.mark(id === null ? null : graph.cy.getElementById(id));
  tip.hidden = true;
  trying(() => panel.show(selection));
}

// What is under the mouse

const tip = document.getElementById("tip");

function hover(target, at) {
  hovered = target;
  tip.hidden = target === null || target.hasClass("marked"); // the panel says all of what is chosen
  if (tip.hidden) return;
  const { clientWidth: width, clientHeight: height } = document.getElementById("graph");
  tip.style.left = `${Math.min(at.x + 16, width - 280)}px`;
  tip.style.top = `${Math.min(at.y + 14, height - 110)}px`;
  describe();
}

// Short: what is chosen has the panel, and a large box would cover what it is about.
function describe() {
  const target = hovered;
  if (target === null || target.removed()) return;
  if (target.isNode()) {
    const node = model.nodes.get(target.data("name"));
    tip.replaceChildren(make("b", {}, node.name), make("div", { class: "muted" }, `${node.simulated ? "simulated" : "emulated"} ${node.kind} on ${node.machine}`),
      ...node.addresses.slice(0, 4).map((address) => make("div", {}, address)));
    return;
  }
  const members = target.data("members");
  const load = model.load(members);
  if (members.length > 1) {
    tip.replaceChildren(make("b", {}, `${count(members.length)} links`),
      make("div", {}, `${rate(load.bps)} together, the fullest at ${percent(load.utilization)}`));
    return;
  }
  const link = model.links[members[0]];
  const [there, back] = [model.there[members[0]], model.back[members[0]]];
  const counts = [[load.dropped, "dropped"], [load.lost, "lost by the loss model"]].filter(([value]) => value > 0);
  tip.replaceChildren(make("b", {}, `${link.a.node} — ${link.b.node} `), ...(link.down ? [make("span", { class: "badge" }, "down")] : []),
    make("div", { class: "muted" }, [...new Set(link.text)].join(" / ")),
    make("div", {}, `${rate(there)} → · ← ${rate(back)}${load.utilization === null ? "" : ` · ${percent(load.utilization)} full`}`),
    ...counts.map(([value, what]) => make("div", {}, `${count(value)} ${what}`)));
}

// The header

const verdict = document.getElementById("verdict");
const reasons = document.getElementById("reasons");

function showVerdict({ word, reasons: why }) {
  verdict.className = `verdict ${word}`;
  verdict.querySelector(".word").textContent = WORTH[word];
  verdict.querySelector(".why").textContent = why[0] ?? "every limit held";
  reasons.replaceChildren(...(why.length > 0 ? why : ["Every limit held since the start."]).map((text) => make("p", {}, text)));
  document.title = word === "broken" ? "✗ hybridnet" : "hybridnet";
}

function showInstances(instances) {
  document.getElementById("instances").replaceChildren(...Object.entries(instances).map(([name, figures]) =>
    make("span", {
      class: figures.lateness_p999_ns > LATE_NS ? "instance late" : "instance",
      title: `instance ${name}, the last 5 s: lateness median ${time(figures.lateness_p50_ns)}, p99.9 ${time(figures.lateness_p999_ns)}; since the start p99.9 ${time(figures.lateness_p999_ns_since_start)}, most ${time(figures.lateness_most_ns)}; its thread is ${percent(figures.busy)} busy`,
    }, make("b", {}, name), `late ${time(figures.lateness_p999_ns)}`, make("span", { class: "muted" }, `busy ${percent(figures.busy)}`))));
}

verdict.onclick = () => {
  reasons.hidden = !reasons.hidden;
  verdict.setAttribute("aria-expanded", String(!reasons.hidden));
};
document.getElementById("fit").onclick = () => graph.fit();
document.getElementById("search").onchange = (event) => {
  const name = event.target.value.trim();
  if (!model.nodes.has(name)) return;
  if (!model.aggregation.shown.has(name)) {
    model.aggregation.reveal(name);
    draw(true);
  }
  select({ node: name });
  graph.focus(name);
};

const themes = window.matchMedia("(prefers-color-scheme: dark)");

function useTheme(name) {
  document.documentElement.dataset.theme = name;
  graph.restyle();
  repaint(graph.cy.edges());
}
document.getElementById("theme").onclick = () => {
  const name = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  localStorage.setItem("theme", name);
  useTheme(name);
  select(selected);
};

// A simulation in virtual time

let inside = null; // of a network in real time there is none of this

function followSimulation(simulation) {
  inside ??= beginSimulation();
  model.timeNs = simulation.time_ns;
  inside.steps.show(simulation);
  inside.packets.follow(simulation);
  inside.messages.refresh();
}

function beginSimulation() {
  document.body.classList.add("stepping");
  document.getElementById("colours").hidden = false;
  const log = messages(document.getElementById("trace"));
  const told = (capped) => { document.getElementById("capped").hidden = !capped; };
  const steps = new Steps(document.getElementById("steps"), { onMoved: followSimulation, onTrace: log.toggle });
  const packets = new Packets(document.getElementById("packets"), graph, model, told, (at) => steps.tick(at));
  return { messages: log, packets, steps };
}

// From here on: live

let fetching = null;
let updates = 0;

async function follow(version) {
  if (model.version === version) return;
  fetching ??= get("/network").finally(() => { fetching = null; });
  const network = await fetching;
  if (model.version === network.version) return;
  const same = model.take(network);
  if (same) {
    repaint(graph.cy.edges());
  } else {
    draw(false);
    document.getElementById("names").replaceChildren(...network.nodes.slice(0, 2000).map(({ name }) => make("option", { value: name })));
  }
  document.getElementById("counts").textContent = `${count(network.nodes.length)} nodes, ${count(network.links.length)} links`;
}

async function update(news) {
  const began = performance.now();
  document.body.classList.remove("gone");
  showVerdict(news.verdict);
  showInstances(news.instances);
  await follow(news.version);
  if (news.simulation !== undefined) followSimulation(news.simulation);
  const touched = model.update(news.links);
  repaint([...touched]);
  panel.refresh(news);
  describe();
  document.body.dataset.updates = String(++updates);
  document.body.dataset.updateMs = (performance.now() - began).toFixed(1);
}

window.hybridnet = { model, graph }; // for who looks with the browser's tools

async function begin() {
  history.replaceState(null, "", "/"); // the token leaves the address; the cookie stays
  useTheme(localStorage.getItem("theme") ?? (themes.matches ? "dark" : "light"));
  themes.addEventListener("change", () => localStorage.getItem("theme") ?? useTheme(themes.matches ? "dark" : "light"));
  const [state, options] = await Promise.all([get("/state"), get("/link-options")]);
  document.body.classList.toggle("reading", state.right !== "full");
  model.options = options;
  model.stepping = state.simulation !== undefined;
  if (model.stepping) graph.closest = 2.6; // packets need a way to be seen on
  await follow(state.version);
  document.body.dataset.drawn = String(Math.round(performance.now())); // milliseconds since the page was asked for
  let last = Promise.resolve();
  listen((news) => { last = last.then(() => update(news)).catch(console.error); }, (why) => {
    document.body.classList.add("gone");
    verdict.className = "verdict waiting";
    verdict.querySelector(".word").textContent = "stopped";
    verdict.querySelector(".why").textContent = why;
  });
}

trying(begin);
