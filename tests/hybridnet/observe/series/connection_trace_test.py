# SPDX-License-Identifier: MIT
from __future__ import annotations

from typing import Any

from hybridnet.observe.series.connection_trace import ConnectionTrace


def snapshot(*windows: int) -> dict[str, Any]:
    rows = [
        {
            "name": f"a:10.0.0.1:{number}>10.0.0.2:9",
            "node": "a",
            "state": "ESTABLISHED",
            "cwnd_bytes": window,
            "in_flight_bytes": 0,
            "srtt_ns": 10_000_000,
            "retransmitted_segments": 0,
        }
        for number, window in enumerate(windows)
    ]
    return {"connections": rows}


def test_what_has_not_changed_is_written_once_and_what_is_gone_is_said() -> None:
    trace = ConnectionTrace(frozenset("a"))
    for time_ns, seen in enumerate((snapshot(1000), snapshot(1000), snapshot(2000), snapshot(), snapshot())):
        trace.look(1_500_000_000 + time_ns, seen)
    assert trace.lines == [
        "1.500000000 a:10.0.0.1:0>10.0.0.2:9 ESTABLISHED cwnd 1000 ssthresh - in_flight 0 srtt 10.000 ms "
        "retransmitted 0",
        "1.500000002 a:10.0.0.1:0>10.0.0.2:9 ESTABLISHED cwnd 2000 ssthresh - in_flight 0 srtt 10.000 ms "
        "retransmitted 0",
        "1.500000003 a:10.0.0.1:0>10.0.0.2:9 gone",
    ]


def test_lines_beyond_the_most_are_counted() -> None:
    trace = ConnectionTrace(frozenset("a"), most_lines=2)
    trace.look(0, snapshot(1, 2, 3))
    assert (len(trace.lines), trace.left_out) == (2, 1)
