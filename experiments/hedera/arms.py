# SPDX-License-Identifier: MIT
"""The networks that are compared, and how much crosses each: TCP of real hosts, over links shaped by the simulator."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hybridnet import Net, Ryu, Topo
from hybridnet.cluster import Cluster
from hybridnet.controllers.ryu import CONTROLLERS
from hybridnet.errors import HybridnetError
from hybridnet.experiments.hedera.patterns import Pairs
from hybridnet.experiments.openflow_conformance.testbed import TARGETS
from hybridnet.topologies import FatTreeTopo

__all__ = ["ARMS", "Flow", "measure", "network"]

ARMS = {
    "ECMP": "none",
    "Hedera, first fit": "first-fit",
    "Hedera, annealing": "annealing",
    "non-blocking": None,
}
"""By name the scheduler; None: one switch for all hosts."""
QUEUE_PACKETS = 25
DELAY = "100us"
FIRST_PORT = 5201
FLAGS = CONTROLLERS / "hedera_flags.py"


@dataclass(frozen=True)
class Flow:
    """What a flow got."""

    source: int
    target: int
    bps: float


class OneSwitch(Topo):
    """All hosts of a fat tree at one switch, with links as theirs."""

    def build(self, hosts: int, switch: dict[str, Any], **link: Any) -> None:
        self.addSwitch("s1", **switch)
        for number in range(1, hosts + 1):
            self.addLink(self.addHost(f"h{number}"), "s1", **link)


class Tree(FatTreeTopo):
    """A fat tree of switches of one kind."""

    def build(self, k: int, switch: dict[str, Any], **link: Any) -> None:  # type: ignore[override]
        self.sopts = {**self.sopts, **switch}
        super().build(k=k, **link)


@contextlib.contextmanager
def network(
    cluster: Cluster, arm: str, k: int, rate_mbps: float, poll_s: float, target: str
) -> Iterator[Net]:
    """A running network of an arm, in which every host has been heard."""
    link = {"bw": rate_mbps, "delay": DELAY, "max_queue_size": QUEUE_PACKETS}
    scheduler = ARMS[arm]
    if scheduler is None:
        topo: Topo = OneSwitch(hosts=k**3 // 4, switch=TARGETS[target], **link)
        ryu = Ryu("c0", "tree_switch")
    else:
        topo = Tree(k=k, switch=TARGETS[target], **link)
        options = {"scheduler": scheduler, "poll": poll_s, "rate": rate_mbps}
        words = [word for name, value in options.items() for word in (f"--hedera-{name}", str(value))]
        ryu = Ryu("c0", "hedera_switch", arguments=["--user-flags", str(FLAGS), *words])
    with Net(topo, cluster=cluster, controller=ryu) as net:
        [first, *others] = net.hosts
        heard = net.run_all({host.name: f"ping -c 3 -i 0.5 -W 2 {first.IP()}" for host in others})
        silent = [name for name, ping in heard.items() if ping.exit_code]
        if silent:
            raise HybridnetError(f"hedera: {arm}: {first} does not answer {', '.join(silent)}")
        yield net


def measure(net: Net, pairs: Pairs, seconds: float, omitted_s: float) -> list[Flow]:
    """What each flow gets in so many seconds, after others that do not count.

    Raises:
        HybridnetError: a flow fails.
    """
    hosts = net.hosts
    servers = [
        hosts[target].popen(["iperf3", "-s", "-1", "-p", str(FIRST_PORT + source)])
        for source, target in pairs
    ]
    try:
        commands = {
            hosts[
                source
            ].name: f"sleep 0.5; iperf3 -c {hosts[target].IP()} -p {FIRST_PORT + source} -C cubic "
            f"-t {seconds:g} -O {omitted_s:g} -J"
            for source, target in pairs
        }
        said = net.run_all(commands)
    finally:
        for server in servers:
            server.terminate()
            server.wait()
    flows = []
    for source, target in pairs:
        output = said[hosts[source].name].output
        report: dict[str, Any] = json.loads(output) if output.strip().startswith("{") else {"error": output}
        if "error" in report:
            raise HybridnetError(f"hedera: iperf3 from h{source + 1} to h{target + 1}: {report['error']}")
        flows.append(Flow(source, target, report["end"]["sum_received"]["bits_per_second"]))
    return flows
