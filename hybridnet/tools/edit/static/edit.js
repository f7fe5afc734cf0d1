// SPDX-License-Identifier: MIT
// Puts the editor together: the drawing, the canvas, the panel of options, the file and the network that runs.

import { ask, get } from "./api.js";
import { Board } from "./board.js";
import { Drawing } from "./drawing.js";
import { make, notice, trying } from "./elements.js";
import { fieldsOf, read, written } from "./fields.js";

const CHECK_MS = 200;
const LOOK_MS = 500;
const AGAIN_MS = 5000; // after the editor has not answered
const ENDS = ["params1", "params2"];
const HINTS = {
  select: "Drag to move; click a node or link for its options; Delete removes it.",
  join: "Drag from one node to another, or click one and then the other.",
  add: "Click where the node shall stand; Enter puts it in the middle.",
};

const element = (id) => document.getElementById(id);
const panel = element("panel");

let forms = null;
let drawing = null;
let selection = null; // {node}, {link} or null
let tool = "select"; // or "join", or a kind of the palette
let mistakes = [];
let planned = null;
let opened = { file: "", stamp: "" }; // what we know of the file
let shown = []; // forms in the panel: {of, form}
let checks = 0;
let due = 0;

const board = new Board(element("graph"), {
  select,
  add,
  join,
  move: (name, x, y) => { drawing.move(name, x, y); changed(); },
});

// What is wrong

const pathOf = ({ node, link }) => (node !== undefined ? [drawing.sectionOf(node), node] : ["links", link]);
const startsWith = (path, start) => start.every((part, at) => path[at] === part);

function idOf(path) {
  if (path[0] === "links") return `link ${path[1]}`;
  return drawing.sections.includes(path[0]) ? `node ${path[1]}` : "";
}

const wrongIds = () => new Set(mistakes.map(({ path }) => idOf(path)));

function showMistakes() {
  const state = element("state");
  state.className = `verdict ${mistakes.length > 0 ? "broken" : "trusted"}`;
  state.firstElementChild.textContent = mistakes.length === 0 ? "no mistakes" : mistakes.length === 1 ? "1 mistake" : `${mistakes.length} mistakes`;
  board.markWrong(wrongIds());
  for (const { of, form } of shown) {
    const start = [...pathOf(of), ...(of.end === undefined ? [] : [of.end])];
    const own = mistakes.filter(({ path }) => startsWith(path, start));
    form.wrong(new Map(own.filter(({ path }) => path.length > start.length).map(({ path, text }) => [path[start.length], text])));
  }
  const list = panel.querySelector(".mistakes");
  if (list !== null) list.replaceChildren(...listed());
}

// Those of the chosen element that belong to none of its fields; of the network all.
function listed() {
  const own = selection === null ? mistakes : mistakes.filter(({ path }) => startsWith(path, pathOf(selection)) && path.length <= 2);
  return own.map(({ path, text }) => {
    const id = idOf(path);
    const there = id !== "" && selection === null;
    return make("li", { class: "mistake" }, there ? make("button", { class: "link mistake", onclick: () => select(selectionAt(path)) }, text) : text);
  });
}

const selectionAt = (path) => (path[0] === "links" ? { link: path[1] } : { node: path[1] });

async function check(plan = false) {
  const turn = ++checks;
  const found = await ask("POST", "/check", { form: drawing.form, plan }, true);
  if (turn !== checks) return;
  mistakes = found.mistakes;
  planned = found.plan;
  if (plan) {
    select(null);
    notice(mistakes.length > 0 ? mistakes[0].text : "The network can be built.");
  }
  showMistakes();
  document.body.dataset.checked = String(turn);
}

// After each change of the drawing

function changed({ keepPanel = false } = {}) {
  planned = null;
  board.draw(drawing, looksOf, wrongIds());
  if (selection?.node !== undefined && !drawing.has(selection.node)) selection = null;
  if (selection?.link !== undefined && selection.link >= drawing.links().length) selection = null;
  board.mark(selection);
  if (!keepPanel) showPanel();
  showSteps();
  checks++;
  delete document.body.dataset.checked;
  clearTimeout(due);
  due = setTimeout(() => trying(check), CHECK_MS);
}

function showSteps() {
  element("undo").disabled = drawing.past.length === 0;
  element("redo").disabled = drawing.future.length === 0;
  element("changed").hidden = !drawing.isChanged;
}

const kindField = (section) => forms.nodes[section].find(({ name }) => name === "kind");
const kindOf = ({ section, options }) => options.kind ?? kindField(section)?.default ?? "";

function paletteOf(node) {
  const ofSection = forms.palette.filter(({ section }) => section === node.section);
  return ofSection.find(({ options }) => options.kind === node.options.kind) ?? ofSection[0];
}

const looksOf = (node) => paletteOf(node).looks;

// What a hand does

function use(chosen) {
  tool = chosen;
  const how = typeof tool === "string" ? tool : "add";
  board.use(how);
  element("hint").textContent = HINTS[how];
  for (const button of element("palette").querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.tool === tool));
}

function select(chosen) {
  selection = chosen;
  board.mark(selection);
  showPanel();
}

function add(x, y) {
  selection = { node: drawing.addNode(tool, x, y) };
  changed();
}

function join(a, b) {
  selection = { link: drawing.addLink(a, b) };
  changed();
}

function remove() {
  if (selection === null) return;
  drawing.remove(selection);
  selection = null;
  changed();
}

function step(way) {
  if (drawing[way]()) changed();
}

// The panel

function showPanel() {
  shown = [];
  const list = make("ul", { class: "mistakes", "aria-live": "polite" });
  panel.replaceChildren(...(selection === null ? ofNetwork(list) : selection.node !== undefined ? ofNode(selection.node, list) : ofLink(selection.link, list)));
  showMistakes();
}

function optionsOf(of, declared, set = (option, value) => { drawing.set(of, option, value); changed({ keepPanel: option !== "kind" }); }) {
  const form = fieldsOf(declared, drawing.optionsOf(of), set);
  shown.push({ of, form });
  return form.element;
}

function ofNode(name, list) {
  const node = drawing.nodes().find((each) => each.name === name);
  const kind = kindOf(node);
  const values = node.options;
  // The kind comes first, and then what only some kinds have.
  const rank = (field) => (field.name === "kind" ? 0 : field.kinds.length > 0 ? 1 : 2);
  const declared = forms.nodes[node.section]
    .filter((field) => field.kinds.length === 0 || field.kinds.includes(kind) || values[field.name] !== undefined)
    .sort((one, other) => rank(one) - rank(other));
  const others = drawing.nodes().filter((each) => each.name !== name);
  const input = make("input", { value: name, "aria-label": "Name", autocomplete: "off", spellcheck: "false" });
  input.onchange = () => rename(name, input);
  const to = make("select", { "aria-label": "Join to" }, others.map((other) => make("option", {}, other.name)));
  return [
    make("h2", {}, name),
    make("p", { class: "sub" }, paletteOf(node).title),
    list,
    make("form", { class: "fields", onsubmit: (event) => event.preventDefault() }, make("label", { class: "wide" }, "name", input)),
    others.length > 0 ? make("div", { class: "actions" }, make("button", { onclick: () => join(name, to.value) }, "Join to"), to) : "",
    make("h3", {}, "Options"), optionsOf({ node: name }, declared),
    make("h3", {}, "Links"), make("div", { class: "rows" }, drawing.linksOf(name).map((index) => {
      const { between } = drawing.links()[index];
      return make("div", { class: "row" }, make("button", { class: "link", onclick: () => select({ link: index }) }, between.join(" – ")));
    })),
    make("div", { class: "actions" }, make("button", { class: "danger", onclick: remove }, "Remove the node")),
  ];
}

function rename(before, input) {
  const after = input.value.trim();
  if (after === before) return;
  if (after === "" || drawing.has(after)) {
    notice(after === "" ? "A node has a name." : `The name ${after} is taken; choose another.`);
    input.value = before;
    return;
  }
  drawing.rename(before, after);
  selection = { node: after };
  changed();
}

function ofLink(index, list) {
  const { between } = drawing.links()[index];
  return [
    make("h2", {}, between.join(" – ")),
    make("p", { class: "sub" }, "Options of both directions; below, those of one."),
    list,
    optionsOf({ link: index }, forms.link),
    ...ENDS.flatMap((end, at) => {
      const details = make("details", {}, make("summary", {}, `From ${between[at]}, and its interface`), optionsOf({ link: index, end }, forms.end));
      details.open = Object.keys(drawing.optionsOf({ link: index, end })).length > 0;
      return [details];
    }),
    make("div", { class: "actions" }, make("button", { class: "danger", onclick: remove }, "Remove the link")),
  ];
}

function ofNetwork(list) {
  const part = (name, label, valueOf, help) => {
    const why = make("span", { class: "why", role: "alert" });
    const area = make("textarea", { rows: 3, "aria-label": label, spellcheck: "false" });
    area.value = written(drawing.form[name]);
    area.onchange = async () => {
      try {
        drawing.setPart(name, area.value.trim() === "" ? undefined : await valueOf(area.value));
        why.textContent = "";
        changed({ keepPanel: true });
      } catch (error) {
        why.textContent = error.message;
      }
    };
    return make("label", { class: "wide" }, label, area, make("span", { class: "help" }, help), why);
  };
  return [
    make("h2", {}, "Network"),
    make("p", { class: "sub" }, `${drawing.nodes().length} nodes, ${drawing.links().length} links`),
    list,
    make("form", { class: "fields", onsubmit: (event) => event.preventDefault() },
      part("description", "description", async (text) => text, "any text"),
      part("controllers", "controllers", async (text) => (await read(text)).value, "such as {c0: {apps: [tree_switch]}}; {} means none; without any, hybridnet chooses")),
    make("h3", {}, "Nodes"),
    make("div", { class: "actions" }, drawing.nodes().map(({ name }) => make("button", { onclick: () => select({ node: name }) }, name))),
    make("h3", {}, "Links"),
    make("div", { class: "actions" }, drawing.links().map(({ between }, index) => make("button", { onclick: () => select({ link: index }) }, between.join(" – ")))),
    ...(planned === null ? [] : [make("h3", {}, "Plan"), make("pre", { id: "plan" }, planned)]),
  ];
}

// The file

async function save() {
  const form = drawing.form;
  const file = element("file").value.trim();
  const stamp = file === opened.file ? opened.stamp : "";
  let done = await ask("POST", "/save", { form, file, stamp });
  if (!done.saved) {
    if (!window.confirm(`${done.why}. Write over it?`)) return;
    done = await ask("POST", "/save", { form, file, stamp, over: true });
  }
  opened = done;
  drawing.markSaved(form);
  showSteps();
  notice(`Saved as ${done.file}.`);
}

async function download(language) {
  const { file, text } = await ask("POST", "/export", { form: drawing.form, language }, true);
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  make("a", { href: url, download: file }).click();
  URL.revokeObjectURL(url);
}

async function open(picked) {
  const { form } = await ask("POST", "/open", { text: await picked.text(), file: picked.name }, true);
  if (drawing.isChanged && !window.confirm("There are changes that have not been saved. Leave them?")) return;
  element("file").value = picked.name;
  opened = { file: "", stamp: "" }; // one of that name here is another one
  begin(form);
}

function begin(form) {
  drawing.take(form);
  mistakes = [];
  selection = null;
  changed();
  board.fit();
}

// The network that runs

let looking = false;

async function look() {
  const network = await get("/network");
  const { state, url } = network;
  const busy = ["starting", "running", "stopping"].includes(state);
  element("start").hidden = busy;
  element("stop").hidden = !busy;
  element("stop").disabled = state === "stopping";
  element("live").hidden = url === null;
  if (url === null) element("live").removeAttribute("href");
  else element("live").href = url;
  const { failed } = network;
  const last = network.said.filter((line) => line.trim() !== "").at(-1) ?? "";
  element("running").textContent = state === "none" || (state === "ended" && !failed) ? "" : failed ? `ended: ${last}` : state;
  document.body.dataset.network = state;
  if (failed && looking) notice(last);
  looking = busy;
  if (busy) setTimeout(follow, LOOK_MS);
}

async function follow() {
  try {
    await look();
  } catch (error) {
    notice(error.message);
    setTimeout(follow, AGAIN_MS);
  }
}

async function start() {
  await ask("POST", "/network/start", { form: drawing.form });
  await look();
}

async function stop() {
  await ask("POST", "/network/stop");
}

// Keys

const TYPED = "input, textarea, select, [contenteditable]";
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function onKey(event) {
  const control = event.ctrlKey || event.metaKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const act = control ? { s: () => trying(save) }[key] : undefined;
  const typing = event.target instanceof Element && event.target.matches(TYPED);
  const leave = key === "Escape" ? () => event.target.blur() : undefined;
  const done = act ?? (typing ? leave : control
    ? { z: () => step(event.shiftKey ? "redo" : "undo"), y: () => step("redo") }[key]
    : keyOf(key, event));
  if (done === undefined) return;
  event.preventDefault();
  done();
}

function keyOf(key, event) {
  if (key === "Delete" || key === "Backspace") return selection === null ? undefined : remove;
  if (key === "Escape") return () => { use("select"); select(null); };
  if (key === "v") return () => use("select");
  if (key === "j") return () => use("join");
  if (key === "Enter" && event.target === element("graph") && typeof tool !== "string") {
    return () => { const { x, y } = board.middle(); add(x, y); };
  }
  if (key in ARROWS && selection?.node !== undefined) {
    const far = event.shiftKey ? 1 : 10;
    const { at } = drawing.nodes().find(({ name }) => name === selection.node);
    return () => { drawing.move(selection.node, at[0] + far * ARROWS[key][0], at[1] + far * ARROWS[key][1]); changed({ keepPanel: true }); };
  }
  const kind = forms.palette[Number(key) - 1];
  return kind === undefined ? undefined : () => use(kind);
}

// From here on: the page

const themes = window.matchMedia("(prefers-color-scheme: dark)");

function useTheme(name) {
  document.documentElement.dataset.theme = name;
  board.restyle();
  if (drawing !== null) board.draw(drawing, looksOf, wrongIds());
  board.mark(selection);
}

function makePalette() {
  const button = (chosen, label, key, sample) => {
    const made = make("button", { "aria-pressed": "false", onclick: () => use(chosen) }, sample, label, key ? make("kbd", {}, key) : null);
    made.tool = chosen;
    return made;
  };
  element("palette").replaceChildren(
    button("select", "Choose and move", "V", null), button("join", "Join", "J", null), make("hr"),
    ...forms.palette.map((kind, at) => button(kind, kind.title, at < 9 ? String(at + 1) : "", make("span", { class: `sample ${kind.looks}` }))),
  );
}

function listenToHands() {
  const press = (id, action) => { element(id).onclick = () => trying(action); };
  press("save", save);
  press("python", () => download("python"));
  press("yaml", () => download("yaml"));
  press("check", () => check(true));
  press("start", start);
  press("stop", stop);
  press("undo", async () => step("undo"));
  press("redo", async () => step("redo"));
  press("fit", async () => board.fit());
  press("state", async () => select(null));
  press("open", async () => element("picked").click());
  press("theme", async () => {
    const name = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    localStorage.setItem("theme", name);
    useTheme(name);
  });
  element("picked").onchange = ({ target }) => trying(async () => {
    const [picked] = target.files;
    target.value = "";
    if (picked !== undefined) await open(picked);
  });
  document.addEventListener("keydown", onKey);
  window.addEventListener("beforeunload", (event) => drawing.isChanged && event.preventDefault());
}

async function main() {
  history.replaceState(null, "", "/"); // the token leaves the address; the cookie stays
  const [document_, declared] = await Promise.all([get("/document"), get("/forms")]);
  forms = declared;
  drawing = new Drawing(Object.keys(forms.nodes));
  window.hybridnet = { drawing, board }; // for who looks with the browser's tools
  opened = document_;
  element("file").value = document_.file;
  makePalette();
  listenToHands();
  useTheme(localStorage.getItem("theme") ?? (themes.matches ? "dark" : "light"));
  use("select");
  begin(document_.form);
  await look();
  document.body.dataset.drawn = "yes";
}

trying(main);
