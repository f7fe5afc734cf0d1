# SPDX-License-Identifier: MIT
"""A learning switch for loop-free topologies, as a Ryu app, OpenFlow 1.3 or 1.0.

The switches learn by themselves: the controller gives each of them a handful of flows when it connects, among them one
whose action writes a flow for every source that passes (Open vSwitch's ``learn``, a Nicira extension that Ryu speaks).
So no packet comes here, 126 switches cost as little as one, and a frame is flooded only while its destination is
unknown::

    table 0   learn: "to the MAC this came from, out of the port it came by", into table 1; then table 1
    table 1   what was learned; else flood

A switch that speaks OpenFlow 1.0 only, which has one table, gets one flow: it is to forward as an ordinary bridge does.

Whoever empties a switch (``ovs-ofctl del-flows``) finds its flows there again: the switch tells when the last one of
table 0 is deleted.

A host that moves is learned again with its first frame; flows to a dead port are removed. It runs beside Ryu's
link discovery (``--observe-links``), whose own flow has the highest priority. Networks with loops need
`ecmp_switch`, or another app that computes a spanning tree: under this one, broadcasts would circulate for ever.
"""

from __future__ import annotations

from openflow import add, remove, send
from ryu.base import app_manager
from ryu.controller import ofp_event
from ryu.controller.handler import CONFIG_DISPATCHER, DEAD_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from ryu.lib.packet.ether_types import ETH_TYPE_LLDP
from ryu.lib.packet.lldp import LLDP_MAC_NEAREST_BRIDGE
from ryu.ofproto import ofproto_v1_0, ofproto_v1_3

SOURCES, DESTINATIONS = 0, 1  # tables
LINK_DISCOVERY, RESERVED, LEARNED, OTHERWISE = 0xFFFF, 30, 10, 0  # priorities
AGEING_S = 300  # IEEE 802.1D's default
GROUP_BIT = "01:00:00:00:00:00"
BRIDGES_ONLY = ("01:80:c2:00:00:00", "ff:ff:ff:ff:ff:f0")  # IEEE 802.1D: never forwarded


class TreeSwitch(app_manager.RyuApp):
    """Set up each switch that connects, and remove what was learned about ports that go down."""

    OFP_VERSIONS = [ofproto_v1_0.OFP_VERSION, ofproto_v1_3.OFP_VERSION]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.given = {}  # datapath -> number of the request that it answers once it has its flows
        self.connected = {}  # datapath id -> datapath that has them

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def switch_connects(self, event):
        datapath = event.msg.datapath
        given = datapath.ofproto_parser.OFPBarrierRequest(datapath)
        own = flows(datapath, link_discovery=self.CONF.observe_links)
        send(datapath, [*emptying(datapath), *own, given])
        self.given[datapath] = given.xid

    @set_ev_cls(ofp_event.EventOFPBarrierReply, [CONFIG_DISPATCHER, MAIN_DISPATCHER])
    def switch_is_ready(self, event):
        datapath = event.msg.datapath
        if self.given.get(datapath) == event.msg.xid:
            del self.given[datapath]
            self.connected[datapath.id] = datapath
            # hybridnet waits for this line: a network that has started forwards.
            self.logger.info("switch %016x connected, %d in all", datapath.id, len(self.connected))

    @set_ev_cls(ofp_event.EventOFPStateChange, DEAD_DISPATCHER)
    def switch_leaves(self, event):
        datapath = event.datapath
        self.given.pop(datapath, None)
        if self.connected.get(datapath.id) is datapath:  # else it has connected anew already
            del self.connected[datapath.id]
            self.logger.info("switch %016x left, %d remain", datapath.id, len(self.connected))

    @set_ev_cls(ofp_event.EventOFPFlowRemoved, MAIN_DISPATCHER)
    def flow_goes(self, event):
        datapath = event.msg.datapath
        if event.msg.reason == datapath.ofproto.OFPRR_DELETE:
            send(datapath, flows(datapath, link_discovery=self.CONF.observe_links))

    @set_ev_cls(ofp_event.EventOFPPortStatus, MAIN_DISPATCHER)
    def port_changes(self, event):
        message, datapath = event.msg, event.msg.datapath
        ofproto = datapath.ofproto
        if ofproto.OFP_VERSION == ofproto_v1_0.OFP_VERSION:
            return
        down = message.desc.state & ofproto.OFPPS_LINK_DOWN or message.desc.config & ofproto.OFPPC_PORT_DOWN
        if message.reason == ofproto.OFPPR_DELETE or down:
            everything = datapath.ofproto_parser.OFPMatch()
            send(datapath, [remove(datapath, DESTINATIONS, everything, out_port=message.desc.port_no)])


def emptying(datapath):
    """Empty the switch, whoever used it before."""
    ofproto, parser = datapath.ofproto, datapath.ofproto_parser
    if ofproto.OFP_VERSION == ofproto_v1_0.OFP_VERSION:
        delete = parser.OFPFlowMod(datapath, parser.OFPMatch(), 0, ofproto.OFPFC_DELETE)
    else:
        delete = remove(datapath, ofproto.OFPTT_ALL, parser.OFPMatch())
    return [delete, parser.OFPBarrierRequest(datapath)]


def flows(datapath, link_discovery):
    """What never changes. The switch tells when the flow for everything else is deleted."""
    ofproto, parser = datapath.ofproto, datapath.ofproto_parser
    if ofproto.OFP_VERSION == ofproto_v1_0.OFP_VERSION:
        return bridge(datapath)
    learn = parser.NXActionLearn(
        table_id=DESTINATIONS,
        priority=LEARNED,
        idle_timeout=AGEING_S,
        specs=[
            parser.NXFlowSpecMatch(src=("eth_src", 0), dst=("eth_dst", 0), n_bits=48),
            parser.NXFlowSpecOutput(src=("in_port", 0), dst="", n_bits=32),
        ],
    )
    flood = parser.OFPActionOutput(ofproto.OFPP_FLOOD)
    telling = add(datapath, SOURCES, OTHERWISE, parser.OFPMatch(), [learn], then=DESTINATIONS)
    telling.flags |= ofproto.OFPFF_SEND_FLOW_REM
    messages = [
        add(datapath, SOURCES, RESERVED, parser.OFPMatch(eth_dst=BRIDGES_ONLY)),
        add(datapath, SOURCES, RESERVED, parser.OFPMatch(eth_src=(GROUP_BIT, GROUP_BIT))),
        telling,
        add(datapath, DESTINATIONS, OTHERWISE, parser.OFPMatch(), [flood]),
    ]
    if link_discovery:
        # Ryu's link discovery adds this very flow, maybe before the switch was emptied.
        lldp = parser.OFPMatch(eth_type=ETH_TYPE_LLDP, eth_dst=LLDP_MAC_NEAREST_BRIDGE)
        to_controller = parser.OFPActionOutput(ofproto.OFPP_CONTROLLER, ofproto.OFPCML_NO_BUFFER)
        messages.append(add(datapath, SOURCES, LINK_DISCOVERY, lldp, [to_controller]))
    return messages


def bridge(datapath):
    """Of OpenFlow 1.0: forward as a bridge does."""
    ofproto, parser = datapath.ofproto, datapath.ofproto_parser
    normal = [parser.OFPActionOutput(ofproto.OFPP_NORMAL)]
    flags = ofproto.OFPFF_SEND_FLOW_REM
    return [parser.OFPFlowMod(datapath, parser.OFPMatch(), 0, ofproto.OFPFC_ADD, flags=flags, actions=normal)]
