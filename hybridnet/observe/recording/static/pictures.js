// SPDX-License-Identifier: MIT
// Draws the charts of a run. Charts over time zoom together, and show the values of one instant.
"use strict";

(() => {
  const SHOWN = 12; // lines of a chart that are visible at first: the greatest
  const HEIGHT = 250;
  const data = JSON.parse(document.getElementById("data").textContent);
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const drawn = [];

  function add(parent, tag, text, className) {
    const element = document.createElement(tag);
    if (text) element.textContent = text;
    if (className) element.className = className;
    parent.append(element);
    return element;
  }

  // Neighbours in the list differ much in hue; after a turn of the wheel, lines are dashed.
  function ink(number, total) {
    if (total) return { stroke: colour("--ink"), width: 2 };
    const hue = (212 + number * 137.5) % 360;
    return { stroke: `hsl(${hue} 62% ${dark.matches ? 62 : 43}%)`, width: 1.4, dash: number < SHOWN ? undefined : [6, 3] };
  }

  function number(value) {
    if (value === null || value === undefined) return "–";
    const size = Math.abs(value);
    if (size >= 1000) return Math.round(value).toLocaleString("en-US");
    return String(Number(value.toPrecision(size < 1 ? 3 : 4)));
  }

  const DRAW = {
    time: {},
    distribution: {},
    histogram: { paths: uPlot.paths.stepped({ align: 1 }) },
  };

  function options(chart, width) {
    const axis = { stroke: colour("--muted"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: "11px system-ui" };
    const most = (_, least, greatest) => [0, (greatest || 1) * (chart.kind === "distribution" ? 1.02 : 1.06)];
    return {
      width, height: HEIGHT,
      scales: { x: { time: false }, y: { range: most } },
      cursor: {
        focus: { prox: 24 }, points: { size: 6 },
        sync: chart.kind === "time" ? { key: "time", setSeries: false, scales: ["x", null] } : undefined,
      },
      focus: { alpha: 0.25 },
      legend: { live: true },
      series: [
        { label: chart.x, value: (_, value) => number(value) },
        ...chart.lines.map((line, at) => {
          const total = chart.total && at === 0;
          const place = chart.total ? at - 1 : at;
          return {
            label: line.name, show: total || place < SHOWN, spanGaps: true, points: { show: false },
            value: (_, value) => number(value), ...ink(place, total), ...DRAW[chart.kind],
          };
        }),
      ],
      axes: [
        { ...axis, label: chart.x, labelSize: 20, labelFont: "12px system-ui", size: 28, values: (_, values) => values.map(number) },
        { ...axis, label: chart.y, labelSize: 20, labelFont: "12px system-ui", size: 56, values: (_, values) => values.map(number) },
      ],
    };
  }

  function draw(box, chart) {
    const card = add(box, "section", "", "chart");
    const top = add(card, "div", "", "top");
    add(top, "h3", chart.title);
    const notes = [];
    if (chart.more > 0) notes.push(`and ${chart.more} more, in the series`);
    if (chart.mean_of_s) notes.push(`means over ${number(chart.mean_of_s * 1000)} ms`);
    add(top, "span", notes.join("; "), "note");
    const place = add(card, "div");
    place.setAttribute("role", "img");
    place.setAttribute("aria-label", `${chart.title}, ${chart.y}`);
    const columns = [chart.points, ...chart.lines.map((line) => line.values)];
    const entry = { place, make: () => new uPlot(options(chart, place.clientWidth), columns, place) };
    entry.plot = entry.make();
    drawn.push(entry);
    if (chart.lines.length > SHOWN) {
      const choose = add(top, "div", "", "choose");
      for (const [text, count] of [["all", Infinity], [`greatest ${SHOWN}`, SHOWN], ["none", 0]]) {
        add(choose, "button", text).addEventListener("click", () => {
          const first = chart.total ? 2 : 1;
          entry.plot.batch(() => chart.lines.forEach((_, at) => {
            if (at + 1 >= first) entry.plot.setSeries(at + 1, { show: at + 1 - first < count });
          }));
        });
      }
    }
  }

  document.title = `${data.name} – hybridnet`;
  document.querySelector("h1").textContent = data.name;
  document.getElementById("command").textContent = data.command && `hybridnet ${data.command}`;
  if (data.verdict) {
    const pill = document.getElementById("verdict");
    pill.hidden = false;
    pill.classList.add(data.verdict.word);
    pill.textContent = data.verdict.word;
    pill.title = data.verdict.reasons.join("\n") || "every limit held";
  }
  const results = document.getElementById("results");
  for (const [name, value] of Object.entries(data.results || {})) {
    results.hidden = false;
    const row = add(results, "div");
    add(row, "dt", name);
    add(row, "dd", number(value));
  }
  const main = document.querySelector("main");
  for (const network of data.networks) {
    if (data.networks.length > 1) add(main, "h2", network.name);
    const box = add(main, "div", "", "charts");
    for (const chart of network.charts) draw(box, chart);
  }
  new ResizeObserver(() => {
    for (const { place, plot } of drawn) {
      if (place.clientWidth > 0 && place.clientWidth !== plot.width) plot.setSize({ width: place.clientWidth, height: HEIGHT });
    }
    document.body.dataset.drawn = String(drawn.length); // now every chart has its size
  }).observe(main);
  dark.addEventListener("change", () => {
    for (const entry of drawn) {
      const shown = entry.plot.series.map((series) => series.show);
      entry.plot.destroy();
      entry.plot = entry.make();
      shown.forEach((show, at) => at > 0 && entry.plot.setSeries(at, { show }));
    }
  });
})();
