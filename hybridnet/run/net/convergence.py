# SPDX-License-Identifier: MIT
"""When the routing daemons of a network agree. `Net.waitConverged` uses this.

A daemon is asked by a program, and FRR's takes six times as long to start as the `ip` that shows a table; in simulated
time that is 0.18 s of processor time. So daemons are asked as rarely as will do: one after the other until each has its
neighbours, and all of them once more when the tables are still. The tables are the kernel's, and are looked at once
nobody lacks a neighbour.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any, Protocol, cast

from hybridnet.errors import MachineError, UsageError
from hybridnet.system.log import debug

__all__ = ["Speaker", "await_convergence", "speakers"]

# For which no table may change. Longer than what OSPF waits before it tells a change or repeats what was not answered
# (RFC 2328, appendix B: MinLSInterval; appendix C.3: RxmtInterval; 5 s each).
STILL_SECONDS = 6.0
_LOOK_SECONDS = 0.5
_AT_ONCE = 16
_NAMED = 5


class Speaker(Protocol):
    """A live node in which daemons find out routes."""

    name: str

    def lacking(self) -> list[str]:
        """The neighbours that its daemons still miss."""

    def routes(self) -> str:
        """The table of its routes, as the kernel has it."""


def speakers(nodes: Iterable[Any]) -> list[Speaker]:
    """Those of the nodes that are."""
    return [cast(Speaker, node) for node in nodes if hasattr(node, "lacking")]


def await_convergence(routers: list[Speaker], patience_s: float) -> float:
    """See `hybridnet.Net.waitConverged`."""
    if not routers:
        raise UsageError(
            "waitConverged: no node has routing daemons; addRouter('r1', ospf=True) makes one that has"
        )
    began = still_since = time.monotonic()
    tables: list[str] = []
    unsure = list(routers)
    with ThreadPoolExecutor(min(_AT_ONCE, len(routers)), "convergence") as pool:

        def ask_each(asked: Sequence[Speaker]) -> Iterator[list[str]]:
            return pool.map(_lacking, asked)

        while True:
            looked = time.monotonic()
            unsure = _without_first_whole(unsure, ask_each)
            now = [] if unsure else list(pool.map(_routes, routers))
            if unsure or now != tables:
                tables, still_since = now, time.monotonic()
            elif looked - still_since >= STILL_SECONDS:
                unsure = _without_first_whole(routers, ask_each)  # one may have lost a neighbour since
                if not unsure:
                    debug(f"*** converged after {still_since - began:.1f} s\n")
                    return still_since - began
            if time.monotonic() - began > patience_s:
                found = zip(routers, ask_each(routers), strict=True)
                missing = (f"{router.name} lacks {', '.join(each)}" for router, each in found if each)
                lacking = "; ".join(islice(missing, _NAMED))
                raise MachineError(
                    f"waitConverged: after {patience_s:g} s {lacking or 'tables of routes still change'}; wait longer, "
                    "or ask a router, as in net['r1'].vtysh('show ip ospf neighbor'), or birdc('show ospf neighbors')"
                )
            time.sleep(_LOOK_SECONDS)


def _without_first_whole(
    routers: Sequence[Speaker], ask_each: Callable[[Sequence[Speaker]], Iterator[list[str]]]
) -> list[Speaker]:
    """These, without those at their beginning that lack nothing. One is asked, then twice as many each time, as long as
    nobody lacks a neighbour.
    """
    left = list(routers)
    count = 1
    while left:
        asked = left[:count]
        left[:count] = lacking = [
            router for router, found in zip(asked, ask_each(asked), strict=True) if found
        ]
        if lacking:
            break
        count *= 2
    return left


def _lacking(router: Speaker) -> list[str]:
    return router.lacking()


def _routes(router: Speaker) -> str:
    return router.routes()
