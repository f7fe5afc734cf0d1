// SPDX-License-Identifier: MIT
// The last minutes of a link: rates, and what waits; and curves over simulated time.

import { rate, short, time } from "./units.js";

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Instants since 1970 as the time of the day, those of a simulation as they are.
const clock = (seconds) => (seconds > 1e8 ? new Date(seconds * 1000).toLocaleTimeString("en-GB") : time(seconds * 1e9));

const axisOf = () => ({ stroke: colour("--muted"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: "11px system-ui" });

// Some figures over simulated time.
export class Curve {
  constructor(element, title, series, format) {
    const axis = axisOf();
    this.plot = new uPlot({
      width: element.clientWidth || 320, height: 132, title,
      legend: { show: false }, cursor: { y: false, drag: { x: false, y: false } },
      scales: { x: { time: false }, y: { range: (_, least, most) => [0, Math.max(most || 0, 1) * 1.08] } },
      series: [{}, ...series.map(([label, ink]) => ({ label, stroke: colour(ink), width: 1.6, points: { show: false } }))],
      axes: [{ ...axis, space: 84, size: 24, values: (_, values) => values.map(clock) }, { ...axis, size: 58, values: (_, values) => values.map(format) }],
    }, [[], ...series.map(() => [])], element);
  }

  set(columns) {
    this.plot.setData(columns);
  }
}

export class History {
  // `seen`: what /links/…/history answers; without `queue_packets` only rates are drawn.
  constructor(element, seen, names) {
    this.time = seen.time;
    this.rates = seen.rate_bps;
    this.queues = seen.queue_packets;
    this.most = Math.max(600, this.time.length);
    this.plots = [];
    const width = element.clientWidth || 320;
    const plot = (title, format, height, series) => {
      const box = document.createElement("div");
      box.className = "plot";
      box.setAttribute("role", "img");
      box.setAttribute("aria-label", title);
      element.append(box);
      const axis = axisOf();
      const made = new uPlot({
        width, height, title,
        legend: { show: false }, cursor: { y: false, drag: { x: false, y: false } },
        scales: { x: { time: false }, y: { range: (_, least, most) => [0, Math.max(most || 0, 1) * 1.08] } },
        series: [{}, ...series.map(({ name, ink }) => ({ label: name, stroke: colour(ink), width: 1.6, fill: `${colour(ink)}1c`, points: { show: false } }))],
        axes: [{ ...axis, space: 84, size: 24, values: (_, values) => values.map(clock) }, { ...axis, size: 68, values: (_, values) => values.map(format) }],
      }, this.#data(title), box);
      this.plots.push([title, made]);
    };
    const ways = names.map((name, at) => ({ name, ink: at === 0 ? "--there" : "--back" }));
    plot("rate", rate, 132, ways);
    if (this.queues !== undefined) plot("queue (packets)", short, 104, ways);
  }

  add(time, rates, queues) {
    if (this.time.length > 0 && time <= this.time[this.time.length - 1]) return;
    this.time.push(time);
    for (const way of [0, 1]) {
      this.rates[way].push(rates[way]);
      this.queues?.[way].push(queues[way]);
    }
    if (this.time.length > this.most) {
      for (const column of [this.time, ...this.rates, ...(this.queues ?? [])]) column.shift();
    }
    for (const [title, plot] of this.plots) plot.setData(this.#data(title));
  }

  close() {
    for (const [, plot] of this.plots) plot.destroy();
  }

  #data(title) {
    return [this.time, ...(title === "rate" ? this.rates : this.queues)];
  }
}
