# SPDX-License-Identifier: MIT
"""The state of TCP connections as lines of text, one whenever it has changed:

0.010000000 a:10.0.0.1:53731>10.0.0.2:9 ESTABLISHED cwnd 14480 ssthresh - in_flight 14480 srtt 10.024 ms retransmitted 0
"""

from __future__ import annotations

from hybridnet.observe.series.snapshot import ConnectionRow, Elements

__all__ = ["ConnectionTrace"]


class ConnectionTrace:
    """The lines of some hosts' connections.

    Args:
        hosts: whose.
        most_lines: that are kept; None: all. `left_out` counts the others.
    """

    def __init__(self, hosts: frozenset[str], most_lines: int | None = None) -> None:
        self._hosts, self._most_lines = hosts, most_lines
        self.left_out = 0
        self._last: dict[str, str] = {}
        self.lines: list[str] = []

    def look(self, time_ns: int, snapshot: Elements) -> None:
        """Write down what has changed. What is gone is said once."""
        now = {row["name"]: _state(row) for row in snapshot["connections"] if row["node"] in self._hosts}
        time = f"{time_ns // 1_000_000_000}.{time_ns % 1_000_000_000:09d}"
        for name in sorted(now.keys() | self._last.keys()):
            state = now.get(name, "gone")
            if self._last.get(name) != state:
                self._write(f"{time} {name} {state}")
        self._last = now

    def _write(self, line: str) -> None:
        if self._most_lines is not None and len(self.lines) >= self._most_lines:
            self.left_out += 1
        else:
            self.lines.append(line)


def _state(row: ConnectionRow) -> str:
    srtt = f"{row['srtt_ns'] / 1e6:.3f} ms" if "srtt_ns" in row else "-"
    return (
        f"{row['state']} cwnd {row['cwnd_bytes']} ssthresh {row.get('ssthresh_bytes', '-')} "
        f"in_flight {row['in_flight_bytes']} srtt {srtt} retransmitted {row['retransmitted_segments']}"
    )
