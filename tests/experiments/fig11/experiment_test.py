# SPDX-License-Identifier: MIT
"""Figure 11 from given climbs: what is offered, what carrying it means, what is written down. The arm is not built."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hybridnet.cli.main import Parser
from hybridnet.errors import UsageError
from hybridnet.experiments.fig11 import experiment as fig11
from hybridnet.experiments.fig11.experiment import LEAST_OF_FULL_LINK, offered_bps
from hybridnet.experiments.maxinet.report import MET_FRACTION, ArmRound
from hybridnet.experiments.maxinet.scale import PAPER, Scale
from hybridnet.experiments.maxinet.staircase import Second, Stay, counted_seconds, step_result
from hybridnet.observe.results import Check, Verdict
from hybridnet.plan.network import MachineSpec

LATE = Verdict.of(["m1 ran 2 ms late"])
MACHINES = [
    MachineSpec(name, f"10.0.0.{at}", kernel_datapath=True) for at, name in enumerate(("m1", "m2"), 1)
]


def test_tcp_is_offered_what_udp_leaves_of_the_link() -> None:
    assert offered_bps(PAPER, 8) == {"tcp": 8e9, "udp": 0.8e9}
    datagrams_bps = 16 * 100e6 * (14 + 20 + 8 + 1400) / 1400
    segments = (1514 - 14 - 20 - 32) / 1514
    assert offered_bps(PAPER, 16) == {
        "tcp": pytest.approx((10e9 - datagrams_bps) * segments),
        "udp": 16 * 100e6,
    }


def run_of(
    out: Path, *words: str, tcp: float = 1.0, udp: float = 1.0, verdict: Verdict | None = None
) -> list[Check]:
    """A run in which every second brings these parts of what is offered."""
    parser = Parser()
    parser.add_argument("--json", action="store_true")
    fig11.add_arguments(parser)
    arguments = parser.parse_args(["--out", str(out), *words])
    arguments.cluster = lambda machines: contextlib.nullcontext(machines)

    def climb(arm: Any, scale: Scale, tick: Callable[[str, float], None]) -> ArmRound:
        each_s = scale.seconds_per_step
        stays = [Stay(step, step * each_s, each_s) for step in range(len(scale.steps))]
        seconds = []
        for stay in stays:
            offered = offered_bps(scale, scale.steps[stay.step])
            arrives = tcp * offered["tcp"], udp * offered["udp"]
            seconds += [Second(stay.begin_s + at + 0.5, 1.0, *arrives, 0.1) for at in range(each_s)]
        return ArmRound(
            arm="hybrid",
            stays=stays,
            steps=[step_result(counted_seconds(seconds, stay), scale, stay.step) for stay in stays],
            seconds=seconds,
            verdicts=[verdict or Verdict.of([])] * len(stays),
            again=[],
            processors=[],
            boot_s=1.0,
            stalls=0,
            stalled_s=0.0,
            settings={},
            flows={"clients": {}},
        )

    arm = SimpleNamespace()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fig11, "HybridArm", lambda *_: contextlib.nullcontext(arm))
        patch.setattr(fig11, "machine_specs", lambda cluster: MACHINES)
        patch.setattr(fig11, "climb", climb)
        return fig11.run(arguments)


def test_a_network_that_carries_what_is_offered_holds_and_writes_it_down(tmp_path: Path) -> None:
    checks = run_of(tmp_path / "out", "--flows", "8", "16")
    assert [check.holds for check in checks] == [True, True]
    assert [check.what for check in checks] == [
        "8 + 8 flows: all is carried",
        "16 + 16 flows: UDP is carried, and TCP fills the link",
    ]
    steps = json.loads((tmp_path / "out" / "steps.json").read_text())
    assert [(step["flows"], step["verdict"]["word"]) for step in steps] == [(8, "trusted"), (16, "trusted")]
    assert len((tmp_path / "out" / "seconds.csv").read_text().splitlines()) == 1 + 2 * 3
    assert (tmp_path / "out" / "fig11.png").stat().st_size > 0


@pytest.mark.parametrize(
    ("words", "lacks"),
    [
        (["--flows", "8"], {"tcp": MET_FRACTION - 0.01}),
        (["--flows", "8"], {"udp": MET_FRACTION - 0.01}),
        (["--flows", "16"], {"tcp": LEAST_OF_FULL_LINK - 0.01}),
        (["--flows", "16"], {"udp": MET_FRACTION - 0.01}),
    ],
)
def test_what_is_offered_and_does_not_arrive_breaks_the_promise(
    tmp_path: Path, words: list[str], lacks: dict[str, float]
) -> None:
    [check] = run_of(tmp_path / "out", *words, **lacks)  # type: ignore[arg-type]
    assert not check.holds
    assert not check.disturbed


def test_a_step_that_is_not_trusted_may_be_tried_again(tmp_path: Path) -> None:
    [check] = run_of(tmp_path / "out", "--flows", "1", verdict=LATE)
    assert (check.holds, check.disturbed) == (False, True)


def test_a_full_computer_promises_nothing(tmp_path: Path) -> None:
    full = Verdict.of([], saturated=["the processor was busy"])
    [check] = run_of(tmp_path / "out", "--flows", "1", verdict=full, tcp=0.5, udp=0.5)
    assert check.holds


def test_quick_has_small_trees(tmp_path: Path) -> None:
    assert len(run_of(tmp_path / "out", "--quick")) == 2
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["scale"]["depth"] == 2


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--flows", "2", "1"], "write ascending numbers"),
        (["--flows", "33"], "need 66 hosts"),
        (["--seconds-per-step", "2"], "2 s per step is too short"),
    ],
)
def test_a_staircase_that_cannot_be_is_refused(tmp_path: Path, words: list[str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        run_of(tmp_path / "out", *words)
