# SPDX-License-Identifier: MIT
"""Describing and planning with wrong types and values: an error of hybridnet's, at once, and nothing left behind."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridnet.describe.topo import Topo
from hybridnet.topologies import TOPOS
from tests.bad_input.described import SUBJECTS
from tests.bad_input.walk import WALK, Subject, attempt

CASES = [(subject, argument) for subject in SUBJECTS for argument in subject.good]


@pytest.fixture(autouse=True)
def somewhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("subject", "argument"), CASES, ids=lambda each: each.name if isinstance(each, Subject) else each
)
def test_a_wrong_value_is_refused_well(subject: Subject, argument: str) -> None:
    @WALK
    @given(st.data())
    def walk(data: Any) -> None:
        attempt(subject, argument, data.draw(subject.values(argument), argument))

    walk()


def test_everything_public_of_a_description_is_walked() -> None:
    names = {subject.name for subject in SUBJECTS}
    methods = {name for name, _ in inspect.getmembers(Topo, callable) if not name.startswith("_")} - {"build"}
    assert {f"Topo.{name}" for name in methods} - names == set()
    assert {f"topologies.{name}" for name in TOPOS} - names == set()
