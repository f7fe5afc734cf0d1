# SPDX-License-Identifier: MIT
"""Steady time that is left out: against the same packet by packet, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hybridnet import FastForward, Net, Topo, Workload
from hybridnet.cli.main import main
from hybridnet.errors import HybridnetError, UsageError
from hybridnet.observe.results.run_directory import RunDirectory
from hybridnet.simulate.flows import FlowRow
from hybridnet.simulate.offline import ForwardCheck, SimulationReport, simulate

FRAME, PAYLOAD = 1514, 1460
WINDOW = "reno-2004"
"""Its window of 65,535 bytes is all that holds it on a link with a queue that takes it."""
ONE = FastForward("1%")


class Star(Topo):
    """h1 ... hn at one switch: 100 Mbit/s and 10 us each."""

    def build(self, n: int = 4, queue: int = 1000, of_h1: Any = None, **link: Any) -> None:
        self.addSimSwitch("s1")
        for number in range(1, n + 1):
            self.addSimHost(f"h{number}", **(of_h1 or {} if number == 1 else {}))
            self.addLink(f"h{number}", "s1", **{"bw": 100, "delay": "10us", "max_queue_size": queue, **link})


def ring(size: str = "80 MB", rounds: int = 2, **given: Any) -> Workload:
    return Workload(size, pattern="all-reduce", rounds=rounds, **{"tcp": WINDOW, **given})


def run(workload: Workload, forward: FastForward | None, until: str = "60s", **topo: Any) -> SimulationReport:
    return simulate(Star(**topo), until, workloads=[workload], fast_forward=forward)


def rows(report: SimulationReport) -> list[FlowRow]:
    assert report.flows is not None
    return list(report.flows.rows)


def test_a_ring_takes_as_long_as_its_rounds_at_the_rate_of_the_link() -> None:
    """20 MB go from each host in each round; nothing else is on its link but the acknowledgments of what it gets."""
    report = run(ring(), ONE)
    [forwarded] = report.forwarded
    assert forwarded.skips >= 2
    assert forwarded.left_out_s > 0.7 * 2 * 8 * 20e6 / 100e6
    for row in rows(report):
        assert row.state == "finished"
        assert row.received_bytes == 20_000_000
        # Acknowledgments, of 60 bytes for each segment, share its link
        assert row.completion_s == pytest.approx(8 * 20e6 / 100e6 * (FRAME + 60) / PAYLOAD, rel=0.01)


def test_completion_times_are_within_the_error_of_those_packet_by_packet() -> None:
    report = run(ring(), FastForward("1%", check=True))
    assert report.check is not None
    assert report.check.compared == 2 * 4
    assert report.check.within
    assert report.check.worst <= 0.01
    assert report.check.speed_up > 1


def test_what_is_said_is_how_much_was_left_out_and_how_wrong_it_may_be() -> None:
    report = run(ring(), ONE)
    [forwarded] = report.forwarded
    assert 0.0053 / 1.73 < forwarded.bound <= 0.01  # a round trip of 65,535 bytes is 5.3 ms
    assert 0 < forwarded.forwarded_bytes < forwarded.of_bytes == 2 * 4 * 20_000_000
    [said] = [line for line in report.remarks() if line.startswith("fast-forward left out")]
    assert f"in {forwarded.skips} pieces" in said
    assert "(asked for: 1.00%)" in said


def test_the_same_seed_gives_the_same_rows() -> None:
    assert rows(run(ring(), ONE)) == rows(run(ring(), ONE))


def test_a_start_during_steady_time_is_at_its_instant() -> None:
    """The second flow to h1 starts after 2 s, when both share its link."""
    incast = Workload(
        "30 MB", pattern="incast", fan_in=1, interval="2s", receiver="h1", stop="3s", tcp=WINDOW
    )
    report = run(incast, FastForward("1%", check=True), n=3)
    assert [row.start_s for row in rows(report)] == [0.0, 2.0]
    assert report.forwarded[0].skips >= 2
    assert report.check is not None
    assert report.check.within


def test_where_nothing_is_steady_all_is_packet_by_packet_and_it_says_why() -> None:
    short = Workload("1500 kB", load=0.5)
    forwarded, packets = (run(short, each, until="500ms") for each in (ONE, None))
    assert rows(forwarded) == rows(packets)
    assert forwarded.replications[0].events == packets.replications[0].events
    assert forwarded.replications[0].figures == packets.replications[0].figures
    assert forwarded.forwarded[0].skips == 0
    assert any("fast-forward left nothing out" in line for line in forwarded.remarks())


def test_nothing_is_left_out_where_a_flow_is_shorter_than_its_initial_window_over_the_error() -> None:
    """14,600 bytes are 1 % of 1.46 MB: a start at another instant of the steady flows' cycle may be worth so many."""
    for size, left_out in ((1_459_999, False), (1_460_000, True)):
        late = Workload(
            size, pattern="incast", fan_in=1, interval="50s", receiver="h1", start="3s", tcp=WINDOW
        )
        report = simulate(Star(), "20s", workloads=[ring(), late], fast_forward=ONE)
        [forwarded] = report.forwarded
        assert (forwarded.skips > 0) == left_out
        assert any("a flow is so short" in line for line in report.remarks()) != left_out


def test_without_it_files_say_nothing_of_it(tmp_path: Path) -> None:
    report = run(ring("1 MB"), None)
    report.write(RunDirectory(tmp_path))
    assert "fast_forward" not in json.loads((tmp_path / "figures.json").read_text())


def test_replications_in_processes_of_their_own_are_the_same() -> None:
    one, several = (
        simulate(Star(), "60s", seeds=2, jobs=jobs, workloads=[ring()], fast_forward=ONE) for jobs in (1, 2)
    )
    assert rows(one) == rows(several)
    assert one.forwarded == several.forwarded


def test_a_check_compares_flow_by_flow() -> None:
    row = replace(rows(run(ring("1 MB", 1), None))[0], start_s=0.0)
    packets = [replace(row, completion_s=seconds) for seconds in (1.0, 2.0, None)]
    forwarded = [replace(row, completion_s=seconds) for seconds in (1.02, 2.0, 5.0)]
    check = ForwardCheck.of(0.01, forwarded, packets, 5.0, 3.0)
    assert (check.compared, check.only_one, check.within) == (2, 1, False)
    assert check.worst == pytest.approx(0.02)
    assert check.mean == pytest.approx(0.02 / 3)
    assert "NOT within" in check.remark()
    assert "number 1)" in check.remark()
    assert ForwardCheck.of(0.021, forwarded, packets, 5.0, 3.0).within


def test_a_flow_that_finished_in_one_of_both_lasts_until_the_end_in_the_other() -> None:
    row = replace(rows(run(ring("1 MB", 1), None))[0], start_s=2.0)
    early, never = replace(row, completion_s=4.0), replace(row, completion_s=None)
    # It has 8 s until the end: at least 8 where 4 are told, and 8 are told where it is 4.
    assert ForwardCheck.of(0.01, [early], [never], 10.0, 1.0).worst == pytest.approx(4 / 8)
    late = ForwardCheck.of(0.01, [never], [early], 10.0, 1.0)
    assert late.worst == pytest.approx(4 / 4)
    assert (late.compared, late.only_one, late.within) == (0, 1, False)
    # Nobody knows how much longer one lasts that would have finished just after the end.
    assert ForwardCheck.of(0.01, [early], [never], 6.01, 1.0).within
    assert ForwardCheck.of(0.01, [never], [never], 10.0, 1.0).worst == 0


@pytest.mark.parametrize(
    ("given", "topo", "said"),
    [
        ({"workloads": []}, {}, "there is no workload; add one"),
        ({"parallel": 2, "workloads": [Workload("1 MB", load=0.1)]}, {}, "fast-forward and parallel"),
        ({"real_time": True}, {}, "fast-forward and real_time"),
        ({"series": "1ms"}, {}, "fast-forward and series"),
        ({"trace_hash": True}, {}, "fast-forward and trace_hash"),
        ({"workloads": [ring(tcp={"congestion": "bbr"})]}, {}, "fast-forward and bbr of workload"),
        (
            {},
            {"of_h1": {"applications": [{"kind": "ping", "destination": "h2"}]}},
            "fast-forward and ping of h1: only flows of workloads",
        ),
        ({}, {"loss": 0.02}, "fast-forward and loss of link h1-s1"),
        ({}, {"corrupt": 0.02}, "fast-forward and corrupt of link h1-s1"),
        ({}, {"bit_error_rate": 1e-9}, "fast-forward and bit_error_rate of link h1-s1"),
        ({}, {"delay": "1ms", "reorder": 0.02}, "fast-forward and reorder of link h1-s1"),
        ({"fast_forward": "1%"}, {}, "is no FastForward"),
    ],
)
def test_what_cannot_be_left_out_is_refused_by_name(
    given: dict[str, Any], topo: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        simulate(Star(**topo), "1s", **{"workloads": [ring()], "fast_forward": ONE, **given})


def test_a_loss_of_nothing_is_none() -> None:
    assert simulate(Star(loss=0), "1ms", workloads=[ring()], fast_forward=ONE).forwarded[0].skips == 0


def test_a_fluid_flow_is_refused_by_name() -> None:
    """One that is silent while the flows are measured may fill their link in the time that is left out."""
    topo = Star()
    seldom = {"model": "on_off", "rate": "60 Mbit/s", "mean_on": "8s", "mean_off": "8s"}
    topo.addFluid("h3", "h1", seldom, "seldom")
    with pytest.raises(UsageError, match="fast-forward and the fluid flow seldom: what it sends"):
        simulate(topo, "1s", workloads=[ring()], fast_forward=ONE)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("error=0", "error '0' is not from 0.01% to 20%"),
        ("error=30%", "is not from"),
        ("error=x", "is not a percentage"),
        ("eror=1%", "did you mean 'error'"),
        ("check=perhaps", "check 'perhaps' does not exist"),
        ("error=1%,error=2%", "write each argument once"),
        ("", "does not exist"),
    ],
)
def test_what_makes_no_sense_is_refused(written: str, said: str) -> None:
    with pytest.raises(HybridnetError, match=said):
        FastForward.parse(written)


def test_the_command_line_says_the_same_as_python() -> None:
    assert FastForward.parse("error=0.5%") == FastForward("0.5%")
    assert FastForward.parse("check=yes") == FastForward(check=True)


def test_a_script_has_it_too() -> None:
    report = Net(Star()).simulate("60s", workloads=[ring()], fast_forward=ONE)
    assert report.forwarded[0].skips > 0


NETWORK = """
from hybridnet import Topo

class Star(Topo):
    def build(self):
        self.addSimSwitch("s1")
        for number in range(1, 4):
            self.addSimHost(f"h{number}")
            self.addLink(f"h{number}", "s1", bw=100, delay="10us", max_queue_size=1000)
"""


def test_the_command_says_what_was_left_out_and_compares(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "star.py"
    file.write_text(NETWORK)
    command = [
        "simulate",
        str(file),
        "--until",
        "20s",
        "--workload",
        "60MB,pattern=all-reduce,rounds=1,tcp=reno-2004",
    ]
    assert main([*command, "--fast-forward", "error=1%,check=yes"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "fast-forward left out" in said
    assert "checked packet by packet: 3 completion times differ by" in said
    assert main([*command, "--fast-forward", "error=1%", "--json"]) == 0
    [of_one] = json.loads(capsys.readouterr().out)["fast_forward"]["replications"]
    assert of_one["skips"] > 0
    assert main(["simulate", str(file), "--live", "--fast-forward", "error=1%"]) == 2
    assert "--fast-forward and --live: leave one of them out" in capsys.readouterr().err
