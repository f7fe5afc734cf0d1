# SPDX-License-Identifier: MIT
from __future__ import annotations

import argparse
import csv
import json
import re
from pathlib import Path

import pytest

from hybridnet.errors import UsageError
from hybridnet.experiments.mm1 import experiment as mm1
from hybridnet.observe.results import Check


def reproduce(out: Path, *options: str) -> list[Check]:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    mm1.add_arguments(parser)
    return mm1.run(parser.parse_args(["--out", str(out), "--json", *options]))


def test_the_papers_experiment_agrees_with_theory(tmp_path: Path) -> None:
    checks = reproduce(tmp_path / "run")
    assert [check.what.split(":")[0] for check in checks] == [
        "M/M/1",
        "M/M/2",
        "M/D/1",
        "M/M/1/5",
        "M/M/1/5",
        "M/M/1",
    ]
    assert [check for check in checks if not check.holds] == []


def test_the_number_of_threads_changes_nothing(tmp_path: Path) -> None:
    small = ("--seeds", "5", "--jobs", "500")
    alone = reproduce(tmp_path / "alone", *small, "--threads", "1")
    together = reproduce(tmp_path / "together", *small, "--threads", "4")
    assert [check.measured for check in alone] == [check.measured for check in together]


def test_everything_is_written(tmp_path: Path) -> None:
    reproduce(tmp_path / "run", "--seeds", "3", "--jobs", "200")
    written = {path.name for path in (tmp_path / "run").iterdir()}
    assert {"manifest.json", "mm1.json", "mm1.png", "replications.csv", "jobs_in_system.csv"} <= written
    assert {"mm1.sca", "mm1.vec", "mm1.jsonl", "mm2.sca", "md1.vec", "mm15.sca", "mm1.parquet"} <= written
    with (tmp_path / "run" / "replications.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["system"] == "M/M/1"]
    assert [row["seed"] for row in rows] == ["1", "2", "3"]
    samples = (tmp_path / "run" / "mm1.vec").read_text().splitlines()
    assert samples[0] == "version 3"
    assert sum(line.startswith("0\t") for line in samples) == 200
    responses = json.loads((tmp_path / "run" / "mm1.json").read_text())["response_s"]
    assert responses["M/M/1"]["theory"] == pytest.approx(6.0)


def test_one_run_has_no_interval(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--seeds 1"):
        reproduce(tmp_path / "run", "--seeds", "1")


@pytest.mark.parametrize("option", ["--seeds", "--jobs", "--threads"])
def test_numbers_that_no_computer_could_run_are_refused_before_anything_is_written(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises((UsageError, SystemExit)) as refused:
        reproduce(tmp_path / "run", option, str(10**20))
    said = f"{refused.value} {capsys.readouterr().err}"
    assert re.search(f"{option}.*{10**20}.*is not a whole number from [12] to [0-9]+", said)
    assert not (tmp_path / "run").exists()
