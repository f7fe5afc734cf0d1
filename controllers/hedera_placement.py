# SPDX-License-Identifier: MIT
"""How Hedera places large flows: their demands, global first fit, and simulated annealing. Knows no switch.

Source: Al-Fares, Radhakrishnan, Raghavan, Huang, Vahdat, "Hedera: dynamic flow scheduling for data center networks",
NSDI 2010, sections 4.2 (demand estimation), 4.3 (global first fit) and 4.4 (simulated annealing). A demand is a part of
a host's link, 0 to 1; all links have the rate of a host's.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence

Flow = tuple[Hashable, Hashable]  # from a host, to a host
Link = tuple[int, int]  # datapath id, port number: one direction of a link
Path = tuple[Link, ...]

ROUNDS = 100  # of the estimate, at most: it converges in a few
ROUNDING = 1e-9
STEPS = 1000  # of simulated annealing; the paper's figure
START_TEMPERATURE = 0.5


def estimate_demands(flows: Sequence[Flow]) -> list[float]:
    """What each flow would get if the hosts' links were the only limits, shared evenly: max-min fairness."""
    demand = [0.0] * len(flows)
    settled = [False] * len(flows)
    sent, received = defaultdict(list), defaultdict(list)
    for place, (source, destination) in enumerate(flows):
        sent[source].append(place)
        received[destination].append(place)
    for _ in range(ROUNDS):
        before = list(demand)
        for mine in sent.values():
            free = [place for place in mine if not settled[place]]
            left = 1.0 - sum(demand[place] for place in mine if settled[place])
            for place in free:
                demand[place] = left / len(free)
        for mine in received.values():
            _limit(mine, demand, settled)
        if max((abs(one - other) for one, other in zip(before, demand, strict=True)), default=0.0) < ROUNDING:
            break
    return demand


def _limit(mine: Sequence[int], demand: list[float], settled: list[bool]) -> None:
    """Cut the demands of flows to one host down to its link; those that it limits are settled."""
    if sum(demand[place] for place in mine) <= 1.0 + ROUNDING:
        return
    limited = set(mine)
    share = 1.0 / len(mine)
    while True:
        small = {place for place in limited if demand[place] < share - ROUNDING}
        if not small:
            break
        limited -= small
        left = 1.0 - sum(demand[place] for place in mine if place not in limited)
        share = left / len(limited)
    for place in limited:
        demand[place] = share
        settled[place] = True


def first_fit(
    demand: Sequence[float], choices: Sequence[Sequence[Path]], before: Sequence[Path | None]
) -> list[int | None]:
    """For each flow the first of its paths on which every link has room for it; None: there is none.

    Args:
        before: the path of each flow up to now, which is looked at first, so that flows stay where they fit.
    """
    used: dict[Link, float] = defaultdict(float)
    chosen: list[int | None] = []
    for wanted, paths, path_before in zip(demand, choices, before, strict=True):
        order = sorted(range(len(paths)), key=lambda number: (paths[number] != path_before, number))
        fits = (
            number for number in order if all(used[link] + wanted <= 1.0 + ROUNDING for link in paths[number])
        )
        number = next(fits, None)
        chosen.append(number)
        if number is not None:
            for link in paths[number]:
                used[link] += wanted
    return chosen


def anneal(
    flows: Sequence[Flow],
    demand: Sequence[float],
    choices: Sequence[Sequence[Path]],
    before: Mapping[Hashable, int],
    rng: random.Random,
) -> dict[Hashable, int]:
    """By destination the number of the path that all flows to it take, so that links carry little beyond their rate.

    Args:
        before: the last result: where the search begins, for the destinations that it knows.
        rng: chooses the changes, and whether a worse one is taken.
    """
    targets = sorted({destination for _, destination in flows}, key=repr)
    most = max((len(paths) for paths in choices), default=1)
    if not targets or most < 2:
        return dict.fromkeys(targets, 0)
    state = {target: before.get(target, rng.randrange(most)) for target in targets}
    energy = _excess(flows, demand, choices, state)
    best, least = dict(state), energy
    for step in range(STEPS):
        if least <= ROUNDING:
            break
        changed = dict(state)
        one = rng.choice(targets)
        if rng.random() < 0.5:
            other = rng.choice(targets)
            changed[one], changed[other] = changed[other], changed[one]
        else:
            changed[one] = rng.randrange(most)
        found = _excess(flows, demand, choices, changed)
        temperature = START_TEMPERATURE * (1 - step / STEPS)
        if found < energy or rng.random() < 2.718281828 ** (-(found - energy) / max(temperature, ROUNDING)):
            state, energy = changed, found
        if energy < least:
            best, least = dict(state), energy
    return best


def _excess(
    flows: Sequence[Flow],
    demand: Sequence[float],
    choices: Sequence[Sequence[Path]],
    state: Mapping[Hashable, int],
) -> float:
    """By how much all links together are asked for more than they have."""
    used: dict[Link, float] = defaultdict(float)
    for (_, destination), wanted, paths in zip(flows, demand, choices, strict=True):
        if paths:
            for link in paths[state[destination] % len(paths)]:
                used[link] += wanted
    return sum(max(0.0, load - 1.0) for load in used.values())
