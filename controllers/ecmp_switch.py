# SPDX-License-Identifier: MIT
"""A switch for topologies with loops, as a Ryu app, OpenFlow 1.3: every shortest path carries traffic.

The app finds the links with probes of its own, and where the hosts are from the first frame of each. Unicast frames
take all shortest paths (equal-cost multipath): a select group chooses by a hash of the flow. Frames to all follow a
spanning tree. A link that goes down is out of use as soon as its switch says so, and one that silently loses everything
after five probes, which are 5 s where there are up to 100 links::

    table 0   probes: to this app.  Known host at its port, or port between switches: table 1.  Else: to this app
    table 1   to a host: out of its port, or to the group of its switch.  To all: along the tree.  Else: to this app

Nothing is flooded before all ports are known to lead to a host or to another switch, which takes half a second; what
comes earlier waits here. When the tree changes, ports leave it on all switches before others join it, so that it has no
loop in between. A frame whose destination a switch does not know is delivered by this app.

Hosts behind a switch of somebody else's that joins two of ours are not found: frames between switches teach nothing.
"""

from __future__ import annotations

import time
from collections import deque

from ecmp_discovery import Discovery
from ecmp_paths import Paths, find_paths, next_ports
from ecmp_probes import is_probe, probe_frame, probe_sender, probe_sent, probe_source
from ecmp_rules import Rules, packet_out
from ryu.base import app_manager
from ryu.controller import ofp_event
from ryu.controller.handler import CONFIG_DISPATCHER, DEAD_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from ryu.lib import hub
from ryu.lib.mac import haddr_to_str
from ryu.ofproto import ofproto_v1_3

TICK_S = 0.1
FIRST_PROBES = (1, 3)  # ticks after a port has come up, besides the one at once
LINK_TICKS, EDGE_TICKS = 10, 50  # between the probes of a port, at least
PROBES_A_TICK = 20  # of all links, about: where there are more, each is probed less often
DEAD_PROBES = 5
PORTS_IN_PROBE = 64
GATHER_S = 0.02  # news of links that come within it are acted upon together
BARRIER_S = 2.0  # the longest that a change of the tree waits for the switches
MOST_HOSTS = 16384
MOST_WAITING = 4096  # frames


class EcmpSwitch(app_manager.RyuApp):
    """Keep the flows and groups of all switches as the links and hosts that are found ask for."""

    OFP_VERSIONS = [ofproto_v1_3.OFP_VERSION]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.rules = {}  # datapath id -> Rules, of the switches that are connected
        self.discovery = Discovery()
        self.paths = Paths(frozenset(), {})
        self.onward = {}  # switch with hosts -> {switch: ports toward it}
        self.numbers = {}  # switch with hosts -> number of their group
        self.hosts = {}  # MAC address -> port
        self.again_at = {}  # port -> ticks at which it is probed out of turn
        self.waiting = deque(maxlen=MOST_WAITING)  # (port, frame) that came before all ports were decided
        self.ticks = 0
        self.due = False  # news are gathered, and acted upon soon
        self.to_flush = False  # what was learned is gathered, and told soon
        self.change = 0  # of the tree; counts
        self.said = ""
        self.threads.append(hub.spawn(self.run))

    # Switches and ports

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def switch_connects(self, event):
        datapath = event.msg.datapath
        self.forget(datapath.id)
        self.rules[datapath.id] = Rules(datapath)
        self.rules[datapath.id].flush()

    @set_ev_cls(ofp_event.EventOFPPortDescStatsReply, [CONFIG_DISPATCHER, MAIN_DISPATCHER])
    def ports_are(self, event):
        """The answer to what Ryu itself asks of a switch that has connected."""
        datapath, now = event.msg.datapath, time.monotonic()
        if not self.knows(datapath):
            return
        self.discovery.switch_comes(now)
        self.ports_up([(datapath.id, port.port_no) for port in event.msg.body if is_up(datapath, port)], now)
        self.logger.info("switch %016x connected, %d in all", datapath.id, len(self.rules))

    @set_ev_cls(ofp_event.EventOFPStateChange, DEAD_DISPATCHER)
    def switch_leaves(self, event):
        datapath = event.datapath
        if self.knows(datapath):  # else it has connected anew already
            self.forget(datapath.id)
            self.logger.info("switch %016x left, %d remain", datapath.id, len(self.rules))
            self.act_soon()

    @set_ev_cls(ofp_event.EventOFPPortStatus, MAIN_DISPATCHER)
    def port_changes(self, event):
        message, datapath = event.msg, event.msg.datapath
        if not self.knows(datapath):
            return
        port = (datapath.id, message.desc.port_no)
        if message.reason != datapath.ofproto.OFPPR_DELETE and is_up(datapath, message.desc):
            self.ports_up([port], time.monotonic())
        elif self.discovery.port_down(port):
            self.again_at.pop(port, None)
            self.act_soon()

    def knows(self, datapath):
        return datapath.id in self.rules and self.rules[datapath.id].datapath is datapath

    def ports_up(self, ports, now):
        new = [port for port in ports if self.discovery.port_up(port, now)]
        for port in new:
            self.again_at[port] = [self.ticks + ticks for ticks in FIRST_PROBES]
        self.probe(new)

    def forget(self, switch):
        for port in self.discovery.switch_goes(switch):
            self.again_at.pop(port, None)
        self.rules.pop(switch, None)

    # Probes

    def run(self):
        """Probe, and notice what has become silent or decided."""
        settled = True
        while True:
            hub.sleep(TICK_S)
            self.ticks += 1
            links = self.discovery.links()
            link_ticks = max(LINK_TICKS, len(links) // PROBES_A_TICK)
            self.probe(self.to_probe(links, link_ticks))
            silent = self.discovery.expire(DEAD_PROBES * link_ticks * TICK_S)
            before, settled = settled, self.discovery.settled(time.monotonic())
            if silent or settled != before:
                self.act()

    def to_probe(self, links, link_ticks):
        found = []
        for port in self.discovery.ports():
            soon = self.again_at.get(port, [])
            every = link_ticks if port in links else EDGE_TICKS
            if (soon and soon[0] <= self.ticks) or (self.ticks + port[0] + port[1]) % every == 0:
                self.again_at[port] = [at for at in soon if at > self.ticks]
                found.append(port)
        return found

    def probe(self, ports):
        for switch, numbers in by_switch(ports).items():
            rules, frame = self.rules[switch], probe_frame(switch, time.monotonic())
            parser = rules.datapath.ofproto_parser
            for first in range(0, len(numbers), PORTS_IN_PROBE):
                actions = []
                for number in numbers[first : first + PORTS_IN_PROBE]:
                    actions.append(parser.OFPActionSetField(eth_src=probe_source(number)))
                    actions.append(parser.OFPActionOutput(number))
                rules.outgoing.append(packet_out(rules.datapath, actions, frame))
            rules.flush()

    def probe_comes(self, receiver, frame):
        sender = probe_sender(frame)
        if self.discovery.hears(sender, receiver, probe_sent(frame)):
            if not self.discovery.heard(receiver, sender):
                self.probe([receiver])  # the sender shall not wait for the next round
            self.act_soon()

    # Frames

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def frame_comes(self, event):
        message = event.msg
        frame, port = message.data, (message.datapath.id, message.match["in_port"])
        if len(frame) < 14 or not self.knows(message.datapath):
            return
        if is_probe(frame):
            self.probe_comes(port, frame)
        elif self.discovery.settled(time.monotonic()):
            self.handle(port, frame)
            self.flush_soon()
        else:
            self.waiting.append((port, frame))

    def handle(self, port, frame):
        """Learn the sender of a frame at a host's port, and send the frame on."""
        edges = self.discovery.edges(time.monotonic())
        destination = haddr_to_str(frame[:6])
        if port in edges:
            self.learn(haddr_to_str(frame[6:12]), port)
            if frame[0] & 1 or destination in self.hosts:
                self.rules[port[0]].take_in(port[1], frame)  # by now it has the flows
                return
        elif port not in self.discovery.links() or frame[0] & 1:
            return  # one to all comes along the tree, too
        if destination in self.hosts:
            ports = {self.hosts[destination]}
        else:
            ports = edges
            self.rules[port[0]].unheard(destination)
        for switch, numbers in by_switch(ports - {port}).items():
            self.rules[switch].send_out(numbers, frame)

    def learn(self, host, port):
        before = self.hosts.get(host)
        if before == port or (before is None and len(self.hosts) >= MOST_HOSTS):
            return
        if before is not None and before[0] in self.rules:
            self.rules[before[0]].take(("source", before[1], host))
        self.hosts[host] = port
        number, onward = self.number(port[0]), self.toward(port[0])
        for switch, rules in self.rules.items():
            if switch != port[0]:
                rules.put(("group", number), onward.get(switch))
            for key, value in self.host_rules(switch, host, port):
                rules.put(key, value)

    def toward(self, switch):
        if switch not in self.onward:
            self.onward[switch] = next_ports(self.paths.beyond, switch)
        return self.onward[switch]

    def number(self, switch):
        return self.numbers.setdefault(switch, len(self.numbers) + 1)

    def host_rules(self, switch, host, port):
        """What a switch is told of a host at `port`."""
        if switch != port[0]:
            return [(("place", host), ("group", self.number(port[0])))]
        return [(("place", host), port[1]), (("source", port[1], host), True)]

    def more_rules(self, edges):
        """What an app that extends this one has switches told besides: {switch: rules}."""
        return {}

    # What the switches are told

    def act_soon(self):
        """Act upon what has changed, once, when what comes with it has come too."""
        if not self.due:
            self.due = True
            hub.spawn_after(GATHER_S, self.act)

    def act(self):
        """Bring all switches to what the links and hosts are now."""
        self.due = False
        now = time.monotonic()
        links, edges = self.discovery.links(), self.discovery.edges(now)
        self.paths, self.onward = find_paths(self.discovery.segments()), {}
        self.hosts = {host: port for host, port in self.hosts.items() if port in edges}
        wanted = {switch: {} for switch in self.rules}
        for switch, number in links:
            wanted[switch]["between", number] = True
        for target in {port[0] for port in self.hosts.values()}:
            onward = self.toward(target)
            for switch in wanted.keys() - {target}:
                wanted[switch]["group", self.number(target)] = onward.get(switch)
        for host, port in self.hosts.items():
            for switch, own in wanted.items():
                own.update(self.host_rules(switch, host, port))
        for switch, more in self.more_rules(edges).items():
            wanted[switch].update(more)
        self.change_tree(wanted, links, edges)
        if self.discovery.settled(now):
            hub.spawn(self.handle_waiting)

    def handle_waiting(self):
        """Handle what came before all ports were decided, once the switches have their rules."""
        self.await_barriers()
        waiting, self.waiting = self.waiting, deque(maxlen=MOST_WAITING)
        for port, frame in waiting:
            if port[0] in self.rules:
                self.handle(port, frame)
        self.flush()
        self.say()

    def change_tree(self, wanted, links, edges):
        """Give all switches their rules, with the tree as it may be at once: ports that join it wait for all others to
        have left.
        """
        after = self.paths.tree | edges
        before = {(switch, port) for switch, rules in self.rules.items() for port in rules.floods()}
        leave = before & (links - after)
        first = after - (links - before) if leave else after
        self.change += 1
        for switch, own in wanted.items():
            self.rules[switch].update({**own, **flood_rules(switch, first, links)})
            self.rules[switch].ask_when_done()
        self.flush()
        if leave:
            hub.spawn(self.finish_tree, self.change, after, links)

    def finish_tree(self, change, after, links):
        self.await_barriers()
        if change != self.change:
            return  # another change has begun, and ends with a tree of its own
        for switch, rules in self.rules.items():
            final = flood_rules(switch, after, links)
            for key in [key for key in rules.there if key[0] == "blocked" and key not in final]:
                rules.take(key)
            for key, value in final.items():
                rules.put(key, value)
        self.flush()

    def await_barriers(self):
        deadline = time.monotonic() + BARRIER_S
        while any(rules.barrier is not None for rules in self.rules.values()):
            if time.monotonic() > deadline:
                return
            hub.sleep(TICK_S / 10)

    @set_ev_cls(ofp_event.EventOFPBarrierReply, MAIN_DISPATCHER)
    def is_done(self, event):
        rules = self.rules.get(event.msg.datapath.id)
        if rules is not None and rules.barrier == event.msg.xid:
            rules.barrier = None

    def flush_soon(self):
        """Tell of hosts that appear about now together: each change has a switch look through all its flows."""
        if not self.to_flush:
            self.to_flush = True
            hub.spawn_after(GATHER_S, self.flush)

    def flush(self):
        self.to_flush = False
        for rules in list(self.rules.values()):
            rules.flush()

    def say(self):
        """hybridnet waits for this line when a network starts."""
        text = f"settled: {len(self.rules)} switches, {len(self.discovery.segments())} links between them"
        if text != self.said:
            self.said = text
            self.logger.info("%s", text)


def is_up(datapath, port):
    ofproto = datapath.ofproto
    down = port.state & ofproto.OFPPS_LINK_DOWN or port.config & ofproto.OFPPC_PORT_DOWN
    return port.port_no < ofproto.OFPP_MAX and not down


def by_switch(ports):
    found = {}
    for switch, number in sorted(ports):
        found.setdefault(switch, []).append(number)
    return found


def flood_rules(switch, flooding, links):
    """What a switch is told of frames to all."""
    rules = {("blocked", port): True for owner, port in links - flooding if owner == switch}
    rules[("flood",)] = tuple(sorted(port for owner, port in flooding if owner == switch))
    return rules
