// SPDX-License-Identifier: MIT
// The page of a counterexample: the packet's way hop by hop, the tables of each switch before and after, what happened.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
const WIDTH = 420, HEIGHT = 280, EDGE = 40;
let finding = Math.max(data.findings.findIndex((each) => each.hops.length), 0);
let hop = 0, shown = data.switches[0];

function made(tag, text = "", words = "") {
  const element = document.createElement(tag);
  element.textContent = text;
  if (words) element.className = words;
  return element;
}

function drawn(tag, attributes, text = "") {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return element;
}

function filled(id, elements) { at(id).replaceChildren(...elements); }

function pressed(text, is, does) {
  const button = made("button", text);
  button.type = "button";
  button.setAttribute("aria-pressed", is);
  button.addEventListener("click", does);
  return button;
}

function choose(number) {
  const { hops } = data.findings[finding];
  hop = Math.min(Math.max(number, 0), Math.max(hops.length - 1, 0));
  if (hops.length) shown = hops[hop].switch;
  show();
}

function showFindings() {
  filled("findings", data.findings.map((each, number) => {
    const item = made("li");
    const name = made("b", `${each.invariant}: `);
    if (each.hops.length && data.findings.length > 1) {
      const button = pressed("", number === finding, () => { finding = number; choose(0); });
      button.append(name, each.text);
      item.append(button);
    } else {
      item.append(name, each.text);
    }
    return item;
  }));
}

function showNetwork() {
  const { path, ends } = data.findings[finding];
  const places = Object.fromEntries(data.nodes.map(({ name, x, y }) => [
    name, [EDGE + x * (WIDTH - 2 * EDGE), HEIGHT - EDGE - y * (HEIGHT - 2 * EDGE)],
  ]));
  const steps = new Set(path.slice(1).map((name, number) => [path[number], name].sort().join(" ")));
  const lines = data.links.map(({ ends: [one, other], left }) => {
    const [[x1, y1], [x2, y2]] = [places[one], places[other]];
    const way = !left && steps.has([one, other].sort().join(" "));
    return drawn("line", { x1, y1, x2, y2, class: `link${left ? " left" : ""}${way ? " way" : ""}` });
  });
  const marks = data.nodes.map(({ name, kind }) => {
    const [x, y] = places[name];
    const chosen = kind === "switch" && path.length && name === shown;
    const words = `node ${kind}${chosen ? " chosen" : ""}${name === ends ? " ends" : ""}`;
    const group = drawn("g", { class: words, "data-name": name });
    group.append(
      kind === "switch"
        ? drawn("rect", { x: x - 14, y: y - 10, width: 28, height: 20, rx: 5 })
        : drawn("circle", { cx: x, cy: y, r: 9 }),
      drawn("text", { x, y: y - 15 }, name),
    );
    return group;
  });
  at("network").setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  filled("network", [...lines, ...marks]);
}

function showWay() {
  const { hops, end } = data.findings[finding];
  at("way").querySelector("div").hidden = !hops.length;
  at("way-title").textContent = hops.length ? "The packet's way" : "The network";
  filled("hops", hops.map((each, number) => {
    const item = made("li");
    const button = pressed(`${number + 1}. ${each.switch}, port ${each.port}`, number === hop, () => choose(number));
    for (const rule of each.rules.length ? each.rules : ["no rule"]) button.append(made("small", rule));
    item.append(button);
    return item;
  }));
  at("end").textContent = end;
}

function showTables() {
  filled("switches", data.switches.map((name) => pressed(name, name === shown, () => { shown = name; show(); })));
  const { before, after } = data.tables[shown];
  const current = data.findings[finding].hops[hop];
  const met = new Set(current && current.switch === shown ? current.rules : []);
  filled("before", before.map((line) => made("li", line, after.includes(line) ? "" : "gone")));
  filled("after", after.map((line) => made("li", line, met.has(line) ? "met" : before.includes(line) ? "" : "new")));
}

function showHappened() {
  const all = at("all").checked;
  filled("happened", data.timeline.filter((each) => all || !each.quiet).map(({ at_s, what }) => {
    const row = made("tr", "", what.startsWith("* ") ? "event" : "");
    row.append(made("td", `${at_s.toFixed(4)} s`), made("td", what));
    return row;
  }));
}

function show() {
  showFindings();
  showNetwork();
  showWay();
  showTables();
}

document.title = `${data.app}: ${data.findings[0].invariant} does not hold`;
document.querySelector("h1").textContent = document.title;
at("facts").textContent = data.facts;
filled("schedule", (data.schedule.length ? data.schedule : ["nothing need happen"]).map((text) => made("li", text)));
at("log").querySelector("pre").textContent = data.log;
at("all").addEventListener("change", showHappened);
document.addEventListener("keydown", (event) => {
  if (event.key === "ArrowRight") choose(hop + 1);
  if (event.key === "ArrowLeft") choose(hop - 1);
});
choose(0);
showHappened();
document.body.dataset.drawn = "";
