# SPDX-License-Identifier: MIT
from __future__ import annotations

import argparse
import csv
from pathlib import Path

import pytest

from hybridnet.errors import UsageError
from hybridnet.experiments.tlem import experiment as tlem
from hybridnet.experiments.tlem.report import BOUND_NS, CASES


def arguments(out: Path, *options: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    tlem.add_arguments(parser)
    return parser.parse_args(["--out", str(out), "--json", "--no-latency", *options])


def test_every_case_is_measured_in_every_round(tmp_path: Path) -> None:
    checks = tlem.run(arguments(tmp_path / "run", "--rounds", "2", "--packets", "400"))
    with (tmp_path / "run" / "rounds.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * len(CASES)
    assert all(float(row["ns_per_packet"]) > 0 for row in rows)
    assert len(checks) == len(BOUND_NS)
    assert (tmp_path / "run" / "tlem.png").stat().st_size > 0


def test_nothing_to_measure_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--packets 3"):
        tlem.run(arguments(tmp_path / "run", "--packets", "3"))
