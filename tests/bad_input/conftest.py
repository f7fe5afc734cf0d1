# SPDX-License-Identifier: MIT
"""Says at the end how many cases were walked."""

from __future__ import annotations

from typing import Any

from tests.bad_input.walk import Count


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if Count.cases:
        terminalreporter.write_line(f"{Count.cases} cases with wrong values, {Count.refused} of them refused")
