# SPDX-License-Identifier: MIT
from __future__ import annotations

from math import sqrt

import pytest

from hybridnet.experiments.differential.cells import PAYLOAD_BPS, Cell, Measured, all_cells, batches_of
from hybridnet.experiments.differential.experiment import checks_of, short_of_rounds, table_of


def measured(simulated: float, *real: float, trains: bool = False) -> list[Measured]:
    return [Measured(cell, [simulated], list(real)) for cell in all_cells(trains)]


def test_the_queue_holds_one_bandwidth_delay_product():
    # 100 Mbit/s * 10 ms = 125,000 bytes = 81.3 frames of 1538
    assert Cell(False, "reno", 0.01, 0.0).queue_packets == 81


def test_without_loss_the_formula_is_what_the_framing_lets_through():
    # 1448 of 1538 bytes
    assert Cell(False, "cubic", 0.06, 0.0).formula_bps == PAYLOAD_BPS == pytest.approx(94.15e6, rel=1e-3)


def test_a_batch_stays_within_the_budget():
    cells = all_cells(False)
    expected = [(cell, 30e6 + 5e6 * index) for index, cell in enumerate(cells)]
    load = dict(expected)
    batches = batches_of(expected, 200e6, 4)
    assert sorted(map(str, cells)) == sorted(str(cell) for batch in batches for cell in batch)
    assert all(sum(load[cell] for cell in batch) <= 200e6 and len(batch) <= 4 for batch in batches)


def test_a_flow_above_the_budget_runs_alone():
    [first, second] = all_cells(False)[:2]
    assert batches_of([(first, 300e6), (second, 1e6)], 200e6, 8) == [[first], [second]]


def test_a_tenth_apart_holds_and_more_does_not():
    assert all(check.holds for check in checks_of(measured(1.09, 1.0, 1.0, 1.0), 5))
    assert [check.holds for check in checks_of(measured(1.11, 1.0, 1.0, 1.0), 5)] == [True, False, False]


def test_trains_may_lie_further_apart():
    assert all(check.holds for check in checks_of(measured(1.14, 1.0, 1.0, 1.0, trains=True), 5))


def test_too_few_trusted_rounds_do_not_hold():
    assert not checks_of(measured(1.0, 1.0, 1.0), 5)[0].holds
    assert checks_of(measured(1.0, 1.0, 1.0, 1.0), 5)[0].holds


def test_only_flows_without_most_of_their_rounds_run_again():
    [few, enough] = measured(1.0, 1.0, 1.0)[:1] + measured(1.0, 1.0, 1.0, 1.0)[1:2]
    assert short_of_rounds([few, enough], 5) == [few]


def spread_of_nine_percent(*real: float) -> Measured:
    # Standard deviation of two values: their difference / √2.
    apart = 0.09 * sqrt(2)
    return Measured(Cell(False, "reno", 0.06, 0.001), [1 - apart / 2, 1 + apart / 2], list(real))


def test_a_bound_of_a_tenth_takes_eight_flows_that_spread_by_nine_percent():
    # 3 * 0.09 / √8 = 0.0955, 3 * 0.09 / √7 = 0.102
    assert spread_of_nine_percent().rounds_that_tell(0.10) == 8
    # 3 * 0.09 / √4 = 0.135, 3 * 0.09 / √3 = 0.156
    assert spread_of_nine_percent().rounds_that_tell(0.15) == 4


def test_flows_that_spread_run_until_they_tell_the_bound():
    seven, eight = spread_of_nine_percent(*[1.0] * 7), spread_of_nine_percent(*[1.0] * 8)
    assert short_of_rounds([seven, eight], 5) == [seven]
    assert not checks_of([seven], 5)[0].holds
    assert checks_of([eight], 5)[0].holds


def test_a_single_round_is_a_look():
    assert short_of_rounds([spread_of_nine_percent(1.0)], 1) == []


def test_without_any_trusted_round_nothing_is_judged():
    assert not any(check.holds for check in checks_of(measured(1.0), 5))


def test_a_congestion_control_that_was_not_run_promises_nothing():
    reno = [each for each in measured(1.0, 1.0) if each.cell.algorithm == "reno"]
    assert [check.what for check in checks_of(reno, 1)] == [
        "trusted rounds of each real flow",
        "single segments, reno: simulated beside Linux, means",
    ]


def test_the_table_shows_an_arm_without_a_trusted_round_as_no_number():
    cell = Cell(False, "reno", 0.01, 0.0)
    table = table_of([Measured(cell, [90e6, 108e6, 99e6], [110e6]), Measured(cell, [99e6], [], [110e6])])
    cells = {str(column.header): list(column.cells) for column in table.columns}
    assert cells["simulated"] == ["99.00", "99.00"]
    assert cells["Linux"] == ["110.00", "nan"]
    assert cells["beside Linux"] == ["-10.0%", "+nan%"]
    assert cells["simulated beside formula"] == [f"{99e6 / PAYLOAD_BPS - 1:+.1%}"] * 2
