# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

from hybridnet.experiments.inet_rtt.plot import plot
from hybridnet.experiments.inet_rtt.report import (
    ARMS,
    FIXED,
    PUBLISHED,
    TESTS,
    Run,
    checks_of,
    percentile,
    summarize,
    table_of,
)

MS = 1_000_000


def runs(rtt_ms: dict[tuple[str, str], float], answered: int = 100) -> list[Run]:
    """Every arm in every test, all answers alike; 100 requests each, in two rounds."""
    normal = {"local": 0.08, "across": 20.1}
    causes = {"INET, fixed poll", "INET, not immediate", "INET, both: before the fixes"}
    return [
        Run(
            arm.name,
            test,
            number,
            100,
            [round(rtt_ms.get((arm.name, test), normal[test] + 5 * (arm.name in causes)) * MS)] * answered,
        )
        for arm in ARMS
        for test in TESTS
        for number in (1, 2)
    ]


def failing(measured: list[Run]) -> list[str]:
    return [check.what for check in checks_of(measured) if not check.holds]


def test_a_percentile_is_a_value_that_was_measured() -> None:
    values = list(range(1, 101))
    assert (percentile(values, 50), percentile(values, 99), percentile(values, 100)) == (50, 99, 100)
    assert percentile([7], 1) == 7


def test_percentiles_are_medians_over_rounds_and_extremes_of_all() -> None:
    rounds = [Run("packet", "local", n, 3, [n * MS, 2 * n * MS]) for n in (1, 2, 9)]
    [found] = summarize(rounds)
    assert (found.p50_ms, found.p99_ms) == (2, 4)
    assert (found.least_ms, found.most_ms, found.lost) == (1, 18, 3)


def test_all_checks_hold_when_the_portals_are_quick_and_the_causes_cost() -> None:
    assert failing(runs({})) == []


def test_a_slow_portal_fails_its_own_checks_only() -> None:
    assert failing(runs({("packet", "across"): 20.3})) == ["ping across, packet: p50"]
    assert failing(runs({("pcap", "local"): 0.5})) == ["ping local, pcap: p50", "ping local, pcap: p99"]


def test_a_cause_that_costs_nothing_is_not_reproduced() -> None:
    slow = {("INET, fixed poll", "across"): 20.5}
    assert failing(runs(slow)) == ["ping across, INET, fixed poll: the median grows by"]
    assert len(failing(runs({(FIXED, "across"): 26.0}))) == 3


def test_a_lost_answer_and_an_arm_without_any_fail() -> None:
    assert failing(runs({}, answered=99)) == ["requests without an answer, all arms"]
    silent = [Run(run.arm, run.test, run.number, run.sent, []) for run in runs({})]
    assert all(not check.holds for check in checks_of(silent))


def test_the_plot_is_written(tmp_path: Path) -> None:
    plot(tmp_path / "rtt.png", runs({}))
    assert (tmp_path / "rtt.png").stat().st_size > 10_000


def test_the_table_has_what_was_published_below_what_was_measured() -> None:
    table = table_of(summarize([Run("packet", "local", 1, 5, [MS, 2 * MS, 3 * MS, 4 * MS])]))
    cells = {str(column.header): list(column.cells) for column in table.columns}
    assert [cells[name][0] for name in ("test", "arm", "least", "p50", "p99", "most", "lost")] == [
        "local", "packet", "1.000", "2.000", "4.000", "4.000", "1",
    ]  # fmt: skip
    published = [(test, when) for test in TESTS for when in PUBLISHED[test]]
    assert list(zip(cells["test"][1:], cells["arm"][1:], strict=True)) == [
        (test, f"published, {when} the fixes") for test, when in published
    ]
