# SPDX-License-Identifier: MIT
"""The flows and groups of one switch of `ecmp_switch`: what is wanted is compared with what is there.

A rule has a key and a value::

    ("between", port): True         frames from another switch pass
    ("source", port, host): True    frames of a host at its port pass
    ("group", number): Onward       where frames to the hosts of one switch go on; or Backup
    ("back", port, host): port      frames to a host that come back by the port at which its way begins
    ("place", host): port, or ("group", number)
    ("blocked", port): True         frames to all are not taken from another switch here
    ("flood",): ports               where frames to all leave, but for the port they came by
    ("ask", port, protocol): True   frames of this protocol by this port, of no flow below, come to the app
    ("flow", flow): as of a place   a single flow of TCP or UDP, with a count of its own; it vanishes when it is idle
"""

from __future__ import annotations

from ecmp_paths import Backup, spread
from ecmp_probes import PROBE_TO, PROBE_TYPE
from openflow import add, remove, send

SOURCES, DESTINATIONS = 0, 1  # tables
PROBE, RESERVED, BLOCKED, BETWEEN, KNOWN, TO_ALL, UNHEARD, OTHERWISE = 0xFFFF, 50, 40, 30, 20, 10, 5, 0
FLOW, ASK = 36, 34
FLOW_IDLE_S = 10
GROUP_BIT = ("01:00:00:00:00:00", "01:00:00:00:00:00")
BRIDGES_ONLY = ("01:80:c2:00:00:00", "ff:ff:ff:ff:ff:f0")  # IEEE 802.1D: never forwarded
UNHEARD_S = 1  # frames to a host that never sent anything: one in so many seconds goes to all
ORDER = (
    "group",
    "between",
    "source",
    "place",
    "back",
    "blocked",
    "flood",
    "flow",
    "ask",
)  # a flow must not name a group that is not there


class Rules:
    """What one switch was told, and what it has yet to be told."""

    def __init__(self, datapath):
        self.datapath = datapath
        self.there = {}
        self.outgoing = initial_messages(datapath)
        self.barrier = None  # the transaction that the switch has yet to answer

    def floods(self):
        """The ports by which frames to all leave."""
        return self.there.get(("flood",), ())

    def update(self, wanted):
        """Make these the rules, and no others."""
        for key in [key for key in self.there if key not in wanted]:
            self.take(key)
        for key in sorted(wanted, key=lambda key: ORDER.index(key[0])):
            self.put(key, wanted[key])

    def put(self, key, value):
        """Add a rule, or change its value."""
        before = self.there.get(key)
        if before != value:
            self.outgoing.append(self.message(key, value, new=before is None))
            self.there[key] = value

    def take(self, key):
        """Remove a rule."""
        if self.there.pop(key, None) is None:
            return
        if key[0] == "group":
            self.outgoing.append(self.group(key[1], (), self.datapath.ofproto.OFPGC_DELETE))
        else:
            table, priority, match = self.matched(key)
            self.outgoing.append(remove(self.datapath, table, match, priority=priority))

    def unheard(self, host):
        """For a while, drop what goes to a host that nobody has heard of."""
        match = self.datapath.ofproto_parser.OFPMatch(eth_dst=host)
        self.outgoing.append(add(self.datapath, DESTINATIONS, UNHEARD, match, seconds=UNHEARD_S))

    def send_out(self, ports, frame):
        """Let a frame leave at ports."""
        actions = [self.datapath.ofproto_parser.OFPActionOutput(port) for port in sorted(ports)]
        self.outgoing.append(packet_out(self.datapath, actions, frame))

    def take_in(self, port, frame):
        """Let a frame go through the tables, as if it had just come by this port."""
        actions = [self.datapath.ofproto_parser.OFPActionOutput(self.datapath.ofproto.OFPP_TABLE)]
        self.outgoing.append(packet_out(self.datapath, actions, frame, port))

    def ask_when_done(self):
        """Have the switch say when it has done all that it was told so far."""
        request = self.datapath.ofproto_parser.OFPBarrierRequest(self.datapath)
        self.datapath.set_xid(request)
        self.barrier = request.xid
        self.outgoing.append(request)

    def ask_for_counters(self):
        """Ask for the counters of all flows to hosts."""
        ofproto, parser = self.datapath.ofproto, self.datapath.ofproto_parser
        ports, groups = ofproto.OFPP_ANY, ofproto.OFPG_ANY
        request = parser.OFPFlowStatsRequest(
            self.datapath, 0, DESTINATIONS, ports, groups, 0, 0, parser.OFPMatch()
        )
        self.outgoing.append(request)

    def flush(self):
        """Tell the switch."""
        messages, self.outgoing = self.outgoing, []
        if messages:
            send(self.datapath, messages)

    def message(self, key, value, new):
        ofproto, parser = self.datapath.ofproto, self.datapath.ofproto_parser
        kind = key[0]
        if kind == "group":
            return self.group(key[1], value, ofproto.OFPGC_ADD if new else ofproto.OFPGC_MODIFY)
        table, priority, match = self.matched(key)
        actions, then = [], None
        if kind in ("between", "source"):
            then = DESTINATIONS
        elif kind in ("place", "flow") and isinstance(value, tuple):
            actions = [parser.OFPActionGroup(value[1])]
        elif kind in ("place", "flow", "back"):
            actions = [parser.OFPActionOutput(value)]
        elif kind == "ask":
            actions = [parser.OFPActionOutput(ofproto.OFPP_CONTROLLER, ofproto.OFPCML_NO_BUFFER)]
        elif kind == "flood":
            actions = [parser.OFPActionOutput(port) for port in value]
        made = add(self.datapath, table, priority, match, actions, then)
        if kind == "flow":
            made.cookie, made.idle_timeout = key[1].cookie(), FLOW_IDLE_S
            made.flags |= ofproto.OFPFF_SEND_FLOW_REM
            if not new:
                made.command = ofproto.OFPFC_MODIFY_STRICT  # it keeps its counters
        return made

    def matched(self, key):
        match = self.datapath.ofproto_parser.OFPMatch
        kind = key[0]
        if kind == "between":
            return SOURCES, BETWEEN, match(in_port=key[1])
        if kind == "source":
            return SOURCES, KNOWN, match(in_port=key[1], eth_src=key[2])
        if kind == "place":
            return DESTINATIONS, KNOWN, match(eth_dst=key[1])
        if kind == "back":
            return DESTINATIONS, FLOW, match(in_port=key[1], eth_dst=key[2])
        if kind == "flow":
            return DESTINATIONS, FLOW, match(**key[1].match())
        if kind == "ask":
            return DESTINATIONS, ASK, match(in_port=key[1], eth_type=0x0800, ip_proto=key[2])
        if kind == "blocked":
            return DESTINATIONS, BLOCKED, match(in_port=key[1], eth_dst=GROUP_BIT)
        return DESTINATIONS, TO_ALL, match(eth_dst=GROUP_BIT)

    def group(self, number, onward, command):
        ofproto, parser = self.datapath.ofproto, self.datapath.ofproto_parser
        if isinstance(onward, Backup):
            return self.failover_group(number, onward, command)
        ports = onward.ports if onward else ()
        several = len(ports) > 1
        buckets = [
            parser.OFPBucket(
                weight=1 if several else 0,
                watch_port=port if several else ofproto.OFPP_ANY,
                watch_group=ofproto.OFPG_ANY,
                actions=[parser.OFPActionOutput(port)],
            )
            for port in (spread(onward) if several else ports)
        ]
        kind = ofproto.OFPGT_SELECT if len(ports) != 1 else ofproto.OFPGT_INDIRECT
        return parser.OFPGroupMod(self.datapath, command, kind, number, buckets)

    def failover_group(self, number, backup, command):
        ofproto, parser = self.datapath.ofproto, self.datapath.ofproto_parser
        ways = [(port, port) for port in backup.ports]
        if backup.witness is not None:
            ways.append((backup.witness, ofproto.OFPP_IN_PORT))
        buckets = [
            parser.OFPBucket(
                watch_port=watched, watch_group=ofproto.OFPG_ANY, actions=[parser.OFPActionOutput(port)]
            )
            for watched, port in ways
        ]
        return parser.OFPGroupMod(self.datapath, command, ofproto.OFPGT_FF, number, buckets)


def initial_messages(datapath):
    """Empty the switch, whoever used it before, and then fill in what never changes."""
    ofproto, parser = datapath.ofproto, datapath.ofproto_parser
    to_us = [parser.OFPActionOutput(ofproto.OFPP_CONTROLLER, ofproto.OFPCML_NO_BUFFER)]
    probes = parser.OFPMatch(eth_type=PROBE_TYPE, eth_dst=PROBE_TO)
    return [
        remove(datapath, ofproto.OFPTT_ALL, parser.OFPMatch()),
        parser.OFPGroupMod(datapath, ofproto.OFPGC_DELETE, ofproto.OFPGT_ALL, ofproto.OFPG_ALL, []),
        parser.OFPBarrierRequest(datapath),
        add(datapath, SOURCES, PROBE, probes, to_us),
        add(datapath, SOURCES, RESERVED, parser.OFPMatch(eth_dst=BRIDGES_ONLY)),
        add(datapath, SOURCES, RESERVED, parser.OFPMatch(eth_src=GROUP_BIT)),
        add(datapath, SOURCES, OTHERWISE, parser.OFPMatch(), to_us),
        add(datapath, DESTINATIONS, OTHERWISE, parser.OFPMatch(), to_us),
    ]


def packet_out(datapath, actions, frame, port=None):
    """The message that lets a frame leave; `port` is where it came from, if it came from one."""
    ofproto, parser = datapath.ofproto, datapath.ofproto_parser
    origin = ofproto.OFPP_CONTROLLER if port is None else port
    return parser.OFPPacketOut(datapath, ofproto.OFP_NO_BUFFER, origin, actions, data=frame)
