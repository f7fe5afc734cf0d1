# SPDX-License-Identifier: MIT
from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from hybridnet.cli.main import main
from hybridnet.errors import UsageError
from hybridnet.observe.results.estimate import Estimate
from hybridnet.tools.sweep.picture import curves_of, plot_sweep
from hybridnet.tools.sweep.table import Row

PNG = b"\x89PNG"


def row(mean: float, **values: str) -> Row:
    return Row(values, {"rtt_ms": Estimate(mean, 0.5, 3)})


def written(folder: Path, *rows: Row) -> Path:
    folder.mkdir()
    (folder / "sweep.json").write_text(json.dumps([each.to_json() for each in rows]))
    return folder


def means(line: list[Estimate | None]) -> list[float | None]:
    return [None if each is None else each.mean for each in line]


def test_the_setting_with_the_most_values_is_the_axis_and_the_others_make_lines() -> None:
    rows = [row(10 * n + bw, delay=f"{n}ms", bw=str(bw)) for n in (1, 2, 5) for bw in (3, 4)]
    [curves] = curves_of(rows, ["rtt_ms"])
    assert (curves.figure, curves.axis, curves.labels) == ("rtt_ms", "delay (ms)", None)
    assert curves.places == [1.0, 2.0, 5.0]
    assert {name: means(line) for name, line in curves.lines.items()} == {
        "bw 3": [13.0, 23.0, 53.0],
        "bw 4": [14.0, 24.0, 54.0],
    }


def test_values_that_are_no_numbers_are_written_in_their_order() -> None:
    [curves] = curves_of([row(1, queue="drop-tail"), row(2, queue="codel")], ["rtt_ms"])
    assert (curves.labels, curves.places) == (["drop-tail", "codel"], [0.0, 1.0])
    assert {name: means(line) for name, line in curves.lines.items()} == {"rtt_ms": [1.0, 2.0]}


def test_a_figure_that_a_combination_lacks_is_no_point_of_its_line() -> None:
    [curves] = curves_of([row(1, bw="1"), Row({"bw": "2"}, {}), row(3, bw="4")], ["rtt_ms"])
    assert means(curves.lines["rtt_ms"]) == [1.0, None, 3.0]


@pytest.mark.parametrize("rows", [[row(1, bw="10")], [Row({}, {"rtt_ms": Estimate(1, 0, 1)})]])
def test_where_nothing_varies_there_is_no_axis(rows: list[Row]) -> None:
    with pytest.raises(UsageError, match="nothing to draw it over"):
        curves_of(rows, ["rtt_ms"])


def test_each_figure_is_a_picture_named_after_it(tmp_path: Path) -> None:
    figures: Mapping[str, Estimate] = {
        "h1:a>b p99_slowdown": Estimate(2, 0.1, 3),
        "all flows/s": Estimate(9, 1, 3),
        "r1-r2:a>b delivered": Estimate(5, 0, 3),
    }
    folder = written(tmp_path / "sweep", *(Row({"load": load}, figures) for load in ("0.1", "0.9", "4")))
    drawn = plot_sweep(folder, named=["slow", "flows"])
    assert [path.name for path in drawn] == ["h1-a>b-p99_slowdown.png", "all-flows-s.png"]
    assert all(path.parent == folder / "plots" and path.read_bytes().startswith(PNG) for path in drawn)


def test_what_cannot_be_drawn_is_refused_with_what_to_write(tmp_path: Path) -> None:
    many = {f"figure_{number}": Estimate(number, 1, 2) for number in range(30)}
    folder = written(tmp_path / "sweep", Row({"bw": "1"}, many), Row({"bw": "2"}, many))
    with pytest.raises(UsageError, match=r"30 figures are more than 24 pictures; choose with --show"):
        plot_sweep(folder)
    with pytest.raises(UsageError, match="no figure with 'goodput' in its name"):
        plot_sweep(folder, named=["goodput"])


def test_a_sweep_of_the_command_line_is_drawn_and_told_as_csv(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "pair.py"
    script.write_text(
        "from hybridnet import Topo\n"
        "class Pair(Topo):\n"
        "    def build(self, bw=10):\n"
        "        flow = {'kind': 'ping', 'destination': 'b', 'count': 3}\n"
        "        self.addSimHost('a', applications=[flow])\n"
        "        self.addSimHost('b')\n"
        "        self.addLink('a', 'b', bw=bw, delay='1ms')\n"
        "topos = {'pair': Pair}\n"
    )
    folder = tmp_path / "sweep"
    words = [str(script), "--topo", "pair", "--until", "5s", "--set", "bw=10,40", "--out", str(folder)]
    assert main(["sweep", *words, "--jobs", "1"]) == 0
    capsys.readouterr()
    assert main(["plot", str(folder), "--show", "rtt", "--json"]) == 0
    drawn = [Path(each) for each in json.loads(capsys.readouterr().out)]
    assert drawn
    assert all(path.read_bytes().startswith(PNG) for path in drawn)
    assert main(["plot", str(folder), "--csv"]) == 0
    with (folder / "csv" / "sweep.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {each["bw"] for each in rows} == {"10.0", "40.0"}
    assert {each["seed"] for each in rows} == {"1"}
    assert list(rows[0]) == ["bw", "seed", "figure", "value"]
    for option in (["--web"], ["--seed", "1"]):
        assert main(["plot", str(folder), *option]) == 2
        assert "is for one run; name a folder in" in capsys.readouterr().err
    assert main(["plot", str(next((folder / "points").iterdir())), "--show", "x"]) == 2
    assert "--show chooses figures of a sweep" in capsys.readouterr().err
