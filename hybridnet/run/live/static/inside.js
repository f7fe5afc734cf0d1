// SPDX-License-Identifier: MIT
// What is inside a simulation: the events to come, queues, TCP connections, messages. Each part has an element and renews it.

import { get, part } from "./api.js";
import { make } from "./elements.js";
import { Curve } from "./plots.js";
import { bytes, count, instant, time } from "./units.js";

const EVENTS_SHOWN = 14;
const CONNECTIONS_SHOWN = 40;
const PACKETS_SHOWN = 25;
const POINTS = 2000;

const cells = (kind, ...values) => make("tr", {}, values.map((value) => make(kind, {}, value)));

// The next events.
export function nextEvents(model) {
  const body = make("tbody");
  const more = make("p", { class: "muted" });
  const row = ({ time_ns: at, what, where, packet }) => make("tr", { title: instant(at) },
    make("td", {}, `+${time(at - model.timeNs)}`),
    make("td", { class: "said" }, make("b", {}, where.split(":").slice(-1)[0] === where ? where : where.replace(/^[^:]+:(?=.*>)/, "")), ` ${what}`, packet ? make("div", { class: "muted" }, packet) : null));
  return {
    element: make("div", { class: "events" }, make("h3", {}, "Next events"), make("table", { class: "log" }, body), more),
    async refresh() {
      const events = await get("/simulation/next-events").catch(() => []);
      body.replaceChildren(...events.slice(0, EVENTS_SHOWN).map(row));
      more.textContent = events.length === 0 ? "Nothing is to come." : events.length > EVENTS_SHOWN ? `and ${events.length - EVENTS_SHOWN}${events.length >= 50 ? " or more" : ""} after these` : "";
    },
  };
}

// The TCP connections of a host, or of all (null): each opens to its state.
export function connections(model, node) {
  const rows = make("div", { class: "rows" });
  const cards = new Map();
  return {
    element: make("div", { class: "connections" }, make("h3", {}, "TCP connections"), rows),
    async refresh() {
      const all = await get("/simulation/connections").catch(() => []);
      const shown = all.filter((row) => node === null || row.node === node).sort((a, b) => a.name.localeCompare(b.name)).slice(0, CONNECTIONS_SHOWN);
      for (const row of shown) {
        if (!cards.has(row.name)) cards.set(row.name, new Card(row));
        cards.get(row.name).show(row, model.timeNs);
      }
      const names = new Set(shown.map(({ name }) => name));
      for (const name of cards.keys()) if (!names.has(name)) cards.delete(name);
      const wanted = shown.map(({ name }) => cards.get(name).element);
      if (wanted.length !== rows.children.length || wanted.some((element, at) => rows.children[at] !== element)) rows.replaceChildren(...wanted);
      if (wanted.length === 0) rows.replaceChildren(make("p", { class: "muted" }, "There are none."));
    },
  };
}

class Card {
  constructor({ node, name }) {
    this.state = make("span", { class: "state" });
    this.window = make("span", { class: "muted" });
    this.body = make("tbody");
    this.plot = make("div");
    this.points = [[], [], []];
    this.element = make("details", { class: "connection" },
      make("summary", {}, make("span", { class: "grow" }, name.replace(`${node}:`, `${node} `).replace(">", " → ")), this.state, this.window),
      make("table", { class: "figures" }, this.body), this.plot);
    this.element.ontoggle = () => this.#draw();
  }

  show(row, at) {
    this.state.textContent = row.state;
    this.window.textContent = bytes(row.cwnd_bytes);
    const lines = [
      ["state", row.state], ["recovery", row.recovery],
      ["cwnd", bytes(row.cwnd_bytes)], ["ssthresh", row.ssthresh_bytes === undefined ? "none yet" : bytes(row.ssthresh_bytes)],
      ["in flight", bytes(row.in_flight_bytes)], ["peer's window", bytes(row.send_window_bytes)],
      ["srtt", row.srtt_ns === undefined ? "none yet" : time(row.srtt_ns)], ["rttvar", time(row.rttvar_ns)], ["RTO", time(row.rto_ns)],
      ["acknowledged", bytes(row.acknowledged_bytes)], ["received", bytes(row.received_bytes)],
      ["retransmitted", `${count(row.retransmitted_segments)} segments`], ["timeouts", count(row.timeouts)],
    ];
    this.body.replaceChildren(...lines.map((line) => cells("td", ...line)));
    const [times, windows, flights] = this.points;
    if (times.at(-1) !== at / 1e9) {
      [times, windows, flights].forEach((column, which) => {
        column.push([at / 1e9, row.cwnd_bytes, row.in_flight_bytes][which]);
        if (column.length > POINTS) column.shift();
      });
    }
    this.#draw();
  }

  #draw() {
    if (!this.element.open || !this.element.isConnected) return;
    this.curve ??= new Curve(this.plot, "cwnd and in flight", [["cwnd", "--there"], ["in flight", "--back"]], bytes);
    this.curve.set(this.points);
  }
}

// What is in both directions of a link.
export function queues(link) {
  const box = make("div", { class: "queues" });
  const row = (packet, now) => make("tr", {},
    make("td", {}, packet.place === "wire" || packet.place === "delay" ? `arrives in ${time(packet.arrives_ns - now)}` : packet.place),
    make("td", { class: "said" }, packet.text, packet.segments > 1 ? ` ×${packet.segments}` : ""));
  return {
    element: box,
    async refresh(model) {
      const both = await get(`/links/${part(link.name)}/queue`).catch(() => []);
      box.replaceChildren(...both.flatMap(({ forward, waiting, under_way: flying, packets }) => {
        const from = forward ? link.a.node : link.b.node;
        return [
          make("h3", {}, `From ${from}: ${count(waiting)} wait, ${count(flying)} under way`),
          packets.length === 0 ? null : make("table", { class: "log" }, make("tbody", {}, packets.slice(0, PACKETS_SHOWN).map((packet) => row(packet, model.timeNs)))),
        ].filter(Boolean);
      }));
    },
  };
}

// The message trace, in the drawer.
export function messages(element) {
  const body = make("tbody");
  const chosen = make("input", { placeholder: "interfaces, such as a-eth0 b-eth0; empty: all", "aria-label": "Interfaces", autocomplete: "off", spellcheck: "false" });
  const shown = () => chosen.value.trim().split(/[\s,]+/).filter(Boolean);
  element.replaceChildren(
    make("div", { class: "tabs" }, make("b", {}, "Messages"), chosen),
    make("div", { class: "scrolled" }, make("table", { class: "log" }, body)));
  const row = ({ time_ns: at, interface: place, sent, text, segments }) => cells("td", instant(at), `${place} ${sent ? "→" : "←"}`, segments > 1 ? `${text} ×${segments}` : text);
  const refresh = async () => {
    if (element.hidden) return;
    const rows = await get("/simulation/messages").catch(() => []);
    const names = new Set(shown());
    body.replaceChildren(...rows.reverse().filter(({ interface: place }) => names.size === 0 || names.has(place)).map(row));
  };
  chosen.oninput = refresh;
  return { refresh, toggle: () => {
    element.hidden = !element.hidden;
    refresh();
    return !element.hidden;
  } };
}
