# SPDX-License-Identifier: MIT
"""Verbs: what may be called by name, and what its errors say."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.agent.instances.changes import Changes
from hybridnet.agent.machine.agent import Agent
from hybridnet.agent.machine.files import Files
from hybridnet.agent.machine.metrics import Counting
from hybridnet.agent.programs.programs import Programs
from hybridnet.agent.verbs import perform, verb, verbs_of, waiting_verb, waits
from hybridnet.errors import MachineError, PlanError, UsageError


class Counter:
    """Has two verbs and a method that is none."""

    @verb
    def look_up(self, key: str) -> int:
        """A verb that raises KeyError for what is not there."""
        return {"one": 1}[key]

    @verb
    def refuse(self) -> None:
        """A verb that raises an error of hybridnet's."""
        raise PlanError("no plan")

    @waiting_verb
    def await_end(self) -> None:
        """A verb that may wait."""

    def close(self) -> None:
        """Not a verb."""
        raise AssertionError("called")


def test_a_verb_returns_what_its_method_returns() -> None:
    assert perform((Counter(),), "look_up", {"key": "one"}) == 1


@pytest.mark.parametrize("name", ["close", "fly", "__init__", "_mark", ""])
def test_what_is_no_verb_is_refused_with_the_list(name: str) -> None:
    with pytest.raises(UsageError, match=f"no verb {name!r}; there are await_end, look_up, refuse$"):
        perform((Counter(),), name, {})


@pytest.mark.parametrize("arguments", [{}, {"kye": "one"}, {"key": "one", "more": 1}])
def test_arguments_that_a_verb_does_not_take_are_refused_by_its_name(arguments: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="verb look_up: "):
        perform((Counter(),), "look_up", arguments)


def test_an_exception_that_is_not_ours_is_an_error_of_the_verb() -> None:
    with pytest.raises(
        MachineError, match=r"verb look_up failed: KeyError: 'two' \(verbs_test\.py, line \d+\)"
    ):
        perform((Counter(),), "look_up", {"key": "two"})


def test_an_error_of_ours_stays_what_it_is() -> None:
    with pytest.raises(PlanError, match=r"^no plan$"):
        perform((Counter(),), "refuse", {})


def test_the_agents_ways_to_begin_and_end_are_no_verbs() -> None:
    verbs = [verb for kind in (Agent, Programs, Changes, Counting, Files) for verb in verbs_of(kind)]
    assert {"build", "destroy", "run_command", "schedule", "snapshot", "download"} <= set(verbs)
    assert not {"close", "perform", "on_progress"} & set(verbs)
    assert len(verbs) == len(set(verbs))


def test_verbs_that_may_wait_for_programs_are_known_and_none_that_ends_something_is_among_them() -> None:
    assert [waits((object(), Counter()), name) for name in ("await_end", "look_up", "close", "fly")] == [
        True,
        False,
        False,
        False,
    ]
    parts = (Agent, Programs, Changes, Counting, Files)
    waiting = {
        name
        for kind in parts
        for name in verbs_of(kind)
        if getattr(getattr(kind, name), "waits_for_programs", False)
    }
    assert {"exec", "run_command", "run_commands", "wait_process", "read_process", "await_outages"} <= waiting
    ending = {"destroy", "interrupt", "stop_watching", "close_process", "signal_process", "close_terminal"}
    assert not ending & waiting
