# SPDX-License-Identifier: MIT
"""What the logs of workers say, from readings of /proc."""

from __future__ import annotations

from hybridnet.compat.maxinet.monitor import interface_figures, memory_figures, processor_figures


def test_shares_of_the_processor_are_those_between_two_readings() -> None:
    before = "cpu  100 10 50 800 5 1 2 3 20 0\ncpu0 1 1 1 1 1 1 1 1 1 1"
    after = "cpu  160 20 80 880 10 2 7 12 30 0\ncpu0 9 9 9 9 9 9 9 9 9 9"
    # 200 ticks: 60 of user, of which 10 are a guest's, 10 nice, 30 sys, 80 idle, 5 iowait, 1 irq, 5 soft, 9 steal
    assert processor_figures(before, after) == [25.0, 5.0, 15.0, 2.5, 0.5, 2.5, 4.5, 5.0, 40.0]


def test_two_equal_readings_are_no_time() -> None:
    reading = "cpu  1 2 3 4 5 6 7 8 9 10"
    assert processor_figures(reading, reading) == [0.0] * 9


def test_interfaces_are_told_by_the_difference_and_a_missing_one_is_quiet() -> None:
    before = "Inter-| Receive\n eth0: 1000 10 0 0 0 0 0 0 500 5 0 0 0 0 0 0\n    lo:1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\n"
    after = before.replace("1000 10", "1600 14").replace("500 5", "900 7")
    assert interface_figures(before, after, "eth0") == [600, 400, 4, 2]
    assert interface_figures(before, after, "eth7") == [0, 0, 0, 0]


def test_memory_is_free_buffers_cached() -> None:
    meminfo = "MemTotal: 100 kB\nMemFree: 60 kB\nBuffers: 3 kB\nCached: 20 kB\nHugePages_Total: 0\n"
    assert memory_figures(meminfo) == [60, 3, 20]
