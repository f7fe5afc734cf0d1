# SPDX-License-Identifier: MIT
"""Measures the costs of every computer of a cluster, one after the other."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial

from hybridnet.agent.machine.facts import Facts
from hybridnet.agent.machine.facts import facts as own_facts
from hybridnet.machines.cluster import Cluster
from hybridnet.system.processor import computer as this_computer
from hybridnet.tools.calibration.bench import Bench, Networks, Tell
from hybridnet.tools.forecast.cost_files import facts_of
from hybridnet.tools.forecast.costs import AROUND, Cost, Costs, Element

__all__ = ["calibrate", "computers_of", "named_facts"]


def computers_of(cluster: Cluster) -> dict[str, list[str]]:
    """The machines on each computer, by the name of its present boot."""
    found: dict[str, list[str]] = {}
    answers = cluster.call_all(dict.fromkeys(cluster.machines, ("capacity", {})))
    for machine, answer in answers.items():
        found.setdefault(answer["computer"], []).append(machine)
    return found


def named_facts(cluster: Cluster, machine: str, computer: str) -> tuple[str, Facts]:
    """The host name of the computer that a machine is on, and its facts."""
    if computer == this_computer():  # where a local machine has a host name of its own
        return socket.gethostname(), own_facts()
    facts = cluster.facts(machine)
    return str(facts["hostname"]), facts


def calibrate(
    cluster: Cluster, networks: Networks, *, quick: bool = False, tell: Tell = lambda text: None
) -> list[Costs]:
    """Measure every computer of a cluster, one after the other.

    Args:
        cluster: its machines build nothing else meanwhile.
        networks: runs networks on them, as `networks_on` does.
        quick: a third of the time for each figure, which is coarser.
        tell: called with what is being measured.

    Raises:
        ExperimentError: a program failed; the message quotes it.
        HybridnetError: as `Net.start` does.
    """
    found = []
    for computer, machines in computers_of(cluster).items():
        name, facts = named_facts(cluster, machines[0], computer)
        others = [machine for machine in cluster.machines if machine != machines[0]]
        other = others[0] if others else ""
        bench = Bench(
            networks,
            machines[0],
            other,
            together=other in machines,
            processors=len(facts["cpus"]),
            quick=quick,
            tell=partial(_tell_of, tell, name),
        )
        elements = bench.measure(facts)
        if bench.disturbed:
            elements = without_around(elements)
        idle_cores = 0.0 if bench.disturbed else bench.idle_cores
        measured_at = datetime.now(UTC).isoformat(timespec="seconds")
        found.append(Costs(name, facts_of(facts), measured_at, quick, bench.disturbed, idle_cores, elements))
    return found


def without_around(elements: Mapping[str, Element]) -> dict[str, Element]:
    """The costs where what was busy beside the threads is not the network's alone: it counts as nothing."""
    return {
        element: {
            protocol: {whose: Cost() if whose == AROUND else cost for whose, cost in costs.items()}
            for protocol, costs in of_element.items()
        }
        for element, of_element in elements.items()
    }


def _tell_of(tell: Tell, computer: str, text: str) -> None:
    tell(f"{computer}: {text}")
