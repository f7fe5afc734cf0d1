# SPDX-License-Identifier: MIT
from __future__ import annotations

from dataclasses import replace

from hybridnet.experiments.maxinet.report import ArmRound, StepComparison, checks_of, compare, sentence_of
from hybridnet.experiments.maxinet.scale import PAPER
from hybridnet.experiments.maxinet.staircase import StepResult
from hybridnet.experiments.maxinet.tables import columns_of, costs_table_of, rows_of, table_of
from hybridnet.observe.results import Check, Verdict, Word

SCALE = replace(PAPER, name="capacity", steps=(4, 16), tcp_rate_bps=800_000_000, udp_rate_bps=80_000_000)
TRUSTED, SATURATED, BROKEN = Verdict.of([]), Verdict(Word.SATURATED, ["busy"]), Verdict.of(["ran late"])
MET = [
    StepComparison(
        flows=16,
        demand_bps=100_000_000,
        tcp_bps={"hybrid": 90e6, "hybrid-simulated": 90e6, "maxinet": 40e6, "maxinet-patch": 80e6},
        udp_bps={"hybrid": 9.5e6, "hybrid-simulated": 10e6, "maxinet": 10e6, "maxinet-patch": 10e6},
        total_bps={"hybrid": 99.5e6, "hybrid-simulated": 100e6, "maxinet": 50e6, "maxinet-patch": 90e6},
        busy={"hybrid": 0.9, "hybrid-simulated": 0.5, "maxinet": 1.0, "maxinet-patch": 0.97},
        words={
            "hybrid": Word.TRUSTED,
            "hybrid-simulated": Word.TRUSTED,
            "maxinet": Word.SATURATED,
            "maxinet-patch": Word.SATURATED,
        },
        reasons=[],
        most_of_demand=1.001,
        seconds_per_gb={},
    )
]


BUSY = {"hosts": 0.5, "switches": 0.75, "instances": 0.25, "controller": 0.0, "rest": 0.5}


def arm(name: str, totals_bps: tuple[float, float], verdict: Verdict) -> ArmRound:
    """An arm that carried so much at 4 + 4 and at 16 + 16 flows with two processors, the verdict on the latter."""
    steps = [
        StepResult(flows, total / 2, total / 2, total, total, sum(SCALE.demand_bps(flows).values()), 0.97)
        for flows, total in zip(SCALE.steps, totals_bps, strict=True)
    ]
    return ArmRound(name, [], steps, [], [SATURATED, verdict], [], [BUSY, BUSY], 1.0, 0, 0.0, {}, {})


def one_round(
    hybrid_16: float = 500e6,
    maxinet_16: float = 70e6,
    patch_16: float = 200e6,
    hybrid: Verdict = SATURATED,
    maxinet: Verdict = SATURATED,
    simulated_4: float = 2e9,
) -> list[ArmRound]:
    return [
        arm("hybrid", (430e6, hybrid_16), hybrid),
        arm("hybrid-simulated", (simulated_4, 4e9), SATURATED),
        arm("maxinet", (50e6, maxinet_16), maxinet),
        arm("maxinet-patch", (150e6, patch_16), SATURATED),
    ]


def failing(*rounds: list[ArmRound], met: list[StepComparison] = MET) -> list[Check]:
    return [check for check in checks_of(compare(SCALE, rounds), met) if not check.holds]


def test_figures_are_medians_over_the_rounds():
    rounds = [one_round(400e6, 60e6), one_round(480e6, 80e6), one_round(470e6, 70e6)]
    step = compare(SCALE, rounds)[1]
    assert step.total_bps["hybrid"] == 470e6
    assert step.ratio_to("maxinet") == 470e6 / 70e6


def test_saturated_arms_count_and_are_labelled():
    step = compare(SCALE, [one_round()])[1]
    assert step.word is Word.SATURATED
    assert step.reasons == ["hybrid: saturated: busy"]
    assert failing(one_round()) == []


def test_eight_times_is_asked_at_4_flows_and_six_times_at_16():
    narrow, wide = (step.ratio_to("maxinet") for step in compare(SCALE, [one_round()]))
    assert (narrow, wide) == (430 / 50, 500 / 70)
    [check] = failing(one_round(maxinet_16=84e6))
    assert check.what.startswith("16 + 16")
    assert (check.measured, check.bound) == ("6.0 x (500 : 84 Mbit/s)", ">= 6 x")


def test_twice_the_faster_of_maxinets_arms_is_asked_where_the_demand_allows_it():
    [check] = failing(one_round(hybrid_16=500e6, patch_16=251e6))
    assert "2.0 x maxinet-patch" in check.measured
    met_demand = 16 * 880_000_000 * 0.981
    assert failing(one_round(hybrid_16=met_demand, patch_16=900e6)) == []


def test_a_broken_step_of_any_arm_breaks_the_comparison_and_says_which():
    step = compare(SCALE, [one_round(maxinet=BROKEN)])[1]
    assert step.word is Word.BROKEN
    assert "maxinet: broken: ran late" in step.reasons
    [check] = failing(one_round(hybrid=BROKEN))
    assert (check.what, check.measured) == ("steps that are broken", "16 + 16")


def test_one_round_in_three_that_is_broken_is_left_out_of_the_medians():
    rounds = [one_round(400e6, 60e6), one_round(100e6, 10e6, hybrid=BROKEN), one_round(440e6, 80e6)]
    step = compare(SCALE, rounds)[1]
    assert step.word is Word.SATURATED
    assert step.total_bps["hybrid"] == (400e6 + 440e6) / 2
    assert step.total_bps["maxinet"] == (60e6 + 80e6) / 2


def test_a_step_is_broken_when_half_of_its_rounds_are():
    assert compare(SCALE, [one_round(), one_round(hybrid=BROKEN)])[1].word is Word.BROKEN


def test_a_second_above_the_demand_fails():
    [check] = failing(one_round(), met=[replace(MET[0], most_of_demand=1.021)])
    assert check.measured == "102.1 %"


def test_the_demand_to_meet_is_met_and_trusted():
    missed = replace(MET[0], total_bps=MET[0].total_bps | {"hybrid": 97.9e6})
    busy = replace(MET[0], words=MET[0].words | {"hybrid": Word.SATURATED})
    for step in (missed, busy):
        assert [check.what for check in failing(one_round(), met=[step])] == [
            "16 + 16 flows, not full: hybrid meets the demand, trusted"
        ]


def test_forty_times_is_asked_of_simulated_switches_at_4_flows():
    maxinet_4 = 50e6
    [check] = failing(one_round(simulated_4=40 * maxinet_4 - 1e6))
    assert check.what == "4 + 4 flows, full: hybrid-simulated over maxinet"
    assert failing(one_round(simulated_4=40 * maxinet_4)) == []


def test_the_sentence_says_factor_flows_and_verdict():
    sentence = sentence_of(compare(SCALE, [one_round()]))
    assert "With 16 TCP and 16 UDP flows" in sentence
    assert "500 Mbit/s and MaxiNet's way 70 Mbit/s" in sentence
    assert "7.1 times as much" in sentence
    assert "With simulated OpenFlow switches it carried 4000 Mbit/s, 57 times as much." in sentence
    assert "Verdict: saturated" in sentence


def test_tables_show_every_arm_and_every_ratio():
    table = table_of("full", compare(SCALE, [one_round()]))
    cells = [list(column.cells) for column in table.columns]
    assert [column.header for column in table.columns][2:] == [
        *("hybrid", "hybrid-simulated", "maxinet", "maxinet-patch"),
        *("/ hybrid-simulated", "/ maxinet", "/ maxinet-patch", "simulated / maxinet", "verdict"),
    ]
    assert (cells[2][1], cells[4][1], cells[7][1], cells[9][1]) == ("500.0*", "70.0*", "7.1 x", "57 x")
    rows = rows_of(compare(SCALE, [one_round()]))
    assert len(columns_of(compare(SCALE, [one_round()]))) == len(rows[0])


def test_costs_are_medians_over_the_rounds_of_processor_seconds_for_each_gigabyte():
    rounds = [one_round(hybrid_16=carried) for carried in (400e6, 500e6, 800e6)]
    step = compare(SCALE, rounds)[1]
    gigabytes_per_second = 500e6 / 8 / 1e9
    assert step.seconds_per_gb["hybrid"] == {
        part: cores / gigabytes_per_second for part, cores in BUSY.items()
    }
    assert step.to_json()["seconds_per_gb"]["hybrid"]["hosts"] == 8.0


def test_costs_of_an_arm_that_delivered_nothing_are_not_known():
    comparisons = compare(SCALE, [one_round(maxinet_16=0.0)])
    assert comparisons[1].seconds_per_gb["maxinet"] == {}
    cells = [list(column.cells) for column in costs_table_of("costs", comparisons).columns]
    row = cells[1].index("maxinet", 4)  # of the second step
    assert [column[row] for column in cells[2:]] == ["-"] * 6
    assert len(rows_of(comparisons)[1]) == len(columns_of(comparisons))


def test_the_table_of_costs_has_a_row_for_each_step_and_arm():
    table = costs_table_of("costs", compare(SCALE, [one_round()]))
    assert [column.header for column in table.columns] == [
        *("flows", "arm", "all, s/GB", "hosts, s/GB", "switches, s/GB"),
        *("instances, s/GB", "controller, s/GB", "rest, s/GB"),
    ]
    rows = list(zip(*(column.cells for column in table.columns), strict=True))
    assert len(rows) == 2 * 4
    # 500 Mbit/s are a gigabyte in 16 s, and two processors are busy.
    assert rows[4] == ("16 + 16", "hybrid", "32.0", "8.00", "12.0", "4.00", "0.00", "8.00")
