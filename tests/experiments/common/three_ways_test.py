# SPDX-License-Identifier: MIT
"""Figures 8 to 10: when flows begin, what is promised, and what the table says."""

from __future__ import annotations

from statistics import median

import pytest

from hybridnet.experiments.common.figure6 import FRAME, PAYLOAD, received
from hybridnet.experiments.common.three_ways import Round, Scale, Step, pace_verdict
from hybridnet.experiments.common.three_ways_report import Rounds, limit_bps, ratio_check, table_of
from hybridnet.experiments.fig10.experiment import checks_of
from hybridnet.observe.results import Verdict

SCALE = Scale((2, 4, 8), ("udp", "tcp"), 0.5, 4.0, "100 Mbit/s", "5us", False)


def round_of(arm: str, *gbps: float, slowdown: float = 1.0) -> Round:
    """A round whose UDP flows got a quarter."""
    steps = [
        Step(flows, {"udp": total * 0.25e9, "tcp": total * 0.75e9}, slowdown)
        for flows, total in zip(SCALE.steps, gbps, strict=True)
    ]
    return Round(arm, steps, Verdict.of([]))


def rounds(*of_mpi: float) -> Rounds:
    peering = [round_of("peering", 1, 2, each) for each in (5.0, 6.0, 7.0)]
    mpi = [round_of("mpi", 1, 1, each, slowdown=3) for each in of_mpi]
    return Rounds(SCALE, [*peering, *mpi])


def test_flows_begin_in_their_steps_and_kinds_take_turns() -> None:
    applications = {
        spec.name: spec.resolved["applications"]
        for spec in SCALE.topo(4.0).node_specs()
        if spec.role == "simhost"
    }
    starts = [applications[f"h{flow}"][0]["start_ns"] / 1e9 for flow in range(1, 9)]
    assert starts == [4.0, 4.0, 4.5, 4.5, 5.0, 5.0, 5.0, 5.0]
    assert [applications[f"h{flow}"][0]["kind"] for flow in (1, 2, 3)] == [
        "udp_source",
        "tcp_bulk",
        "udp_source",
    ]
    assert applications["h65"][0]["kind"] == "udp_sink"
    assert applications["h9"] == []
    assert received(0, "udp") == ("h65:udp_sink:5001", "received_bytes")


def test_the_ratio_is_that_of_the_medians_at_the_widest_step() -> None:
    found = rounds(1.0, 2.0, 9.0)
    assert found.ratio(-1, "mpi") == pytest.approx(median((5, 6, 7)) / median((1, 2, 9)))
    assert [check.holds for check in ratio_check(found, "mpi", 3.0, "2")] == [True]
    assert [check.holds for check in ratio_check(rounds(2.0, 2.1, 2.2), "mpi", 3.0, "2")] == [False]
    assert ratio_check(found, "pcap", 2.0, "2") == []


def test_mixed_traffic_promises_something_from_eight_flows_on() -> None:
    assert [check.holds for check in checks_of(rounds(5.0, 5.0, 5.0))] == [True]
    assert [check.holds for check in checks_of(rounds(6.0, 6.1, 6.2))] == [False]


def test_the_table_has_the_shares_of_both_kinds_and_how_slow_mpi_was() -> None:
    table = table_of(rounds(1.0, 2.0, 9.0), {"peering": "TCP's share drops"})
    cells = {str(column.header): list(column.cells) for column in table.columns}
    assert list(cells) == ["flows", "peering", "mpi", "slowdown", "peering / mpi"]
    assert cells["peering"][2] == "6.00 ± 1.00\nUDP 1.50, 25%\nTCP 4.50, 75%"
    assert cells["slowdown"] == ["3.00"] * 3
    assert cells["peering / mpi"] == ["1.00", "2.00", "3.00"]


def test_a_synchronized_simulation_is_broken_where_it_falls_behind() -> None:
    kept = [Step(2, {}, 1.02), Step(4, {}, 1.0)]
    assert str(pace_verdict(kept)) == "trusted: every limit held"
    said = str(pace_verdict([*kept, Step(8, {}, 1.5), Step(16, {}, 2.5)]))
    assert said.startswith(
        "broken: it fell behind the wall clock from 8 flows on: a simulated second took up to 2.50 s"
    )


def test_the_limit_is_what_flows_ask_for_and_then_the_bottleneck() -> None:
    tcp = 1e9 * PAYLOAD / FRAME
    assert limit_bps(SCALE, 2) == pytest.approx(100e6 + tcp)
    assert limit_bps(SCALE, 64) == pytest.approx(10 * tcp)
