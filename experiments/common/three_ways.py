# SPDX-License-Identifier: MIT
"""The dumbbell of figure 6 in real time, in the three arrangements of Obaida and Liu 2017, section 5.2.

* ``peering``: two instances that nothing synchronizes, joined by peering portals.
* ``pcap``: the same instances, joined by emulation portals of libpcap.
* ``mpi``: two processes of an MPI job, synchronized conservatively, and held to the wall clock.

The description, its flows and their instants are the same in all. Flows begin in steps: 1, 2, 4 ... of them. Goodput is
what arrives in a second of the wall clock in the second half of each step. The first two are in step with the wall
clock whatever happens. The third can fall behind; then a step lasts longer, and less arrives in a second.
"""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from hybridnet import Net
from hybridnet.describe.quantities import parse_delay
from hybridnet.errors import ExperimentError
from hybridnet.experiments.common.figure6 import Figure6, received
from hybridnet.machines.cluster import Cluster
from hybridnet.observe.results import Limits, Verdict
from hybridnet.plan.network import PeeringOptions
from hybridnet.run.net.measure import Mark
from hybridnet.simulate.offline import Hosts, simulate
from hybridnet.system.python_command import python_module

__all__ = ["ARMS", "MACHINES", "Round", "Scale", "Step", "run_arm"]

MACHINES = ("m1", "m2")
SENDER, RECEIVER = MACHINES
LOCAL = ipaddress.IPv4Network("198.18.0.0/15")
"""Addresses of machines on this computer."""
SLOWEST = 1.05
"""Wall time of a simulated second: with more, MPI has not kept up."""


@dataclass(frozen=True)
class Scale:
    """What all arms simulate.

    Args:
        steps: how many flows there are in each step, growing.
        kinds: of flows, in turns.
        step_s: how long a step lasts. Simulated seconds.
        lead_s: from the beginning of an instance to the first flow, for the start of a network in real time. Seconds.
        udp_rate, core_delay, exact: as of `Figure6`.
    """

    steps: Sequence[int]
    kinds: Sequence[str]
    step_s: float
    lead_s: float
    udp_rate: str
    core_delay: str
    exact: bool

    def topo(self, lead_s: float) -> Figure6:
        """The network, whose first flow begins after so long."""
        starts = [
            round(lead_s + self.step_s * sum(flow >= flows for flows in self.steps), 6)
            for flow in range(self.steps[-1])
        ]
        return Figure6(starts, self.kinds, self.udp_rate, self.core_delay, self.exact)

    def kind(self, flow: int) -> str:
        """Of a flow, from 0."""
        return self.kinds[flow % len(self.kinds)]


@dataclass(frozen=True)
class Step:
    """What one arm did in one step.

    Args:
        goodput_bps: what arrived in a second of the wall clock, by kind of flow.
        slowdown: wall time of a simulated second.
    """

    flows: int
    goodput_bps: Mapping[str, float]
    slowdown: float = 1.0

    @property
    def total_bps(self) -> float:
        return sum(self.goodput_bps.values())


@dataclass(frozen=True)
class Round:
    """One arm, all steps once.

    Args:
        transit_ns: how long packets took over the cut: median, 99.9th percentile; None: nothing measures it.
        waited_share: of the wall time, in which the parts waited for each other; None: they never do.
    """

    arm: str
    steps: Sequence[Step]
    verdict: Verdict
    transit_ns: tuple[int, int] | None = None
    waited_share: float | None = None


def run_arm(arm: str, cluster: Cluster, scale: Scale) -> Round:
    """Run all steps in one arrangement.

    Raises:
        ExperimentError: a network took so long to start that the first flows had begun.
        HybridnetError: as `Net.start` and `simulate`.
    """
    return ARMS[arm](cluster, scale)


def _live(peering: PeeringOptions, arm: str, cluster: Cluster, scale: Scale) -> Round:
    delay_ns = parse_delay(scale.core_delay, "core delay")
    net = Net(
        scale.topo(scale.lead_s),
        controller=None,
        cluster=cluster,
        peering=peering,
        least_cut_delay_ns=min(delay_ns, 200_000),
        limits=LIMITS,
    )
    with net:
        simulated_s = _instance(net.mark(), SENDER)["time_ns"] / 1e9
        if simulated_s > scale.lead_s:
            raise ExperimentError(
                f"{arm}: the network needed {simulated_s:.1f} s to start, and its flows began after {scale.lead_s:g} s;"
                f" give --lead {simulated_s + 2:.0f}"
            )
        begun = time.monotonic() - simulated_s + scale.lead_s
        first = net.mark()
        steps = []
        for number, flows in enumerate(scale.steps):
            _sleep_until(begun + (number + 0.5) * scale.step_s)
            before = net.mark()
            _sleep_until(begun + (number + 1) * scale.step_s)
            steps.append(_step(scale, flows, before, net.mark()))
        verdict = net.verdict(first)
        peers = _instance(net.mark(), RECEIVER)["peers"]
    transit = (peers[0]["transit_p50_ns"], peers[0]["transit_p999_ns"]) if peers else None
    return Round(arm, steps, verdict, transit)


def _sleep_until(instant_s: float) -> None:
    time.sleep(max(0.0, instant_s - time.monotonic()))


def _instance(mark: Mark, machine: str) -> Mapping[str, Any]:
    [snapshot] = mark.counters[machine]["instances"].values()
    if snapshot is None:
        raise ExperimentError(f"the instance of machine {machine} has ended")
    found: Mapping[str, Any] = snapshot
    return found


def _step(scale: Scale, flows: int, before: Mark, after: Mark) -> Step:
    begun, ended = (_instance(mark, RECEIVER) for mark in (before, after))
    # The instant at which the instance counted: its machine's, which `Mark` has too, was read before it was asked.
    elapsed_s = (ended["time_ns"] - begun["time_ns"]) / 1e9
    first, last = (
        {row["name"]: row["received_bytes"] for row in counted["applications"]} for counted in (begun, ended)
    )
    return Step(flows, _by_kind(scale, flows, lambda name: (last[name] - first[name]) * 8 / elapsed_s))


def _by_kind(scale: Scale, flows: int, rate: Callable[[str], float]) -> dict[str, float]:
    rates = dict.fromkeys(scale.kinds, 0.0)
    for flow in range(flows):
        kind = scale.kind(flow)
        rates[kind] += rate(received(flow, kind)[0])
    return rates


def _mpi(cluster: Cluster, scale: Scale) -> Round:
    half_s = scale.step_s / 2
    [done] = simulate(
        scale.topo(0.0),
        scale.step_s * len(scale.steps),
        mpi=len(MACHINES),
        hosts=hosts_of(cluster),
        real_time=True,
        series=half_s,
    ).replications
    steps = []
    for number, flows in enumerate(scale.steps):
        middle, end = 2 * number, 2 * number + 1
        wall_s = done.sampled_wall_s[end] - done.sampled_wall_s[middle]

        def rate(name: str, middle: int = middle, end: int = end, wall_s: float = wall_s) -> float:
            counted = done.series[name, "received_bytes"]
            return (counted[end] - counted[middle]) * 8 / wall_s

        steps.append(Step(flows, _by_kind(scale, flows, rate), wall_s / half_s))
    return Round("mpi", steps, pace_verdict(steps), waited_share=done.waited_share)


def pace_verdict(steps: Sequence[Step]) -> Verdict:
    """Broken where a simulated second took longer than one, which only a synchronized simulation lets happen."""
    late = [step for step in steps if step.slowdown > SLOWEST]
    if not late:
        return Verdict.of([])
    slowest = max(step.slowdown for step in late)
    return Verdict.of(
        [
            f"it fell behind the wall clock from {late[0].flows} flows on: a simulated second took up to "
            f"{slowest:.2f} s; lengthen the delay of the link that is cut, or lower the load"
        ]
    )


def hosts_of(cluster: Cluster) -> Hosts:
    """The machines of a cluster as an MPI job reaches them: by the network between them."""
    shell = (*python_module("hybridnet.cli"), "exec", "--run", cluster.journal.run)
    address = ipaddress.IPv4Address(cluster.address(SENDER))
    network = str(ipaddress.IPv4Network(f"{address}/24", strict=False)) if address in LOCAL else None
    return Hosts(MACHINES, shell, network)


LIMITS = Limits(late_packets_fraction=1.0)
"""Packets may be late at the cut, as the paper's are; by how much is told beside."""

ARMS: Mapping[str, Callable[[Cluster, Scale], Round]] = {
    "peering": partial(_live, PeeringOptions(), "peering"),
    "pcap": partial(_live, PeeringOptions(transport="pcap", authenticated=False), "pcap"),
    "mpi": _mpi,
}
