// SPDX-License-Identifier: MIT
// The panel at the right: the whole network, a node, a link, or a bundle of links.

import { ask, captureFile, get, part } from "./api.js";
import { make, notice, trying } from "./elements.js";
import { optionsForm } from "./form.js";
import { heat } from "./graph.js";
import { connections, nextEvents, queues } from "./inside.js";
import { History } from "./plots.js";
import { openTerminal } from "./terminals.js";
import { bytes, count, percent, rate, time } from "./units.js";

const BUSIEST = 8;
const SUMMED = 8; // links of a node whose last minutes its plot adds up

export class Panel {
  constructor(element, model) {
    this.element = element;
    this.model = model;
    this.refresh = () => {};
    this.history = null;
    this.turn = 0; // a later choice overtakes one that is still being fetched
  }

  async show(selection) {
    const turn = ++this.turn;
    this.history?.close();
    this.history = null;
    this.refresh = () => {};
    if (selection === null) return this.#network();
    if (selection.node !== undefined) return this.#node(selection.node, turn);
    const members = this.model.membersOf(selection.edge);
    if (members.length === 1) return this.#link(this.model.links[members[0]].name, turn);
    return this.#bundle(members);
  }

  #fill(...children) {
    this.element.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
    this.element.scrollTop = 0;
  }

  #network() {
    const busiest = make("div", { class: "rows" });
    const activity = make("div");
    const inside = this.model.stepping ? [nextEvents(this.model), connections(this.model, null)] : [];
    this.#fill(
      make("h2", {}, "Network"),
      make("p", { class: "sub" }, this.model.hasStacks()
        ? "Choose a node or a link to see more; a double click opens or closes a stack."
        : "Choose a node or a link to see more."),
      this.model.stepping ? null : make("p", { class: "sub writes" }, "A host has a terminal and sends flows; a link can be changed and captured."),
      inside.map(({ element }) => element),
      make("h3", {}, "Busiest links"), busiest, activity,
    );
    const listed = async () => {
      const [flows, captures] = await Promise.all([get("/flows"), get("/captures")]).catch(() => [[], []]);
      activity.replaceChildren(...this.#flows(flows), ...this.#captures(captures));
    };
    let looks = 0;
    this.refresh = () => {
      busiest.replaceChildren(...this.model.busiest(BUSIEST).map((number) => this.#busyRow(number)));
      if (busiest.childElementCount === 0) busiest.append(make("p", { class: "muted" }, "Nothing moves."));
      inside.forEach((each) => each.refresh());
      if (!this.model.stepping && looks++ % 2 === 0) listed();
    };
    this.refresh();
  }

  #busyRow(number) {
    const link = this.model.links[number];
    const { bps, utilization } = this.model.load([number]);
    // In the drawing's colour; a link without a limit is neither empty nor full, and has none.
    const bar = utilization === null ? null : make("div", { class: "bar" },
      make("i", { style: `width: ${Math.round(100 * Math.min(1, utilization))}%; background: var(${heat(utilization, bps)})` }));
    return make("div", { class: "row" },
      make("div", { class: "grow" },
        make("button", { class: "link", onclick: () => this.model.choose({ link: link.name }) }, link.name), bar),
      make("span", {}, rate(bps)));
  }

  #flows(flows) {
    if (flows.length === 0) return [];
    const rows = [...flows].reverse().slice(0, 12).map((flow) => {
      const last = flow.rates.at(-1);
      const figure = flow.state === "running" ? last && rate(last[1]) : flow.received_bps !== null ? rate(flow.received_bps) : flow.state;
      return make("div", { class: "row", title: flow.error || null },
        make("span", { class: "grow" }, `${flow.client} → ${flow.server}  ${flow.protocol}`),
        make("span", {}, figure || "starting"),
        flow.state === "running"
          ? make("button", { class: "writes", onclick: () => trying(() => ask("POST", `/flows/${flow.number}/stop`)) }, "Stop") : null);
    });
    return [make("h3", {}, "Flows"), make("div", { class: "rows" }, rows)];
  }

  #captures(captures) {
    if (captures.length === 0) return [];
    const rows = [...captures].reverse().map((capture) => make("div", { class: "row", title: capture.error || null },
      make("span", { class: "grow" }, `${capture.interface}  ${capture.filter}`),
      capture.lost ? make("span", { title: "frames that found no room in the file" }, `${count(capture.lost)} lost`) : null,
      capture.error ? make("span", {}, "ended") : null,
      capture.running
        ? make("button", { class: "writes", onclick: () => trying(() => ask("POST", `/captures/${capture.number}/stop`)) }, "Stop") : null,
      make("a", { class: "link", href: captureFile(capture.number), download: `capture-${capture.number}.pcap` }, "Download")));
    return [make("h3", {}, "Captures"), make("div", { class: "rows" }, rows)];
  }

  #node(name, turn) {
    const node = this.model.nodes.get(name);
    const links = this.model.linksOf(name);
    const rows = make("div", { class: "rows" });
    const runs = !node.simulated && !["external", "guest"].includes(node.kind);
    const inside = this.model.stepping && node.kind === "host" ? [connections(this.model, name)] : [];
    const rates = links.length <= SUMMED ? this.#nodeRates(name, links, turn) : null;
    const running = runs && node.kind === "host" ? this.#running(name) : null;
    const hidden = Object.entries(this.model.hidden(name)).map(([kind, number]) => `${count(number)} ${kind}${number === 1 ? "" : kind === "switch" ? "es" : "s"}`);
    this.#fill(
      make("h2", {}, name),
      make("p", { class: "sub" }, `${node.simulated ? "simulated" : "emulated"} ${node.kind} on ${node.machine}`,
        ...node.addresses.map((address) => make("div", {}, address))),
      hidden.length > 0 ? make("p", {}, `Stands for ${hidden.join(" and ")} below it.`) : null,
      make("div", { class: "actions" },
        runs ? make("button", { class: "primary writes", onclick: () => trying(() => openTerminal(name)) }, "Terminal") : null,
        this.model.canOpen(name) ? make("button", { onclick: () => this.model.open(name) }, "Open") : null,
        this.model.canClose(name) ? make("button", { onclick: () => this.model.fold(name) }, "Close") : null),
      runs && node.kind === "host" ? this.#flowForm(name) : null,
      inside.map(({ element }) => element),
      rates?.element, running?.element,
      make("h3", {}, links.length === 1 ? "Link" : `${count(links.length)} links`), rows);
    this.refresh = (update) => {
      rows.replaceChildren(...links.slice(0, 40).map((number) => this.#busyRow(number)));
      inside.forEach((each) => each.refresh());
      rates?.refresh(update);
      running?.refresh();
    };
    this.refresh();
  }

  // What a node sends and receives over all of its links: now, and in the last minutes.
  #nodeRates(name, links, turn) {
    const ways = make("p", { class: "sub ways" });
    const plots = make("div", { class: "plots" });
    const sent = (number) => (this.model.links[number].a.node === name ? 0 : 1);
    const sums = (rates) => [0, 1].map((way) => links.reduce((sum, number, at) => sum + (rates(number, at, sent(number) ^ way) ?? 0), 0));
    const now = () => sums((number, at, way) => [this.model.there, this.model.back][way][number]);
    const show = () => {
      const [out, into] = now();
      ways.replaceChildren(make("i", { class: "way" }), `sends ${rate(out)} `, make("i", { class: "way back" }), `receives ${rate(into)}`);
    };
    const begin = async () => {
      const seen = await Promise.all(links.map((number) => get(`/links/${part(this.model.links[number].name)}/history`))).catch(() => []);
      if (seen.length === 0 || turn !== this.turn) return;
      // All links have the same instants; an answer that came later may have one more.
      const length = Math.min(...seen.map(({ time: instants }) => instants.length));
      const last = seen.map((each) => ({ time: each.time.slice(-length), rate_bps: each.rate_bps.map((column) => column.slice(-length)) }));
      const columns = last[0].time.map((_, row) => sums((number, at, way) => last[at].rate_bps[way][row]));
      this.history = new History(plots, { time: last[0].time, rate_bps: [0, 1].map((way) => columns.map((both) => both[way])) }, ["sent", "received"]);
    };
    begin();
    return {
      element: make("div", {}, ways, plots),
      refresh: (update) => {
        show();
        if (update !== undefined) this.history?.add(update.time, now());
      },
    };
  }

  // What a host runs, and the flows that it has a part in.
  #running(name) {
    const element = make("div");
    const listed = async () => {
      const [flows, programs] = await Promise.all([get("/flows"), get(`/nodes/${part(name)}/programs`)]).catch(() => [[], []]);
      const own = flows.filter(({ client, server }) => client === name || server === name);
      const rows = programs.map(({ pid, name: program }) => make("div", { class: "row" }, make("span", { class: "grow" }, program), make("span", { class: "muted" }, `process ${pid}`)));
      element.replaceChildren(...this.#flows(own), ...(rows.length > 0 ? [make("h3", {}, "Programs"), make("div", { class: "rows" }, rows)] : []));
    };
    let looks = 0;
    return { element, refresh: () => { if (looks++ % 2 === 0) listed(); } };
  }

  #flowForm(name) {
    const hosts = this.model.hosts().filter((host) => host !== name);
    if (hosts.length === 0) return null;
    const server = make("input", { list: "hosts", value: hosts[0], required: true });
    const protocol = make("select", {}, make("option", {}, "TCP"), make("option", {}, "UDP"));
    const offered = make("input", { value: "10 Mbit/s", disabled: true });
    const seconds = make("input", { type: "number", value: 10, min: 1, max: 3600 });
    protocol.onchange = () => { offered.disabled = protocol.value === "TCP"; };
    const send = async (event) => {
      event.preventDefault();
      const flow = { client: name, server: server.value, protocol: protocol.value, seconds: Number(seconds.value) };
      const begun = await trying(() => ask("POST", "/flows", protocol.value === "UDP" ? { ...flow, rate: offered.value } : flow));
      if (begun) notice(`${name} sends to ${server.value} for ${seconds.value} s.`);
    };
    return make("details", { class: "writes", open: true }, make("summary", {}, "Send a flow"),
      make("form", { class: "fields", onsubmit: send },
        make("label", {}, "to host", server, make("datalist", { id: "hosts" }, hosts.slice(0, 500).map((host) => make("option", {}, host)))),
        make("label", {}, "protocol", protocol), make("label", {}, "UDP rate", offered),
        make("label", {}, "seconds", seconds),
        make("button", { class: "wide primary" }, "Send")));
  }

  async #link(name, turn) {
    const [link, seen] = await Promise.all([get(`/links/${part(name)}`), get(`/links/${part(name)}/history`)])
      .catch((error) => { notice(error.message); return []; });
    if (link === undefined || turn !== this.turn) return;
    const [a, b] = [link.a.node, link.b.node];
    const body = make("tbody");
    const plots = make("div", { class: "plots" });
    const status = make("button", { class: "writes" });
    const capture = (end, side) => make("button", {
      class: "writes", title: `${this.model.nodes.get(side.node).simulated ? "what passes" : "tcpdump"} at ${side.interface}`,
      onclick: async () => {
        const begun = await trying(() => ask("POST", "/captures", { link: name, end }));
        if (begun) notice(`Capturing at ${begun.interface}. Stop and download it under Captures, beside the whole network.`);
      },
    }, `Capture at ${side.node}`);
    const capturable = ({ node }) => this.model.nodes.get(node).kind !== "guest" && link.kind !== "patch";
    const told = make("p", { class: "sub" });
    const inside = this.model.stepping ? [queues(link)] : [];
    this.#fill(
      make("h2", {}, `${a} — ${b}`), told,
      make("table", { class: "figures" }, make("thead", {}, make("tr", {}, make("th", {}, ""),
        make("th", {}, make("i", { class: "way" }), `from ${a}`), make("th", {}, make("i", { class: "way back" }), `from ${b}`))), body),
      inside.map(({ element }) => element),
      plots,
      this.model.stepping ? null : make("div", { class: "actions" }, status,
        capturable(link.a) ? capture("a", link.a) : null, capturable(link.b) ? capture("b", link.b) : null),
      this.model.stepping ? null : make("details", { class: "writes" }, make("summary", {}, "Options of the link"), optionsForm(link, this.model.options, () => this.show({ edge: this.model.edgeIdOf(name) }))));
    this.history = new History(plots, seen, [a, b]);
    const draw = (now) => {
      told.textContent = `${KINDS[now.kind] || now.kind} · ${[...new Set(now.text)].join(" / ")}`;
      status.textContent = now.down ? "Bring up" : "Take down";
      status.className = now.down ? "writes primary" : "writes danger";
      status.onclick = () => trying(async () => {
        await ask("PUT", `/links/${part(name)}/status`, { status: now.down ? "up" : "down" });
        draw(await get(`/links/${part(name)}`));
      });
      body.replaceChildren(...figureRows(now));
    };
    draw(link);
    inside.forEach((each) => each.refresh(this.model));
    this.refresh = async (update) => {
      const now = await get(`/links/${part(name)}`).catch(() => null);
      if (now === null || turn !== this.turn) return;
      draw(now);
      this.model.see(now); // so that the drawing, and the box at the mouse, have the same counts
      inside.forEach((each) => each.refresh(this.model));
      if (now.figures.rate_bps) this.history?.add(update.time, now.figures.rate_bps, now.figures.queue_packets);
    };
  }

  #bundle(members) {
    const rows = make("div", { class: "rows" });
    const sum = make("p", { class: "sub" });
    this.#fill(make("h2", {}, `${count(members.length)} links`), sum, rows);
    this.refresh = () => {
      const { bps, utilization, lost, dropped } = this.model.load(members);
      sum.textContent = `${rate(bps)} together, the fullest at ${percent(utilization)}, ${count(dropped)} dropped, ${count(lost)} lost by the loss model`;
      const busiest = [...members].sort((one, other) => this.model.load([other]).bps - this.model.load([one]).bps).slice(0, 40);
      rows.replaceChildren(...busiest.map((number) => this.#busyRow(number)));
    };
    this.refresh();
  }
}

const KINDS = { veth: "emulated link", patch: "patch between switches", simulated: "simulated link", cut: "simulated link between machines", guest: "simulated link to a guest" };

export function figureRows(link) {
  const { figures, limit_bps: limits } = link;
  if (!figures.rate_bps) return [make("tr", {}, make("td", {}, "no figures yet"))];
  const share = figures.rate_bps.map((bps, way) => (limits[way] && bps !== null ? bps / limits[way] : null));
  const wait = figures.sojourn_ns.map((mean, way) => mean ?? (limits[way] ? (8e9 * figures.queue_bytes[way]) / limits[way] : null));
  const row = (name, values, kind) => make("tr", {}, make("td", {}, name), values.map((value, way) => make("td", { class: kind ? kind(way) : "" }, value)));
  const rows = [row("rate", figures.rate_bps.map(rate)), row("packets", figures.packets_per_s.map((value) => `${count(value)} /s`))];
  if (share.some((value) => value !== null)) rows.push(row("utilization", share.map(percent), (way) => (share[way] > 0.9 ? "hot" : "")));
  if (link.simulated) {
    rows.push(row("queue (packets)", figures.queue_packets.map(count)));
    rows.push(row("queue (bytes)", figures.queue_bytes.map(bytes)));
    rows.push(row("time in queue", wait.map(time)));
    rows.push(row("in flight", figures.in_flight.map(count)));
    rows.push(row("lost by the loss model", figures.lost.map(count), (way) => (figures.lost[way] > 0 ? "warm" : "")));
  }
  rows.push(row("dropped", figures.dropped.map(count), (way) => (figures.dropped[way] > 0 ? "hot" : "")));
  return rows;
}
