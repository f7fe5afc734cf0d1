# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
from pathlib import Path

import numpy
import pytest

from hybridnet.cli.main import main
from hybridnet.errors import UsageError
from hybridnet.observe.recording.pictures import histogram_pictures, loss_of, pictures_of, slowdowns_of
from hybridnet.observe.recording.plot import plot_run
from hybridnet.observe.results.run_directory import FLOWS, PINGS, RunDirectory
from hybridnet.observe.series import Key, SampleBuffer
from hybridnet.observe.series.table import read_series
from hybridnet.observe.series.writer import SeriesWriter

PNG = b"\x89PNG"


def written(folder: Path, rows: list[dict[Key, float]]) -> Path:
    """A run with one network, sampled each second."""
    (folder / "network-1").mkdir(parents=True)
    buffer = SampleBuffer()
    for second, figures in enumerate(rows):
        buffer.add(float(second), figures)
    writer = SeriesWriter(folder / "network-1")
    writer.append(buffer.take()[0], 1)
    writer.finish()
    return folder


def of_connection(name: str, megabits: float, second: int) -> dict[Key, float]:
    return {
        ("connections", name, "acknowledged_bytes"): megabits * 1e6 / 8 * second,
        ("connections", name, "cwnd_bytes"): 50_000,
        ("connections", name, "srtt_ns"): 20e6,
    }


def test_a_flow_is_a_connection_that_sends(tmp_path: Path) -> None:
    rows = [
        of_connection("h1:a>b", 80, second)
        | of_connection("h2:b>a", 0.01, second)
        | of_connection("h3:c>d", 8, second)
        for second in range(5)
    ]
    series = read_series(written(tmp_path / "run", rows) / "network-1")
    pictures = {each.name: each for each in pictures_of(series)}
    throughput = {line.name: line for line in pictures["throughput"].lines}
    assert set(throughput) == {"h1:a>b", "h3:c>d"}  # the other acknowledges only
    assert throughput["h1:a>b"].values == pytest.approx([80.0] * 4)
    assert list(throughput["h1:a>b"].times) == [1.0, 2.0, 3.0, 4.0]
    assert pictures["rtt"].lines[0].values == pytest.approx([20.0] * 5)
    assert pictures["cwnd"].lines[0].values == pytest.approx([50.0] * 5)


def test_a_flow_that_begins_late_is_drawn_from_its_beginning(tmp_path: Path) -> None:
    """A simulation samples what is not there yet as 0."""
    late = [of_connection("h1:a>b", 80, max(0, second - 3)) for second in range(7)]
    for figures in late[:3]:
        figures |= dict.fromkeys(figures, 0.0)
    pictures = {
        each.name: each for each in pictures_of(read_series(written(tmp_path / "run", late) / "network-1"))
    }
    for name, times in (("throughput", [4.0, 5.0, 6.0]), ("rtt", [3.0, 4.0, 5.0, 6.0])):
        [line] = pictures[name].lines
        assert list(line.times) == times
        assert line.values.min() > 0


def test_without_connections_applications_are_flows_and_without_these_interfaces(tmp_path: Path) -> None:
    application = ("applications", "h2:udp_sink:9", "received_bytes")
    interface = ("interfaces", "h2-eth0", "rx_bytes")
    for keys in ((application, interface), (interface,)):
        rows = [dict.fromkeys(keys, 1e6 * second) for second in range(3)]
        series = read_series(written(tmp_path / str(len(keys)), rows) / "network-1")
        [line] = pictures_of(series)[0].lines
        assert line.name == keys[0][1]
        assert line.values == pytest.approx([8.0, 8.0])


def test_each_picture_for_which_there_are_samples_is_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {
            **of_connection("h1:a>b", 80, second),
            **of_connection("h3:c>d", 40, second),
            ("links", "r1-r2:a>b", "queue_packets"): float(second),
            ("instances", "m1", "lateness_p999_ns"): 1e5,
            ("machines", "m1", "processor_busy"): 0.5,
        }
        for second in range(5)
    ]
    run = written(tmp_path / "run", rows)
    assert main(["plot", str(run)]) == 0
    said = capsys.readouterr().out.split()
    assert [Path(path).name for path in said] == [
        *("throughput.png", "queue.png", "rtt.png", "cwnd.png", "lateness.png", "processors.png", "cdf.png"),
    ]
    assert all(Path(path).read_bytes().startswith(PNG) for path in said)
    [*_, cdf] = plot_run(run, tmp_path / "pictures", form="svg")
    assert "share of samples" in cdf.read_text() or "<svg" in cdf.read_text()


def test_many_lines_are_drawn_and_a_note_counts_the_rest(tmp_path: Path) -> None:
    rows = [
        {("links", f"r{n}-x:a>b", "queue_packets"): float(second * n) for n in range(1, 21)}
        for second in range(3)
    ]
    [queue, _] = plot_run(written(tmp_path / "run", rows), form="svg")
    assert queue.stat().st_size > 10_000


def test_a_series_with_nothing_to_draw_and_a_run_without_one_are_refused(tmp_path: Path) -> None:
    run = written(tmp_path / "run", [{("nodes", "r1", "dropped.ttl"): 0.0}])
    with pytest.raises(UsageError, match="nothing to draw"):
        plot_run(run)
    with pytest.raises(UsageError, match="no time series"):
        plot_run(tmp_path)


def test_histograms_of_queues_are_drawn_in_bins_of_one_width(tmp_path: Path) -> None:
    waited = {"buckets": [[0, 50], [1_000_000, 30], [3_999_999, 20]], "max_ns": 3_900_000}
    found = {"buckets": [[0, 80], [7, 20]], "max_packets": 7}
    link = {"name": "r1-r2:a>b", "queue_sojourn": waited, "queue_others": found}
    (tmp_path / "counters.json").write_text(json.dumps({"m1": {"name": "m1", "links": [link]}, "m2": None}))
    wait, others = histogram_pictures(tmp_path)
    assert (wait.name, others.name) == ("queue-wait", "queue-found")
    [line] = wait.lines
    assert len(line.times) == len(line.values) + 1 == 41  # 40 bins of 0.1 ms
    assert line.times[-1] == pytest.approx(4.0)
    assert [line.values[n] for n in (0, 10, 39)] == pytest.approx([0.5, 0.3, 0.2])
    [line] = others.lines
    assert list(line.times) == list(range(9))  # a bin for each number of packets
    assert [line.values[0], line.values[7]] == pytest.approx([0.8, 0.2])


def test_of_a_simulation_the_histograms_of_one_seed_are_drawn(tmp_path: Path) -> None:
    rows = [
        {"seed": seed, "element": "a-b:a>b", "name": "queue_others_packets", "bins": [[seed, 10]]}
        for seed in (2, 3)
    ]
    (tmp_path / "histograms.json").write_text(json.dumps(rows))
    for seed, place in ((None, 2), (3, 3)):
        [picture] = histogram_pictures(tmp_path, seed)
        assert picture.lines[0].values[place] == 1.0


def with_flows(folder: Path, rows: list[tuple[int, bool, int, float | None]]) -> Path:
    """A simulation's run with flows, and without samples: of each seed, whether it counts, size and slowdown."""
    columns = ["seed", "counted", "size_bytes", "slowdown"]
    directory = RunDirectory(folder)
    directory.write_parquet(FLOWS, columns, rows)
    return directory.path


def test_slowdown_is_drawn_over_the_size_of_groups_of_about_equally_many_flows(tmp_path: Path) -> None:
    rows: list[tuple[int, bool, int, float | None]] = [(1, True, size, size / 10) for size in range(1, 201)]
    rows += [(1, False, 1000, 1e6), (1, True, 1000, None)]  # of the warm-up, and not finished
    run = with_flows(tmp_path / "run", rows)
    median, p95, p99 = slowdowns_of(run)
    assert [line.name for line in (median, p95, p99)] == ["median", "95th percentile", "99th percentile"]
    assert list(median.times) == [10 * group + 5.5 for group in range(20)]
    assert median.values == pytest.approx(median.times / 10)
    assert p99.values == pytest.approx((10 * numpy.arange(20) + 1 + 0.99 * 9) / 10)
    [drawn] = plot_run(run)
    assert drawn == run / "plots" / "slowdown.png"
    assert drawn.read_bytes().startswith(PNG)


def test_flows_of_one_size_are_in_one_group(tmp_path: Path) -> None:
    rows: list[tuple[int, bool, int, float | None]] = [(1, True, 20_000, float(n)) for n in range(1, 102)]
    rows += [(2, True, 1000 + number, 7.0) for number in range(100)]
    run = with_flows(tmp_path / "run", rows)
    median, *_ = slowdowns_of(run)
    assert (median.times[-1], median.values[-1]) == (20_000, 51)
    assert list(median.values[:-1]) == [7.0] * (len(median.values) - 1)
    [of_one, *_] = slowdowns_of(run, 1)
    assert (list(of_one.times), list(of_one.values)) == ([20_000], [51])


def test_flows_that_are_damaged_or_of_other_seeds_are_refused(tmp_path: Path) -> None:
    run = with_flows(tmp_path / "run", [(1, True, 1000, 2.0)])
    with pytest.raises(UsageError, match="it has no flows of seed 3; it has 1"):
        plot_run(run, seed=3)
    (run / FLOWS).write_bytes(b"not Parquet")
    with pytest.raises(UsageError, match="it is damaged"):
        plot_run(run)


def test_a_run_whose_flows_did_not_finish_has_no_such_picture(tmp_path: Path) -> None:
    run = with_flows(tmp_path / "run", [(1, True, 1000, None)])
    assert slowdowns_of(run) == []
    with pytest.raises(UsageError, match="it has no time series"):
        plot_run(run)


def with_pings(run: Path, rows: list[dict[str, object]]) -> Path:
    (run / "network-1").mkdir(parents=True, exist_ok=True)
    (run / "network-1" / PINGS).write_text(json.dumps(rows))
    return run


def test_what_pings_lost_is_a_tooth_as_high_as_it_is_long(tmp_path: Path) -> None:
    # One each 0.1 s: 4 to 23 of 30 are lost, and the last two of the other stream.
    answered = [1, 2, 3, *range(24, 31)]
    lossy = {"ends": "from h1 to h2", "sent": 30, "interval_s": 0.1, "answered": answered}
    lossy["left_s"] = [5 + 0.1 * number for number in answered]
    open_end = {
        "ends": "from h2 to h1",
        "sent": 4,
        "interval_s": 0.5,
        "answered": [1, 2],
        "left_s": [6.0, 6.5],
    }
    silent = {"ends": "from h3 to h1", "sent": 4, "interval_s": 0.5, "answered": [], "left_s": []}
    run = with_pings(tmp_path / "run", [lossy, open_end, silent])
    one, two = loss_of(run / "network-1")
    assert (one.name, two.name) == ("pings from h1 to h2", "pings from h2 to h1")
    assert list(one.times) == pytest.approx([5.1, 5.3, 7.3, 7.4, 8.0])
    assert list(one.values) == pytest.approx([0, 0, 2.0, 0, 0])  # 20 pings
    assert (list(two.times), list(two.values)) == ([6.0, 6.5, 7.5], [0.0, 0.0, 1.0])
    [drawn] = plot_run(run)
    assert drawn == run / "plots" / "loss.png"
    assert drawn.read_bytes().startswith(PNG)


def test_pings_are_drawn_beside_a_series(tmp_path: Path) -> None:
    run = written(tmp_path / "run", [of_connection("h1:a>b", 80, second) for second in range(5)])
    row = {"ends": "from h1 to h2", "sent": 2, "interval_s": 0.1, "answered": [1, 2], "left_s": [1.0, 1.1]}
    names = [path.name for path in plot_run(with_pings(run, [row]))]
    assert names == ["loss.png", "throughput.png", "rtt.png", "cwnd.png", "cdf.png"]


@pytest.mark.parametrize(
    "content", ["", "[", "{}x", "[5]", '[{"answered": [1]}]', '[{"answered": [1], "left_s": []}]']
)
def test_pings_that_are_damaged_are_refused(tmp_path: Path, content: str) -> None:
    run = with_pings(tmp_path / "run", [])
    (run / "network-1" / PINGS).write_text(content)
    with pytest.raises(UsageError, match=r"pings\.json: it is damaged: .*; repeat the run"):
        plot_run(run)
