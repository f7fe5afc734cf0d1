# SPDX-License-Identifier: MIT
"""`hybridnet doctor` of several machines: what each has and lacks, and the ways between them."""

from __future__ import annotations

import json
import re

import pytest

from hybridnet.cli.doctor_checks import CHECKS
from hybridnet.cli.main import main

pytestmark = pytest.mark.thorough


@pytest.fixture(autouse=True)
def wide_and_without_ryu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    monkeypatch.setenv("HYBRIDNET_RYU_PYTHON", "/nowhere/python")


def test_each_machine_is_a_column_and_each_pair_of_them_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--machines", "left,right"]) == 3
    out, err = capsys.readouterr()
    assert "needed and missing: Ryu on left, Ryu on right\n" in out
    assert "examining left, right" in err
    assert "measuring the connection between left and right" in err
    lines = out.splitlines()
    assert [line.split() for line in lines if re.match(r"what +left +right", line)]
    for what in ("kernel", "simcore extension", "MTU between machines", "offloads between machines"):
        [row] = [line for line in lines if re.match(f"{what} +(has|note): ", line)]
        assert len(re.findall(r"(has|note): ", row)) == 2
    [way] = [line for line in lines if "left right" in line]
    assert re.search(r"[\d.]+ ms\W+[\d.]+ Gbit/s\W+[\d.]+ Gbit/s\W+-?[\d.]+ ms\W+-?\d+ ± \d+ ppm", way)


def test_as_json_there_are_findings_by_machine_and_no_pair_where_there_is_one_machine(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["doctor", "--machines", "alone", "--json"]) == 3
    said = json.loads(capsys.readouterr().out)
    assert said["pairs"] == []
    [(machine, findings)] = said["machines"].items()
    assert machine == "alone"
    assert len(findings) == 1 + len(CHECKS)  # the kernel comes first
