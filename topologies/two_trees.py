# SPDX-License-Identifier: MIT
"""Two SimpleNets, one per machine, whose roots are joined by the simulator.

    bridged    tree on m1 ─ root ══ simulated link ══ root ─ tree on m2
               one Ethernet, one OpenFlow domain
    routed     tree on m1 ─ root ─ r1 ══ simulated link ══ r2 ─ root ─ tree on m2
               r1 and r2 are the hosts' gateways

This is the network of the two-machine comparison: with depth 6, hosts h1 ... h128 and switches s1 ... s126;
s1 and s64 are the roots.
"""

from __future__ import annotations

from typing import Any

from hybridnet.describe.topo import Topo, TopologyError, side_names
from hybridnet.topologies.tree import add_tree, reserve_trees, switches_in_tree

__all__ = ["TwoTrees"]


class TwoTrees(Topo):
    """Two binary trees of `depth` levels of switches, joined at their roots.

    Args:
        depth: levels of switches in each tree; 2**depth hosts on each side.
        fanout: children of each switch.
        bw, delay, max_queue_size, train_limit: of the simulated link between the trees; `delay` at least
            200us.
        join: ``"bridged"`` or ``"routed"``.
        machines: where the two trees live.

    Example:
        >>> topo = TwoTrees(depth=6)
        >>> len(topo.hosts()), len(topo.switches()), topo.roots
        (128, 126, ('s1', 's64'))
    """

    roots: tuple[str, str]

    def build(
        self,
        depth: int = 2,
        fanout: int = 2,
        bw: Any = None,
        delay: Any = "1ms",
        max_queue_size: Any = None,
        train_limit: Any = None,
        join: str = "bridged",
        machines: tuple[str, str] = ("m1", "m2"),
    ) -> None:
        if join not in ("bridged", "routed"):
            raise TopologyError(f"two trees: join {join!r} does not exist; write 'bridged' or 'routed'")
        reserve_trees(self, "two trees", depth, fanout, 2)
        machines = side_names(machines, "two trees: machines")
        hosts, switches = fanout**depth, switches_in_tree(depth, fanout)
        left = add_tree(self, depth, fanout, machine=machines[0])
        right = add_tree(
            self, depth, fanout, first_host=hosts + 1, first_switch=switches + 1, machine=machines[1]
        )
        self.roots = (left, right)
        ends = self.roots
        if join == "routed":
            ends = (
                self.addSimRouter("r1", machine=machines[0]),
                self.addSimRouter("r2", machine=machines[1]),
            )
            self.addLink(left, "r1")
            self.addLink(right, "r2")
        self.addLink(*ends, bw=bw, delay=delay, max_queue_size=max_queue_size, train_limit=train_limit)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Each host of the first tree with its counterpart in the second."""
        hosts = self.hosts()
        half = len(hosts) // 2
        return list(zip(hosts[:half], hosts[half:], strict=True))
