# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hybridnet.errors import UsageError
from hybridnet.observe.recording.web_page import INSTANTS, LIBRARIES, MOST_LINES, write_web_page
from hybridnet.observe.series import Key
from tests.hybridnet.observe.recording.plot_test import of_connection, written

TEXTS = {name: f"/* {name} */" for name in LIBRARIES}


def page_of(run: Path) -> str:
    return write_web_page(run, TEXTS).read_text()


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def charts_of(run: Path) -> dict[str, Any]:
    [network] = data_of(page_of(run))["networks"]
    return {chart["title"]: chart for chart in network["charts"]}


def test_each_picture_is_a_chart_and_some_have_a_distribution(tmp_path: Path) -> None:
    rows = [
        of_connection("h1:a>b", 80, second)
        | of_connection("h3:c>d", 40, second)
        | {("instances", "m1", "lateness_p999_ns"): 1e5, ("machines", "m1", "processor_busy"): 0.5}
        for second in range(5)
    ]
    charts = charts_of(written(tmp_path / "run", rows))
    assert list(charts) == [
        "Throughput of each flow",
        "Throughput of each flow: distribution",
        "Round trip of each TCP connection, smoothed",
        "Round trip of each TCP connection, smoothed: distribution",
        "Congestion window of each TCP connection",
        "Lateness of instances",
        "How busy the processors of machines were",
    ]
    throughput = charts["Throughput of each flow"]
    assert throughput["points"] == [
        0.0,
        1.0,
        2.0,
        3.0,
        4.0,
    ]  # as all over time, though a rate takes two samples
    assert [(line["name"], line["values"]) for line in throughput["lines"]] == [
        ("together", [None, *[120.0] * 4]),
        ("h1:a>b", [None, *[80.0] * 4]),
        ("h3:c>d", [None, *[40.0] * 4]),
    ]
    assert {tuple(chart["points"]) for chart in charts.values() if chart["kind"] == "time"} == {
        (0.0, 1.0, 2.0, 3.0, 4.0)
    }
    lateness, processors = charts["Lateness of instances"], charts["How busy the processors of machines were"]
    assert (lateness["y"], lateness["lines"][0]["values"]) == ("lateness p99.9 (ms)", [0.1] * 5)
    assert (processors["y"], processors["lines"][0]["values"]) == ("busy (%)", [50.0] * 5)
    distribution = charts["Throughput of each flow: distribution"]
    assert [(line["values"][0], line["values"][-1]) for line in distribution["lines"]] == [(0.0, 1.0)] * 2


def test_lines_of_other_instants_have_gaps_that_are_null(tmp_path: Path) -> None:
    waits: tuple[Key, Key] = (("links", "a-b:a>b", "queue_packets"), ("links", "c-d:c>d", "queue_packets"))
    rows = [{waits[second % 2]: 3.0} for second in range(4)]
    chart = charts_of(written(tmp_path / "run", rows))["Queue of each link"]
    assert [line["values"] for line in chart["lines"]] == [[3.0, None, 3.0, None], [None, 3.0, None, 3.0]]


def test_a_long_run_is_drawn_as_means_and_says_so(tmp_path: Path) -> None:
    rows = [{("links", "a-b:a>b", "queue_packets"): float(1 + second % 2)} for second in range(4 * INSTANTS)]
    chart = charts_of(written(tmp_path / "run", rows))["Queue of each link"]
    assert len(chart["points"]) == INSTANTS
    assert chart["mean_of_s"] == pytest.approx(4.0, rel=0.01)
    assert chart["lines"][0]["values"] == pytest.approx([1.5] * INSTANTS, abs=0.2)  # of three, four or five


def test_the_greatest_lines_are_drawn_and_the_others_counted(tmp_path: Path) -> None:
    rows = [
        {("links", f"r{n}-x:a>b", "queue_packets"): float(n) for n in range(1, MOST_LINES + 6)}
        for _ in range(2)
    ]
    chart = charts_of(written(tmp_path / "run", rows))["Queue of each link"]
    assert (len(chart["lines"]), chart["more"]) == (MOST_LINES, 5)
    assert chart["lines"][0]["name"] == f"r{MOST_LINES + 5}-x:a>b"


def test_the_page_needs_nothing_else_and_no_name_gets_out_of_the_data(tmp_path: Path) -> None:
    name = "</script><script>alert(1)</script>/*library*/"
    run = written(tmp_path / "run", [{("links", name, "queue_packets"): 1.0}] * 2)
    (run / "manifest.json").write_text(
        json.dumps({"verb": "run", "arguments": ["files/a.py"], "began": "now"})
    )
    (run / "verdict.json").write_text(json.dumps({"word": "trusted", "reasons": [], "figures": {}}))
    (run / "results.json").write_text(json.dumps({"goodput_mbps": 93.2}))
    page = page_of(run)
    assert "alert(1)</script>" not in page
    assert page.count("<script") == 3
    assert all(text in page for text in TEXTS.values())
    assert not re.search(r'(?:src|href)="(?!data:)', page)
    assert "default-src 'none'" in page
    data = data_of(page)
    assert data["networks"][0]["charts"][0]["lines"][0]["name"] == name
    assert (data["command"], data["verdict"]["word"]) == ("run files/a.py", "trusted")
    assert data["results"] == {"goodput_mbps": 93.2}


def test_a_series_with_nothing_to_draw_is_refused(tmp_path: Path) -> None:
    run = written(tmp_path / "run", [{("nodes", "r1", "dropped.ttl"): 0.0}])
    with pytest.raises(UsageError, match="nothing to draw"):
        write_web_page(run, TEXTS)
    assert not (run / "plots").exists()
