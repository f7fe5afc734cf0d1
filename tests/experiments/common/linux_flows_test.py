# SPDX-License-Identifier: MIT
from __future__ import annotations

from typing import Any

import pytest

from hybridnet.errors import EnvironmentLackError
from hybridnet.experiments.common.linux_flows import LinuxFlow, require_algorithms


class Machines:
    """A cluster whose machines say that their kernels have these congestion controls."""

    def __init__(self, *available: str) -> None:
        self.available = available

    def call(self, machine: str, verb: str, *, argv: list[str]) -> dict[str, Any]:
        assert (machine, verb) == ("m2", "exec")
        assert argv[-1].endswith("tcp_available_congestion_control")
        return {"stdout": " ".join(self.available).encode() + b"\n"}


def test_a_kernel_without_a_congestion_control_is_told_with_the_cure() -> None:
    machines: Any = Machines("reno", "cubic")
    require_algorithms(machines, "m2", ["cubic", "reno"])
    with pytest.raises(
        EnvironmentLackError, match=r"^congestion control bbr: .* m2 has reno, cubic;.*tcp_bbr"
    ):
        require_algorithms(machines, "m2", ["cubic", "bbr", "vegas"])


def test_throughput_is_what_was_acknowledged_until_the_last_sample() -> None:
    rows = [dict.fromkeys(LinuxFlow.columns, 0.0) for _ in range(3)]
    for row, at, acknowledged in zip(rows, (0.0, 1.0, 2.5), (0.0, 4e6, 5e6), strict=True):
        row |= {"time_s": at, "acknowledged_bytes": acknowledged}
    flow = LinuxFlow([tuple(row.values()) for row in rows], began=7.0)
    assert flow.column("acknowledged_bytes") == [0.0, 4e6, 5e6]
    assert flow.throughput_bps == 8 * 5e6 / 2.5
