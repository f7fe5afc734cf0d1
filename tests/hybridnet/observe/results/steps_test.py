# SPDX-License-Identifier: MIT
from __future__ import annotations

import io

import pytest
from rich.console import Console

from hybridnet.observe.results import Steps


def test_off_a_terminal_each_step_is_a_line_when_it_is_done() -> None:
    said = io.StringIO()
    with Steps(Console(file=said, width=80), 2) as steps:
        with steps.step("round 1: local"):
            assert said.getvalue() == ""
        with steps.step("round 1: across"):
            pass
    assert said.getvalue() == "1 of 2: round 1: local (0 s)\n2 of 2: round 1: across (0 s)\n"


def test_a_step_that_fails_is_not_done() -> None:
    said = io.StringIO()
    steps = Steps(Console(file=said, width=80), 2)
    with steps.step("first"):
        pass
    with pytest.raises(KeyboardInterrupt), steps.step("second"):
        raise KeyboardInterrupt
    assert said.getvalue() == "1 of 2: first (0 s)\n"


def test_on_a_terminal_there_is_a_bar() -> None:
    said = io.StringIO()
    with Steps(Console(file=said, width=120, force_terminal=True), 2) as steps, steps.step("round 1: local"):
        pass
    assert "round 1: local" in said.getvalue()
    assert "1/2" in said.getvalue()
