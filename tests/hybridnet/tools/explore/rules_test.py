# SPDX-License-Identifier: MIT
"""Flows of one table that hide others, and those of which nobody knows which counts; against every packet there is."""

from __future__ import annotations

import itertools
import random

from hybridnet.tools.explore.header import FIELDS, Cube, cube_of
from hybridnet.tools.explore.rules import ambiguous, shadowed
from hybridnet.tools.explore.tables import Action, Rule

BITS = 3
"""So many bits of the destination, and so many of the source, may a flow match here: 64 packets."""
PACKETS = [
    cube_of(eth_dst=dst, eth_src=src).value for dst, src in itertools.product(range(1 << BITS), repeat=2)
]
ONE, TWO = (Action("output", 1),), (Action("output", 2),)


def rule(priority: int, match: Cube, actions: tuple[Action, ...] = ONE, idle_s: int = 0) -> Rule:
    return Rule(0, priority, match, actions, idle_s=idle_s)


def masked(field: str, value: int, mask: int) -> Cube:
    shift = FIELDS[field].shift
    return Cube(mask << shift, (value & mask) << shift)


def drawn(chance: random.Random) -> list[Rule]:
    """Flows whose matches name bits of two fields."""
    found = []
    for _ in range(chance.randint(2, 8)):
        match = Cube()
        for field in ("eth_dst", "eth_src"):
            part = masked(field, chance.randrange(1 << BITS), chance.randrange(1 << BITS))
            match = Cube(match.mask | part.mask, match.value | part.value)
        found.append(
            rule(chance.randint(1, 4), match, chance.choice((ONE, TWO)), chance.choice((0, 0, 0, 10)))
        )
    return found


def test_what_is_hidden_is_what_no_packet_meets_of_random_flows() -> None:
    chance = random.Random(35)
    hidden = 0
    for _ in range(1000):
        rules = drawn(chance)
        staying = [each for each in rules if not each.idle_s]
        expected = [
            each
            for each in staying
            if all(
                any(other.priority > each.priority and other.match.has(packet) for other in staying)
                for packet in PACKETS
                if each.match.has(packet)
            )
        ]
        found = [each for each, _ in shadowed(rules)]
        assert [id(each) for each in found] == [id(each) for each in expected]
        hidden += len(found)
    assert hidden > 200


def test_what_is_undefined_is_what_some_packet_meets_twice_of_random_flows() -> None:
    chance = random.Random(36)
    pairs = 0
    for _ in range(1000):
        rules = drawn(chance)
        expected = []
        for one, other in itertools.combinations(rules, 2):
            if one.priority == other.priority and one.apply != other.apply:
                higher = [each for each in rules if each.priority > one.priority]
                both = [each for each in PACKETS if one.match.has(each) and other.match.has(each)]
                if any(not any(above.match.has(each) for above in higher) for each in both):
                    expected.append((id(one), id(other)))
        found = list(ambiguous(rules))
        assert [(id(one), id(other)) for one, other, _ in found] == expected
        for one, other, packets in found:
            assert one.match.has(packets.value)
            assert other.match.has(packets.value)
        pairs += len(found)
    assert pairs > 500


def test_several_flows_together_hide_one_that_none_of_them_hides_alone() -> None:
    low = rule(1, cube_of(eth_dst=6))
    halves = [
        rule(2, Cube(low.match.mask | half.mask, low.match.value | half.value))
        for half in (masked("eth_src", 0, 1), masked("eth_src", 1, 1))
    ]
    assert list(shadowed([low, halves[0]])) == []
    assert list(shadowed([low, *halves])) == [(low, halves)]


def test_a_flow_that_expires_hides_nothing_for_ever_and_one_that_does_the_same_is_not_ambiguous() -> None:
    low, high = rule(1, cube_of(eth_dst=6)), rule(2, Cube(), idle_s=5)
    assert list(shadowed([low, high])) == []
    assert list(shadowed([low, rule(2, Cube())])) != []
    assert list(ambiguous([rule(1, cube_of(eth_dst=6)), rule(1, cube_of(eth_src=1))])) == []
    assert len(list(ambiguous([rule(1, cube_of(eth_dst=6)), rule(1, cube_of(eth_src=1), TWO)]))) == 1


def test_a_hundred_flows_for_single_addresses_hide_no_flow_for_all() -> None:
    exact = [
        rule(2, cube_of(eth_dst=dst, eth_src=src)) for dst in range(100) for src in range(100) if dst != src
    ]
    assert list(shadowed([*exact[:2000], rule(1, Cube())])) == []
