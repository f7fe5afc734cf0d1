# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
from pathlib import Path

import pytest

from hybridnet.cli.compare import print_comparison
from hybridnet.describe.topo import Topo
from hybridnet.errors import UsageError
from hybridnet.observe.recording.comparison import Comparison, Difference, compare_runs
from hybridnet.observe.recording.figures import figures_of_run
from hybridnet.observe.recording.run_record import RunRecord
from hybridnet.observe.results import run_directory
from hybridnet.observe.results.estimate import Estimate
from hybridnet.observe.series import SampleBuffer
from hybridnet.observe.series.writer import SeriesWriter
from hybridnet.simulate.offline import simulate


class Pinged(Topo):
    def build(self, count: int = 5, loss: float = 0.0) -> None:
        self.addSimHost("a", applications=[{"kind": "ping", "destination": "b", "count": count}])
        self.addSimHost("b")
        self.addLink("a", "b", delay="1ms", loss=loss)


def simulated(path: Path, topo: Topo, seeds: int = 2, until: str = "10s") -> Path:
    record = RunRecord(path)
    simulate(topo, until, seeds=seeds, jobs=1).write(record.directory)
    record.end(0)
    return path


def emulated(path: Path, megabits: list[float], result: float) -> Path:
    """An interface that sends nothing for a second, and then at these rates, a second each."""
    record = RunRecord(path)
    folder = path / "network-1"
    folder.mkdir()
    buffer = SampleBuffer()
    sent = 0.0
    for second, rate in enumerate([0.0, *megabits, 0.0]):
        sent += rate * 1e6 / 8
        buffer.add(float(second), {("interfaces", "h1-eth0", "tx_bytes"): sent})
    writer = SeriesWriter(folder)
    writer.append(buffer.take()[0], 1)
    writer.finish()
    record.directory.write_json("results.json", {"goodput": result})
    return path


def test_a_simulation_done_twice_is_identical(tmp_path: Path) -> None:
    comparison = compare_runs(simulated(tmp_path / "a", Pinged()), simulated(tmp_path / "b", Pinged()))
    assert comparison.identical is True
    assert all(each.absolute == 0 for each in comparison.differences)


def test_two_simulations_differ_by_what_they_counted(tmp_path: Path) -> None:
    comparison = compare_runs(simulated(tmp_path / "a", Pinged(5)), simulated(tmp_path / "b", Pinged(7)))
    assert comparison.identical is False
    assert comparison.unlike is not None
    assert comparison.unlike[0] == "figures.csv (from line 2)"
    [sent] = [each for each in comparison.differences if each.name == "a:ping:0 sent"]
    assert (sent.absolute, sent.relative, sent.half_width) == (2.0, pytest.approx(0.4), 0.0)
    assert not sent.agrees(0.1)
    assert sent.agrees(0.5)


def test_the_rate_of_an_interface_is_that_of_the_time_in_which_it_sent(tmp_path: Path) -> None:
    figures = figures_of_run(emulated(tmp_path / "a", [100.0, 104.0, 96.0, 100.0], 93.0))
    rate = figures["h1-eth0 tx Mbit/s"]
    assert rate.mean == pytest.approx(100.0)
    assert 0 < rate.half_width < 10
    assert figures["result goodput"] == Estimate(93.0, 0.0, 1)


def test_emulated_runs_are_compared_with_intervals_and_cannot_be_identical(tmp_path: Path) -> None:
    first = emulated(tmp_path / "a", [100.0, 104.0, 96.0, 100.0], 93.0)
    second = emulated(tmp_path / "b", [101.0, 105.0, 97.0, 101.0], 94.0)
    comparison = compare_runs(first, second)
    assert comparison.identical is None
    by_name = {each.name: each for each in comparison.differences}
    assert by_name["h1-eth0 tx Mbit/s"].absolute == pytest.approx(1.0)
    assert by_name["h1-eth0 tx Mbit/s"].agrees(0.0)  # their intervals are wider than that
    assert not by_name["result goodput"].agrees(0.01)  # a single value has none
    assert by_name["result goodput"].agrees(0.02)
    assert json.loads(json.dumps(comparison.to_json()))["figures"][0]["name"] == "result goodput"


def test_a_figure_that_one_run_lacks_agrees_with_nothing() -> None:
    lacking = Difference("x", Estimate(1.0, 0.0, 1), None)
    assert not lacking.agrees(1.0)
    assert lacking.to_json()["difference"] is None


def test_what_is_no_run_or_has_no_figures_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"it has no manifest.json"):
        figures_of_run(tmp_path)
    with pytest.raises(UsageError, match="there is no such run directory"):
        figures_of_run(tmp_path / "nowhere")
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(UsageError, match=r"manifest.json: it is damaged: Expecting"):
        figures_of_run(tmp_path)
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(UsageError, match="it has no figures; run it with --series 100ms"):
        figures_of_run(tmp_path)
    (tmp_path / "results.json").write_text('{"goodput": "fast"}')
    with pytest.raises(UsageError, match=r"results.json: it is damaged: goodput is not a number"):
        figures_of_run(tmp_path)
    (tmp_path / "results.json").unlink()
    (tmp_path / "figures.parquet").write_bytes(b"PAR1")
    with pytest.raises(UsageError, match=r"figures.parquet: it is damaged"):
        figures_of_run(tmp_path)


def test_a_simulation_without_drops_dropped_none(tmp_path: Path) -> None:
    without, with_drops = simulated(tmp_path / "a", Pinged()), simulated(tmp_path / "b", Pinged(loss=50.0))
    there = {each.name: each for each in compare_runs(without, with_drops).differences}
    back = {each.name: each for each in compare_runs(with_drops, without).differences}
    [name] = [name for name in there if name.startswith("a-b:a-eth0") and "dropped" in name]
    assert there[name].first == back[name].second == Estimate(0.0, 0.0, 2)
    assert there[name].absolute == -back[name].absolute > 0


def test_a_difference_of_single_runs_has_no_interval(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for seeds, says in ((1, False), (2, True)):
        first = simulated(tmp_path / f"a{seeds}", Pinged(5), seeds)
        print_comparison(compare_runs(first, simulated(tmp_path / f"b{seeds}", Pinged(7), seeds)))
        assert ("±" in capsys.readouterr().out) is says


def test_simulations_of_different_times_are_said_to_be(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    first = simulated(tmp_path / "a", Pinged())
    for until, says in (("10s", False), ("2s", True)):
        comparison = compare_runs(first, simulated(tmp_path / until, Pinged(), until=until))
        print_comparison(comparison)
        assert ("the first simulated 10 s, the second 2 s" in capsys.readouterr().out) is says
        assert comparison.to_json()["simulated_s"] == (10.0, float(until.removesuffix("s")))


def test_two_runs_in_simulated_time_are_identical_but_for_what_the_manifest_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_directory, "time_is_simulated", lambda: True)
    first, second, third = (
        emulated(tmp_path / name, [10.0] * 4, result) for name, result in (("a", 1.0), ("b", 1.0), ("c", 1.5))
    )
    (first / "files").mkdir()
    (first / "files" / "script.py").touch()
    assert compare_runs(first, second).identical is True
    assert compare_runs(first, third).remarks()[-1] == "not identical: results.json (from line 2)"


def test_at_most_five_files_that_differ_are_named() -> None:
    files = tuple("abcdefg")
    assert Comparison([], files).remarks()[-1] == "not identical: a, b, c, d, e, and 2 more"
    assert Comparison([], files[:5]).remarks()[-1] == "not identical: a, b, c, d, e"


def test_a_file_that_only_one_run_has_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_directory, "time_is_simulated", lambda: True)
    first, second = (emulated(tmp_path / name, [10.0] * 4, 1.0) for name in ("a", "b"))
    (second / "more.txt").touch()
    assert compare_runs(first, second).unlike == ("more.txt (only in the second)",)
    assert compare_runs(second, first).unlike == ("more.txt (only in the first)",)


def test_a_run_in_simulated_time_and_one_in_real_time_are_no_such_pair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = emulated(tmp_path / "a", [10.0] * 4, 1.0)
    monkeypatch.setattr(run_directory, "time_is_simulated", lambda: True)
    assert compare_runs(real, emulated(tmp_path / "b", [10.0] * 4, 1.0)).identical is None
