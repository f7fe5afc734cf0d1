# SPDX-License-Identifier: MIT
"""Demands of flows, and where Hedera puts them."""

from __future__ import annotations

import random
import struct

import pytest

from hybridnet.ryu_apps.hedera_flow import flow_of
from hybridnet.ryu_apps.hedera_placement import anneal, estimate_demands, first_fit

THIRD = pytest.approx(1 / 3)
UP, DOWN = ((1, 1), (3, 1)), ((1, 2), (4, 1))  # two paths without a common link


def test_the_only_flow_between_two_hosts_may_fill_their_links() -> None:
    assert estimate_demands([("a", "b")]) == [1.0]


def test_flows_of_a_sender_share_its_link_and_what_a_busy_receiver_leaves_goes_to_the_others() -> None:
    """a's three flows get a third each; d's three do, too, so that those from b and c are cut down to it."""
    flows = [("a", "b"), ("a", "c"), ("a", "d"), ("b", "d"), ("c", "d")]
    assert estimate_demands(flows) == [THIRD, THIRD, THIRD, THIRD, THIRD]


def test_a_receiver_that_many_send_to_limits_them_and_frees_their_senders() -> None:
    flows = [("a", "z"), ("b", "z"), ("c", "z"), ("d", "z"), ("a", "y")]
    assert estimate_demands(flows) == pytest.approx([0.25, 0.25, 0.25, 0.25, 0.75])


def test_first_fit_takes_another_path_when_the_first_is_full_and_none_when_all_are() -> None:
    assert first_fit([1.0, 1.0, 1.0], [[UP, DOWN]] * 3, [None] * 3) == [0, 1, None]
    assert first_fit([0.5, 0.5, 0.5], [[UP, DOWN]] * 3, [None] * 3) == [0, 0, 1]


def test_first_fit_leaves_a_flow_where_it_fits() -> None:
    assert first_fit([0.5], [[UP, DOWN]], [DOWN]) == [1]


def test_annealing_finds_a_placement_without_a_shared_link() -> None:
    flows = [(f"a{number}", f"b{number}") for number in range(8)]
    paths = [((1, port), (10 + port, 1)) for port in range(8)]
    chosen = anneal(flows, [1.0] * 8, [paths] * 8, {}, random.Random(1))
    assert sorted(chosen.values()) == list(range(8))


def test_annealing_keeps_a_placement_that_is_good() -> None:
    flows = [("a", "c"), ("b", "d")]
    before = {"c": 1, "d": 0}
    assert anneal(flows, [1.0, 1.0], [[UP, DOWN]] * 2, before, random.Random(1)) == before


def test_annealing_with_nothing_to_choose_chooses_it() -> None:
    assert anneal([], [], [], {}, random.Random(1)) == {}
    assert anneal([("a", "b")], [1.0], [[UP]], {}, random.Random(1)) == {"b": 0}


def frame(protocol: int, fragment: int = 0) -> bytes:
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 40, 0, fragment, 64, protocol, 0, b"\x0a\0\0\1", b"\x0a\0\0\2")
    return (
        bytes.fromhex("020000000002020000000001")
        + b"\x08\x00"
        + ip
        + struct.pack("!HH", 1000, 80)
        + bytes(20)
    )


def test_a_flow_has_addresses_and_ports() -> None:
    flow = flow_of(frame(6))
    assert flow is not None
    assert (flow.source, flow.to, flow.port_src, flow.port_dst) == (
        "02:00:00:00:00:01",
        "02:00:00:00:00:02",
        1000,
        80,
    )
    assert flow.match()["tcp_dst"] == 80
    assert flow.cookie() == flow.cookie() != flow_of(frame(17)).cookie()  # type: ignore[union-attr]


@pytest.mark.parametrize("other", [frame(1), frame(6, fragment=7), frame(6)[:30], bytes(60)])
def test_what_has_no_ports_is_no_flow(other: bytes) -> None:
    assert flow_of(other) is None
