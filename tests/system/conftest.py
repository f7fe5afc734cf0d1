# SPDX-License-Identifier: MIT
"""What the tests with real networks share: their process has a computer of its own."""

from __future__ import annotations

import os

import pytest

from tests.system.computer import take_a_computer


@pytest.fixture(scope="session", autouse=True)
def _own_computer() -> None:
    if os.geteuid() == 0:  # else no test of these runs
        take_a_computer()
