# SPDX-License-Identifier: MIT
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from hybridnet.experiments.maxinet.processor_time import (
    PARTS,
    ControllerTime,
    Sampled,
    processors_of,
    seconds_per_gb,
)
from hybridnet.experiments.maxinet.staircase import Stay

FIRST, SECOND = Stay(0, 0.0, 3), Stay(1, 3.0, 3)
CORES = 2
TICKS = 100
CONTROLLER = ControllerTime("head", 0.05)


def sample(
    at_s: float, hosts: float, switches: float = 0.0, idle: float = 0.0, stolen: float = 0.0
) -> dict[str, Any]:
    """What had run, and what was idle and stolen, in seconds."""
    ran = {"hosts": hosts, "switches": switches, "instances": 0.0}
    return {
        "monotonic_s": at_s,
        "ran_ns": {part: round(1e9 * seconds) for part, seconds in ran.items()},
        "processor": [0, round(TICKS * idle), round(TICKS * stolen)],
    }


def sampled(computer: str, *samples: Mapping[str, Any], started_s: float = 0.0) -> Sampled:
    return Sampled(computer, CORES, TICKS, samples, started_s)


def test_the_parts_of_a_step_and_the_rest_are_what_was_busy() -> None:
    machine = sampled(
        "a",
        sample(0.0, 0.0),
        sample(1.0, 5.0, idle=9.0),  # the first second counts for nothing
        sample(2.0, 5.5, switches=0.25, idle=9.5),
        sample(3.0, 6.0, switches=0.75, idle=9.75, stolen=0.25),
        sample(4.0, 99.0),  # of the next step
    )
    found = processors_of([machine], replace(CONTROLLER, computer="a"), FIRST)
    busy = CORES - (0.75 + 0.25) / 2
    assert found == pytest.approx(
        {
            "hosts": 0.5,
            "switches": 0.375,
            "instances": 0.0,
            "controller": 0.05,
            "rest": busy - (0.5 + 0.375 + 0.05),
        }
    )
    assert tuple(found) == PARTS
    assert sum(found.values()) == pytest.approx(busy)


def test_machines_of_one_computer_add_their_programs_and_count_the_computer_once() -> None:
    senders = sampled("a", sample(1.0, 0.0), sample(3.0, 0.4, idle=2.0))
    receivers = sampled("a", sample(11.0, 0.0), sample(13.0, 0.2, switches=0.6, idle=2.0), started_s=10.0)
    found = processors_of([senders, receivers], CONTROLLER, FIRST)
    assert (found["hosts"], found["switches"]) == pytest.approx((0.3, 0.3))
    assert sum(found.values()) == pytest.approx(
        CORES - 1.0 + 0.05
    )  # the controller's computer is another one


def test_machines_of_two_computers_count_both() -> None:
    near = sampled("a", sample(1.0, 0.0), sample(3.0, 0.4, idle=2.0))
    far = sampled("b", sample(1.0, 0.0), sample(3.0, 0.4, idle=3.0))
    found = processors_of([near, far], replace(CONTROLLER, computer="b"), FIRST)
    assert sum(found.values()) == pytest.approx((CORES - 1.0) + (CORES - 1.5))


def test_the_rest_is_never_less_than_nothing() -> None:
    machine = sampled("a", sample(1.0, 0.0), sample(3.0, 2.01, idle=2.0))
    assert processors_of([machine], ControllerTime("a", 0.0), FIRST)["rest"] == 0.0


def test_nothing_is_said_of_a_step_without_a_sample_or_without_goodput() -> None:
    machine = sampled("a", sample(1.0, 0.0), sample(3.0, 0.4, idle=2.0))
    assert processors_of([machine], CONTROLLER, SECOND) == {}
    assert seconds_per_gb({"hosts": 0.5}, 0.0) == {}
    assert seconds_per_gb({}, 1e9) == {}


def test_half_a_processor_for_one_gigabit_per_second_is_four_seconds_for_a_gigabyte() -> None:
    assert seconds_per_gb({"hosts": 0.5}, 1e9) == {"hosts": 0.5 / (1e9 / 8 / 1e9)}
