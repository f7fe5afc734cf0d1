# SPDX-License-Identifier: MIT
"""Workloads in simulations: completion times against arithmetic, and how replications come together."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from hybridnet import Net, Topo, Workload
from hybridnet.errors import UsageError
from hybridnet.simulate.offline import SimulationReport, simulate

FRAME, PAYLOAD = 1514, 1448


class Star(Topo):
    """h1 ... hn at one switch: 100 Mbit/s and 10 us each."""

    def build(self, n: int = 4, queue: int = 1000, bw: Any = 100, **of_h1: Any) -> None:
        self.addSimSwitch("s1")
        for number in range(1, n + 1):
            self.addSimHost(f"h{number}", **(of_h1 if number == 1 else {}))
            self.addLink(f"h{number}", "s1", bw=bw, delay="10us", max_queue_size=queue)


class Routed(Topo):
    """a ─ 1 Gbit/s ─ r1 ═ 10 Mbit/s, 5 ms ═ r2 ─ 100 Mbit/s ─ b."""

    def build(self) -> None:
        self.addSimHost("a")
        self.addSimHost("b")
        self.addSimRouter("r1")
        self.addSimRouter("r2")
        self.addLink("a", "r1", bw=1000, delay="5us")
        self.addLink("r1", "r2", bw=10, delay="5ms")
        self.addLink("r2", "b", bw=100, delay="20us")


def alone(size: int, to: str, source: str, every: str, **of_workload: Any) -> Workload:
    """One flow at a time, from the same host to the same."""
    return Workload(
        size, pattern="incast", fan_in=1, interval=every, hosts=[source, to], receiver=to, **of_workload
    )


def slowdowns(report: SimulationReport) -> list[float]:
    assert report.flows is not None
    return [row.slowdown for row in report.flows.counted if row.slowdown is not None]


@pytest.mark.parametrize("size", [1, 1000, PAYLOAD, PAYLOAD + 1, 10_000, 1_000_000])
def test_a_flow_alone_has_slowdown_one_where_its_window_never_stops_it(size: int) -> None:
    """A switch: ten segments are more than the way holds. The first flow finds the neighbours' addresses."""
    report = simulate(Star(2), "2s", workloads=[alone(size, "h2", "h1", "500ms")], warmup="400ms")
    assert slowdowns(report) == pytest.approx([1.0] * 3, abs=1e-6)


@pytest.mark.parametrize(
    "tcp", [{"preset": "rfc", "nagle": "off"}, {"preset": "rfc", "timestamps": False}, "reno-2004"]
)
@pytest.mark.parametrize("size", [1, 1000])
def test_so_it_has_with_other_tcps(size: int, tcp: Any) -> None:
    report = simulate(Star(2), "2s", workloads=[alone(size, "h2", "h1", "500ms", tcp=tcp)], warmup="400ms")
    assert slowdowns(report) == pytest.approx([1.0] * 3, abs=1e-6)


@pytest.mark.parametrize("size", [1, 1000, 10 * PAYLOAD])
def test_a_flow_alone_has_slowdown_one_over_routers_as_long_as_it_is_one_window(size: int) -> None:
    report = simulate(Routed(), "2s", workloads=[alone(size, "b", "a", "500ms")], warmup="400ms")
    assert slowdowns(report) == pytest.approx([1.0] * 3, abs=1e-6)


def test_a_longer_flow_alone_pays_for_slow_start_at_most_a_round_trip_for_each_doubling() -> None:
    """10 Mbit/s over 10.05 ms hold 9 segments, and 10 are the first window: nothing waits after one round trip."""
    report = simulate(Routed(), "20s", workloads=[alone(1_000_000, "b", "a", "5s")], warmup="1s")
    assert report.flows is not None
    for row in report.flows.counted:
        assert row.completion_s is not None
        assert (
            0 <= row.completion_s - row.ideal_s < 0.0122
        )  # a round trip with a segment and its acknowledgment


def test_two_flows_to_one_host_take_twice_as_long() -> None:
    """Both have 691 segments; the link to h3 carries them all, and the later one ends when it has."""
    pair = Workload(
        1_000_000, pattern="incast", fan_in=2, interval="1s", receiver="h3", hosts=["h1", "h2", "h3"]
    )
    report = simulate(Star(3), "3.9s", workloads=[pair], warmup="900ms")
    assert report.flows is not None
    by_start: dict[float, list[float]] = {}
    for row in report.flows.counted:
        assert row.slowdown is not None
        by_start.setdefault(row.start_s, []).append(row.slowdown)
    assert len(by_start) == 3
    for found in by_start.values():
        assert max(found) == pytest.approx(2, rel=0.01)


def test_goodput_is_the_share_of_payload_in_the_links_rate_and_in_bits_per_second() -> None:
    report = simulate(Star(2), "2s", workloads=[alone(10_000_000, "h2", "h1", "1s", start="900ms")])
    assert report.flows is not None
    [row] = [row for row in report.flows.rows if row.state == "finished"]
    assert row.goodput_bps == pytest.approx(100e6 * PAYLOAD / FRAME, rel=0.001)


def test_a_round_of_an_all_reduce_begins_at_a_host_when_the_round_before_has_come_to_it() -> None:
    """1 MB of 3 MB in each flow, and four rounds: the last is in time only for those that are not cut off."""
    ring = Workload("3 MB", pattern="all-reduce")
    report = simulate(Star(3), "1s", workloads=[ring])
    assert report.flows is not None
    rows = list(report.flows.rows)
    assert len(rows) == 3 * 4
    came = {(row.destination, row.start_s + (row.completion_s or 0)) for row in rows}
    for row in rows[3:]:
        assert any(at == pytest.approx(row.start_s, abs=1e-12) for host, at in came if host == row.source)
    cut = simulate(Star(3), "150ms", workloads=[ring]).flows
    assert cut is not None
    assert 3 < len(cut.rows) < 12  # those of rounds that nobody has begun have no row
    assert {row.state for row in cut.rows} == {"finished", "unfinished"}


def test_an_all_reduce_in_several_parts_is_refused() -> None:
    with pytest.raises(UsageError, match="all-reduce runs in one part"):
        simulate(Star(4), "1s", parallel=2, workloads=[Workload("3 MB", pattern="all-reduce")])


def test_losses_are_retransmitted_and_slow_flows_down() -> None:
    burst = Workload("100 kB", pattern="incast", fan_in=7, interval="500ms", receiver="h1")
    report = simulate(Star(8, queue=20), "1s", workloads=[burst])
    assert report.flows is not None
    assert sum(row.retransmitted_segments for row in report.flows.rows) > 0
    assert fmean(slowdowns(report)) > 4  # seven share the link


def test_of_what_is_sent_the_rest_is_lost() -> None:
    """The one queue that is too short drops what was sent and did not come."""
    burst = Workload("100 kB", pattern="incast", fan_in=7, interval="500ms", receiver="h1", stop="1ms")
    report = simulate(Star(8, queue=20), "3s", workloads=[burst])
    assert report.flows is not None
    assert [row.state for row in report.flows.rows] == ["finished"] * 7
    figures = report.replications[0].figures
    dropped = sum(value for (_, name), value in figures.items() if name == "dropped.queue_full")
    assert sum(row.lost_segments for row in report.flows.rows) == dropped > 0


class Rows(Topo):
    """Two switches of four hosts each, joined by a link that can be cut."""

    def build(self) -> None:
        self.addSimRouter("r1")
        self.addSimRouter("r2")
        self.addLink("r1", "r2", bw=100, delay="50us", max_queue_size=30)
        for number in range(1, 9):
            self.addSimHost(f"h{number}")
            self.addLink(f"h{number}", f"r{1 if number < 5 else 2}", bw=100, delay="10us")


def test_parts_give_the_flows_of_the_whole() -> None:
    workloads = [Workload("hadoop", load=0.3), Workload(50_000, pattern="incast", fan_in=5, interval="20ms")]
    whole, threads = (
        simulate(Rows(), "100ms", workloads=workloads, parallel=parts, trace_hash=True, warmup="5ms")
        for parts in (1, 2)
    )
    assert whole.flows is not None
    assert len(whole.flows.rows) > 30
    assert sum(row.lost_segments for row in whole.flows.rows) > 0
    assert threads.flows == whole.flows
    [one], [two] = whole.replications, threads.replications
    assert (one.trace_hash, one.figures) == (two.trace_hash, two.figures)


def test_flows_keep_pace_with_the_wall_clock() -> None:
    report = simulate(Star(2), "100ms", workloads=[alone(1000, "h2", "h1", "10ms")], real_time=True)
    assert report.flows is not None
    assert len(report.flows.rows) == 10


def test_the_same_seeds_give_the_same_rows_in_one_process_or_several() -> None:
    workloads = [Workload("hadoop", load=0.3), Workload(5000, pattern="incast", fan_in=3, interval="20ms")]
    one, two = (simulate(Star(), "200ms", seeds=3, jobs=jobs, workloads=workloads) for jobs in (1, 2))
    assert one.flows == two.flows
    assert one.flows is not None
    by_seed = {seed: [row.start_s for row in one.flows.rows if row.seed == seed] for seed in (1, 2, 3)}
    assert by_seed[1] != by_seed[2]


def test_flows_that_the_end_cuts_off_are_named_and_those_of_the_warm_up_are_not_counted() -> None:
    report = simulate(Star(2), "1s", workloads=[alone(1_000_000, "h2", "h1", "199ms")], warmup="100ms")
    assert report.flows is not None
    states = [(row.state, row.counted) for row in report.flows.rows]
    assert states == [("finished", False), *[("finished", True)] * 4, ("unfinished", True)]
    assert report.flows.rows[-1].received_bytes < 1_000_000
    assert any("1 unfinished of 5 flows" in line and "1000000 B" in line for line in report.remarks())


def test_replications_end_when_the_mean_slowdown_is_narrow_enough_whatever_runs_at_once() -> None:
    workload = Workload("20 kB", load=0.3)
    found = [
        simulate(Star(), "100ms", seeds=40, jobs=jobs, workloads=[workload], warmup="10ms", precision="5 %")
        for jobs in (1, 2)
    ]
    counts = [len(report.replications) for report in found]
    assert counts[0] == counts[1]
    assert 3 <= counts[0] < 40
    assert found[0].flows == found[1].flows
    assert found[0].flows is not None
    mean = found[0].flows.mean_slowdown()
    assert mean is not None
    assert mean.half_width <= 0.05 * mean.mean
    assert found[0]["flows:all", "mean_slowdown"].mean == pytest.approx(mean.mean)
    assert f"{counts[0]} replications are enough for a mean slowdown within ±5 %" in found[0].remarks()


def test_a_bound_that_comes_first_is_told() -> None:
    report = simulate(
        Star(), "50ms", seeds=3, jobs=1, workloads=[Workload("hadoop", load=0.5)], precision=0.1
    )
    assert len(report.replications) == 3
    assert any(
        "3 replications are not enough for a mean slowdown within ±0.1 %" in line for line in report.remarks()
    )


def test_a_network_writes_its_flows_into_its_run_directory(tmp_path: Path) -> None:
    report = Net(Star(2), out=tmp_path / "run").simulate("100ms", workloads=[alone(1000, "h2", "h1", "10ms")])
    assert report.flows is not None
    content = json.loads((tmp_path / "run" / "flows.json").read_text())
    assert len(content["rows"]) == content["flows"] == 10
    assert json.loads((tmp_path / "run" / "figures.json").read_text())["flows"]["counted"] == 10


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"warmup": "2s"}, "warmup '2s' is as long as the simulation"),
        ({"precision": "5%"}, "precision needs 3 seeds or more"),
        ({"precision": 0, "seeds": 5}, "precision 0 is not above 0"),
        ({"workloads": [], "warmup": "1ms"}, "warmup is of workloads, and there is none"),
        ({"workloads": [], "precision": 5}, "there is no workload"),
        ({"workloads": "web-search"}, "is not a list of Workload"),
        (
            {"workloads": [Workload("hadoop", load=0.5, hosts=["h1", "h7"])]},
            "there is no simulated host 'h7'",
        ),
    ],
)
def test_arguments_that_make_no_sense_are_refused(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as error:
        simulate(Star(), "1s", jobs=1, **{"workloads": [Workload("hadoop", load=0.5)], **arguments})
    assert said in str(error.value)


def test_an_application_at_the_port_of_a_flow_is_refused() -> None:
    topo = Star(2, applications=[{"kind": "tcp_discard", "port": 5001}])
    with pytest.raises(
        UsageError,
        match="tcp_discard of h1 listens at port 5001, and the 1 flows that the workloads send from",
    ):
        simulate(topo, "1s", jobs=1, workloads=[alone(1000, "h2", "h1", "1s")])
