# SPDX-License-Identifier: MIT
"""What is read of messages, also of those that an application under test cuts short."""

from __future__ import annotations

import struct

import pytest

from hybridnet.tools.explore.messages import (
    ERROR,
    FLOW_MOD,
    PACKET_OUT,
    Message,
    frame_of_packet_out,
    message,
)

DELETE = 3


def test_a_flow_mod_is_named_with_what_it_does() -> None:
    of_13 = message(FLOW_MOD, bytes(17) + bytes([DELETE]) + bytes(30))  # 1.3.5, 7.3.4.1
    of_10 = message(FLOW_MOD, bytes(48) + struct.pack("!H", DELETE) + bytes(14), version=1)  # 1.0, 5.3.3
    assert [Message(each).name() for each in (of_13, of_10)] == ["FLOW_MOD delete"] * 2


def test_an_error_is_named_with_its_type_and_code() -> None:
    assert Message(message(ERROR, struct.pack("!HH", 5, 1))).name() == "ERROR TABLE_FULL"
    assert Message(message(ERROR, struct.pack("!HH", 4, 2))).name() == "ERROR type 4 code 2"


def test_a_packet_out_has_its_frame_behind_its_actions() -> None:
    actions = bytes(16)
    of_13 = struct.pack("!IIH6x", 0, 1, len(actions)) + actions + b"frame"
    of_10 = struct.pack("!IHH", 0, 1, len(actions)) + actions + b"frame"
    assert frame_of_packet_out(Message(message(PACKET_OUT, of_13))) == b"frame"
    assert frame_of_packet_out(Message(message(PACKET_OUT, of_10, version=1))) == b"frame"


@pytest.mark.parametrize("version", [1, 4])
def test_a_message_that_is_cut_short_is_the_switchs_to_refuse_and_no_mistake_here(version: int) -> None:
    for kind, name in ((FLOW_MOD, "FLOW_MOD"), (ERROR, "ERROR without a code"), (PACKET_OUT, "PACKET_OUT")):
        for size in range(3):
            short = Message(message(kind, bytes(size), version=version))
            assert short.name() == name
            assert frame_of_packet_out(short) == b""
