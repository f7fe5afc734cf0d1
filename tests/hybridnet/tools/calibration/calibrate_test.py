# SPDX-License-Identifier: MIT
"""Every computer of a cluster is measured once, by the first of its machines."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from hybridnet.system.processor import computer as this_computer
from hybridnet.tools.calibration import calibrate, computers_of, named_facts
from hybridnet.tools.calibration.calibrate import without_around
from hybridnet.tools.forecast.costs import Cost
from tests.hybridnet.tools.calibration.bench_test import KNOWN
from tests.hybridnet.tools.calibration.known_computer import KnownComputer

ELSEWHERE = {"hostname": "far", "cpus": list(range(8)), "kernel_datapath": False, "afxdp": False}


class Machines:
    """What calibration asks of a cluster: on which computer each machine is, and what that has."""

    def __init__(self, computers: Mapping[str, str]) -> None:
        self._computers = computers

    @property
    def machines(self) -> list[str]:
        return list(self._computers)

    def call_all(self, asked: Mapping[str, tuple[str, Any]]) -> dict[str, Any]:
        assert {verb for verb, _ in asked.values()} == {"capacity"}
        return {machine: {"computer": self._computers[machine]} for machine in asked}

    def facts(self, machine: str) -> dict[str, Any]:
        return {**FACTS, **ELSEWHERE}


FACTS: dict[str, Any] = named_facts(Machines({}), "m1", this_computer())[1]  # type: ignore[arg-type]


def test_machines_are_told_by_the_computer_they_are_on() -> None:
    cluster = Machines({"m1": "boot1", "m2": "boot2", "m3": "boot1"})
    assert computers_of(cluster) == {"boot1": ["m1", "m3"], "boot2": ["m2"]}  # type: ignore[arg-type]


def test_this_computer_has_its_own_host_name_and_others_have_what_they_say() -> None:
    cluster: Any = Machines({"m1": this_computer(), "m2": "boot2"})
    assert named_facts(cluster, "m1", this_computer())[0] == socket.gethostname()
    assert named_facts(cluster, "m2", "boot2")[0] == "far"


def test_a_computer_is_measured_with_the_way_to_another_machine() -> None:
    told: list[str] = []
    cluster: Any = Machines({"m1": "boot1", "m2": "boot1"})
    computer = KnownComputer(KNOWN, way="udp")
    before = datetime.now(UTC).replace(microsecond=0)
    [costs] = calibrate(cluster, computer, quick=True, tell=told.append)
    assert (costs.computer, costs.quick, costs.disturbed, costs.idle_cores) == ("far", True, False, 0.125)
    assert before <= datetime.fromisoformat(costs.measured_at) <= datetime.now(UTC)
    assert "peering.udp" in costs.elements
    assert told
    assert all(line.startswith("far: ") for line in told)


def test_one_machine_alone_has_no_way_to_another() -> None:
    [costs] = calibrate(Machines({"m1": "boot1"}), KnownComputer(KNOWN))  # type: ignore[arg-type]
    assert [name for name in costs.elements if name.startswith("peering.")] == ["peering.shm"]


def test_what_runs_beside_on_a_disturbed_computer_counts_as_nothing() -> None:
    cluster: Any = Machines({"m1": "boot1"})
    [costs] = calibrate(cluster, KnownComputer(KNOWN, processors=8, busy=0.15 * 8 + 0.5))
    assert costs.disturbed
    assert costs.idle_cores == 0.0
    around = [
        cost
        for of_element in costs.elements.values()
        for of_protocol in of_element.values()
        for whose, cost in of_protocol.items()
        if whose == "around"
    ]
    assert around
    assert set(around) == {Cost()}
    assert costs.elements["sender.veth"]["tcp"]["thread"] != Cost()


def test_costs_of_threads_stay_without_what_is_around() -> None:
    elements = {"portal": {"tcp": {"thread": Cost(unit_ns=5.0), "around": Cost(burst_ns=7.0)}}}
    assert without_around(elements) == {"portal": {"tcp": {"thread": Cost(unit_ns=5.0), "around": Cost()}}}
