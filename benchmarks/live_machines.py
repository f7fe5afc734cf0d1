# SPDX-License-Identifier: MIT
"""A big described network on machines that make nothing, every link of which carries something new at each look."""

from __future__ import annotations

import base64
import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from hybridnet import Net, Topo
from hybridnet.run.live.figures import FIGURES
from tests.hybridnet.run.net.support import FakeCluster, counters

__all__ = ["busy_network"]

FANOUT = 8


class Simulated(Topo):
    """A tree of simulated switches with hosts at its leaves, so many nodes in all, over two machines."""

    def build(self, nodes: int = 5000) -> None:  # type: ignore[override]
        for side in (1, 2):
            half = nodes // 2
            inner = (half - 1 + FANOUT - 1) // FANOUT
            names = [f"{'s' if at < inner else 'v'}{side}-{at}" for at in range(half)]
            for at, name in enumerate(names):
                (self.addSimSwitch if at < inner else self.addSimHost)(name, machine=f"m{side}")
                if at > 0:
                    self.addLink(names[(at - 1) // FANOUT], name, bw=100)
        self.addLink("s1-0", "s2-0", bw=1000, delay="5ms")


class Busy(FakeCluster):
    """Machines whose links all carry something."""

    def __init__(self) -> None:
        super().__init__("m1", "m2")
        self.looks = 0
        self.chance = np.random.default_rng(1)
        self.plans: dict[str, Any] = {}
        self.sums: dict[str, Any] = {}

    def _build(self, machine: str, plan: dict[str, Any], controllers: bool) -> dict[str, float]:
        self.plans[machine] = plan
        return {}

    def _look(self, machine: str, known: dict[str, int]) -> dict[str, Any]:
        self.looks += 1
        [instance] = self.plans[machine]["instances"]
        directions = [(link["name"], way) for link in instance["links"] for way in (True, False)]
        rows = self.sums.setdefault(machine, np.zeros((len(directions), len(FIGURES)), dtype=np.int64))
        rows[:, 2] += 100
        rows[:, 3] += self.chance.integers(0, 6_000_000, len(directions))
        new = known.get(instance["name"]) != 1
        return {
            "time_ns": time.monotonic_ns(),
            "counters": counters(),
            "wires": [],
            "links": {
                instance["name"]: {
                    "generation": 1,
                    "directions": directions if new else None,
                    "figures": base64.b64encode(rows.tobytes()).decode(),
                }
            },
        }


@contextlib.contextmanager
def busy_network(nodes: int) -> Iterator[tuple[Net, Callable[[], int]]]:
    """The network, running; and what says how often its machines were looked at."""
    machines: Any = Busy()
    with Net(Simulated(nodes=nodes), controller=None, cluster=machines) as net:
        yield net, lambda: int(machines.looks)
