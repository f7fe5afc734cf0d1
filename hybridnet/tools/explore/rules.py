# SPDX-License-Identifier: MIT
"""Flows of one table that stand in each other's way: which are never met, and which of two is met nobody knows.

The algorithm. What is left of a flow's headers when those of the flows before it are taken away, one flow after the
other, is a list of cubes of which no two have a header in common (`Cube.without`). If nothing is left, no packet comes
to the flow. The first cube that no flow cuts any more ends the search, so flows that are met cost little.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hybridnet.tools.explore.header import Cube
from hybridnet.tools.explore.tables import Rule

__all__ = ["ambiguous", "shadowed"]


def shadowed(rules: Sequence[Rule]) -> Iterator[tuple[Rule, list[Rule]]]:
    """The flows that no packet ever meets, each with the flows of higher priority that it would have to pass.

    Flows with a time-out do not stay, so they neither hide others for ever nor are hidden.

    Args:
        rules: of one table.
    """
    staying = [rule for rule in rules if not rule.idle_s and not rule.hard_s]
    for rule in staying:
        higher = [
            each
            for each in staying
            if each.priority > rule.priority and each.match.both(rule.match) is not None
        ]
        if next(_left(rule.match, [each.match for each in higher]), None) is None:
            yield rule, higher


def ambiguous(rules: Sequence[Rule]) -> Iterator[tuple[Rule, Rule, Cube]]:
    """Pairs of flows of one priority that a packet may both meet, and that do different things, with such packets.

    Which of the two a switch takes is undefined (OpenFlow 1.3.5, 5.3).

    Args:
        rules: of one table.
    """
    for number, one in enumerate(rules):
        for other in rules[number + 1 :]:
            if one.priority != other.priority or _does(one) == _does(other):
                continue
            common = one.match.both(other.match)
            if common is None:
                continue
            higher = [each.match for each in rules if each.priority > one.priority]
            left = next(_left(common, higher), None)
            if left is not None:
                yield one, other, left


def _does(rule: Rule) -> tuple[object, ...]:
    return rule.apply, rule.clear, rule.write, rule.metadata, rule.goto


def _left(cube: Cube, taken: Sequence[Cube]) -> Iterator[Cube]:
    """What is left of a cube without the headers of others: cubes of which no two have a header in common."""
    waiting = [(cube, 0)]
    while waiting:
        part, first = waiting.pop()
        for number in range(first, len(taken)):
            inside = part.both(taken[number])
            if inside is not None:
                waiting += [(rest, number + 1) for rest in part.without(inside)]
                break
        else:
            yield part
