# SPDX-License-Identifier: MIT
from __future__ import annotations

import io

import pytest
from rich.console import Console

from hybridnet.experiments.common.replicate import run_all


def test_results_come_in_the_order_of_their_cases():
    quiet = Console(file=io.StringIO())
    assert run_all(lambda case: case * case, range(20), quiet) == [case * case for case in range(20)]


def test_what_a_case_raises_is_raised():
    def fail(case: int) -> int:
        raise RuntimeError(f"case {case}")

    with pytest.raises(RuntimeError, match="case 0"):
        run_all(fail, [0], Console(file=io.StringIO()))
