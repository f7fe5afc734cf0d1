# SPDX-License-Identifier: MIT
from __future__ import annotations

from typing import Any

from experiments.maxinet_parts.measure import without_stalls

WINDOWS: list[Any] = [(0.0, 1.0, "first"), (1.0, 2.0, "second"), (2.0, 3.0, "third")]


def test_a_window_with_a_stall_in_it_is_left_out():
    assert without_stalls(WINDOWS, [(1.4, 1.5)]) == ["first", "third"]


def test_a_stall_across_two_windows_leaves_out_both():
    assert without_stalls(WINDOWS, [(0.9, 1.1)]) == ["third"]


def test_when_every_window_has_a_stall_all_are_judged():
    assert without_stalls(WINDOWS, [(0.0, 3.0)]) == ["first", "second", "third"]
