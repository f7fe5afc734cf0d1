# SPDX-License-Identifier: MIT
"""A learning switch for loop-free topologies, as a Ryu app, OpenFlow 1.3.

Meant for many switches and hosts on little CPU: the datapath floods broadcasts and multicasts by itself, the controller
is sent only the head of a frame when it has merely to learn, and flows are made only where they are used. The decisions
are `mac_learning.MacLearning`'s; this file speaks OpenFlow. It runs beside Ryu's link discovery (--observe-links).
"""

from __future__ import annotations

import time

from mac_learning import (
    AGEING_S,
    FLOOD_S,
    AddDestination,
    AddSource,
    FloodDestination,
    MacLearning,
    RemoveDestination,
    RemovePort,
    RemoveSource,
)
from ryu.base import app_manager
from ryu.controller import ofp_event
from ryu.controller.handler import CONFIG_DISPATCHER, DEAD_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from ryu.lib.mac import haddr_to_bin, haddr_to_str
from ryu.lib.packet.ether_types import ETH_TYPE_LLDP
from ryu.lib.packet.lldp import LLDP_MAC_NEAREST_BRIDGE
from ryu.ofproto import ofproto_v1_3

SOURCES, DESTINATIONS = 0, 1  # tables
LINK_DISCOVERY, RESERVED, KNOWN, MISS = 0xFFFF, 30, 10, 0  # priorities
GROUP_BIT = "01:00:00:00:00:00"
BRIDGES_ONLY = ("01:80:c2:00:00:00", "ff:ff:ff:ff:ff:f0")  # IEEE 802.1D: never forwarded
HEAD_BYTES = 14  # of a frame whose source is to be learned: the Ethernet header


class TreeSwitch(app_manager.RyuApp):
    """Keeps one `MacLearning` per connected switch and turns its changes into flow-mods."""

    OFP_VERSIONS = [ofproto_v1_3.OFP_VERSION]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.learning = {}  # datapath id -> (datapath, MacLearning)

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def switch_connects(self, event):
        datapath = event.msg.datapath
        self.learning[datapath.id] = (datapath, MacLearning())
        send(datapath, initial_messages(datapath, link_discovery=self.CONF.observe_links))
        self.logger.info("switch %016x connected, %d in all", datapath.id, len(self.learning))

    @set_ev_cls(ofp_event.EventOFPStateChange, DEAD_DISPATCHER)
    def switch_leaves(self, event):
        datapath = event.datapath
        if self.learning.get(datapath.id, (None,))[0] is datapath:  # else it has connected anew already
            del self.learning[datapath.id]
            self.logger.info("switch %016x left, %d remain", datapath.id, len(self.learning))

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_in(self, event):
        message = event.msg
        destination, source = message.data[0:6], message.data[6:12]
        if message.data[12:14] == ETH_TYPE_LLDP.to_bytes(2, "big"):
            return  # link discovery's
        learning = self.learning_of(message.datapath)
        if learning is None or len(source) < 6:
            return
        port, now_s = message.match["in_port"], time.monotonic()
        if message.table_id == SOURCES:
            moved, evicted = learning.moved, learning.evicted
            self.apply(message.datapath, learning.source_unknown(now_s, port, source, destination))
            if learning.moved > moved:
                self.logger.info(
                    "switch %016x: %s is now at port %d", message.datapath.id, haddr_to_str(source), port
                )
            if learning.evicted > evicted == 0:
                self.logger.warning(
                    "switch %016x: more than %d MACs; the oldest go", message.datapath.id, len(learning)
                )
        elif message.table_id == DESTINATIONS:
            changes, forward = learning.destination_unknown(now_s, port, destination)
            self.apply(message.datapath, changes, forward and packet_out(message, port, forward.port))

    @set_ev_cls(ofp_event.EventOFPFlowRemoved, MAIN_DISPATCHER)
    def flow_removed(self, event):
        message = event.msg
        learning = self.learning_of(message.datapath)
        if learning is not None and message.reason == message.datapath.ofproto.OFPRR_IDLE_TIMEOUT:
            mac, port = haddr_to_bin(message.match["eth_src"]), message.match["in_port"]
            self.apply(message.datapath, learning.source_expired(mac, port))

    @set_ev_cls(ofp_event.EventOFPPortStatus, MAIN_DISPATCHER)
    def port_changes(self, event):
        message, ofproto = event.msg, event.msg.datapath.ofproto
        down = message.desc.state & ofproto.OFPPS_LINK_DOWN or message.desc.config & ofproto.OFPPC_PORT_DOWN
        learning = self.learning_of(message.datapath)
        if learning is not None and (message.reason == ofproto.OFPPR_DELETE or down):
            self.apply(message.datapath, learning.port_gone(message.desc.port_no))

    def learning_of(self, datapath):
        """What is known of this connection's switch; None when the connection is an old one."""
        current, learning = self.learning.get(datapath.id, (None, None))
        return learning if current is datapath else None

    def apply(self, datapath, changes, packet=None):
        """Sends the flow-mods of all changes, and the packet after them, as one write."""
        messages = [flow_mod for change in changes for flow_mod in flow_mods(datapath, change)]
        send(datapath, [*messages, packet] if packet else messages)


def send(datapath, messages):
    """One write for all: a message each would wake Ryu's sending thread, and the switch, as often."""
    buffer = bytearray()
    for message in messages:
        datapath.set_xid(message)
        message.serialize()
        buffer += message.buf
    if buffer:
        datapath.send(buffer)


def initial_messages(datapath, link_discovery):
    """Empties the switch, whoever used it before, and then fills in what never changes."""
    ofproto, parser = datapath.ofproto, datapath.ofproto_parser

    def to_controller(length):
        return parser.OFPActionOutput(ofproto.OFPP_CONTROLLER, length)

    group = parser.OFPMatch(eth_dst=(GROUP_BIT, GROUP_BIT))
    reserved = parser.OFPMatch(eth_dst=BRIDGES_ONLY)
    from_group = parser.OFPMatch(eth_src=(GROUP_BIT, GROUP_BIT))
    messages = [
        remove(datapath, ofproto.OFPTT_ALL, parser.OFPMatch()),
        parser.OFPBarrierRequest(datapath),
        add(datapath, SOURCES, RESERVED, reserved),
        add(datapath, SOURCES, RESERVED, from_group),
        add(datapath, SOURCES, MISS, parser.OFPMatch(), [to_controller(HEAD_BYTES)], then=DESTINATIONS),
        add(datapath, DESTINATIONS, KNOWN, group, [parser.OFPActionOutput(ofproto.OFPP_FLOOD)]),
        add(datapath, DESTINATIONS, MISS, parser.OFPMatch(), [to_controller(ofproto.OFPCML_NO_BUFFER)]),
    ]
    if link_discovery:
        # Ryu's link discovery adds this very flow, maybe before the emptying above.
        lldp = parser.OFPMatch(eth_type=ETH_TYPE_LLDP, eth_dst=LLDP_MAC_NEAREST_BRIDGE)
        messages.append(
            add(datapath, SOURCES, LINK_DISCOVERY, lldp, [to_controller(ofproto.OFPCML_NO_BUFFER)])
        )
    return messages


def flow_mods(datapath, change):
    """The flow-mods that make one change of `mac_learning`."""
    ofproto, parser = datapath.ofproto, datapath.ofproto_parser
    if isinstance(change, RemovePort):
        from_port = parser.OFPMatch(in_port=change.port)
        yield remove(datapath, SOURCES, from_port)
        yield remove(datapath, DESTINATIONS, parser.OFPMatch(), out_port=change.port)
        return
    mac = haddr_to_str(change.mac)
    if isinstance(change, AddSource):
        match = parser.OFPMatch(in_port=change.port, eth_src=mac)
        flags = ofproto.OFPFF_SEND_FLOW_REM
        yield add(datapath, SOURCES, KNOWN, match, then=DESTINATIONS, idle_timeout=int(AGEING_S), flags=flags)
    elif isinstance(change, RemoveSource):
        yield remove(datapath, SOURCES, parser.OFPMatch(in_port=change.port, eth_src=mac))
    elif isinstance(change, AddDestination):
        actions = [parser.OFPActionOutput(change.port)]
        match = parser.OFPMatch(eth_dst=mac)
        yield add(datapath, DESTINATIONS, KNOWN, match, actions, idle_timeout=int(AGEING_S))
    elif isinstance(change, FloodDestination):
        actions = [parser.OFPActionOutput(ofproto.OFPP_FLOOD)]
        yield add(datapath, DESTINATIONS, KNOWN, parser.OFPMatch(eth_dst=mac), actions, hard_timeout=FLOOD_S)
    elif isinstance(change, RemoveDestination):
        yield remove(datapath, DESTINATIONS, parser.OFPMatch(eth_dst=mac))


def add(datapath, table, priority, match, actions=(), then=None, **timeouts):
    parser = datapath.ofproto_parser
    instructions = []
    if actions:
        instructions.append(parser.OFPInstructionActions(datapath.ofproto.OFPIT_APPLY_ACTIONS, list(actions)))
    if then is not None:
        instructions.append(parser.OFPInstructionGotoTable(then))
    return parser.OFPFlowMod(
        datapath, table_id=table, priority=priority, match=match, instructions=instructions, **timeouts
    )


def remove(datapath, table, match, out_port=None):
    ofproto, parser = datapath.ofproto, datapath.ofproto_parser
    return parser.OFPFlowMod(
        datapath,
        table_id=table,
        command=ofproto.OFPFC_DELETE,
        match=match,
        out_port=ofproto.OFPP_ANY if out_port is None else out_port,
        out_group=ofproto.OFPG_ANY,
    )


def packet_out(message, in_port, port):
    """Sends a frame that waits at the controller out of ``port``; out of all but ``in_port`` if None."""
    datapath = message.datapath
    ofproto, parser = datapath.ofproto, datapath.ofproto_parser
    return parser.OFPPacketOut(
        datapath,
        buffer_id=ofproto.OFP_NO_BUFFER,
        in_port=in_port,
        actions=[parser.OFPActionOutput(ofproto.OFPP_FLOOD if port is None else port)],
        data=message.data,
    )
