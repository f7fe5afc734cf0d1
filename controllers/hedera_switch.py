# SPDX-License-Identifier: MIT
"""Hedera: `ecmp_switch`, but large flows of TCP and UDP are counted where they enter, and placed by the controller.

The first packet of a flow comes here from its edge switch, which then gets a flow of its own for it, so that its bytes
are counted; its path is still the one that its hash chooses. Every `--hedera-poll` seconds the app reads these
counters. Flows above a tenth of a host's link are large: it estimates what they would send if the network were no
limit, chooses a path for each, and tells the switches on it. With a new link or a dead one all flows follow their
hashes again, until the next look.

Source: Al-Fares and others, NSDI 2010. Options: `hedera_flags`.
"""

from __future__ import annotations

import random
import time

from ecmp_switch import EcmpSwitch
from hedera_flow import flow_of
from hedera_placement import anneal, estimate_demands, first_fit
from ryu.controller import ofp_event
from ryu.controller.handler import MAIN_DISPATCHER, set_ev_cls
from ryu.lib import hub

LARGE = 0.1  # of a host's link: section 4 of the paper
MOST_FLOWS = 8192
PROTOCOLS = (6, 17)


class HederaSwitch(EcmpSwitch):
    """Place the large flows."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.flows = {}  # flow -> port where it enters
        self.counted = {}  # flow -> (bytes, time of the count)
        self.rates = {}  # flow -> bit/s
        self.placed = {}  # flow -> path
        self.chosen = {}  # the last result of simulated annealing
        self.rng = random.Random(1)
        if self.CONF.hedera_scheduler != "none":
            self.threads.append(hub.spawn(self.look_and_place))

    # Flows come and go

    def more_rules(self, edges):
        """Beside those of `ecmp_switch`: asking about new flows at the edge, and the flows that are known."""
        self.placed = {}
        more = {switch: {} for switch in self.rules}
        for switch, port in edges:
            if switch not in more:
                continue
            for protocol in PROTOCOLS:
                more[switch]["ask", port, protocol] = True
        for flow, port in self.flows.items():
            if port in edges and port[0] in more and flow.to in self.hosts:
                more[port[0]]["flow", flow] = self.by_hash(flow, port[0])
        return more

    def by_hash(self, flow, switch):
        [(_, where), *_] = self.host_rules(switch, flow.to, self.hosts[flow.to])
        return where

    def handle(self, port, frame):
        flow = flow_of(frame)
        known = flow is not None and flow.to in self.hosts and len(self.flows) < MOST_FLOWS
        if known and port in self.discovery.edges(time.monotonic()):
            self.flows[flow] = port
            self.rules[port[0]].put(("flow", flow), self.by_hash(flow, port[0]))
        super().handle(port, frame)

    @set_ev_cls(ofp_event.EventOFPFlowRemoved, MAIN_DISPATCHER)
    def flow_ends(self, event):
        message = event.msg
        rules = self.rules.get(message.datapath.id)
        if rules is None or message.reason == message.datapath.ofproto.OFPRR_DELETE:
            return
        for flow in [flow for flow in self.flows if flow.cookie() == message.cookie]:
            rules.there.pop(("flow", flow), None)  # it has gone there by itself
            if self.flows[flow][0] == message.datapath.id:
                self.remove_path(flow)
                for known in (self.flows, self.counted, self.rates):
                    known.pop(flow, None)

    # Large flows

    def look_and_place(self):
        while True:
            hub.sleep(self.CONF.hedera_poll)
            for switch in {port[0] for port in self.flows.values()}:
                if switch in self.rules:
                    self.rules[switch].ask_for_counters()
            self.flush()
            hub.sleep(min(0.5, self.CONF.hedera_poll / 4))  # the answers come meanwhile
            self.place()

    @set_ev_cls(ofp_event.EventOFPFlowStatsReply, MAIN_DISPATCHER)
    def counters_are(self, event):
        """Rates of the flows that enter at a switch."""
        switch, now = event.msg.datapath.id, time.monotonic()
        octets = {entry.cookie: entry.byte_count for entry in event.msg.body}
        for flow, port in self.flows.items():
            if port[0] == switch and flow.cookie() in octets:
                count = octets[flow.cookie()]
                before, at = self.counted.get(flow, (0, None))
                self.counted[flow] = (count, now)
                if at is not None and now > at:
                    self.rates[flow] = max(0, count - before) * 8 / (now - at)

    def place(self):
        """Choose paths for the large flows, and tell the switches."""
        least = LARGE * self.CONF.hedera_rate * 1e6
        large = [flow for flow, rate in self.rates.items() if rate >= least and self.is_placeable(flow)]
        demand = estimate_demands([(flow.source, flow.to) for flow in large])
        choices = [self.paths_of(flow) for flow in large]
        if self.CONF.hedera_scheduler == "first-fit":
            numbers = first_fit(demand, choices, [self.placed.get(flow) for flow in large])
        else:
            ends = [(flow.source, flow.to) for flow in large]
            self.chosen = anneal(ends, demand, choices, self.chosen, self.rng)
            numbers = [
                self.chosen[flow.to] % max(1, len(paths)) for flow, paths in zip(large, choices, strict=True)
            ]
        for flow, paths, number in zip(large, choices, numbers, strict=True):
            if number is not None and paths and self.placed.get(flow) != paths[number]:
                self.remove_path(flow)
                self.placed[flow] = paths[number]
                for switch, port in reversed(paths[number]):
                    if switch in self.rules:
                        self.rules[switch].put(("flow", flow), port)
        self.flush()

    def remove_path(self, flow):
        """Forget a flow at the switches after its first, which counts it; until told anew it follows its hash."""
        for switch, _ in self.placed.pop(flow, ())[1:]:
            if switch in self.rules:
                self.rules[switch].take(("flow", flow))

    def is_placeable(self, flow):
        return flow in self.flows and flow.to in self.hosts and self.hosts[flow.to][0] != self.flows[flow][0]

    def paths_of(self, flow):
        """All shortest paths of a flow, as the ports by which it leaves each switch before the last."""
        target = self.hosts[flow.to][0]
        onward = self.toward(target)
        found = []

        def walk(switch, path):
            if switch == target:
                found.append(tuple(path))
                return
            for port in onward[switch].ports if switch in onward else ():
                for other in self.paths.beyond[switch][port]:
                    walk(other, [*path, (switch, port)])

        walk(self.flows[flow][0], [])
        return found
