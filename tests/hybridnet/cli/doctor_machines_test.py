# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hybridnet.cli.doctor_machines import Way, examine_machines, measure_ways, opinions_of
from hybridnet.errors import MachineError

GOOD = Way("m1", "m2", 1e-4, 9e9, 9e9, 0.001, 20.0, 5.0, 0)


def test_a_good_way_has_nothing_worth_knowing() -> None:
    assert opinions_of(GOOD) == []


@pytest.mark.parametrize(
    ("way", "says"),
    [
        (replace(GOOD, rtt_s=2e-3), "--cut-delay 2ms"),
        (replace(GOOD, back_bps=94e6), "all cut links share 94 Mbit/s"),
        (replace(GOOD, clock_offset_s=-3.5), "times of day differ by -3.5 s"),
        (replace(GOOD, drift_ppm=-400.0), "drift apart by -400 ppm"),
        (replace(GOOD, lost=3), "3 datagrams were lost"),
    ],
)
def test_what_is_wrong_comes_with_its_cure(way: Way, says: str) -> None:
    [opinion] = opinions_of(way)
    assert says in opinion
    assert "→" in opinion


def test_a_drift_within_its_error_is_none() -> None:
    assert opinions_of(replace(GOOD, drift_ppm=150.0, drift_error_ppm=80.0)) == []


Ended = tuple[int, str, str]
"""Status, output and errors of a program."""


class Machines:
    """Two machines whose programs end as told, by a word of their command line."""

    machines = ("m1", "m2")

    def __init__(self, **ended: Ended) -> None:
        self.ended: dict[str, Ended] = {
            "doctor": (0, "[]", ""),
            "route": (0, json.dumps([{"dev": "eth7"}]), ""),
            "cat": (0, "1500\n", ""),
            "ethtool": (0, OFFLOADS, ""),
            "measure": (0, json.dumps(MEASURED), ""),
            **ended,
        }
        self.listening: bytes | None = b'{"port": 4711}\n'
        self.closed: list[int] = []

    def facts(self, machine: str) -> dict[str, Any]:
        return {"executable": "python3", "kernel": "6.1"}

    def address(self, machine: str) -> str:
        return f"192.0.2.{self.machines.index(machine) + 1}"

    def call_all(self, calls: dict[str, tuple[str, dict[str, Any]]]) -> dict[str, Any]:
        return {machine: self.call(machine, verb, **told) for machine, (verb, told) in calls.items()}

    def call(self, machine: str, verb: str, **told: Any) -> Any:
        answers: dict[str, Callable[..., Any]] = {
            "exec": self._exec,
            "start_process": lambda **_: {"number": 7},
            "write_process": lambda **_: None,
            "read_process": lambda **_: self.listening,
            "close_process": lambda number: self.closed.append(number),
        }
        return answers[verb](**told)

    def _exec(self, argv: list[str], **_: Any) -> dict[str, Any]:
        [word] = [word for word in self.ended if word in argv]
        status, out, err = self.ended[word]
        return {"status": status, "stdout": out.encode(), "stderr": err.encode()}


OFFLOADS = "".join(
    f"{name}: on\n" for name in ("tcp-segmentation-offload", "generic-receive-offload", "tx-checksumming")
)
MEASURED = {
    "rtt_s": 1e-4,
    "bandwidth_bps": 9e9,
    "clock_offset_s": 0.0,
    "drift_ppm": 1.0,
    "drift_error_ppm": 2.0,
    "lost": 1,
}


def examined(**ended: Ended) -> dict[str, tuple[str, str]]:
    machines: Any = Machines(**ended)
    return {finding.what: (finding.state, finding.found) for finding in examine_machines(machines)["m1"]}


def test_the_device_toward_the_other_machine_is_looked_at() -> None:
    assert examined() == {
        "kernel": ("has", "6.1"),
        "MTU between machines": ("has", "eth7, 1500 bytes"),
        "offloads between machines": (
            "has",
            "tcp-segmentation-offload, generic-receive-offload, tx-checksumming",
        ),
    }


def test_short_frames_and_offloads_that_are_off_are_notes() -> None:
    found = examined(
        cat=(0, "1499\n", ""),
        ethtool=(0, OFFLOADS.replace("generic-receive-offload: on", "generic-receive-offload: off"), ""),
    )
    assert found["MTU between machines"] == ("note", "eth7, 1499 bytes")
    assert found["offloads between machines"] == ("note", "without generic-receive-offload")


def test_a_program_that_fails_on_a_machine_is_an_error_that_quotes_it() -> None:
    with pytest.raises(MachineError, match="machine m1: doctor: no such module"):
        examined(doctor=(1, "", "no such module"))
    with pytest.raises(MachineError, match="machine m1: `ethtool -k eth7` failed: not there"):
        examined(ethtool=(127, "", "not there"))


def test_each_pair_is_measured_both_ways() -> None:
    machines: Any = Machines()
    told: list[str] = []
    [way] = measure_ways(machines, told.append)
    assert told == ["m1 and m2"]
    assert (way.a, way.b, way.bandwidth_bps, way.back_bps, way.lost) == ("m1", "m2", 9e9, 9e9, 1 + 1)
    assert way.to_json()["opinions"] == opinions_of(way)
    assert machines.closed == [7, 7]


def test_machines_that_do_not_reach_each_other_are_named_and_nothing_goes_on() -> None:
    machines: Any = Machines(measure=(1, "", "no route to host"))
    with pytest.raises(MachineError, match=r"machine m1 does not reach m2 at 192.0.2.2: no route to host"):
        measure_ways(machines, lambda pair: None)
    assert machines.closed == [7]
    machines.listening = None
    with pytest.raises(MachineError, match=r"machine m2: it cannot listen at 192.0.2.2"):
        measure_ways(machines, lambda pair: None)
    assert machines.closed == [7, 7]
