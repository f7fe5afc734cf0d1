# SPDX-License-Identifier: MIT
"""What all tests share: everything in tests/system carries the marker ``system`` and needs root."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SYSTEM = Path(__file__).parent / "system"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    needs_root = pytest.mark.skip(reason="system tests make namespaces and switches; run them as root")
    for item in items:
        if SYSTEM in item.path.parents:
            item.add_marker(pytest.mark.system)
            if os.geteuid() != 0:
                item.add_marker(needs_root)
