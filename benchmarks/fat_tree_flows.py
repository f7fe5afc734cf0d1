# SPDX-License-Identifier: MIT
"""A fat tree (k = 8) of simulated routers, and a TCP flow from each of its 128 hosts to the one 64 further on.

::

    16 core routers, 10 Gbit/s, 10 us
     8 pods of 4 aggregation and 4 edge routers
     4 hosts at each edge router, 100 Mbit/s, 10 us, one packet in 10,000 lost

`hybridnet simulate benchmarks/fat_tree_flows.py --until 50ms --seeds 10` simulates it; `ns3_fat_tree.py` compares.
"""

from __future__ import annotations

from typing import Any

from hybridnet import Topo

PORTS = 8
HALF = PORTS // 2
HOSTS = PORTS * HALF * HALF
PORT = 5001
EXACT: dict[str, Any] = {"delay": "10us", "overhead": 24, "train_limit": "0ms"}
TCP: dict[str, Any] = {"preset": "linux", "longest_train": 1, "ack_per_train": False}


class FatTree(Topo):
    """Single segments, as ns-3 has no others."""

    def build(self) -> None:
        fabric = {"bw": 10_000, "max_queue_size": 1000, **EXACT}
        access = {"bw": 100, "max_queue_size": 100, "loss": 0.01, **EXACT}
        for number in range(HALF * HALF):
            self.addSimRouter(f"c{number}")
        for layer in "ae":
            for number in range(PORTS * HALF):
                self.addSimRouter(f"{layer}{number}")
        for number in range(PORTS * HALF):
            for up in range(HALF):
                self.addLink(f"a{number}", f"c{number % HALF * HALF + up}", **fabric)
                self.addLink(f"e{number}", f"a{number // HALF * HALF + up}", **fabric)
        for number in range(HOSTS):
            far = f"h{(number + HOSTS // 2) % HOSTS}"
            flow = {"kind": "tcp_bulk", "destination": far, "port": PORT, "tcp": TCP}
            sink = {"kind": "tcp_discard", "port": PORT, "tcp": TCP}
            self.addSimHost(f"h{number}", applications=[flow, sink])
            self.addLink(f"h{number}", f"e{number // HALF}", **access)
