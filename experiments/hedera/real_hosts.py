# SPDX-License-Identifier: MIT
"""How much crosses a network between real hosts: Linux's TCP, counted by the programs that receive."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hybridnet import Net
from hybridnet.errors import HybridnetError
from hybridnet.experiments.common.programs import PYTHON
from hybridnet.experiments.hedera import transfer
from hybridnet.experiments.hedera.arms import Flow, Measured, Settings, controller_of, topo_of
from hybridnet.experiments.hedera.patterns import Pairs
from hybridnet.machines.cluster import Cluster

__all__ = ["measured"]

PORT = 5201


def measured(
    cluster: Cluster, arm: str, settings: Settings, patterns: Mapping[str, Pairs]
) -> Iterator[tuple[str, Measured]]:
    """Run the patterns one after the other in one network, and yield what each flow of a pattern got."""
    with _network(cluster, arm, settings) as sinks:
        for name, pairs in patterns.items():
            yield name, _measure(sinks, pairs, settings.seconds, settings.omitted_s)


@contextlib.contextmanager
def _network(cluster: Cluster, arm: str, settings: Settings) -> Iterator[_Sinks]:
    """A running network of an arm, in which every host has been heard, with a receiver in each."""
    with Net(topo_of(arm, settings), cluster=cluster, controller=controller_of(arm, settings)) as net:
        [first, *others] = net.hosts
        heard = net.run_all({host.name: f"ping -c 3 -i 0.5 -W 2 {first.IP()}" for host in others})
        silent = [name for name, ping in heard.items() if ping.exit_code]
        if silent:
            raise HybridnetError(f"hedera: {arm}: {first} does not answer {', '.join(silent)}")
        sinks = _Sinks(net)
        try:
            yield sinks
        finally:
            sinks.close()


class _Sinks:
    """A receiver in each host of a running network."""

    def __init__(self, net: Net) -> None:
        self.net, self.hosts = net, net.hosts
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


def _measure(sinks: _Sinks, pairs: Pairs, seconds: float, omitted_s: float) -> Measured:
    """What each flow gets in so many seconds, after others that do not count."""
    hosts = sinks.hosts
    sources = [
        hosts[source].popen([PYTHON, "-c", sinks.script, "source", str(hosts[target].IP()), str(PORT)])
        for source, target in pairs
    ]
    time.sleep(omitted_s)
    first = sinks.net.mark()
    began, before = time.monotonic(), sinks.received()
    time.sleep(seconds)
    lasted_s, after = time.monotonic() - began, sinks.received()
    verdict = sinks.net.verdict(first)
    for each in sources:
        each.terminate()
        each.wait()
    flows = []
    for source, target in pairs:
        address = str(hosts[source].IP())
        octets = after[target].get(address, 0) - before[target].get(address, 0)
        flows.append(Flow(source, target, 8 * octets / lasted_s))
    return Measured(flows, verdict)
