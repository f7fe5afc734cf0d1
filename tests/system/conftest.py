# SPDX-License-Identifier: MIT
"""What the tests with real networks share: their process has a computer of its own, and those that look at a page a
browser.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.system.computer import take_a_computer

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session", autouse=True)
def _own_computer() -> None:
    if os.geteuid() == 0:  # else no test of these runs
        take_a_computer()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from tests.system.chromium import chromium  # few tests need it

    with chromium() as running:
        yield running
