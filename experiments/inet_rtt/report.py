# SPDX-License-Identifier: MIT
"""What inet-rtt found: percentiles by arm and test, medians over rounds, checks, a table. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from rich.table import Table

from hybridnet.experiments.common.inet_testbed import Arm
from hybridnet.observe.results import Check

__all__ = [
    "ARMS",
    "MODEL_MS",
    "PUBLISHED",
    "TESTS",
    "Run",
    "Summary",
    "checks_of",
    "percentile",
    "summarize",
    "table_of",
    "to_json",
]

TESTS = ("local", "across")

SLEEPS = {"wait": "sleep", "shallow_idle": False}
"""As INET 2.6, which sleeps until the event is due, and then wakes up, on a computer that idles as it likes."""
FIXED_POLL = {"wait": "inet", "shallow_idle": False}
READ_STAMPS = {"kernel_stamps": False}
GATHERED = {"immediate": False, "timeout_ns": 10_000_000}
ARMS = (
    Arm("kernel", None),
    Arm("packet", "packet"),
    Arm("pcap", "pcap"),
    Arm("INET, after the fixes", "pcap", options=READ_STAMPS, realtime=SLEEPS),
    Arm("INET, fixed poll", "pcap", options=READ_STAMPS, realtime=FIXED_POLL),
    Arm("INET, not immediate", "pcap", options={**READ_STAMPS, **GATHERED}, realtime=SLEEPS),
    Arm("INET, both: before the fixes", "pcap", options={**READ_STAMPS, **GATHERED}, realtime=FIXED_POLL),
    Arm("pcap, not immediate", "pcap", options=GATHERED),
)
"""INET 2.6 waited in libpcap for a fixed 10 ms, at one interface after the other, and did so without immediate mode;
a frame arrived for it when it was read. The last arm shows that with the kernel's stamps the time for which frames are
gathered hides in the link's delay."""

PUBLISHED = {
    "local": {"before": (1.0, 22.0), "after": (0.8, 1.3)},
    "across": {"before": (31.4, 60.8), "after": (21.1, 22.2)},
}
"""Milliseconds, least and most, before and after the paper's fixes: its section II and figures 2 and 3."""

PUBLISHED_TEXT = {
    "local": "about 12 ms before, 0.8 to 1.3 ms after",
    "across": "31.4 to 60.8 ms before, 21.1 to 22.2 ms after",
}
MODEL_MS = {"local": 0.0, "across": 20.0}
"""What the simulated link adds, of the round trip."""

BOUNDS_MS = {"local": {50: 0.12, 99: 0.3}, "across": {50: 0.2, 99: 0.5}}
FIXED = "INET, after the fixes"
CAUSE_MS = 1.0
"""A published cause is reproduced when it costs at least this much at the median."""


@dataclass(frozen=True)
class Run:
    """The answers to the pings of one arm in one test and round, in nanoseconds, and how many were sent."""

    arm: str
    test: str
    number: int
    sent: int
    rtts_ns: list[int]


@dataclass(frozen=True)
class Summary:
    """One arm in one test, over all rounds.

    Args:
        p50_ms, p99_ms: medians over the rounds of each round's percentile.
        least_ms, most_ms: of all.
        lost: requests without an answer, of all rounds.
    """

    arm: str
    test: str
    p50_ms: float
    p99_ms: float
    least_ms: float
    most_ms: float
    lost: int


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that ``percent`` of all do not exceed.

    Example:
        >>> percentile([4, 1, 3, 2], 50), percentile([4, 1, 3, 2], 99)
        (2, 4)
    """
    ordered = sorted(values)
    rank = -(-percent * len(ordered) // 100)  # rounded up
    return ordered[max(int(rank), 1) - 1]


def summarize(runs: Sequence[Run]) -> list[Summary]:
    """One summary per arm and test, in the order of their first runs. An arm without any answer has none."""
    keys = list(dict.fromkeys((run.arm, run.test) for run in runs))
    summaries = []
    for arm, test in keys:
        own = [run for run in runs if (run.arm, run.test) == (arm, test)]
        answered = [run.rtts_ns for run in own if run.rtts_ns]
        if not answered:
            continue
        summaries.append(
            Summary(
                arm=arm,
                test=test,
                p50_ms=median(percentile(rtts, 50) for rtts in answered) / 1e6,
                p99_ms=median(percentile(rtts, 99) for rtts in answered) / 1e6,
                least_ms=min(map(min, answered)) / 1e6,
                most_ms=max(map(max, answered)) / 1e6,
                lost=sum(run.sent - len(run.rtts_ns) for run in own),
            )
        )
    return summaries


def checks_of(runs: Sequence[Run]) -> list[Check]:
    """The promises of inet-rtt."""
    found = {(each.arm, each.test): each for each in summarize(runs)}
    checks = []
    for test in TESTS:
        for backend in ("packet", "pcap"):
            for percent, bound_ms in BOUNDS_MS[test].items():
                checks.append(_bound_check(found.get((backend, test)), backend, test, percent, bound_ms))
    causes = (
        ("INET, fixed poll", "across"),
        ("INET, not immediate", "local"),
        ("INET, not immediate", "across"),
        ("INET, both: before the fixes", "local"),
        ("INET, both: before the fixes", "across"),
    )
    checks.extend(
        _cause_check(found.get((arm, test)), found.get((FIXED, test)), arm, test) for arm, test in causes
    )
    sent = sum(run.sent for run in runs)
    lost = sent - sum(len(run.rtts_ns) for run in runs)
    checks.append(
        Check(
            what="requests without an answer, all arms",
            measured=f"{lost} of {sent}",
            published=None,
            bound="0",
            holds=lost == 0,
        )
    )
    return checks


def _bound_check(found: Summary | None, arm: str, test: str, percent: int, bound_ms: float) -> Check:
    limit_ms = MODEL_MS[test] + bound_ms
    value_ms = None if found is None else {50: found.p50_ms, 99: found.p99_ms}[percent]
    return Check(
        what=f"ping {test}, {arm}: p{percent}",
        measured="no answer" if value_ms is None else f"{value_ms:.3f} ms",
        published=PUBLISHED_TEXT[test],
        bound=f"< {limit_ms:g} ms",
        holds=value_ms is not None and value_ms < limit_ms,
    )


def _cause_check(found: Summary | None, without: Summary | None, arm: str, test: str) -> Check:
    cost_ms = None if found is None or without is None else found.p50_ms - without.p50_ms
    return Check(
        what=f"ping {test}, {arm}: the median grows by",
        measured="no answer" if cost_ms is None else f"{cost_ms:.2f} ms",
        published=PUBLISHED_TEXT[test],
        bound=f">= {CAUSE_MS:g} ms",
        holds=cost_ms is not None and cost_ms >= CAUSE_MS,
    )


def table_of(summaries: Sequence[Summary]) -> Table:
    """Percentiles by arm and test, in milliseconds."""
    table = Table(
        title="Round-trip times, ms (medians over rounds; least and most of all)", title_justify="left"
    )
    for column in ("test", "arm", "least", "p50", "p99", "most", "lost"):
        table.add_column(column, justify="left" if column in ("test", "arm") else "right")
    for test in TESTS:
        for each in summaries:
            if each.test == test:
                figures = (each.least_ms, each.p50_ms, each.p99_ms, each.most_ms)
                table.add_row(test, each.arm, *(f"{figure:.3f}" for figure in figures), str(each.lost))
        for when, (least, most) in PUBLISHED[test].items():
            table.add_row(test, f"published, {when} the fixes", f"{least:g}", "", "", f"{most:g}", "")
    return table


def to_json(summaries: Sequence[Summary]) -> list[dict[str, Any]]:
    return [asdict(each) for each in summaries]
