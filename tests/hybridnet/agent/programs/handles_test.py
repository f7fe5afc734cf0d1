# SPDX-License-Identifier: MIT
from __future__ import annotations

from itertools import islice

from hybridnet.agent.programs.handles import handles


def test_they_ascend_and_browsers_can_hold_them() -> None:
    first, second, third = islice(handles(), 3)
    assert (second, third) == (first + 1, first + 2)
    assert 0 < first < 2**52


def test_two_agents_give_others() -> None:
    assert len({next(handles()) for _ in range(3)}) > 1
