# SPDX-License-Identifier: MIT
"""Sets up each flow of a chain of switches with two ports, one by one, as a Ryu app, OpenFlow 1.3.

A frame that a switch has no flow for comes here. The app gives the switch a flow for its addresses and ports of UDP, to
the other port, and lets the frame go on; the next switch then asks for the same. It does as little as an app can, so
that what is measured with it is Ryu and the switches; and it says, for each switch but a flow's first, how long after
the one before it asked: ``setup_switch: SOURCE_PORT NANOSECONDS``.
"""

from __future__ import annotations

import time

from openflow import add, remove, send
from ryu.base import app_manager
from ryu.controller import ofp_event
from ryu.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from ryu.lib.packet.ether_types import ETH_TYPE_IP
from ryu.ofproto import ofproto_v1_3

OTHER = {1: 2, 2: 1}  # port
UDP = 17
FLOW, OTHERWISE = 10, 0  # priorities


class SetupSwitch(app_manager.RyuApp):
    """Answer each switch that asks."""

    OFP_VERSIONS = [ofproto_v1_3.OFP_VERSION]

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self._asked_ns = {}  # by source port

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def switch_connects(self, event):
        datapath = event.msg.datapath
        ofproto, parser = datapath.ofproto, datapath.ofproto_parser
        ask = parser.OFPActionOutput(ofproto.OFPP_CONTROLLER, ofproto.OFPCML_NO_BUFFER)
        everything = parser.OFPMatch()
        udp = parser.OFPMatch(eth_type=ETH_TYPE_IP, ip_proto=UDP)
        send(
            datapath,
            [
                remove(datapath, ofproto.OFPTT_ALL, everything),
                parser.OFPBarrierRequest(datapath),
                add(datapath, 0, OTHERWISE, udp, [ask]),
            ],
        )

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def frame_comes(self, event):
        message, datapath = event.msg, event.msg.datapath
        ofproto, parser = datapath.ofproto, datapath.ofproto_parser
        port, frame = message.match["in_port"], message.data
        if port not in OTHER or len(frame) < 42:
            return
        source = int.from_bytes(frame[34:36], "big")
        now_ns = time.monotonic_ns()
        if (before_ns := self._asked_ns.get(source)) is not None:
            print(f"setup_switch: {source} {now_ns - before_ns}")
        self._asked_ns[source] = now_ns
        actions = [parser.OFPActionOutput(OTHER[port])]
        match = parser.OFPMatch(
            in_port=port,
            eth_type=ETH_TYPE_IP,
            ip_proto=UDP,
            udp_src=source,
            udp_dst=int.from_bytes(frame[36:38], "big"),
        )
        onward = parser.OFPPacketOut(datapath, ofproto.OFP_NO_BUFFER, port, actions, data=frame)
        send(datapath, [add(datapath, 0, FLOW, match, actions), onward])
