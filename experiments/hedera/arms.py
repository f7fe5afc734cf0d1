# SPDX-License-Identifier: MIT
"""The networks that are compared, and how much crosses each: TCP of real hosts, over links shaped by the simulator."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hybridnet import Net, Ryu, Topo
from hybridnet.cluster import Cluster
from hybridnet.controllers.ryu import CONTROLLERS
from hybridnet.errors import HybridnetError
from hybridnet.experiments.common.programs import PYTHON
from hybridnet.experiments.common.switch_kinds import SWITCH_KINDS
from hybridnet.experiments.hedera import transfer
from hybridnet.experiments.hedera.patterns import Pairs
from hybridnet.topologies import FatTreeTopo

__all__ = ["ARMS", "Flow", "Sinks", "measure", "network"]

ARMS = {
    "ECMP": "none",
    "Hedera, first fit": "first-fit",
    "Hedera, annealing": "annealing",
    "non-blocking": None,
}
"""By name the scheduler; None: one switch for all hosts."""
QUEUE_PACKETS = 25
DELAY = "100us"
PORT = 5201
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
) -> Iterator[Sinks]:
    """A running network of an arm, in which every host has been heard, with a receiver in each."""
    link = {"bw": rate_mbps, "delay": DELAY, "max_queue_size": QUEUE_PACKETS}
    scheduler = ARMS[arm]
    if scheduler is None:
        topo: Topo = OneSwitch(hosts=k**3 // 4, switch=SWITCH_KINDS[target], **link)
        ryu = Ryu("c0", "tree_switch")
    else:
        topo = Tree(k=k, switch=SWITCH_KINDS[target], **link)
        options = {"scheduler": scheduler, "poll": poll_s, "rate": rate_mbps}
        words = [word for name, value in options.items() for word in (f"--hedera-{name}", str(value))]
        ryu = Ryu("c0", "hedera_switch", arguments=["--user-flags", str(FLAGS), *words])
    with Net(topo, cluster=cluster, controller=ryu) as net:
        [first, *others] = net.hosts
        heard = net.run_all({host.name: f"ping -c 3 -i 0.5 -W 2 {first.IP()}" for host in others})
        silent = [name for name, ping in heard.items() if ping.exit_code]
        if silent:
            raise HybridnetError(f"hedera: {arm}: {first} does not answer {', '.join(silent)}")
        sinks = Sinks(net)
        try:
            yield sinks
        finally:
            sinks.close()


class Sinks:
    """A receiver in each host of a running network."""

    def __init__(self, net: Net) -> None:
        self.hosts = net.hosts
        self.script = Path(transfer.__file__).read_text()
        command = [PYTHON, "-c", self.script, "sink", str(PORT)]
        self._running = [host.popen(command, stdin=-1) for host in self.hosts]
        self._answers()

    def received(self) -> list[dict[str, int]]:
        """Of each host, by the sender's address the bytes that have come."""
        for each in self._running:
            each.stdin.write("\n")
            each.stdin.flush()
        return self._answers()

    def _answers(self) -> list[Any]:
        return [json.loads(each.stdout.readline()) for each in self._running]

    def close(self) -> None:
        for each in self._running:
            each.stdin.close()
            each.wait()


def measure(sinks: Sinks, pairs: Pairs, seconds: float, omitted_s: float) -> list[Flow]:
    """What each flow gets in so many seconds, after others that do not count."""
    hosts = sinks.hosts
    sources = [
        hosts[source].popen([PYTHON, "-c", sinks.script, "source", str(hosts[target].IP()), str(PORT)])
        for source, target in pairs
    ]
    time.sleep(omitted_s)
    began, before = time.monotonic(), sinks.received()
    time.sleep(seconds)
    lasted_s, after = time.monotonic() - began, sinks.received()
    for each in sources:
        each.terminate()
        each.wait()
    flows = []
    for source, target in pairs:
        address = str(hosts[source].IP())
        octets = after[target].get(address, 0) - before[target].get(address, 0)
        flows.append(Flow(source, target, 8 * octets / lasted_s))
    return flows
