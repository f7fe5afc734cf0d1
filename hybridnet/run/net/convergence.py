# SPDX-License-Identifier: MIT
"""When the routing daemons of a network agree. `Net.waitConverged` uses this."""

from __future__ import annotations

import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, cast

from hybridnet.errors import MachineError, UsageError
from hybridnet.system.log import debug

__all__ = ["Speaker", "await_convergence", "speakers"]

# For which no table may change. Longer than what OSPF waits before it tells a change or repeats what was not answered
# (RFC 2328, appendix B: MinLSInterval; appendix C.3: RxmtInterval; 5 s each).
STILL_SECONDS = 6.0
_LOOK_SECONDS = 0.5
_AT_ONCE = 16


class Speaker(Protocol):
    """A live node in which daemons find out routes."""

    name: str

    def convergence(self) -> tuple[list[str], str]:
        """The neighbours that are still missing, and the table of its routes."""


def speakers(nodes: Iterable[Any]) -> list[Speaker]:
    """Those of the nodes that are."""
    return [cast(Speaker, node) for node in nodes if hasattr(node, "convergence")]


def await_convergence(routers: list[Speaker], patience_s: float) -> float:
    """See `hybridnet.Net.waitConverged`."""
    if not routers:
        raise UsageError(
            "waitConverged: no node has routing daemons; addRouter('r1', ospf=True) makes one that has"
        )
    began = still_since = time.monotonic()
    tables: dict[str, str] = {}
    with ThreadPoolExecutor(min(_AT_ONCE, len(routers)), "convergence") as pool:
        while True:
            asked = time.monotonic()
            found = {
                router.name: each for router, each in zip(routers, pool.map(_look, routers), strict=True)
            }
            missing = {name: lacking for name, (lacking, _) in found.items() if lacking}
            now = {name: table for name, (_, table) in found.items()}
            if missing or now != tables:
                tables, still_since = now, time.monotonic()
            elif asked - still_since >= STILL_SECONDS:
                debug(f"*** converged after {still_since - began:.1f} s\n")
                return still_since - began
            if time.monotonic() - began > patience_s:
                lacking = "; ".join(
                    f"{name} lacks {', '.join(each)}" for name, each in list(missing.items())[:5]
                )
                raise MachineError(
                    f"waitConverged: after {patience_s:g} s {lacking or 'tables of routes still change'}; wait longer, "
                    "or ask a router, as in net['r1'].vtysh('show ip ospf neighbor'), or birdc('show ospf neighbors')"
                )
            time.sleep(_LOOK_SECONDS)


def _look(router: Speaker) -> tuple[list[str], str]:
    return router.convergence()
