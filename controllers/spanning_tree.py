# SPDX-License-Identifier: MIT
"""Ryu's spanning tree (IEEE 802.1D), for which a port's link is up or down and nothing else.

Since OpenFlow 1.3 a port's state has, besides the bit that its link is down, the bit that it is live. Open vSwitch
tells that a port is no longer live before it tells that its link is down. Ryu's `stplib` takes every change without
the second bit for a link that came up: it forgets that the port was the root port, and does not look for another way
when the link is told to be down. The switch behind the link then stays without a way for ever. Here only a change of
that bit counts.
"""

from __future__ import annotations

from ryu.controller import ofp_event
from ryu.controller.handler import MAIN_DISPATCHER, set_ev_cls
from ryu.lib import stplib


class SpanningTree(stplib.Stp):
    """`stplib.Stp`, which is told only of links that went up or down."""

    @set_ev_cls(ofp_event.EventOFPPortStatus, MAIN_DISPATCHER)
    def port_status_handler(self, ev):
        datapath, port = ev.msg.datapath, ev.msg.desc
        bridge = self.bridge_list.get(datapath.id)
        known = bridge.ports_state if bridge is not None else {}
        modified = ev.msg.reason == datapath.ofproto.OFPPR_MODIFY
        if modified and same_link(known.get(port.port_no, port.state), port.state, datapath.ofproto):
            return
        super().port_status_handler(ev)


def same_link(before, after, ofproto):
    """Whether two states of a port say the same of its link."""
    return not (before ^ after) & ofproto.OFPPS_LINK_DOWN
