# SPDX-License-Identifier: MIT
"""What a port is: undecided, an edge, or part of a segment; and probes that say where they come from."""

from __future__ import annotations

import pytest

from hybridnet.ryu_apps.ecmp_discovery import DECIDE_S, Discovery
from hybridnet.ryu_apps.ecmp_probes import is_probe, probe_frame, probe_sender, probe_sent, probe_source

A, B, C = (1, 1), (2, 1), (3, 1)


def up(*ports: tuple[int, int]) -> Discovery:
    discovery = Discovery()
    for port in ports:
        assert discovery.port_up(port, 0.0)
    return discovery


def test_a_silent_port_becomes_an_edge_after_its_time() -> None:
    discovery = up(A)
    assert not discovery.settled(DECIDE_S / 2)
    assert discovery.edges(DECIDE_S / 2) == set()
    assert discovery.settled(DECIDE_S)
    assert discovery.edges(DECIDE_S) == {A}


def test_ports_that_are_undecided_wait_for_a_switch_that_comes() -> None:
    discovery = up(A)
    discovery.switch_comes(0.4)
    assert not discovery.settled(DECIDE_S)
    discovery.switch_comes(2.0)
    assert discovery.settled(2.0), "a port that is decided stays so"


def test_ports_that_hear_each_other_are_a_segment() -> None:
    discovery = up(A, B, C)
    assert discovery.hears(A, B, 0.1)
    assert discovery.links() == {A, B}, "nothing of hosts comes from there"
    assert discovery.segments() == [], "but it is used only in both directions"
    assert discovery.hears(B, A, 0.1)
    assert not discovery.hears(B, A, 0.2), "no news"
    assert discovery.segments() == [{A, B}]
    assert discovery.edges(1.0) == {C}


def test_a_port_that_goes_down_is_forgotten_and_its_neighbour_is_no_edge() -> None:
    discovery = up(A, B)
    discovery.hears(A, B, 0.1)
    discovery.hears(B, A, 0.1)
    assert discovery.port_down(A)
    assert not discovery.port_down(A)
    assert discovery.segments() == []
    assert discovery.links() == {B}, "what comes from there is of a switch, until the port was down itself"
    assert not discovery.hears(A, B, 0.2), "a probe that was still under way"
    assert discovery.switch_goes(2) == [B]
    assert discovery.ports() == []


def test_a_link_that_is_silent_while_others_are_heard_is_dead() -> None:
    discovery = up(A, B, C, (2, 2))
    discovery.hears(A, B, 0.0)
    discovery.hears(C, (2, 2), 4.9)
    assert not discovery.expire(5.0)
    discovery.hears(C, (2, 2), 5.0)
    assert discovery.expire(5.0)
    assert not discovery.heard(A, B)
    assert discovery.edges(9.0) == set(), "to take its ports for edges would close a loop"


def test_news_that_come_late_kill_no_link() -> None:
    discovery = up(A, B, C, (4, 1))
    discovery.hears(A, B, 0.0)
    assert not discovery.expire(5.0), "whatever the time is: nothing newer was heard"
    discovery.hears(C, (4, 1), 14.9)
    assert not discovery.expire(5.0), "another switch is ahead"
    discovery.hears(C, (4, 1), 15.0)
    assert discovery.expire(5.0), "too far"


@pytest.mark.parametrize(("switch", "port"), [(1, 1), (2**64 - 1, 65279)])
def test_a_probe_says_switch_and_port(switch: int, port: int) -> None:
    frame = bytearray(probe_frame(switch, 1234.5))
    frame[6:12] = bytes.fromhex(probe_source(port).replace(":", ""))
    assert is_probe(bytes(frame))
    assert probe_sender(bytes(frame)) == (switch, port)
    assert probe_sent(bytes(frame)) == 1234.5
    assert len(frame) >= 60


def test_the_lldp_of_others_is_no_probe() -> None:
    frame = bytearray(probe_frame(1, 0.0))
    frame[0:6] = bytes.fromhex("0180c200000e")
    assert not is_probe(bytes(frame))
