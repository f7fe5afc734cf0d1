# SPDX-License-Identifier: MIT
"""The comparison with MaxiNet from given climbs: which are made, at which demand, what is written down and said.

The arms are not built, and a climb is what is carried at a steady rate until a step is more than that.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hybridnet.cli.main import Parser
from hybridnet.errors import UsageError
from hybridnet.experiments.maxinet import experiment as maxinet
from hybridnet.experiments.maxinet.experiment import ARMS, SECONDS_PER_STEP, demanded
from hybridnet.experiments.maxinet.forecast import Capacity
from hybridnet.experiments.maxinet.processor_time import PARTS
from hybridnet.experiments.maxinet.report import ArmRound
from hybridnet.experiments.maxinet.scale import (
    MET_OF_TRUSTED,
    MET_SHARE,
    MET_STEPS,
    PAPER,
    YARDSTICK_FLOWS,
    Scale,
    met_scale,
)
from hybridnet.experiments.maxinet.staircase import Second, Stay, counted_seconds, step_result
from hybridnet.observe.results import Verdict
from hybridnet.plan.network import MachineSpec

CARRIED_BPS = {
    "hybrid": 800e6,
    "hybrid-simulated": 4e9,
    "maxinet": 80e6,
    "maxinet-patch": 200e6,
    "tunnel": 900e6,
}
BEHIND, AHEAD = Verdict.of(["m1 ran 2 ms late"]), Verdict.of([])
MEETING = [name for name, kind in ARMS.items() if kind.meets]
BOOT_S, STALLS, STALLED_S = 12.5, 3, 0.25


def climb_of(arm: Any, scale: Scale, progress: Callable[[str, float], None]) -> ArmRound:
    """A climb. The hybrid arm is late on its first step when it is full, and not when that is measured again."""
    again = [(Stay(0, 0.0, scale.seconds_per_step), BEHIND)]
    if arm.name != "hybrid" or scale.name == "met":
        again = []
    stays, seconds = [], []
    for number in range(len(again) + len(scale.steps)):
        step = max(0, number - len(again))
        stay = Stay(step, number * scale.seconds_per_step, scale.seconds_per_step)
        demand = scale.demand_bps(scale.steps[step])
        share = min(1.0, CARRIED_BPS[arm.name] / sum(demand.values()))
        seconds += [
            Second(stay.begin_s + at + 0.5, 1.0, share * demand["tcp"], share * demand["udp"], 0.5)
            for at in range(scale.seconds_per_step)
        ]
        stays.append(stay)
        progress(f"{scale.name}, step {step}", scale.seconds_per_step)
    counting = stays[len(again) :]
    return ArmRound(
        arm=arm.name,
        stays=counting,
        steps=[step_result(counted_seconds(seconds, stay), scale, stay.step) for stay in counting],
        seconds=seconds,
        verdicts=[AHEAD] * len(counting),
        again=again,
        processors=[dict.fromkeys(PARTS, 0.4)] * len(counting),
        boot_s=BOOT_S,
        stalls=STALLS if arm.name == "hybrid" else 0,
        stalled_s=STALLED_S,
        settings={"between_switches": "patch ports"},
        flows={"clients": {}},
    )


def unbuilt(kind: Any) -> Any:
    """An arm that is entered and left, but has no network."""

    class Unbuilt(kind):
        def __enter__(self) -> Any:
            self.net = SimpleNamespace(plan=object())
            return self

        def __exit__(self, *_: object) -> None:
            pass

    return Unbuilt


class Comparison:
    """One run of the experiment."""

    def __init__(self, out: Path, forecast: Capacity | UsageError, *words: str) -> None:
        self.out = out
        self.climbed: list[tuple[str, Scale]] = []
        parser = Parser()
        parser.add_argument("--json", action="store_true")
        maxinet.add_arguments(parser)
        arguments: argparse.Namespace = parser.parse_args(["--out", str(out), *words])
        arguments.cluster = lambda machines: contextlib.nullcontext(machines)

        def climb(arm: Any, scale: Scale, progress: Callable[[str, float], None]) -> ArmRound:
            self.climbed.append((arm.name, scale))
            return climb_of(arm, scale, progress)

        def forecast_capacity(*_: object) -> Capacity:
            if isinstance(forecast, UsageError):
                raise forecast
            return forecast

        machines = [
            MachineSpec(name, f"10.0.0.{at}", kernel_datapath=True) for at, name in enumerate(("m1", "m2"), 1)
        ]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(maxinet, "ARMS", {name: unbuilt(kind) for name, kind in ARMS.items()})
            patch.setattr(maxinet, "machine_specs", lambda cluster: machines)
            patch.setattr(maxinet, "climb", climb)
            patch.setattr(maxinet, "forecast_capacity", forecast_capacity)
            self.checks = maxinet.run(arguments)

    def written(self, file: str) -> Any:
        return json.loads((self.out / file).read_text())

    def rows(self, file: str) -> list[dict[str, str]]:
        with (self.out / file).open() as text:
            return list(csv.DictReader(text))


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    """Two rounds where no computer is calibrated."""
    return Comparison(tmp_path_factory.mktemp("a") / "run", UsageError("no costs of here"), "--rounds", "2")


pytestmark = pytest.mark.thorough


def test_in_every_round_each_arm_is_filled_and_those_that_can_meet_a_demand_meet_it(
    measured: Comparison,
) -> None:
    of_a_round = [
        (name, scale)
        for name in ARMS
        for scale in ("capacity", "met")
        if scale == "capacity" or name in MEETING
    ]
    assert "tunnel" not in MEETING
    climbed = [(name, "met" if scale.name == "met" else "capacity") for name, scale in measured.climbed]
    assert climbed == 2 * of_a_round


def test_without_a_forecast_the_demand_to_meet_is_a_part_of_what_the_hybrid_arm_carried(
    measured: Comparison,
) -> None:
    # Eight flows of each kind ask for more than it carries.
    assert CARRIED_BPS["hybrid"] < sum(PAPER.demand_bps(YARDSTICK_FLOWS).values())
    [met] = {scale for _, scale in measured.climbed if scale.name == "met"}
    asked_bps = sum(met.demand_bps(MET_STEPS[-1]).values())
    a_tenth_of_a_mbps = 1e5  # to which rates are rounded down
    most_bps = MET_SHARE * CARRIED_BPS["hybrid"]
    assert most_bps - 2 * MET_STEPS[-1] * a_tenth_of_a_mbps < asked_bps <= most_bps
    assert measured.written("comparison.json")["met"]["scale"]["tcp_rate_bps"] == met.tcp_rate_bps


def test_each_climb_is_kept_with_its_steps_its_seconds_and_what_was_measured_again(
    measured: Comparison,
) -> None:
    for round_ in ("round-1", "round-2"):
        folders = {
            str(file.parent.relative_to(measured.out / round_))
            for file in measured.out.glob(f"{round_}/*/*/*")
        }
        assert folders == {f"{name}/capacity" for name in ARMS} | {f"{name}/met" for name in MEETING}
    kept = measured.written("round-2/hybrid/capacity/steps.json")
    assert [step["flows"] for step in kept["steps"]] == list(PAPER.steps)
    assert (kept["boot_s"], kept["stalls"], kept["stalled_s"]) == (BOOT_S, STALLS, STALLED_S)
    [again] = kept["again"]
    assert (again["step"], again["verdict"]["word"]) == (0, "broken")
    rows = measured.rows("round-2/hybrid/capacity/seconds.csv")
    assert len(rows) == (len(PAPER.steps) + 1) * SECONDS_PER_STEP
    full = float(rows[-1]["tcp_bps"]) + float(rows[-1]["udp_bps"])
    assert full == pytest.approx(CARRIED_BPS["hybrid"])
    assert measured.written("round-2/hybrid/capacity/iperf3.json") == {"clients": {}}


def test_the_comparison_has_every_step_of_both_scales_and_the_checks(measured: Comparison) -> None:
    found = measured.written("comparison.json")
    assert [step["flows"] for step in found["capacity"]["steps"]] == list(PAPER.steps)
    assert [step["flows"] for step in found["met"]["steps"]] == list(MET_STEPS)
    widest = found["capacity"]["steps"][-1]["total_bps"]
    assert widest == pytest.approx(CARRIED_BPS)
    assert [check["what"] for check in found["checks"]] == [check.what for check in measured.checks]
    assert len(measured.rows("capacity.csv")) == len(PAPER.steps)
    assert len(measured.rows("met.csv")) == len(MET_STEPS)
    for picture in ("comparison", "met", "costs", "over_time"):
        assert (measured.out / f"{picture}.png").read_bytes().startswith(b"\x89PNG")


def test_with_a_forecast_the_demand_to_meet_also_stays_trusted_by_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    forecast = Capacity(full_bps=2_000_000_000, full="the processors of m1", trusted_bps=400_000_000)
    assert MET_OF_TRUSTED * forecast.trusted_bps < MET_SHARE * forecast.full_bps
    link = ["--link-rate", "1 Gbit/s", "--link-delay", "20 ms"]
    done = Comparison(tmp_path / "run", forecast, "--rounds", "1", "--seconds-per-step", "5", *link)
    assert {(scale.link_rate_bps, scale.link_delay_ns) for _, scale in done.climbed} == {(10**9, 20 * 10**6)}
    assert {scale.seconds_per_step for _, scale in done.climbed if scale.name != "met"} == {5}
    [met] = {scale for _, scale in done.climbed if scale.name == "met"}
    paper = replace(PAPER, link_rate_bps=10**9, link_delay_ns=20 * 10**6)
    assert met == met_scale(paper, forecast.full_bps, met.seconds_per_step, forecast.trusted_bps)
    assert sum(met.demand_bps(MET_STEPS[-1]).values()) <= MET_OF_TRUSTED * forecast.trusted_bps

    said = " ".join(capsys.readouterr().out.split())
    assert "the hybrid arm carries 2000 Mbit/s of 8 + 8 flows here (full first: the processors of m1)" in said
    assert "400 Mbit/s of 16 + 16 stay trusted" in said
    assert f"capacity, 1 + 1 flows: hybrid, round 1: measured again, as it was {BEHIND}" in said
    assert said.count("measured again") == 1
    assert (
        f"hybrid: the computer kept instances from running {STALLS} times, {1e3 * STALLED_S:.0f} ms in all"
        in said
    )
    for name in ARMS:
        assert f"{name}: up in {BOOT_S} s; " in said
    assert f"run directory: {done.out}" in said


def test_what_is_planned_for_is_the_hybrid_arm_and_the_papers_widest_step() -> None:
    topo, demand = demanded()
    assert len([spec for spec in topo.node_specs() if spec.role == "host"]) == 2 * 2**PAPER.depth
    assert sum(flow.rate_bps for flow in demand.flows) == sum(PAPER.demand_bps(PAPER.steps[-1]).values())
