# SPDX-License-Identifier: MIT
"""``hybridnet reproduce differential``, one cell of each mode: a flow by formula, simulated, and by Linux's own TCP."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from hybridnet.cli.main import main
from hybridnet.experiments.differential.cells import PAYLOAD_BPS, Cell

pytestmark = [pytest.mark.system, pytest.mark.thorough]

SECONDS = 5
CELLS = [Cell(trains, "reno", 0.01, 0.01) for trains in (False, True)]


def test_each_cell_has_a_simulated_and_a_real_flow_and_a_row_that_says_so(tmp_path: Path) -> None:
    out = tmp_path / "run"
    chosen = ["--algorithm", "reno", "--rtt", "10", "--loss", "1", "--mode", "both"]
    main(
        ["reproduce", "differential", "--seconds", str(SECONDS), "--rounds", "1", *chosen, "--out", str(out)]
    )
    found = json.loads((out / "differential.json").read_text())
    assert [each["mode"] for each in found["cells"]] == ["single segments", "trains"]
    [batch] = found["batches"]  # both are far below what may run at once
    assert sorted(batch["cells"]) == sorted(map(str, CELLS))
    assert all(0 < bps < PAYLOAD_BPS for bps in batch["throughput_bps"])

    rows = list(csv.DictReader((out / "differential.csv").open()))
    of_batch = dict(zip(batch["cells"], batch["throughput_bps"], strict=True))
    for cell, row, each in zip(CELLS, rows, found["cells"], strict=True):
        assert [float(row["formula_bps"])] == pytest.approx([cell.formula_bps])
        assert [float(row["simulated_bps"])] == each["simulated_bps"]
        assert each["real_bps"] + each["untrusted_bps"] == [of_batch[str(cell)]]  # as the batch was judged
        for arm in ("linux", "simulated"):
            with (
                out / "traces" / f"{str(cell).replace(' ', '-').replace('%', '')}-{arm}.csv"
            ).open() as file:
                times = [float(sample["time_s"]) for sample in csv.DictReader(file)]
            assert times == sorted(times)
            assert SECONDS - 0.5 < times[-1] < SECONDS + 0.5
    said = [check["what"] for check in json.loads((out / "checks.json").read_text())]
    assert [what.partition(":")[0] for what in said[1:]] == ["single segments, reno", "trains, reno"]
