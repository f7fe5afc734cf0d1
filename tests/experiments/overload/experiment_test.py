# SPDX-License-Identifier: MIT
"""How the load rises, and which shares of a core make no sense."""

from __future__ import annotations

import itertools

import pytest

from hybridnet.cli.main import Parser, main
from hybridnet.errors import ExperimentError, UsageError
from hybridnet.experiments.overload import experiment as overload
from hybridnet.experiments.overload.experiment import (
    FIRST_PPS,
    MOST_PPS,
    SATURATED,
    STEP,
    ramp_until_saturated,
)
from hybridnet.experiments.overload.load import Load


def up_to(peak_pps: float, asked_pps: int) -> Load:
    """What becomes of a second of frames where no more than the peak get through."""
    received = min(asked_pps, round(peak_pps))
    return Load(asked_pps, asked_pps, float(asked_pps), received, float(received), 0)


def test_the_load_rises_by_steps_until_two_in_a_row_come_more_slowly_than_they_were_sent() -> None:
    peak_pps = FIRST_PPS * STEP**2.5
    ramp = ramp_until_saturated(lambda rate: up_to(peak_pps, rate))
    assert all(
        after.asked_pps == round(before.asked_pps * STEP) for before, after in itertools.pairwise(ramp)
    )
    slow = [load.received_pps < SATURATED * load.sent_pps for load in ramp]
    assert slow == [False] * 3 + [True] * 2  # the fourth is the first above 2.5 steps, at 1 / STEP**0.5


def test_one_load_that_comes_slowly_may_be_a_hiccup() -> None:
    hiccup = round(FIRST_PPS * STEP)
    ramp = ramp_until_saturated(lambda rate: up_to(100 if rate == hiccup else 10 * FIRST_PPS, rate))
    assert ramp[1].received == 100
    assert len(ramp) > 4
    assert max(load.received_pps for load in ramp) == 10 * FIRST_PPS


def test_a_wire_that_nothing_saturates_needs_a_smaller_quota() -> None:
    asked: list[int] = []

    def passed(rate: int) -> Load:
        asked.append(rate)
        return up_to(2 * MOST_PPS, rate)

    with pytest.raises(ExperimentError, match=r"do not saturate the wire; give it less: --quota"):
        ramp_until_saturated(passed)
    assert MOST_PPS / STEP < asked[-1] <= MOST_PPS


@pytest.mark.parametrize("quota", ["0", "0.009", "1.1", "-1", "nan"])
def test_a_quota_is_a_share_of_one_core(quota: str) -> None:
    parser = Parser()
    overload.add_arguments(parser)
    with pytest.raises(UsageError, match=r"--quota .* is not a share of a core; write 0\.01 to 1"):
        overload.run(parser.parse_args(["--quota", quota]))


@pytest.mark.parametrize("size", ["57", "1515"])
def test_frames_that_cannot_be_sent_are_refused_before_anything_is_made(
    size: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reproduce", "overload", "--size", size]) == 2
    assert f"overload: --size {size} is not a whole number from 58 to 1514" in capsys.readouterr().err
