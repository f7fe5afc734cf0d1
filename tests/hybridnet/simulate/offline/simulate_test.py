# SPDX-License-Identifier: MIT
from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from hybridnet import Net, Topo
from hybridnet.errors import HybridnetError, UsageError
from hybridnet.observe.recording.figures import figures_of_run
from hybridnet.observe.recording.pictures import pictures_of
from hybridnet.observe.results import RunDirectory
from hybridnet.observe.series.figures import figures_of
from hybridnet.observe.series.table import read_series
from hybridnet.simulate.offline import SimulationReport, simulate
from tests.omnetpp_files import read_results

PAYLOAD, FRAME = 1448, 1514
WATCHED = "r-b:r-eth2>b-eth0"


class Pair(Topo):
    """a ─ r ─ b: 10 Mbit/s and 5 ms; a sends to b without end, and pings it."""

    def build(self, loss: float = 0.0, machines: bool = False, watch: bool = False) -> None:
        to_b = [
            {"kind": "tcp_bulk", "destination": "b", "port": 9},
            {"kind": "ping", "destination": "b", "interval": "1s"},
        ]
        on = ({"machine": "m1"}, {"machine": "m2"}) if machines else ({}, {})
        self.addSimHost("a", applications=to_b, **on[0])
        self.addSimRouter("r", **on[0])
        self.addSimHost("b", applications=[{"kind": "tcp_discard", "port": 9}], **on[1])
        self.addLink("a", "r")
        self.addLink("r", "b", bw=10, delay="5ms", loss=loss, max_queue_size=100, watch_queue=watch)


def received(report: SimulationReport) -> list[float]:
    return [each.figures["b:tcp_discard:9", "received_bytes"] for each in report.replications]


def test_a_network_runs_for_the_simulated_time_and_fills_its_link() -> None:
    report = simulate(Pair(), "10s", jobs=1)
    [replication] = report.replications
    rate_bps = 8 * replication.figures["b:tcp_discard:9", "received_bytes"] / 10
    assert rate_bps == pytest.approx(10e6 * PAYLOAD / FRAME, rel=0.03)
    assert report["b:tcp_discard:9", "goodput_bps"].mean == rate_bps
    assert replication.figures["a:ping:1", "sent"] == 11  # at 0, 1, ..., 10 s
    assert replication.events > 0


def test_the_same_seed_gives_the_same_figures_and_another_seed_others() -> None:
    report = simulate(Pair(loss=1.0), 5, seeds=[3, 4], jobs=1)
    again = simulate(Pair(loss=1.0), 5, seeds=[4, 3], jobs=1)
    assert received(report) == received(again)[::-1]
    assert received(report)[0] != received(report)[1]


def test_the_seed_of_the_network_is_the_first_one() -> None:
    report = Net(Pair(loss=1.0), seed=3).simulate(5, seeds=2, jobs=1)
    assert [each.seed for each in report.replications] == [3, 4]
    assert received(report) == received(simulate(Pair(loss=1.0), 5, seeds=[3, 4], jobs=1))
    with pytest.raises(UsageError, match="seed 9223372036854775808 is not a whole number"):
        Net(Pair(), seed=2**63).simulate(5)
    with Net(Pair(), seed=7).stepping() as stepper:
        assert stepper.seed == 7


def test_processes_give_what_one_process_gives() -> None:
    alone = simulate(Pair(loss=1.0), "2s", seeds=3, jobs=1)
    together = simulate(Pair(loss=1.0), "2s", seeds=3, jobs=2)
    assert [each.figures for each in together.replications] == [each.figures for each in alone.replications]


def test_machines_make_no_difference() -> None:
    apart, together = (simulate(Pair(machines=machines), "2s", jobs=1) for machines in (True, False))
    assert received(apart) == received(together)


def test_a_mean_has_the_interval_of_its_seeds() -> None:
    report = simulate(Pair(loss=1.0), "5s", seeds=4, jobs=1)
    values = received(report)
    over = report["b:tcp_discard:9", "received_bytes"]
    assert over.mean == pytest.approx(sum(values) / 4)
    assert over.low < over.mean < over.high
    with pytest.raises(KeyError):
        report["b", "nothing"]


def test_samples_are_taken_at_their_instants() -> None:
    [replication] = simulate(Pair(), "1s", series="300ms", jobs=1).replications
    assert replication.sampled_ns == [300_000_000, 600_000_000, 900_000_000, 1_000_000_000]
    series = replication.series["b:tcp_discard:9", "received_bytes"]
    assert len(series) == 4
    assert series == sorted(series)
    assert series[-1] == replication.figures["b:tcp_discard:9", "received_bytes"]


def test_what_is_written_can_be_read_again(tmp_path: Path) -> None:
    from pyarrow import parquet

    report = simulate(Pair(), "1s", seeds=2, series="500ms", jobs=1)
    written = report.write(RunDirectory(tmp_path / "run"))
    assert {path.name for path in written} == {
        *("figures.json", "figures.csv", "figures.parquet", "series.parquet"),
        *("seed-1.sca", "seed-1.vec", "seed-2.sca", "seed-2.vec"),
    }
    figures = json.loads((tmp_path / "run" / "figures.json").read_text())["figures"]
    [of_b] = [
        row for row in figures if (row["element"], row["name"]) == ("b:tcp_discard:9", "received_bytes")
    ]
    assert of_b["mean"] == sum(received(report)) / 2
    rows = parquet.read_table(tmp_path / "run" / "series.parquet").to_pylist()
    assert {row["time_s"] for row in rows} == {0.5, 1.0}


def test_opp_scavetool_reads_the_counters_the_samples_and_the_histograms_of_queues(tmp_path: Path) -> None:
    report = simulate(Pair(watch=True), "1s", seeds=2, series="500ms", jobs=1)
    report.write(RunDirectory(tmp_path / "run"))
    for replication in report.replications:
        stem = tmp_path / "run" / "omnetpp" / f"seed-{replication.seed}"
        scalars = read_results(stem.with_suffix(".sca"))
        assert (scalars.run, scalars.attributes) == (
            f"simulate-{replication.seed}",
            {"seed": str(replication.seed)},
        )
        assert scalars.scalars == replication.figures
        vectors = read_results(stem.with_suffix(".vec")).vectors
        assert {name: each.values for name, each in vectors.items()} == replication.series
        assert vectors["b:tcp_discard:9", "received_bytes"].times == [0.5, 1.0]
        waited = scalars.statistics[WATCHED, "queue_sojourn_ns"]
        delivered = replication.figures[WATCHED, "delivered_packets"]
        assert delivered <= waited.fields["count"] <= delivered + 100  # and those in the queue
        assert (waited.underflows, waited.overflows) == (0, 0)
        # 100 frames of 1514 bytes at 10 Mbit/s wait for at most 121 ms.
        assert 10e6 < max(edge for edge, _ in waited.bins) < 125e6
        assert scalars.statistics[WATCHED, "queue_others_packets"].fields["count"] == waited.fields["count"]
    kept = json.loads((tmp_path / "run" / "histograms.json").read_text())
    assert {(row["seed"], row["name"]) for row in kept} == {
        (seed, name) for seed in (1, 2) for name in ("queue_sojourn_ns", "queue_others_packets")
    }


@pytest.mark.parametrize("jobs", [1, 2])
def test_progress_counts_replications(jobs: int) -> None:
    told: list[tuple[float, int]] = []
    simulate(Pair(), "100ms", seeds=3, jobs=jobs, on_progress=lambda done, of: told.append((done, of)))
    assert told == sorted(told)
    assert {(1, 3), (2, 3), (3, 3)} <= {(round(done, 9), of) for done, of in told}


@pytest.mark.parametrize("how", [{"parallel": 1}, {"parallel": 2}, {"parallel": 2, "real_time": True}])
def test_progress_says_how_far_a_replication_is(monkeypatch: pytest.MonkeyPatch, how: dict[str, Any]) -> None:
    monkeypatch.setattr("hybridnet.simulate.offline.engine._TOLD_EVERY_S", 0.0)  # after each piece
    told: list[float] = []
    simulate(Pair(), "500ms", on_progress=lambda done, of: told.append(done), **how)
    assert len(told) >= 3
    assert told == sorted(told)
    assert 0 < told[0] < 1
    assert told[-1] == 1


class Endless(Topo):
    """A transfer without end over a link that takes no time."""

    def build(self) -> None:
        bulk = {"kind": "tcp_bulk", "destination": "b", "port": 9}
        self.addSimHost("a", applications=[bulk])
        self.addSimHost("b", applications=[{"kind": "tcp_discard", "port": 9}])
        self.addLink("a", "b")


@pytest.mark.thorough
def test_time_that_stands_still_is_an_error_that_says_why() -> None:
    with pytest.raises(HybridnetError, match=r"events have happened at 0 ns.*give links .*\(bw, delay\)"):
        simulate(Endless(), "10ms")


def test_a_net_simulates_its_description() -> None:
    assert received(Net(Pair()).simulate("2s", jobs=1)) == received(simulate(Pair(), "2s", jobs=1))


def test_a_networks_run_directory_has_its_simulation(tmp_path: Path) -> None:
    out = tmp_path / "one"
    report = Net(Pair(), out=out, record_series="500ms").simulate("2s", seeds=2, jobs=1)
    manifest = json.loads((out / "manifest.json").read_text())
    assert (manifest["verb"], manifest["seeds"], manifest["until"]) == (
        "Net.simulate",
        [1, 2],
        "2000000000ns",
    )
    figures = figures_of_run(out)
    assert figures["b:tcp_discard:9 received_bytes"] == report["b:tcp_discard:9", "received_bytes"]
    assert (out / "series.parquet").is_file()
    plan = json.loads((out / "plan.json").read_text())
    assert {node["name"] for node in plan["nodes"]} == {"a", "r", "b"}
    assert "token" not in plan
    Net(Pair(), out=out).simulate("1s", jobs=1)  # an earlier run gives way
    assert not (out / "series.parquet").exists()


def test_a_folder_that_is_no_run_directory_is_refused_before_anything_is_simulated(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    with pytest.raises(UsageError, match=r"holds 'mine\.txt' and no manifest"):
        Net(Pair(), out=tmp_path).simulate("3600s", seeds=1000)


class Rare(Topo):
    """A link that drops in a few replications only, and a ping that few of them get an answer to."""

    def build(self) -> None:
        self.addSimHost("a", applications=[{"kind": "ping", "destination": "b", "count": 2}])
        self.addSimHost("b")
        self.addLink("a", "b", delay="1ms", loss=35)


def test_a_replication_that_dropped_nothing_counts_in_the_mean_of_drops_wherever_it_is_read(
    tmp_path: Path,
) -> None:
    from pyarrow import parquet

    report = simulate(Rare(), "3s", seeds=12, jobs=1)
    key = ("a-b:a-eth0>b-eth0", "dropped.impaired")
    counted = [each.figures.get(key, 0.0) for each in report.replications]
    assert 0.0 in counted
    assert report[key].mean == sum(counted) / 12
    directory = RunDirectory(tmp_path)
    report.write(directory)
    directory.write_manifest(1, {})
    assert figures_of_run(tmp_path)[" ".join(key)] == report[key]
    rows = parquet.read_table(tmp_path / "figures.parquet").to_pylist()
    assert [row["value"] for row in rows if (row["element"], row["name"]) == key] == counted
    scalars = [
        read_results(tmp_path / "omnetpp" / f"seed-{seed}.sca").scalars.get(key) for seed in range(1, 13)
    ]
    assert scalars == counted


def test_a_round_trip_that_nobody_measured_is_no_figure_and_not_zero() -> None:
    report = simulate(Rare(), "3s", seeds=12, jobs=1)
    answered = [each for each in report.replications if each.figures["a:ping:0", "received"] > 0]
    assert 0 < len(answered) < 12
    over = report["a:ping:0", "least_rtt_ns"]
    assert over.replications == len(answered)
    assert over.mean == sum(each.figures["a:ping:0", "least_rtt_ns"] for each in answered) / len(answered)


class Short(Topo):
    """A connection that is over, and forgotten a minute later, and another one after it."""

    def build(self) -> None:
        bulk = {"kind": "tcp_bulk", "destination": "b", "port": 9, "size": "1 MB"}
        self.addSimHost("a", applications=[bulk, {**bulk, "start": "70s"}])
        self.addSimHost("b", applications=[{"kind": "tcp_discard", "port": 9}])
        self.addLink("a", "b", bw=10, delay="5ms")


def test_a_connection_that_is_gone_has_no_samples_and_stays_a_flow_of_the_pictures(tmp_path: Path) -> None:
    simulate(Short(), "80s", series="500ms", jobs=1).write(RunDirectory(tmp_path))
    series = read_series(tmp_path)
    sent = {
        name: values for name, _, values in series.each("connections", "acknowledged_bytes") if name[0] == "a"
    }
    assert len(sent) == 2
    for values in sent.values():
        assert list(values) == sorted(values)
        assert values[-1] > 1_000_000
    [throughput] = [each for each in pictures_of(series) if each.name == "throughput"]
    assert {line.name for line in throughput.lines} == set(sent)
    assert all(max(line.values) > 5 and min(line.values) >= 0 for line in throughput.lines)
    vectors = read_results(tmp_path / "omnetpp" / "seed-1.vec").vectors
    assert [list(vectors[name, "acknowledged_bytes"].values) for name in sent] == [
        list(each) for each in sent.values()
    ]


class Lossy(Topo):
    """A connection with holes, which SACK fills: what is acknowledged stops at each, and then jumps."""

    def build(self) -> None:
        bulk = {"kind": "tcp_bulk", "destination": "b", "port": 9, "tcp": {"congestion": "bbr"}}
        self.addSimHost("a", applications=[bulk])
        self.addSimHost("b", applications=[{"kind": "tcp_discard", "port": 9}])
        self.addLink("a", "b", bw=20, delay="20ms", loss=1)


def test_no_flow_is_drawn_faster_than_its_link(tmp_path: Path) -> None:
    simulate(Lossy(), "20s", series="50ms", jobs=1).write(RunDirectory(tmp_path))
    series = read_series(tmp_path)
    [throughput] = [each for each in pictures_of(series) if each.name == "throughput"]
    [line] = throughput.lines
    segment = 8 * 1448 / 0.05 / 1e6  # Mbit/s: one more or less falls into a sample of 50 ms
    assert 15 < max(line.values) <= 20 + segment
    [acknowledged] = [v for name, _, v in series.each("connections", "acknowledged_bytes") if name[0] == "a"]
    assert (
        max(8e-6 * (after - before) / 0.05 for before, after in itertools.pairwise(acknowledged))
        > 20 + segment
    )


class Late(Topo):
    """A ping that begins after two seconds."""

    def build(self) -> None:
        self.addSimHost("a", applications=[{"kind": "ping", "destination": "b", "start": "2s"}])
        self.addSimHost("b")
        self.addLink("a", "b", delay="5ms")


def test_before_something_is_timed_a_series_has_no_time_and_counts_are_0(tmp_path: Path) -> None:
    simulate(Late(), "4s", series="500ms", jobs=1).write(RunDirectory(tmp_path))
    series = read_series(tmp_path)
    [(_, times, rtts)] = series.each("applications", "mean_rtt_ns")
    assert times[0] > 2
    assert min(rtts) >= 10e6  # there and back
    [(_, times, answered)] = series.each("applications", "received")
    assert (times[0], answered[0], answered[-1]) == (0.5, 0, 2)


class Visited(Topo):
    def build(self) -> None:
        self.addSimSwitch("s1")
        self.addLink("s1", self.addGuest("laptop"), delay="5ms")


class Emulated(Topo):
    def build(self) -> None:
        self.addHost("h1")


@pytest.mark.parametrize(
    ("arguments", "options", "says"),
    [
        ((Emulated(), "1s"), {}, "h1 is an emulated host; describe it with addSimHost"),
        ((Visited(), "1s"), {}, "laptop is a guest, and nobody can join virtual time"),
        ((Topo(), "1s"), {}, "the topology has no nodes"),
        ((Pair(), "0"), {}, "until '0' is not above 0"),
        ((Pair(), "soon"), {}, "until"),
        ((Pair(), "1s"), {"seeds": 0}, "seeds"),
        ((Pair(), "1s"), {"seeds": [1, 1]}, "each once"),
        ((Pair(), "1s"), {"parallel": 0}, "parallel"),
        ((Pair(), "1s"), {"jobs": 0}, "jobs"),
        ((Pair(), "3600s"), {"series": "1us"}, "take fewer"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: Any, options: dict[str, Any], says: str) -> None:
    with pytest.raises(HybridnetError, match=says):
        simulate(*arguments, **options)


def test_several_seeds_do_not_share_a_capture(tmp_path: Path) -> None:
    net = Net(Pair(), captures={"b-eth0": str(tmp_path / "b.pcap")})
    with pytest.raises(UsageError, match="every seed would write the same captures"):
        net.simulate("1s", seeds=2)
    net.simulate("1s")
    assert (tmp_path / "b.pcap").stat().st_size > 1000


def test_values_that_are_missing_are_left_out() -> None:
    snapshot = {
        "applications": [{"name": "p", "node": "a", "sent": 1, "least_rtt_ns": None, "dropped": {"full": 2}}]
    }
    assert list(figures_of(snapshot)) == [("p", "sent", 1.0), ("p", "dropped.full", 2.0)]
