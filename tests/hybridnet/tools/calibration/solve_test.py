# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet.tools.calibration.solve import Point, extra, fit, fit_loop, fit_polling, fit_turn, fit_turns
from hybridnet.tools.forecast.costs import POLLS, Cost, Traffic, switching, turning

BURSTS = Traffic(1000, 13_000, 18e6)
SINGLES = Traffic(6400, 6400, 9e6)
SMALL = Traffic(1000, 15_000, 1.5e6)


def points(cost: Cost, *traffics: Traffic) -> list[Point]:
    return [Point(traffic, cost.cores(traffic)) for traffic in traffics]


def test_three_terms_come_back_from_three_points() -> None:
    cost = Cost(burst_ns=20_000, unit_ns=4_000, byte_ns=0.25)
    found = fit(points(cost, BURSTS, SINGLES, SMALL))
    assert (found.burst_ns, found.unit_ns, found.byte_ns) == pytest.approx((20_000, 4_000, 0.25), rel=1e-4)


def test_two_points_are_explained_by_two_terms() -> None:
    cost = Cost(burst_ns=20_000, unit_ns=4_000)
    found = fit(points(cost, BURSTS, SINGLES))
    for traffic in (BURSTS, SINGLES):
        assert found.cores(traffic) == pytest.approx(cost.cores(traffic), rel=1e-6)


def test_a_train_costs_what_a_unit_does_where_all_points_pause_alike() -> None:
    cost = Cost(unit_ns=9_000, byte_ns=0.5)
    assert fit(points(cost, Traffic(800, 800, 50e6), Traffic(5000, 5000, 20e6))) == cost


def test_bursts_cost_less_where_they_end_no_pause() -> None:
    cost = Cost(burst_ns=30_000, unit_ns=9_000, byte_ns=0.5)
    passed = {
        0.95: Traffic(800, 800, 50e6),
        0.8: Traffic(5000, 5000, 20e6),
        0.0: Traffic(40_000, 40_000, 2.5e9),
    }
    measured = [
        Point(traffic, cost.cores(traffic, share), pausing=share) for share, traffic in passed.items()
    ]
    # At the last point, 40,000 of 9 us and 2.5e9 of 0.5 ns: nobody is woken.
    assert measured[-1].cores == pytest.approx(0.36 + 1.25)
    found = fit(measured)
    assert (found.burst_ns, found.unit_ns, found.byte_ns) == pytest.approx((30_000, 9_000, 0.5), rel=1e-4)


def test_no_cost_is_negative() -> None:
    """The second point takes less than the first, although more bytes pass."""
    found = fit([Point(Traffic(1, 1000, 1e6), 0.02), Point(Traffic(1, 1000, 2e6), 0.01)])
    assert found.byte_ns >= 0
    assert 10_000 <= found.unit_ns <= 20_000


def test_points_that_are_multiples_of_each_other_need_one_term() -> None:
    found = fit([Point(Traffic(1, 1000, 1e6), 0.01), Point(Traffic(1, 2000, 2e6), 0.02)])
    assert found.cores(Traffic(1, 3000, 3e6)) == pytest.approx(0.03)


def test_what_takes_nothing_costs_nothing() -> None:
    assert fit([Point(BURSTS, 0.0), Point(SINGLES, 0.0)]) == Cost()


def test_what_is_known_is_taken_off_and_leaves_nothing_below_zero() -> None:
    measured = [Point(BURSTS, 0.1, turns=1000, wakes=500), Point(SINGLES, 0.001)]
    left = extra(measured, [Cost(unit_ns=2000), Cost(burst_ns=10_000)], wake_ns=4_000)
    assert [each.cores for each in left] == pytest.approx([0.1 - 0.026 - 0.01 - 0.002, 0.0])


def test_a_loop_has_one_cost_for_turns_one_for_wakes_and_two_for_each_protocol() -> None:
    turn_ns, wake_ns, tcp, udp = (
        5_000,
        9_000,
        Cost(unit_ns=20_000, byte_ns=0.5),
        Cost(unit_ns=5_000, byte_ns=0.25),
    )
    passed = {"tcp": [Traffic(900, 900, 50e6), Traffic(6000, 6000, 20e6)], "udp": [BURSTS, SINGLES, SMALL]}
    turns = iter(
        [(3000, 2900), (18_000, 12_000), (20_000, 9_000), (11_000, 10_000), (16_000, 4_000), (50_000, 20_000)]
    )
    passed["tcp"].append(Traffic(6000, 6000, 20e6))  # another loop, with more turns for the same
    measured = {
        protocol: [
            Point(traffic, cost.work(traffic) + ((n := next(turns))[0] * turn_ns + n[1] * wake_ns) / 1e9, *n)
            for traffic in passed[protocol]
        ]
        for protocol, cost in (("tcp", tcp), ("udp", udp))
    }
    found = fit_loop(measured)
    assert (found.turn_ns, found.wake_ns) == pytest.approx((turn_ns, wake_ns), rel=1e-3)
    for protocol, cost in (("tcp", tcp), ("udp", udp)):
        assert found.work[protocol].unit_ns == pytest.approx(cost.unit_ns, rel=1e-3)
        assert found.work[protocol].byte_ns == pytest.approx(cost.byte_ns, rel=1e-2)


def test_a_figure_that_may_be_wrong_by_as_much_as_it_is_decides_nothing() -> None:
    measured = [*points(Cost(byte_ns=2.0), Traffic(1000, 1000, 100e6)), Point(Traffic(4000, 4000, 15e6), 0.0)]
    assert fit(measured, within=0.05).byte_ns == pytest.approx(1.5, abs=0.1)
    assert fit(measured, within=0.0001).byte_ns < 0.01


def switched(cost: Cost, causes: float, traffic: Traffic) -> Point:
    return Point(traffic, switching(causes, cost.burst_ns, cost.work(traffic)), causes)


def test_turns_that_nobody_counts_are_found_by_how_they_are_shared() -> None:
    turn_ns, tcp, udp = 70_000, Cost(unit_ns=9_000, byte_ns=0.75), Cost(unit_ns=10_000)
    trains = [Traffic(900, 900, 50e6), Traffic(2500, 2500, 10e6)]
    measured = {
        "tcp": [switched(Cost(turn_ns, tcp.unit_ns, tcp.byte_ns), 2 * each.bursts, each) for each in trains],
        "udp": [switched(Cost(turn_ns, udp.unit_ns), each.bursts, each) for each in (BURSTS, SINGLES, SMALL)],
    }
    found = fit_turns(measured)
    for protocol, cost in (("tcp", tcp), ("udp", udp)):
        assert found[protocol].burst_ns == pytest.approx(turn_ns, rel=1e-2)
        assert found[protocol].unit_ns == pytest.approx(cost.unit_ns, rel=1e-1)
    longer = [switched(Cost(110_000, udp.unit_ns), each.bursts, each) for each in (BURSTS, SINGLES)]
    assert fit_turn(longer, udp) == pytest.approx(110_000, rel=1e-2)


def test_a_thread_that_polls_has_less_time_for_looks_the_more_passes() -> None:
    work, idle = Cost(unit_ns=8_000), 0.3
    measured = {
        "udp": [Point(each, (own := work.work(each)) + (1 - own) * idle) for each in (BURSTS, SINGLES, SMALL)]
    }
    found = fit_polling(measured, idle)["udp"]
    assert found.unit_ns == pytest.approx(8_000)
    for point in measured["udp"]:
        said = turning(POLLS, found.burst_ns, found.work(point.traffic))
        assert said == pytest.approx(point.cores)
