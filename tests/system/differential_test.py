# SPDX-License-Identifier: MIT
"""``hybridnet reproduce differential``: a cell of each mode, and columns with Linux and simulated TCP at either end."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from hybridnet import Net, Topo
from hybridnet.cli.main import main
from hybridnet.errors import ExperimentError
from hybridnet.experiments.common.linux_flows import PORT, run_flows
from hybridnet.experiments.differential.cells import PAYLOAD_BPS, Cell
from hybridnet.experiments.differential.pairings import LINUX, MIXED, SIMULATED

pytestmark = [pytest.mark.system, pytest.mark.thorough]

SECONDS = 5
CELLS = [Cell(trains, "reno", 0.01, 0.01) for trains in (False, True)]


def test_each_cell_has_a_simulated_and_a_real_flow_and_a_row_that_says_so(tmp_path: Path) -> None:
    out = tmp_path / "run"
    chosen = ["--algorithm", "reno", "--rtt", "10", "--loss", "1", "--mode", "both"]
    main(
        [
            "reproduce",
            "differential",
            "--only",
            "flows",
            "--seconds",
            str(SECONDS),
            "--rounds",
            "1",
            *chosen,
            "--out",
            str(out),
        ]
    )
    found = json.loads((out / "differential.json").read_text())
    assert [each["mode"] for each in found["cells"]] == ["single segments", "trains"]
    batches = found["batches"]
    assert len(batches) in (1, 2)  # a second round where the first was not trusted
    for batch in batches:  # both are far below what may run at once
        assert sorted(batch["cells"]) == sorted(map(str, CELLS))
        assert all(0 < bps < PAYLOAD_BPS for bps in batch["throughput_bps"])

    rows = list(csv.DictReader((out / "differential.csv").open()))
    of_batches = [dict(zip(batch["cells"], batch["throughput_bps"], strict=True)) for batch in batches]
    for cell, row, each in zip(CELLS, rows, found["cells"], strict=True):
        assert [float(row["formula_bps"])] == pytest.approx([cell.formula_bps])
        assert [float(row["simulated_bps"])] == each["simulated_bps"]
        as_judged = sorted(each["real_bps"] + each["untrusted_bps"])
        assert as_judged == sorted(of_batch[str(cell)] for of_batch in of_batches)
        for arm in ("linux", "simulated"):
            with (
                out / "traces" / f"{str(cell).replace(' ', '-').replace('%', '')}-{arm}.csv"
            ).open() as file:
                times = [float(sample["time_s"]) for sample in csv.DictReader(file)]
            assert times == sorted(times)
            assert SECONDS - 0.5 < times[-1] < SECONDS + 0.5
    said = [check["what"] for check in json.loads((out / "checks.json").read_text())]
    assert [what.partition(":")[0] for what in said[1:]] == ["single segments, reno", "trains, reno"]


def test_a_column_runs_with_all_four_pairings_over_the_same_link(tmp_path: Path) -> None:
    out = tmp_path / "run"
    columns = ("one lost SYN", "ICMP error")
    chosen = [word for name in columns for word in ("--column", name)]
    main(["reproduce", "differential", "--only", "columns", "--quick", *chosen, "--out", str(out)])
    found = [pair for file in (out / "columns").iterdir() for pair in json.loads(file.read_text())["pairs"]]
    assert {(pair["column"], pair["pairing"]) for pair in found} == {
        (name, str(pairing)) for name in columns for pairing in (LINUX, *MIXED)
    }
    # A SYN that is lost is repeated once; an error by ICMP ends the attempt (tcp_v4_err), and so does ours.
    assert {(pair["column"], pair["syns"]) for pair in found} == {("one lost SYN", 2.0), ("ICMP error", 1.0)}
    assert {pair["first_flight"] for pair in found if "first_flight" in pair} == {10.0}  # tcp_init_transfer
    simulated = [
        cell
        for cell in json.loads((out / "columns.json").read_text())["cells"]
        if cell["pairing"] == str(SIMULATED)
    ]
    assert {cell["column"]: cell["median"] for cell in simulated if cell["figure"] == "syns"} == {
        "one lost SYN": 2.0,
        "ICMP error": 1.0,
    }
    assert (out / "columns.png").read_bytes().startswith(b"\x89PNG")


class Cable(Topo):
    """Two hosts, and a simulated link between them."""

    def build(self) -> None:
        self.addHost("h1")
        self.addHost("h2")
        self.addLink("h1", "h2", bw=10)


def test_a_flow_that_does_not_start_says_why() -> None:
    with Net(Cable(), controller=None) as net:
        pairs = [(net["h1"], net["h2"])]
        with pytest.raises(ExperimentError, match=r"(?s)send from h1 to h2: .*No such file or directory"):
            run_flows(pairs, ["no such control"], 1.0, 0.1)
        taken = net["h2"].popen(["nc", "-l", "-p", str(PORT)])
        try:
            net["h2"].execute(["sh", "-c", f"until ss -Hltn | grep -q :{PORT}; do sleep 0.05; done"])
            with pytest.raises(ExperimentError, match=r"(?s)receive in h2: .*Address already in use"):
                run_flows(pairs, ["reno"], 1.0, 0.1)
        finally:
            taken.terminate()
            taken.wait()
