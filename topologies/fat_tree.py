# SPDX-License-Identifier: MIT
"""The three-level fat tree of data centres.

Source: Al-Fares, Loukissas, Vahdat, "A scalable, commodity data center network architecture", SIGCOMM 2008,
section 3. It has loops: between hosts of two pods there are k*k/4 shortest paths.
"""

from __future__ import annotations

from typing import Any

from hybridnet.describe.topo import Topo, TopologyError, size

__all__ = ["FatTreeTopo"]


class FatTreeTopo(Topo):
    """A fat tree of switches with `k` ports: k pods, k*k/4 core switches, k*k*k/4 hosts.

    Switches are numbered core first (s1 ...), then pod by pod: aggregation, edge. Hosts are numbered edge by
    edge.
    """

    def build(self, k: int = 4, **link: Any) -> None:
        if size(k, "fat tree: k") % 2:
            raise TopologyError(f"fat tree: k={k} is not an even number of at least 2; write k=4")
        half = k // 2
        self.reserve(f"fat tree: k={k}", half * half + k * k + k * half * half)
        core = [self.addSwitch(f"s{number}") for number in range(1, half * half + 1)]
        for pod in range(k):
            first = len(core) + pod * k
            aggregation = [self.addSwitch(f"s{first + 1 + index}") for index in range(half)]
            for index, switch in enumerate(aggregation):
                for uplink in core[index * half : (index + 1) * half]:
                    self.addLink(switch, uplink, **link)
            for index in range(half):
                edge = self.addSwitch(f"s{first + 1 + half + index}")
                for switch in aggregation:
                    self.addLink(edge, switch, **link)
                for port in range(half):
                    number = (pod * half + index) * half + port + 1
                    self.addLink(self.addHost(f"h{number}"), edge, **link)
