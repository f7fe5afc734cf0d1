# SPDX-License-Identifier: MIT
"""The examples in docstrings do what is written below them."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
IN_RYU = "ryu_apps"  # modules of Ryu's environment


def _runs_one(path: Path) -> bool:
    lines = [line for line in path.read_text().splitlines() if line.lstrip().startswith(">>> ")]
    return any("doctest: +SKIP" not in line for line in lines)


def _with_examples() -> list[str]:
    paths = [
        *(ROOT / "hybridnet").rglob("*.py"),
        *(ROOT / "topologies").rglob("*.py"),
        *(ROOT / "experiments").rglob("*.py"),
    ]
    found = [path.relative_to(ROOT) for path in sorted(paths) if _runs_one(path)]
    return [".".join(path.with_suffix("").parts) for path in found if IN_RYU not in path.parts]


@pytest.mark.parametrize("name", _with_examples())
def test_examples_in_docstrings(name: str) -> None:
    name = name if name.startswith("hybridnet.") else f"hybridnet.{name}"
    results = doctest.testmod(importlib.import_module(name.removesuffix(".__init__")), report=True)
    assert results.attempted
    assert not results.failed, f"{results.failed} of {results.attempted} do something else; see above"
