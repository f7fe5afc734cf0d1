# SPDX-License-Identifier: MIT
from __future__ import annotations

import subprocess
import sys

import pytest

from hybridnet.agent.programs import acts as module
from hybridnet.agent.programs.acts import Acts, note_programs


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    at = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: at[0])
    return at


def test_what_happens_while_nothing_goes_on_is_somebody_elses_doing(now: list[float]):
    assert not Acts().own()


def test_what_happens_during_an_act_and_a_moment_after_is_the_runs_own(now: list[float]):
    acts = Acts()
    with acts.act():
        assert acts.own()
        now[0] += 1000
        assert acts.own()
    assert acts.own()
    now[0] += module.MOMENT_SECONDS
    assert not acts.own()


def test_what_happens_while_a_program_goes_on_is_the_runs_own(now: list[float]):
    goes_on = [True]
    acts = Acts(lambda: goes_on[0])
    assert acts.own()
    goes_on[0] = False
    assert not acts.own()


def test_programs_of_the_script_are_the_runs_own_for_as_long_as_they_live():
    acts = Acts()
    note_programs(acts)
    acts._last_s = -module.MOMENT_SECONDS
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as program:
        assert acts.own()
        acts._last_s = -module.MOMENT_SECONDS
        assert acts.own()
        program.communicate(b"\n")


def test_a_program_in_a_session_of_its_own_is_hybridnets():
    acts = Acts()
    note_programs(acts)
    with subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True
    ) as program:
        acts._last_s = -module.MOMENT_SECONDS
        assert not acts.own()
        program.communicate(b"\n")
