# SPDX-License-Identifier: MIT
from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hybridnet.experiments.maxinet.experiment import ARMS
from hybridnet.experiments.maxinet.plot import (
    PART_COLOURS,
    TITLES,
    plot_comparison,
    plot_costs,
    plot_met,
    plot_over_time,
)
from hybridnet.experiments.maxinet.processor_time import PARTS
from hybridnet.experiments.maxinet.report import ArmRound, compare
from hybridnet.experiments.maxinet.scale import PAPER
from hybridnet.experiments.maxinet.staircase import Second, Stay, counted_seconds, step_result
from hybridnet.observe.results import Verdict

SCALE = replace(PAPER, name="small", steps=(1, 4), seconds_per_step=3)


def one_round() -> list[ArmRound]:
    """Every arm carries 100 Mbit/s in each second, and its last step is broken, also when it is measured again."""
    stays = [Stay(0, 0.0, 3), Stay(1, 6.0, 3)]
    seconds = [Second(at + 0.5, 1.0, 9e7, 1e7, 0.9) for at in range(9)]
    verdicts = [Verdict.of([]), Verdict.of(["late"])]
    processors = [dict.fromkeys(PARTS, 0.4), {}]
    steps = [step_result(counted_seconds(seconds, stay), SCALE, stay.step) for stay in stays]
    again = [(Stay(1, 3.0, 3), verdicts[-1])]
    return [
        ArmRound(arm, stays, steps, seconds, verdicts, again, processors, 1.0, 0, 0.0, {}, {})
        for arm in TITLES
    ]


@pytest.mark.parametrize("kind", ["comparison", "met", "costs", "over_time"])
def test_each_picture_is_a_png_of_its_own_size(kind: str, tmp_path: Path) -> None:
    picture = tmp_path / f"{kind}.png"
    if kind == "over_time":
        plot_over_time(picture, SCALE, one_round())
    else:
        whole = one_round()
        arms = [run for run in whole if ARMS[run.arm].meets] if kind == "met" else whole
        plots = {"comparison": plot_comparison, "met": plot_met, "costs": plot_costs}
        plots[kind](picture, compare(SCALE, [arms]))
    header = picture.read_bytes()[:24]
    assert header.startswith(b"\x89PNG")
    width, height = (int.from_bytes(header[at : at + 4], "big") for at in (16, 20))
    sizes = {"over_time": (2400, 400), "costs": (1600, 360)}
    assert (width, height) == sizes.get(kind, (960, 360))


def test_each_part_of_the_costs_has_a_colour() -> None:
    assert tuple(PART_COLOURS) == PARTS
