# SPDX-License-Identifier: MIT
"""Experiments that simulate in virtual time, as quick as they come: what they write agrees with what was simulated."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hybridnet.cli.main import main
from hybridnet.experiments.asymmetric.experiment import CURVES
from hybridnet.experiments.dumbbell.experiment import STEPS as DUMBBELL_STEPS
from hybridnet.experiments.dumbbell.network import PAYLOAD
from hybridnet.experiments.tcp_friendly.experiment import SIZES

pytestmark = pytest.mark.thorough

PNG = b"\x89PNG"


def reproduced(name: str, out: Path, *options: str) -> list[dict[str, Any]]:
    """The checks of an experiment that ran to its end."""
    code = main(["reproduce", name, "--quick", *options, "--out", str(out)])
    checks: list[dict[str, Any]] = json.loads((out / "checks.json").read_text())
    assert code == (0 if all(check["holds"] for check in checks) else 1)
    return checks


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open() as text:
        return list(csv.DictReader(text))


def pictures_of(out: Path) -> set[str]:
    found = list(out.glob("*.png"))
    assert all(path.read_bytes().startswith(PNG) for path in found)
    return {path.stem for path in found}


def test_asymmetric_has_a_point_for_every_curve_and_loss_and_loss_costs_throughput(tmp_path: Path) -> None:
    reproduced("asymmetric", tmp_path, "--seeds", "1")
    rows = rows_of(tmp_path / "throughput.csv")
    assert Counter(row["curve"] for row in rows) == {str(curve): 4 for curve in CURVES}
    for curve in CURVES:
        mine = {
            float(row["loss"]): float(row["throughput_Bps"]) for row in rows if row["curve"] == str(curve)
        }
        assert list(mine) == [0.0, 0.002, 0.005, 0.01]
        assert mine[0.01] < mine[0.0]
    assert pictures_of(tmp_path) == {"throughput", "cwnd", "cwnd-over-time"}


def test_tcp_friendly_has_a_point_and_a_window_for_every_size_and_loss(tmp_path: Path) -> None:
    reproduced("tcp-friendly", tmp_path, "--seeds", "1")
    rows = rows_of(tmp_path / "throughput.csv")
    losses = [0.0, 0.002, 0.005, 0.01, 0.02, 0.05]
    assert [(int(row["mss"]), float(row["loss"])) for row in rows] == [
        (mss, loss) for mss in SIZES for loss in losses
    ]
    assert {row["finished"] for row in rows} == {row["replications"] for row in rows} == {"1"}
    windows = {path.stem for path in (tmp_path / "cwnd").iterdir()}
    assert windows == {f"{mss}-{loss:g}" for mss in SIZES for loss in losses}
    assert pictures_of(tmp_path) == {"throughput", "cwnd"}


def test_dumbbell_has_the_same_goodput_with_trains_as_with_single_segments(tmp_path: Path) -> None:
    checks = reproduced("dumbbell", tmp_path)
    rows = rows_of(tmp_path / "steps.csv")
    assert [(row["mode"], int(row["flows"])) for row in rows] == [
        (mode, flows) for mode in ("trains", "single segments") for flows in DUMBBELL_STEPS[:3]
    ]
    for row in rows:
        # a train arrives as one, and links cut it at 150 us: 12 of the 12.3 us that a segment takes
        segments = 12 if row["mode"] == "trains" else 1
        half_s = float(row["simulated_s"]) / 2  # the half that counts
        one_arrival_each_bps = int(row["flows"]) * segments * 8 * PAYLOAD / half_s
        assert 0 < float(row["goodput_bps"]) <= float(row["limit_bps"]) + one_arrival_each_bps
    trains, singles = rows[:3], rows[3:]
    apart = max(
        abs(float(train["goodput_bps"]) / float(single["goodput_bps"]) - 1)
        for train, single in zip(trains, singles, strict=True)
    )
    assert checks[2]["measured"] == f"{apart:.2%} apart at most"
    assert pictures_of(tmp_path) == {"goodput"}


def test_fig7_has_one_trace_in_one_part_and_in_two_threads(tmp_path: Path) -> None:
    reproduced("fig7", tmp_path, "--arms", "threads")
    rows = rows_of(tmp_path / "rounds.csv")
    assert [row["arm"] for row in rows] == ["one part", "two threads"]  # which the others are compared with
    assert len({row["events"] for row in rows}) == 1
    assert [row["waited_share"] == "" for row in rows] == [True, False]
    traces = json.loads((tmp_path / "traces.json").read_text())
    assert traces["one part"] == traces["two threads"]
    assert float(rows_of(tmp_path / "staircase.csv")[-1]["time_s"]) == pytest.approx(4 * 0.05)  # steps
    assert pictures_of(tmp_path) == {"fig7"}


def test_differential_holds_the_simulated_ends_against_what_linux_had(tmp_path: Path) -> None:
    checks = reproduced("differential", tmp_path, "--arms", "simulated", "--column", "two lost SYNs")
    assert [check["holds"] for check in checks] == [True]
    rows = rows_of(tmp_path / "columns.csv")
    assert {row["figure"]: float(row["median"]) for row in rows if row["figure"] != "first_data_ms"} == {
        "syns": 3.0,
        "first_flight": 1.0,  # tcp_init_transfer: more than one timeout of the SYN
    }
    assert {row["pairing"] for row in rows} == {"simulated to simulated"}
    assert pictures_of(tmp_path) == {"columns"}


def test_differential_compares_flows_only_where_linux_runs_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(
        [
            "reproduce",
            "differential",
            "--arms",
            "simulated",
            "--only",
            "flows",
            "--out",
            str(tmp_path / "run"),
        ]
    )
    assert code != 0
    assert "flows are compared, and need both arms" in capsys.readouterr().err
