# SPDX-License-Identifier: MIT
"""What the incidents of a machine, or of the head, say in a verdict. Pure.

An incident (`hybridnet.system.incidents`) breaks a run whatever was lost by it: what is judged was not the network that
was asked for, and nobody measured what would have been.
"""

from __future__ import annotations

from collections.abc import Sequence

from hybridnet.system.incidents import Incident

__all__ = ["incident_lines"]


def incident_lines(where: str, incidents: Sequence[Incident], from_ns: int, until_ns: int) -> list[str]:
    """One line for each incident that was, or went on, between two instants of CLOCK_MONOTONIC, in nanoseconds.

    Args:
        where: "machine m1", or whose else they are.

    Example:
        >>> rows = [{"part": "ovs-vswitchd", "how": "was killed by SIGKILL", "from_ns": 3_000_000_000, "to_ns": None}]
        >>> print(*incident_lines("machine m1", rows, 1_000_000_000, 9_000_000_000))
        machine m1: ovs-vswitchd was killed by SIGKILL after 2.00 s, and is so still: do not use what was measured since
    """
    lines = []
    for row in incidents:
        ended_ns = until_ns if row["to_ns"] is None else min(row["to_ns"], until_ns)
        if row["from_ns"] > until_ns or (row["to_ns"] is not None and row["to_ns"] <= from_ns):
            continue
        after_s = (row["from_ns"] - from_ns) / 1e9
        when = f"after {after_s:.2f} s" if after_s >= 0 else "before this began"
        if row["to_ns"] is None:
            how_long = "and is so still: do not use what was measured since"
        else:
            lasted_s = (ended_ns - row["from_ns"]) / 1e9
            how_long = f"for {lasted_s:.2f} s: do not use what was measured meanwhile"
        lines.append(f"{where}: {row['part']} {row['how']} {when}, {how_long}")
    return lines
