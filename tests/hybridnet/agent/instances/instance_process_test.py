# SPDX-License-Identifier: MIT
"""The process of an instance that does not come up: who waits for it has its words, and the class of its error."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from hybridnet.agent.instances.instance_process import InstanceProcess
from hybridnet.describe.topo.direction import resolve_direction
from hybridnet.errors import EnvironmentLackError, HybridnetError, MachineError, PlanError
from hybridnet.system.journal import Journal
from hybridnet.tools.wire.wire import wire_plan


def process_of(
    tmp_path: Path, on_end: Callable[[str], object] = lambda how: None, **changed: Any
) -> InstanceProcess:
    direction = resolve_direction({}, "link").to_json()
    plan = wire_plan("none-a", "none-b", name="a-b", forward=direction, backward=direction) | changed
    return InstanceProcess(plan, Journal(tmp_path, "a-run"), tmp_path / "own", tmp_path / "socket", on_end)


def refusal(tmp_path: Path, **changed: Any) -> HybridnetError:
    process = process_of(tmp_path, **changed)
    with pytest.raises(HybridnetError) as refused:
        process.await_ready()
    return refused.value


def test_what_an_instance_refuses_is_an_error_of_usage_in_its_words(tmp_path: Path) -> None:
    error = refusal(tmp_path, seed="first")
    assert type(error) is PlanError
    assert str(error) == (
        f"instance a-b could not be built: instance plan {tmp_path / 'own' / 'instance.json'}, at seed: "
        '"first" is not of type "integer"'
    )


def test_what_this_computer_lacks_is_said_as_such(tmp_path: Path) -> None:
    error = refusal(tmp_path)
    assert type(error) is EnvironmentLackError
    assert str(error).startswith("instance a-b could not be built: find the device none-a: ")


def test_of_a_crash_it_quotes_the_innermost_calls(tmp_path: Path) -> None:
    ended = Event()
    process = process_of(tmp_path, on_end=lambda how: ended.set(), emulation_portals=[], links=[])
    process.await_ready()
    os.kill(process.pid, signal.SIGSEGV)
    assert ended.wait(20)
    with pytest.raises(
        MachineError, match="instance a-b was killed by signal 11: crash: signal 11 in thread "
    ):
        process.check()
    process.kill()
