// SPDX-License-Identifier: MIT
// The bar of a simulation in virtual time: go on, stop, one event, until when; and where it is.

import { ask, get } from "./api.js";
import { make, trying } from "./elements.js";
import { count, instant, time } from "./units.js";

const SPEEDS = [[1, "1 s"], [0.1, "100 ms"], [0.01, "10 ms"], [0.001, "1 ms"], [0.0001, "100 µs"], [0.00001, "10 µs"], [0.000001, "1 µs"]];
const COMPARISONS = [">=", "<=", "==", "!=", ">", "<", "changes"];
const STOPPED = { end: "stopped at the instant asked for", condition: "stopped: the condition holds", step: "stepped", pause: "paused" };

export class Steps {
  // `onMoved`: called with where the simulation is, when a button has moved it.
  constructor(element, { onMoved, onTrace }) {
    this.onMoved = onMoved;
    this.condition = null;
    this.now = null;
    const button = (text, title, action, kind = "") => make("button", { class: `writes ${kind}`, title, onclick: () => trying(action) }, text);
    this.play = button("▶ Run", "Go on at this speed", () => (this.now.running ? this.#ask("pause") : this.#run(Number(this.speed.value))), "primary");
    this.one = button("Step", "One event", () => this.#ask("step", { events: 1 }));
    this.express = button("▶▶ Express", "Go on as fast as it can, without drawing packets", () => this.#run(null));
    this.speed = make("select", { title: "How much simulated time passes in a second", "aria-label": "Speed" },
      SPEEDS.map(([value, text]) => make("option", { value }, `${text} a second`)));
    this.speed.value = "0.01";
    this.speed.onchange = () => this.now.running && this.now.speed !== null && trying(() => this.#run(Number(this.speed.value)));
    this.until = make("input", { placeholder: "end, or 20ms", autocomplete: "off", spellcheck: "false", "aria-label": "Until", title: "An instant of simulated time at which it stops; empty: none" });
    this.chip = make("button", { class: "writes", title: "Stop after the event by which a figure is as asked", onclick: () => trying(() => this.#choose()) }, "When …");
    this.clock = make("b", { class: "clock" });
    this.told = make("span", { class: "muted told" });
    this.trace = make("button", { class: "quiet", "aria-pressed": "false", onclick: () => this.trace.setAttribute("aria-pressed", String(onTrace())) }, "Messages");
    this.form = make("form", { class: "fields when", hidden: true });
    element.replaceChildren(
      this.play, this.one, this.express, make("label", { class: "writes" }, this.speed), make("label", { class: "writes" }, "until ", this.until), this.chip,
      make("span", { class: "at" }, this.clock, this.told), this.trace, this.form);
    element.hidden = false;
  }

  show(simulation) {
    this.now = simulation;
    const { running, speed, stopped, time_ns: at, events, last_ns: last } = simulation;
    const paced = running && speed !== null;
    this.play.textContent = running ? "❚❚ Pause" : "▶ Run";
    const over = at >= last;
    this.play.disabled = over && !running;
    this.one.disabled = over;
    this.express.disabled = over || (running && speed === null);
    if (!paced) this.clock.textContent = instant(at);
    const doing = running ? (paced ? `${time(speed * 1e9)} a second` : "express") : over ? "at its end" : STOPPED[stopped] ?? "at its beginning";
    this.told.textContent = `${count(events)} events · ${doing}`;
    document.body.dataset.timeNs = String(at);
    document.body.dataset.running = String(running);
  }

  // What is drawn lags a little behind: while it goes on, the clock is the drawing's.
  tick(at) {
    if (this.now.running) this.clock.textContent = instant(at);
  }

  async #ask(verb, body) {
    this.#moved(await ask("POST", `/simulation/${verb}`, body));
  }

  async #run(speed) {
    const until = this.until.value.trim();
    await this.#ask("run", { speed, condition: this.condition, ...(until === "" ? {} : { until }) });
  }

  #moved(simulation) {
    this.show(simulation);
    this.onMoved(simulation);
  }

  // The form in which a figure is chosen.
  async #choose() {
    if (this.condition !== null) return this.#use(null);
    const figures = await get("/simulation/figures");
    const options = (names) => names.map((name) => make("option", { value: name }, name));
    const select = (label, names) => make("select", { "aria-label": label }, options(names));
    const section = select("of", Object.keys(figures).filter((name) => Object.keys(figures[name]).length > 0));
    const element = select("element", []);
    const figure = select("figure", []);
    const comparison = select("is", COMPARISONS);
    const value = make("input", { "aria-label": "value", placeholder: "20", autocomplete: "off" });
    const fillFigures = () => figure.replaceChildren(...options(figures[section.value][element.value] ?? []));
    const fillElements = () => {
      element.replaceChildren(...options(Object.keys(figures[section.value])));
      fillFigures();
    };
    section.onchange = fillElements;
    element.onchange = fillFigures;
    comparison.onchange = () => { value.disabled = comparison.value === "changes"; };
    fillElements();
    this.form.replaceChildren(section, element, figure, comparison, value,
      make("button", { class: "primary" }, "Stop there"), make("button", { type: "button", onclick: () => { this.form.hidden = true; } }, "Cancel"));
    this.form.onsubmit = (event) => {
      event.preventDefault();
      const given = value.value.trim();
      const chosen = { section: section.value, element: element.value, figure: figure.value, comparison: comparison.value };
      this.#use(comparison.value === "changes" ? chosen : { ...chosen, value: /^-?\d+$/.test(given) ? Number(given) : given });
    };
    this.form.hidden = false;
  }

  #use(condition) {
    this.condition = condition;
    this.form.hidden = true;
    this.chip.classList.toggle("set", condition !== null);
    this.chip.textContent = condition === null ? "When …" : `when ${condition.figure} of ${condition.element} ${condition.comparison} ${condition.value ?? ""} ×`;
  }
}
