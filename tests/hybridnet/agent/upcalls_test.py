# SPDX-License-Identifier: MIT
"""Lost upcalls are what Open vSwitch says of all its datapaths; a daemon that does not answer has not lost none."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridnet.agent import unixctl
from hybridnet.agent.upcalls import lost_upcalls
from hybridnet.errors import MachineError

CONTROL = Path("ctl")
SHOWN = "netdev@ovs-netdev:\n  lookups: hit:7 missed:5 lost:{}\n  flows: 3\n"


def answer(monkeypatch: pytest.MonkeyPatch, **answers: str) -> None:
    """Have the daemon say so of ``dpctl`` and ``dpif``; it does not answer what it has no words for."""

    def ask(_: Path, command: str) -> str:
        if (said := answers.get(command.removesuffix("/show"))) is None:
            raise MachineError(f"Open vSwitch: {command}: ")
        return said

    monkeypatch.setattr(unixctl, "ask", ask)


def test_those_of_all_datapaths_are_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, dpctl=SHOWN.format(2) + SHOWN.format(40))
    assert lost_upcalls(CONTROL) == 42


def test_without_a_bridge_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, dpif="")
    assert lost_upcalls(CONTROL) == 0


@pytest.mark.parametrize("answers", [{}, {"dpif": "netdev@ovs-netdev: hit:0 missed:0\n"}])
def test_a_daemon_that_has_bridges_or_is_silent_is_an_error(
    monkeypatch: pytest.MonkeyPatch, answers: dict[str, str]
) -> None:
    answer(monkeypatch, **answers)
    with pytest.raises(MachineError):
        lost_upcalls(CONTROL)
