# SPDX-License-Identifier: MIT
"""How long 1,024 hosts and 248 switches on eight machines of this computer take: from the call until every switch has
its controller, then until each host of the first machine has pinged one of another machine.

Each machine has a binary tree of 31 switches with eight hosts at each leaf, and a simulated router, its hosts' gateway.
The routers are a star of links of 5 ms. Goal: up in 60 s. The stages of building are those of the slowest machine;
what is left beside them and the machines is the plan, and waiting for the controllers.
"""

from __future__ import annotations

import time

from benchmarks.boot import await_answers, slowest_stages
from benchmarks.result import Result
from hybridnet import Cluster, Net, Topo

MACHINES = 8
LEVELS = 5
HOSTS_AT_LEAF = 8
UP_S = 60.0
PATIENCE_S = 180.0
SWITCHES = 2**LEVELS - 1
LEAVES = 2 ** (LEVELS - 1)
HOSTS = LEAVES * HOSTS_AT_LEAF


class EightTrees(Topo):
    """A tree of switches on each machine, and a star of routers between them."""

    def build(self) -> None:
        for number in range(MACHINES):
            machine = f"m{number + 1}"
            router = self.addSimRouter(f"r{number + 1}", machine=machine)
            for at in range(1, SWITCHES + 1):
                switch = self.addSwitch(f"s{number * SWITCHES + at}", machine=machine)
                self.addLink(switch, f"s{number * SWITCHES + at // 2}" if at > 1 else router)
            for at in range(HOSTS):
                host = self.addHost(f"h{number * HOSTS + at + 1}", machine=machine)
                self.addLink(host, f"s{number * SWITCHES + LEAVES + at // HOSTS_AT_LEAF}")
            if number:
                self.addLink("r1", router, delay="5ms")

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Each host of the first machine with one of another machine, which take turns."""
        return [(f"h{at + 1}", f"h{(1 + at % (MACHINES - 1)) * HOSTS + at + 1}") for at in range(HOSTS)]


def run() -> list[Result]:
    name = "eight_machines"
    topo = EightTrees()
    began = time.monotonic()
    with Cluster.local([f"m{number + 1}" for number in range(MACHINES)]) as cluster:
        machines_s = time.monotonic() - began
        with Net(topo, cluster=cluster) as net:
            up_s = time.monotonic() - began
            stages = slowest_stages(name, net)
            await_answers(net, topo.pairs, PATIENCE_S)
            pinged_s = time.monotonic() - began
            leaving = time.monotonic()
    rest_s = up_s - machines_s - sum(stage.value or 0.0 for stage in stages)
    return [
        Result(f"{name}/up", up_s, "s", UP_S, less_is_better=True),
        Result(f"{name}/pinged", pinged_s, "s"),
        Result(f"{name}/stage/machines", machines_s, "s"),
        *stages,
        Result(f"{name}/stage/plan_and_controllers", rest_s, "s"),
        Result(f"{name}/removed", time.monotonic() - leaving, "s"),
    ]
