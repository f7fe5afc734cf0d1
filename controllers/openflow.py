# SPDX-License-Identifier: MIT
"""OpenFlow 1.3 messages that our apps send: flows added and removed, and many messages in one write."""

from __future__ import annotations


def send(datapath, messages):
    """One write for all: a message each would wake Ryu's sending thread, and the switch, as often."""
    buffer = bytearray()
    for message in messages:
        if message.xid is None:
            datapath.set_xid(message)
        message.serialize()
        buffer += message.buf
    datapath.send(buffer)


def add(datapath, table, priority, match, actions=(), then=None, seconds=0):
    """A flow; without actions and without a table to go to it drops. `seconds`: it vanishes after so many; 0: never."""
    parser = datapath.ofproto_parser
    instructions = []
    if actions:
        instructions.append(parser.OFPInstructionActions(datapath.ofproto.OFPIT_APPLY_ACTIONS, list(actions)))
    if then is not None:
        instructions.append(parser.OFPInstructionGotoTable(then))
    return parser.OFPFlowMod(
        datapath,
        table_id=table,
        priority=priority,
        match=match,
        instructions=instructions,
        hard_timeout=seconds,
    )


def remove(datapath, table, match, out_port=None, priority=None):
    """Remove what matches; with a priority, only the flow of that priority whose match is the same."""
    ofproto, parser = datapath.ofproto, datapath.ofproto_parser
    return parser.OFPFlowMod(
        datapath,
        table_id=table,
        command=ofproto.OFPFC_DELETE if priority is None else ofproto.OFPFC_DELETE_STRICT,
        priority=0 if priority is None else priority,
        match=match,
        out_port=ofproto.OFPP_ANY if out_port is None else out_port,
        out_group=ofproto.OFPG_ANY,
    )
