# SPDX-License-Identifier: MIT
"""Who sends to whom: the communication patterns of the paper, for n hosts with numbers from 0.

Source: Al-Fares and others, NSDI 2010, section 6.1. Each host has one flow.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from hybridnet.errors import UsageError

__all__ = [
    "PATTERNS",
    "Pairs",
    "hot_spot",
    "named",
    "random_bijective",
    "random_pairs",
    "staggered",
    "stride",
]

Pairs = list[tuple[int, int]]


def stride(hosts: int, step: int) -> Pairs:
    """Host x sends to host x + step, modulo their number."""
    return [(host, (host + step) % hosts) for host in range(hosts)]


def staggered(hosts: int, k: int, edge: float, pod: float, rng: random.Random) -> Pairs:
    """Host x sends to another at its edge switch with probability `edge`, to one elsewhere in its pod with `pod`, and
    else to one of another pod.
    """
    at_edge, in_pod = k // 2, (k // 2) ** 2
    pairs = []
    for host in range(hosts):
        near = [other for other in range(hosts) if other // at_edge == host // at_edge and other != host]
        same = [
            other
            for other in range(hosts)
            if other // in_pod == host // in_pod and other // at_edge != host // at_edge
        ]
        far = [other for other in range(hosts) if other // in_pod != host // in_pod]
        drawn = rng.random()
        pairs.append((host, rng.choice(near if drawn < edge else same if drawn < edge + pod else far)))
    return pairs


def random_pairs(hosts: int, rng: random.Random) -> Pairs:
    """Each host sends to any other with the same probability; several may choose one."""
    return [(host, rng.choice([other for other in range(hosts) if other != host])) for host in range(hosts)]


def random_bijective(hosts: int, rng: random.Random) -> Pairs:
    """Each host sends to one and receives from one."""
    while True:
        targets = rng.sample(range(hosts), hosts)
        if all(host != target for host, target in enumerate(targets)):
            return list(enumerate(targets))


def hot_spot(hosts: int, rng: random.Random) -> Pairs:
    """Half of the hosts send to one host; the others as in `random_bijective` among themselves."""
    half = hosts // 2
    return [(host, 0 if host else half) for host in range(half)] + [
        (half + host, half + target) for host, target in random_bijective(half, rng)
    ]


PATTERNS: dict[str, Callable[[int, int, random.Random], Pairs]] = {
    "stride(1)": lambda hosts, k, rng: stride(hosts, 1),
    "stride(n/4)": lambda hosts, k, rng: stride(hosts, hosts // 4),
    "stride(n/2)": lambda hosts, k, rng: stride(hosts, hosts // 2),
    "staggered(0.5, 0.3)": lambda hosts, k, rng: staggered(hosts, k, 0.5, 0.3, rng),
    "staggered(0.2, 0.3)": lambda hosts, k, rng: staggered(hosts, k, 0.2, 0.3, rng),
    "random": lambda hosts, k, rng: random_pairs(hosts, rng),
    "random bijective": lambda hosts, k, rng: random_bijective(hosts, rng),
    "hot-spot": lambda hosts, k, rng: hot_spot(hosts, rng),
}
"""By name: from the number of hosts, k of the fat tree, and a source of random numbers."""


def named(text: str) -> tuple[str, ...]:
    """The patterns that a word means: one of PATTERNS, or a kind of them, such as ``stride``: all of that kind.

    Raises:
        UsageError: there is none.
    """
    if text in PATTERNS:
        return (text,)
    kind = tuple(name for name in PATTERNS if name.partition("(")[0] == text)
    if not kind:
        kinds = sorted({name.partition("(")[0] for name in PATTERNS if "(" in name})
        raise UsageError(
            f"--pattern {text}: there is none; there are {', '.join(map(repr, PATTERNS))}, and of several "
            f"at once {' and '.join(kinds)}"
        )
    return kind
