# SPDX-License-Identifier: MIT
"""The live classes with wrong types and values, on machines that make nothing: only errors of hybridnet's."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hybridnet
from hybridnet import Net
from hybridnet.system.log import setLogLevel
from tests.bad_input import described
from tests.bad_input.live import SUBJECTS
from tests.bad_input.walk import WALK, Subject, attempt

CASES = [(subject, argument) for subject in SUBJECTS for argument in subject.good]
# Errors, names of modules, what only prints, and what tests/bad_input/cli_test.py walks.
NOT_CALLED_WITH_VALUES = {
    "CLI", "OVSController", "OVSKernelSwitch", "OVSSwitch", "Plan", "__version__", "debug", "error",
    "info", "output", "setLogLevel", "warn",
}  # fmt: skip


@pytest.fixture(autouse=True)
def quietly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    setLogLevel("critical")
    yield
    setLogLevel("info")
    assert not (tmp_path / "state").exists(), "a run's directory was left behind"


@pytest.mark.parametrize(
    ("subject", "argument"), CASES, ids=lambda each: each.name if isinstance(each, Subject) else each
)
def test_a_wrong_value_is_refused_well(subject: Subject, argument: str) -> None:
    @WALK
    @given(st.data())
    def walk(data: Any) -> None:
        attempt(subject, argument, data.draw(subject.values(argument), argument))

    walk()


def test_everything_public_is_walked() -> None:
    walked = {subject.name.partition(".")[0] for subject in [*SUBJECTS, *described.SUBJECTS]}
    public = {name for name in hybridnet.__all__ if not name.endswith("Error")} - NOT_CALLED_WITH_VALUES
    assert public - walked == set()


def test_every_verb_of_a_network_is_walked() -> None:
    names = {subject.name for subject in SUBJECTS}
    verbs = {name for name, _ in inspect.getmembers(Net, inspect.isfunction) if not name.startswith("_")}
    assert {f"Net.{name}" for name in verbs} - names == set()
