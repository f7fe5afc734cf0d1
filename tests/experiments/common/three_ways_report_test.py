# SPDX-License-Identifier: MIT
"""Figures 8 to 10 of given rounds: in which order arms run, what is written down, said and drawn."""

from __future__ import annotations

import argparse
import contextlib
import csv
import json
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from hybridnet.cli.main import Parser
from hybridnet.errors import UsageError
from hybridnet.experiments.common import three_ways_report
from hybridnet.experiments.common.three_ways import Round, Scale, Step
from hybridnet.experiments.common.three_ways_report import (
    LABELS,
    QUICK_STEPS,
    STEPS,
    Rounds,
    add_scale_arguments,
    limit_bps,
    plot,
    run_rounds,
)
from hybridnet.observe.results import Verdict, Word
from tests.experiments.pictures import curves_of, figure_of

ARMS = ("mpi", "pcap", "peering")
KINDS = ("udp", "tcp")
LATE = Verdict.of(["it was late"])


def arguments(out: Path, *words: str) -> argparse.Namespace:
    parser = Parser()
    parser.add_argument("--json", action="store_true")
    add_scale_arguments(parser, "figure", ARMS)
    parsed = parser.parse_args(["--out", str(out), *words])
    parsed.cluster = lambda machines: contextlib.nullcontext(machines)
    return parsed


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Scale]]:
    """What was run, in its order. An arm's first round is late, and each carries a Gbit/s more than the one before."""
    done: list[tuple[str, Scale]] = []

    def run_arm(arm: str, machines: Any, scale: Scale) -> Round:
        number = sum(arm == other for other, _ in done)
        done.append((arm, scale))
        goodput = {kind: (1 + number) * 1e9 / len(scale.kinds) for kind in scale.kinds}
        steps = [Step(flows, goodput, 2.0 if arm == "mpi" else 1.0) for flows in scale.steps]
        verdict = Verdict.of([]) if number else LATE
        transit_ns = (10_000 * (1 + number), 50_000) if arm == "peering" else None
        return Round(arm, steps, verdict, transit_ns, 0.25 if arm == "mpi" else None)

    monkeypatch.setattr(three_ways_report, "run_arm", run_arm)
    return done


def test_each_round_begins_with_another_arm(ran: list[tuple[str, Scale]], tmp_path: Path) -> None:
    _, found = run_rounds(arguments(tmp_path / "run", "--rounds", "3"), KINDS, ARMS)
    order = [arm for arm, _ in ran]
    assert [order[at : at + 3] for at in (0, 3, 6)] == [
        ["mpi", "pcap", "peering"],
        ["pcap", "peering", "mpi"],
        ["peering", "mpi", "pcap"],
    ]
    assert {scale.steps for _, scale in ran} == {STEPS}
    assert found.bps("pcap", 0) == 1e9 * median((1, 2, 3))
    assert found.bps("pcap", 0, "udp") == found.bps("pcap", 0) / 2


def test_only_chosen_arms_run_and_quick_is_one_short_round(
    ran: list[tuple[str, Scale]], tmp_path: Path
) -> None:
    run_rounds(arguments(tmp_path / "run", "--quick", "--arms", "peering", "mpi"), KINDS, ARMS)
    assert [arm for arm, _ in ran] == ["mpi", "peering"]
    assert {(scale.steps, scale.step_s) for _, scale in ran} == {(QUICK_STEPS, 0.4)}
    facts = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert json.dumps(["mpi", "peering"]) in json.dumps(facts)


def test_every_step_of_every_round_is_a_row_and_the_worst_verdict_is_said(
    ran: list[tuple[str, Scale]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, found = run_rounds(arguments(tmp_path / "run", "--rounds", "2"), KINDS, ARMS)
    with (tmp_path / "run" / "rounds.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * len(ARMS) * len(STEPS) * len(KINDS)
    assert {(row["arm"], row["wall_s_for_a_simulated_one"]) for row in rows} == {
        ("mpi", "2.0"),
        ("pcap", "1.0"),
        ("peering", "1.0"),
    }
    verdicts = json.loads((tmp_path / "run" / "verdicts.json").read_text())
    assert [each["verdict"]["word"] for each in verdicts] == ["broken"] * 3 + ["trusted"] * 3
    assert found.verdict("pcap").word is Word.BROKEN
    said = " ".join(capsys.readouterr().out.split())
    assert f"{LABELS['pcap']}: {LATE}" in said
    assert (
        f"packets took {median((10, 20)):.0f} us over the cut, 99.9 % at most 50 us, where the link delays 5us"
        in said
    )
    assert said.count("over the cut") == 1  # only peering measures it
    assert said.count("the parts waited for each other in 25% of the time") == 1


def test_a_rate_that_is_none_is_refused_before_anything_runs(
    ran: list[tuple[str, Scale]], tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=r"--udp-rate"):
        run_rounds(arguments(tmp_path / "run", "--udp-rate", "fast"), KINDS, ARMS)
    assert ran == []


def round_of(arm: str, gbps: Mapping[int, float]) -> Round:
    """A round whose UDP flows got a quarter."""
    steps = [Step(flows, {"udp": total * 0.25e9, "tcp": total * 0.75e9}) for flows, total in gbps.items()]
    return Round(arm, steps, Verdict.of([]))


def test_the_picture_has_medians_their_ranges_the_shares_of_kinds_and_the_limit(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    scale = Scale((2, 4), KINDS, 0.5, 4.0, "100 Mbit/s", "5us", False)
    found = Rounds(scale, [round_of("peering", {2: 1.0, 4: last}) for last in (2.0, 3.0, 7.0)])
    path = tmp_path / "figure.png"
    figure = figure_of(monkeypatch, path, lambda: plot(path, "a title", found))
    [panel] = figure.axes
    curves = curves_of(panel)
    assert curves["peering portals: UDP"] == ([2, 4], [0.25, 0.75])
    assert curves["peering portals: TCP"] == ([2, 4], [0.75, 2.25])
    assert curves["limit"] == ([2, 4], [limit_bps(scale, flows) / 1e9 for flows in (2, 4)])
    [bars] = panel.containers
    line, _, [ranges] = bars
    assert list(line.get_ydata()) == [1.0, 3.0]
    assert [segment[:, 1].tolist() for segment in ranges.get_segments()] == [[1.0, 1.0], [2.0, 7.0]]
    assert panel.get_title() == "a title"


def test_flows_of_one_kind_have_no_lines_of_their_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    scale = Scale((2,), ("tcp",), 0.5, 4.0, "100 Mbit/s", "5us", False)
    found = Rounds(scale, [Round("mpi", [Step(2, {"tcp": 1e9})], Verdict.of([]))])
    path = tmp_path / "figure.png"
    figure = figure_of(monkeypatch, path, lambda: plot(path, "TCP", found))
    assert list(curves_of(figure.axes[0])) == ["limit"]
