# SPDX-License-Identifier: MIT
"""Fluid flows in a network that runs in real time: they load a link that real packets cross.

h1 (namespace) -- veth -- portal -- r1 ---- 8 Mbit/s, 1 ms ---- r2 -- portal -- veth -- h2 (namespace)
                                     └───── fluid: 12 Mbit/s ────┘
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hybridnet import Net, Topo
from tests.system.live import only, snapshots
from tests.system.port_type import PORT_TYPE

pytestmark = pytest.mark.system


class Loaded(Topo):
    """Two hosts, and a link between them that is full of fluid."""

    def build(self) -> None:
        for name in ("h1", "h2"):
            self.addHost(name)
        for name in ("r1", "r2"):
            self.addSimRouter(name)
        self.addLink("h1", "r1")
        self.addLink("r1", "r2", bw=8, delay="1ms", max_queue_size=100)
        self.addLink("r2", "h2")
        self.addFluid("r1", "r2", {"model": "constant_rate", "rate": "12 Mbit/s"})


@pytest.fixture
def net() -> Iterator[Net]:
    with Net(Loaded(), port_type=PORT_TYPE) as running:
        yield running


def test_packets_wait_behind_the_fluid_and_its_counters_balance(net: Net) -> None:
    pinged = net["h1"].cmd(f"ping -c 40 -i 0.05 -W 2 {net['h2'].IP()}")
    fluid = only(only(list(snapshots(net).values()))["fluids"])
    assert fluid["name"] == "r1-r2"
    assert fluid["offered_bytes"] == sum(
        fluid[f"{name}_bytes"] for name in ("delivered", "lost", "under_way")
    )
    assert fluid["lost_bytes"] > 0
    # A full queue of 100 packets of 1500 bytes takes 150 ms, and is full after 0.3 s. A third of the requests is lost.
    longest_ms = float(pinged.rpartition("= ")[2].split("/")[2])
    assert longest_ms > 140
