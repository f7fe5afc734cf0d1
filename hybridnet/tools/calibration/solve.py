# SPDX-License-Identifier: MIT
"""From measured busy shares to costs: the non-negative ones that explain them best. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hybridnet.tools.forecast.costs import POLLS, PROTOCOLS, Cost, Traffic, switching_turns

__all__ = [
    "WORK",
    "Loop",
    "Point",
    "extra",
    "fit",
    "fit_loop",
    "fit_polling",
    "fit_turn",
    "fit_turns",
    "non_negative",
]

WORK = ("unit_ns", "byte_ns")
TERMS = (*WORK, "burst_ns")
"""A burst of TCP is a train: what it costs by itself shows where pauses are rarer at one point than at another."""
KNOWN_WITHIN = 0.01
"""Processors: what a thread took is known no better."""
MOST_IDLE = 0.99
"""Of a thread that polls without a pause."""

Points = Mapping[str, Sequence["Point"]]
"""By protocol."""


@dataclass(frozen=True)
class Point:
    """One measurement: what passed, and how many processors it kept busy.

    Args:
        turns: of the loop that did the work: how many there were in a second, or how many there were causes for.
        wakes: how many of them ended a pause.
        pausing: the probability that a burst ended a pause.
    """

    traffic: Traffic
    cores: float
    turns: float = 0.0
    wakes: float = 0.0
    pausing: float = 1.0


@dataclass(frozen=True)
class Loop:
    """What a loop costs.

    Args:
        turn_ns: each turn.
        wake_ns: the end of a pause, beside.
        work: units and bytes, by protocol.
    """

    turn_ns: float
    wake_ns: float
    work: Mapping[str, Cost]


def non_negative(
    rows: NDArray[np.float64], wanted: NDArray[np.float64], within: float = KNOWN_WITHIN
) -> NDArray[np.float64]:
    """The x >= 0 for which rows @ x is next to what is wanted, with the same relative weight for each row that is more
    than what it may be wrong by. Where fewer terms explain as much, the others are 0.
    """
    weights = 1 / np.maximum(np.abs(wanted), within)
    weighted, target = rows * weights[:, None], wanted * weights
    best, least = np.zeros(rows.shape[1]), float(np.square(target).sum())
    for number in range(1, rows.shape[1] + 1):
        for chosen in itertools.combinations(range(rows.shape[1]), number):
            columns = weighted[:, chosen]
            scale = np.abs(columns).max(axis=0)
            if number > len(wanted) or (scale <= 0).any():
                continue
            solved, _, rank, _ = np.linalg.lstsq(columns / scale, target, rcond=1e-6)
            if rank < number or (solved < 0).any():
                continue
            left = float(np.square(columns / scale @ solved - target).sum())
            if left < least - 1e-9:
                best, least = np.zeros(rows.shape[1]), left
                best[list(chosen)] = solved / scale
    return best


def fit(points: Sequence[Point], terms: Sequence[str] = TERMS, within: float = KNOWN_WITHIN) -> Cost:
    """The costs that explain some points of one protocol, each of which may be wrong by so many processors.

    Args:
        terms: of a cost; the others are 0. Of those that explain as much, the earlier ones are taken.

    Example:
        >>> fit([Point(Traffic(0, 1000, 0), 0.002), Point(Traffic(0, 1000, 1e6), 0.003)])
        Cost(burst_ns=0.0, unit_ns=2000.0, byte_ns=1.0)
    """
    if not points:
        return Cost()
    rows = np.array([[_amount(point, term) for term in terms] for point in points])
    found = non_negative(rows, np.array([point.cores for point in points]), within)
    return Cost(**{term: round(float(each) * 1e9, 6) for term, each in zip(terms, found, strict=True)})


def fit_loop(points: Points) -> Loop:
    """The costs of a loop whose turns were counted: for turns and wakes the same with both protocols, and for units and
    bytes theirs.
    """
    rows, wanted = [], []
    for at, protocol in enumerate(PROTOCOLS):
        before, after = [0.0, 0.0] * at, [0.0, 0.0] * (len(PROTOCOLS) - 1 - at)
        for point in points.get(protocol, ()):
            passed = [point.traffic.units, point.traffic.bytes]
            rows.append([point.turns, point.wakes, *before, *passed, *after])
            wanted.append(point.cores)
    turn_ns, wake_ns, *each_ns = (
        float(each) * 1e9 for each in non_negative(np.array(rows), np.array(wanted))
    )
    return Loop(
        turn_ns,
        wake_ns,
        {protocol: Cost(0.0, *each_ns[2 * at : 2 * at + 2]) for at, protocol in enumerate(PROTOCOLS)},
    )


def fit_turns(points: Points) -> dict[str, Cost]:
    """The costs of Open vSwitch's loop by protocol; `burst_ns` is that of a turn. Nobody counts its turns: `turns` of a
    point are the causes for one.
    """
    loop = fit_loop(
        {
            protocol: [replace(point, turns=switching_turns(point.turns, point.cores)) for point in measured]
            for protocol, measured in points.items()
        }
    )
    return {protocol: replace(cost, burst_ns=loop.turn_ns) for protocol, cost in loop.work.items()}


def fit_turn(points: Sequence[Point], known: Cost) -> float:
    """What a turn of Open vSwitch's loop takes, in nanoseconds, where the work in it is known."""
    left = sum(point.cores - known.work(point.traffic) for point in points)
    turns = sum(switching_turns(point.turns, point.cores) for point in points)
    return max(0.0, left) * 1e9 / turns if turns else 0.0


def fit_polling(points: Points, idle: float) -> dict[str, Cost]:
    """The costs of a thread that polls, which is so busy when nothing comes: `burst_ns` is what a look at its ports
    takes. What passes leaves less time for looks.
    """
    idle = min(idle, MOST_IDLE)
    turn_ns = idle / (1.0 - idle) / POLLS * 1e9
    found = {}
    for protocol, measured in points.items():
        work = [
            replace(point, cores=(point.cores - idle) / (1.0 - idle))
            for point in measured
            if point.cores < 1.0
        ]
        cost = fit(work, WORK)
        found[protocol] = Cost(turn_ns, cost.unit_ns, cost.byte_ns)
    return found


def extra(points: Sequence[Point], known: Sequence[Cost], wake_ns: float = 0.0) -> list[Point]:
    """What is left of the points after what is known already, of turns and wakes too; nothing below 0."""
    return [
        replace(
            point,
            cores=max(
                0.0,
                point.cores
                - sum(cost.work(point.traffic) for cost in known)
                - sum(cost.burst_ns for cost in known) * point.turns / 1e9
                - wake_ns * point.wakes / 1e9,
            ),
        )
        for point in points
    ]


def _amount(point: Point, term: str) -> float:
    passed, woke = point.traffic, point.traffic.bursts * point.pausing
    return {"burst_ns": woke, "unit_ns": passed.units, "byte_ns": passed.bytes}[term]
