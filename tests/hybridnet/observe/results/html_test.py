# SPDX-License-Identifier: MIT
"""Results in notebooks: whole, escaped, and bounded."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any, cast

import pytest

from hybridnet.observe.recording.comparison import Comparison, Difference
from hybridnet.observe.results import html
from hybridnet.observe.results.checks import Check, html_of_checks
from hybridnet.observe.results.estimate import Estimate
from hybridnet.observe.results.verdict import Verdict
from hybridnet.run.net.iperf_matrix import IperfMatrix, IperfRow
from hybridnet.run.net.ping_matrix import PingMatrix
from hybridnet.simulate.instance.replay import ReplayReport
from hybridnet.simulate.offline.replication import Replication
from hybridnet.simulate.offline.report import SimulationReport
from hybridnet.tools.controller_bench.report import Report as BenchReport
from hybridnet.tools.explore.explore import Report as ExploreReport

EVIL = "<script>alert(1)</script>&\"'"
ALLOWED = {"div", "b", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "pre"}


class Read(HTMLParser):
    """The tags, attributes and texts of a document whose tags are all closed in order."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(document)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


EVERYTHING: dict[str, Any] = {
    "verdict": Verdict.of([EVIL], {EVIL: {EVIL: 1.0}}),
    "check": Check(EVIL, EVIL, EVIL, EVIL, False),
    "estimate": Estimate(1.5, 0.25, 4),
    "ping matrix": PingMatrix([EVIL, "h2"], 2, {(EVIL, "h2"): [1.5], ("h2", EVIL): []}, 0.1),
    "iperf matrix": IperfMatrix("UDP", EVIL, 1.0, 1, [IperfRow(EVIL, "h2", None, None, None, EVIL)]),
    "comparison": Comparison([Difference(EVIL, Estimate(1, 0, 1), None)], (EVIL,)),
    "simulation": SimulationReport(10**9, [Replication(1, {(EVIL, EVIL): 2.0})], 0.1),
    "replay": ReplayReport(EVIL, 1, 0, True, [], cast(Any, {})),
    "explore": ExploreReport(EVIL, 3, (EVIL,), None),
    "controller bench": BenchReport(EVIL, "throughput", 1, 1, 1, 0.1, 0.1, 1, None, ()),
}


@pytest.mark.parametrize("what", EVERYTHING)
def test_names_from_elsewhere_stay_text(what: str) -> None:
    shown = EVERYTHING[what]._repr_html_()
    read = Read(shown)
    assert set(read.tags) <= ALLOWED
    assert read.attributes <= {"style", "colspan"}
    assert "<script" not in shown
    if what != "estimate":
        assert any("<script>alert(1)</script>" in text for text in read.texts)


def test_a_verdict_shows_its_word_first_then_reasons_then_figures_folded() -> None:
    read = Read(Verdict.of([], {"m1": {"late_share": 0.5}}, saturated=["busy"])._repr_html_())
    assert read.texts[:2] == ["saturated", "busy"]
    assert read.texts[-3:] == ["m1", "late_share", "0.5"]
    assert Read(Verdict.of([])._repr_html_()).texts == ["trusted", "every limit held"]
    assert "details" not in Read(Verdict.of([])._repr_html_()).tags


def test_checks_stand_in_one_table_and_say_whether_they_hold_in_words() -> None:
    checks = [Check("rate", "9 Mbit/s", None, ">= 8", True), Check("loss", "2 %", "0 %", "<= 1", False)]
    read = Read(html_of_checks(checks))
    assert read.texts == [
        *("what", "measured", "published", "bound", "holds"),
        *("rate", "9 Mbit/s", "-", ">= 8", "yes"),
        *("loss", "2 %", "0 %", "<= 1", "NO"),
    ]


def test_matrices_show_what_they_print() -> None:
    pings = PingMatrix(["h1", "h2"], 2, {("h1", "h2"): [1.5, 2.5], ("h2", "h1"): [3.0]}, 0.1)
    assert Read(pings._repr_html_()).texts == [
        *("ms", "h1", "h2"), *("h1", "2.000"), *("h2", "3.000 (1 lost)"),
        "25% dropped (3/4 received); round trips 1.500 to 3.000 ms, median 2.500 ms",
    ]  # fmt: skip
    flows = IperfMatrix("TCP", None, 1.0, 2, [IperfRow("h1", "h2", 8e6, 9e6)])
    assert Read(flows._repr_html_()).texts == [
        "TCP, 1 s each, 2 at a time", "client", "server", "received", "sent", "h1", "h2", "8 Mbits/sec",
        "9 Mbits/sec",
    ]  # fmt: skip
    many = [f"h{number}" for number in range(17)]
    assert "table" not in Read(PingMatrix(many, 1, {}, 0.1)._repr_html_()).tags


def test_a_comparison_marks_what_is_beyond_chance() -> None:
    beyond = Difference("rate", Estimate(10, 0.1, 5), Estimate(12, 0.1, 5))
    same = Difference("drops", Estimate(0, 0, 5), Estimate(0, 0, 5))
    read = Read(Comparison([beyond, same], None)._repr_html_())
    assert read.texts[-2:] == [
        "*", "2 figures, 1 of them the same; * the difference is beyond its 95 % interval"
    ]  # fmt: skip
    assert "drops" not in read.texts


def test_tables_and_lists_are_cut_at_a_number_of_rows_and_say_so() -> None:
    rows = [[str(number)] for number in range(html.MOST_ROWS + 1234)]
    read = Read(html.table(["n"], rows))
    assert read.tags.count("tr") == html.MOST_ROWS + 2
    assert read.texts[-1] == "and 1,234 more"
    read = Read(html.lines([row[0] for row in rows]))
    assert read.tags.count("li") == html.MOST_ROWS + 1
    assert html.lines([]) == ""


def test_a_row_that_does_not_fit_its_table_is_an_error() -> None:
    with pytest.raises(ValueError):
        html.table(["a", "b"], [["1"]])
