# SPDX-License-Identifier: MIT
"""Changes that are interrupted: what was under way is told to end, and what was made is undone."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import pytest

from hybridnet.errors import MachineError
from hybridnet.plan.network.difference import Change
from hybridnet.run.net.changes import make_changes
from tests.hybridnet.run.net.support import FakeCluster

OLD: Any = {"is": "old"}
NEW: Any = {"is": "new"}


def test_an_interrupt_ends_what_is_under_way_and_undoes_what_was_made() -> None:
    told = threading.Event()
    undone: list[str] = []
    cluster: Any = FakeCluster("m1", "m2")

    def change(machine: str, remove: Any, add: Any) -> list[str]:
        if add["is"] == "old":
            undone.append(machine)
        elif machine == "m2":
            os.kill(os.getpid(), signal.SIGINT)
            assert told.wait(60)
            raise MachineError("interrupted")
        return []

    cluster.answers = {"change": change, "interrupt_change": lambda machine: told.set()}
    with pytest.raises(KeyboardInterrupt):
        make_changes(cluster, {machine: Change(OLD, NEW) for machine in ("m1", "m2")})
    assert undone == ["m1"]
