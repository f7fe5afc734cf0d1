# SPDX-License-Identifier: MIT
"""How soon a Ryu that has just been started knows all switches of a chain, and all links between them.

The network runs and looks for its controller; then Ryu begins to listen, with its discovery by LLDP, and `links_seen`
says what it knows. A switch counts once it has told Ryu its features and ports.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from hybridnet import Cluster, Net, RemoteController
from hybridnet.errors import ControllerError
from hybridnet.experiments.common.switch_kinds import SWITCH_KINDS
from hybridnet.experiments.controller_load.chain import Chain
from hybridnet.run.controllers.kinds import fabric_of
from hybridnet.run.controllers.process import ControllerProcess, free_port

__all__ = ["Discovery", "discover"]

RECONNECT_MS = 1000
"""Between a switch's attempts, at most."""
PATIENCE_S = 300.0
_SAID = re.compile(r"^links_seen: (\d+) switches, (\d+) links$")


@dataclass(frozen=True)
class Discovery:
    """Seconds from when Ryu listens: until it knows all switches, and all links in both directions."""

    connected_s: float
    links_s: float
    links: int


class _Seen:
    """What `links_seen` says, and when it first said so."""

    def __init__(self, switches: int, links: int) -> None:
        self._wanted = (switches, links)
        self._began = time.monotonic()
        self._known = (0, 0)
        self._first: list[float | None] = [None, None]
        self._done = threading.Event()

    def begin(self) -> None:
        self._began = time.monotonic()

    def line(self, line: str) -> None:
        if (said := _SAID.match(line)) is None:
            return
        self._known = (int(said[1]), int(said[2]))
        for which, (known, wanted) in enumerate(zip(self._known, self._wanted, strict=True)):
            if known >= wanted and self._first[which] is None:
                self._first[which] = time.monotonic() - self._began
        if None not in self._first:
            self._done.set()

    def result(self) -> Discovery:
        """Wait for it. Raises ControllerError where Ryu does not find everything in time."""
        self._done.wait(PATIENCE_S)
        connected_s, links_s = self._first
        if connected_s is None or links_s is None:
            raise ControllerError(
                f"controller-load: after {PATIENCE_S:g} s Ryu knows {self._known[0]} of {self._wanted[0]} switches and "
                f"{self._known[1]} of {self._wanted[1]} links"
            )
        return Discovery(connected_s, links_s, self._wanted[1])


class _Later(RemoteController):
    """A Ryu that does not run yet when the switches begin to look for it."""

    def begin(self, head_address: str, others: Sequence[str] = ()) -> None:
        self.ip, self.port = head_address, free_port(head_address)

    def ryu(self, seen: _Seen) -> ControllerProcess:
        assert self.port is not None, "the network has not begun"
        return ControllerProcess(
            ["setup_switch", "links_seen"],
            address=self.ip,
            port=self.port,
            fabric=fabric_of(self.ip),
            arguments=["--observe-links"],
            on_line=seen.line,
            patience_s=PATIENCE_S,
        )


def discover(cluster: Cluster, kind: str, count: int) -> Discovery:
    """Start a chain on the cluster's machine, and then its controller here.

    Raises:
        ControllerError: Ryu does not find all switches and links.
    """
    seen = _Seen(count, 2 * (count - 1))
    later = _Later()
    topo = Chain(count=count, switch={"reconnectms": RECONNECT_MS, **SWITCH_KINDS[kind]})
    with Net(topo, cluster=cluster, controller=later, waitConnected=False), later.ryu(seen):
        seen.begin()
        return seen.result()
