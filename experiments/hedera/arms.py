# SPDX-License-Identifier: MIT
"""The networks that are compared: switches, links shaped by the simulator, and what schedules flows on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hybridnet import Ryu, Topo
from hybridnet.experiments.common.switch_kinds import SWITCH_KINDS
from hybridnet.observe.results import Verdict
from hybridnet.run.controllers.process import CONTROLLERS
from hybridnet.topologies import FatTreeTopo

__all__ = ["ARMS", "Applications", "Flow", "Measured", "Settings", "controller_of", "topo_of"]

ARMS = {
    "ECMP": "none",
    "Hedera, first fit": "first-fit",
    "Hedera, annealing": "annealing",
    "non-blocking": None,
}
"""By name the scheduler; None: one switch for all hosts."""
QUEUE_PACKETS = 25
DELAY = "100us"
FLAGS = CONTROLLERS / "hedera_flags.py"

Applications = Mapping[str, Sequence[dict[str, Any]]]
"""By the name of a simulated host."""


@dataclass(frozen=True)
class Settings:
    """What all arms have in common.

    Args:
        k: of the fat tree.
        rate_mbps: of every link.
        poll_s: between the scheduler's looks.
        switches: their kind, one of `SWITCH_KINDS`.
        seconds: how long a pattern is measured, after `omitted_s` that do not count.
        lead_s: of a network with simulated hosts, from its beginning to its first flow.
    """

    k: int
    rate_mbps: float
    poll_s: float
    switches: str
    seconds: float
    omitted_s: float
    lead_s: float

    @property
    def hosts(self) -> int:
        return self.k**3 // 4


@dataclass(frozen=True)
class Flow:
    """What a flow got."""

    source: int
    target: int
    bps: float


@dataclass(frozen=True)
class Measured:
    """What the flows of a pattern got, and what that is worth."""

    flows: list[Flow]
    verdict: Verdict

    @property
    def bps(self) -> float:
        return sum(flow.bps for flow in self.flows)


class _Hosts(Topo):
    """Hosts are real, or simulated with the applications that they are given."""

    applications: Applications | None = None

    def addHost(self, name: str, *args: Any, **options: Any) -> str:
        if self.applications is None:
            return super().addHost(name, *args, **options)
        return self.addSimHost(name, applications=list(self.applications.get(name, ())))


class OneSwitch(_Hosts):
    """All hosts of a fat tree at one switch, with links as theirs."""

    def build(
        self, hosts: int, switch: dict[str, Any], applications: Applications | None, **link: Any
    ) -> None:
        self.applications = applications
        self.addSwitch("s1", **switch)
        for number in range(1, hosts + 1):
            self.addLink(self.addHost(f"h{number}"), "s1", **link)


class Tree(_Hosts, FatTreeTopo):
    """A fat tree of switches of one kind."""

    def build(  # type: ignore[override]
        self, k: int, switch: dict[str, Any], applications: Applications | None, **link: Any
    ) -> None:
        self.applications = applications
        self.sopts = {**self.sopts, **switch}
        super().build(k=k, **link)


def topo_of(arm: str, settings: Settings, applications: Applications | None = None) -> Topo:
    """The network of an arm.

    Args:
        applications: of its hosts, which are simulated then; None: they are real.
    """
    link = {"bw": settings.rate_mbps, "delay": DELAY, "max_queue_size": QUEUE_PACKETS}
    common = {"switch": SWITCH_KINDS[settings.switches], "applications": applications, **link}
    if ARMS[arm] is None:
        return OneSwitch(hosts=settings.hosts, **common)
    return Tree(k=settings.k, **common)


def controller_of(arm: str, settings: Settings) -> Ryu:
    """The controller of an arm."""
    scheduler = ARMS[arm]
    if scheduler is None:
        return Ryu("c0", "tree_switch")
    options = {"scheduler": scheduler, "poll": settings.poll_s, "rate": settings.rate_mbps}
    words = [word for name, value in options.items() for word in (f"--hedera-{name}", str(value))]
    return Ryu("c0", "hedera_switch", arguments=["--user-flags", str(FLAGS), *words])
