# SPDX-License-Identifier: MIT
"""Experiments one after the other, and their table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hybridnet.cli.experiments import Declared
from hybridnet.cli.reproduce_all import Plan, Reproduced, plan_of, reproduce_all, table_of
from hybridnet.observe.results import Check
from hybridnet.observe.results.console import PlainConsole

REAL = Declared("real", "takes what it takes", 900.0, None, 900.0)
HALF = Declared("half", "has a part in virtual time", 600.0, ("--arms", "simulated"), 60.0)
VIRTUAL = Declared("virtual", "keeps virtual time", 240.0, (), 240.0)


@pytest.mark.parametrize(
    ("virtual", "within_s", "left"),
    [
        (False, None, [("real", ()), ("half", ()), ("virtual", ())]),
        (False, 600.0, [("half", ()), ("virtual", ())]),
        (True, None, [("half", ("--arms", "simulated")), ("virtual", ())]),
        (True, 120.0, [("half", ("--arms", "simulated"))]),
    ],
)
def test_experiments_are_chosen_by_what_they_declare(
    virtual: bool, within_s: float | None, left: list[tuple[str, tuple[str, ...]]]
) -> None:
    plans = plan_of([REAL, HALF, VIRTUAL], virtual=virtual, within_s=within_s)
    assert [(plan.name, plan.options) for plan in plans] == left


def check(*, holds: bool, disturbed: bool = False) -> Check:
    return Check("goodput", "1 Mbit/s", None, "2 Mbit/s", holds, disturbed)


def test_the_table_has_every_try_and_what_did_not_end() -> None:
    done = [
        Reproduced(
            Plan("scale", (), 60.0), [[check(holds=False, disturbed=True)], [check(holds=True)]], 120.0
        ),
        Reproduced(Plan("tlem", (), 60.0), [], 1.0, "it ended with 3: there is no ethtool"),
    ]
    columns = {
        str(column.header): [str(cell) for cell in column.cells] for column in table_of(done, "abc").columns
    }
    assert columns["experiment"] == ["scale, try 1 of 2", "scale, try 2 of 2", "tlem"]
    assert columns["holds"] == ["no: disturbed", "yes", "NO"]
    assert columns["figure"][2] == "it ended with 3: there is no ethtool"
    assert [each.holds for each in done] == [True, False]


@pytest.mark.thorough
def test_experiments_run_in_turn_and_one_that_fails_does_not_stop_the_others(tmp_path: Path) -> None:
    plans = [Plan("mm1", ("--seeds", "none"), 5.0), Plan("mm1", ("--seeds", "3", "--jobs", "500"), 5.0)]
    out = tmp_path / "run"
    done = reproduce_all(plans, out, 1, PlainConsole(quiet=True))
    refused, ran = done
    assert refused.failure.startswith("it ended with 2: ")
    assert "--seeds" in refused.failure
    assert not refused.holds
    assert ran.failure == ""
    table = json.loads((out / "table.json").read_text())
    assert [each["name"] for each in table["experiments"]] == ["mm1", "mm1"]
    checks = json.loads((out / "mm1" / "checks.json").read_text())
    assert table["experiments"][1]["tries"] == [checks]
    assert table["hold"] is False
    assert checks[0]["measured"] in (out / "table.txt").read_text()
