# SPDX-License-Identifier: MIT
"""The parts of the comparison: bytes on the wire, frames, and pipelines that come again by their seed."""

from __future__ import annotations

import random
import struct

from hybridnet.experiments.openflow_differential import wire
from hybridnet.experiments.openflow_differential.experiment import checks_of
from hybridnet.experiments.openflow_differential.frames import checksum, frame
from hybridnet.experiments.openflow_differential.known import THREE_TAGS, clause_of
from hybridnet.experiments.openflow_differential.tables import AT_ONCE, OF_A_PIPELINE, pipeline, source_of
from hybridnet.experiments.openflow_differential.testbed import Deviation, Judgement


def test_a_flow_has_the_bytes_of_the_specification() -> None:
    """OpenFlow 1.3.5: A.3.4.1, with the match of A.2.3: 48 bytes, a match of 4 + 8 + 4 padding, an instruction."""
    made = wire.flow(2, 7, 9, {"in_port": 1}, [wire.goto(3)])
    header = struct.pack("!BBHI", 4, 14, len(made), 0)
    body = struct.pack("!QQBBHHHIIIHxx", 9, 0, 2, 0, 0, 0, 7, 2**32 - 1, 2**32 - 1, 2**32 - 1, 0)
    match = struct.pack("!HHHBBI4x", 1, 12, 0x8000, 0, 4, 1)
    assert made == header + body + match + struct.pack("!HHB3x", 1, 8, 3)


def test_actions_and_matches_are_padded_to_eight_bytes() -> None:
    for field in ("eth_dst", "vlan_vid", "ipv4_src", "ipv6_dst", "ip_dscp"):
        action = wire.set_field(field, 1)
        assert len(action) % 8 == 0
        assert struct.unpack_from("!H", action, 2)[0] == len(action)


def test_checksums_of_a_frame_hold() -> None:
    rng = random.Random(1)
    for _ in range(50):
        data = frame(rng, "tcp", 0x020000000001, 77)
        start = 18 if data[12:14] == b"\x81\x00" else 14
        ip, segment = data[start : start + 20], data[start + 20 :]
        assert checksum(ip) == 0
        assert checksum(ip[12:20] + struct.pack("!BBH", 0, 6, len(segment)) + segment) == 0
        assert data[-4:] == struct.pack("!I", 77)


def test_a_seed_makes_the_same_pipeline_again() -> None:
    assert pipeline(5).messages == pipeline(5).messages
    assert pipeline(5).messages != pipeline(6).messages


def test_pipelines_of_a_switch_share_no_table_group_or_cookie() -> None:
    """OpenFlow 1.3.5: the table is byte 24 of a flow modification, the number of a group byte 12 of one of groups."""
    seen: dict[str, set[int]] = {"tables": set(), "groups": set(), "cookies": set()}
    for number in range(AT_ONCE):
        made = pipeline(7, number)
        tables = {message[24] for message in made.messages if message[1] == wire.FLOW_MOD} - {0}
        groups = {
            struct.unpack_from("!I", message, 12)[0]
            for message in made.messages
            if message[1] == wire.GROUP_MOD
        }
        for name, taken in (("tables", tables), ("groups", groups), ("cookies", set(made.words))):
            assert taken
            assert not taken & seen[name]
            seen[name] |= taken
    assert max(seen["tables"]) < 254


def test_a_frame_goes_into_the_pipeline_of_its_source() -> None:
    for seed in (0, 5, 1999):
        for number in (0, 49):
            assert source_of(seed, number) & OF_A_PIPELINE == source_of(seed, 0)


def test_priorities_within_a_pipeline_differ() -> None:
    """Which of two overlapping flows of one priority matches is left open by the specification."""
    for seed in range(20):
        made = pipeline(seed).messages
        flows = [message for message in made if message[1] == wire.FLOW_MOD]
        keys = [(message[24], struct.unpack_from("!H", message, 30)[0]) for message in flows]
        assert len(set(keys)) == len(keys)


def test_a_comparison_that_finds_nothing_where_it_must_does_not_hold() -> None:
    same, odd = Judgement(), Judgement(deviations=[Deviation("output", 1, "words")])
    assert [check.holds for check in checks_of("simulated", same, odd)] == [True, True]
    assert [check.holds for check in checks_of("simulated", odd, same)] == [False, False]


def test_what_a_clause_explains_is_listed_and_breaks_nothing() -> None:
    tag, rest = bytes.fromhex("8100000a"), bytes.fromhex("0806") + bytes(28)
    assert clause_of([bytes(12) + 3 * tag + rest]) == THREE_TAGS
    assert clause_of([bytes(12) + 2 * tag + rest]) == ""
    explained = Judgement(deviations=[Deviation("output", 1, "words", THREE_TAGS)])
    odd = Judgement(deviations=[Deviation("output", 1, "words")])
    assert [check.holds for check in checks_of("simulated", explained, odd)] == [True, True]
