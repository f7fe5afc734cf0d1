# SPDX-License-Identifier: MIT
"""What a switch says of its tables is read as OpenFlow 1.3.5 (7.2, 7.3.5) has it."""

from __future__ import annotations

import struct

import pytest

from hybridnet.experiments.openflow_differential import wire
from hybridnet.tools.explore.messages import split
from hybridnet.tools.explore.tables import NotUnderstoodError, read_flows

HEAD = 48  # of a flow in an answer, before its match (7.3.5.2)
MATCH_OF_MOD = 48  # where a FLOW_MOD has its match (7.3.4.1)


def _told(instructions: list[bytes], **match: int | tuple[int, int]) -> bytes:
    """A flow as an answer has it, from the message that adds it."""
    rest = wire.flow(2, 7, 9, match, instructions)[MATCH_OF_MOD:]
    head = struct.pack("!HBxIIHHHHxxxxQQQ", HEAD + len(rest), 2, 0, 0, 7, 0, 0, 0, 9, 0, 0)
    return head + rest


def test_a_flow_is_read_with_its_match_and_what_it_does() -> None:
    said = _told(
        [wire.apply([wire.set_field("eth_src", 5), wire.output(3)]), wire.goto(4)], in_port=1, eth_dst=(2, 3)
    )
    [rule] = read_flows(said)
    assert rule.text() == (
        "table=2 priority=7 cookie=0x9 in_port=1,eth_dst=00:00:00:00:00:02/00:00:00:00:00:03 -> "
        "set_field:eth_src=00:00:00:00:00:05,output:3,goto:4"
    )


def test_what_the_checker_does_not_know_is_refused_by_its_number() -> None:
    with pytest.raises(NotUnderstoodError, match="action of type 19"):
        list(read_flows(_told([wire.apply([wire.push(wire.PUSH_MPLS, 0x8847)])])))


def test_messages_are_cut_where_they_end() -> None:
    both = wire.barrier(1) + wire.barrier(2)
    whole, rest = split(both[:-1])
    assert [each.xid for each in whole] == [1]
    assert rest == both[8:-1]
