# SPDX-License-Identifier: MIT
"""A script's own classes override every public method: what Mininet calls of them is called here, or listed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.system.computer import run_on_a_computer

pytestmark = [pytest.mark.system, pytest.mark.thorough]

SCRIPT = Path(__file__).parent / "mininet_rows" / "overridden.py"
PAGE = Path(__file__).parents[2] / "docs" / "mininet.md"
OF_A_SHELL = "cmd monitor mountPrivateDirs read sendCmd startShell waitOutput waitReadable write"
NOT_CALLED = {
    "A method that `cmd` uses in Mininet, such as `read`, `write` and `waitOutput`, is not called by it: a node's "
    "commands run at once where its machine is, and a controller has a shell only for a script's commands.": {
        *(f"Host.{name}" for name in ["read", "waitOutput", "waitReadable", "write"]),
        *(
            f"OVSSwitch.{name}"
            for name in ["monitor", "read", "sendCmd", "waitOutput", "waitReadable", "write"]
        ),
        *(f"RemoteController.{name}" for name in OF_A_SHELL.split()),
        *("Intf.cmd", "CLI.waitForNode", "CLI.isatty", "CLI.getLocals"),
    },
    "What the network makes and removes as a whole calls no `delete`, `stop` and `delIntf` of each link and interface, "
    "and no `configHosts`, `staticArp`, `setARP` and `checkListening`.": {
        *("Link.delete", "Link.stop", "TCLink.delete", "TCLink.stop", "Intf.delete", "TCIntf.delete"),
        *("Intf.MAC", "TCIntf.MAC", "Host.MAC", "Host.setARP", "Host.delIntf", "OVSSwitch.delIntf"),
        *("Mininet.configHosts", "Mininet.staticArp", "Mininet.keys"),
        *("RemoteController.IP", "RemoteController.checkListening", "RemoteController.isListening"),
    },
}


def called(command: list[str], folder: Path) -> dict[str, int]:
    report = folder / "report.json"
    ended = run_on_a_computer([*command, str(SCRIPT), str(report)], with_ovs=True, cwd=folder)
    assert ended.status == 0, ended.err
    calls: dict[str, int] = json.loads(report.read_text())
    report.unlink()
    return calls


def test_what_mininet_calls_of_a_script_s_own_classes_is_called_or_listed(tmp_path: Path) -> None:
    theirs = called(["/usr/bin/python3"], tmp_path)
    ours = called([sys.executable, "-m", "hybridnet.cli", "run"], tmp_path)
    listed = set().union(*NOT_CALLED.values())
    print(
        f"\nMininet calls {len(theirs)} methods, {len(theirs.keys() & ours.keys())} are called, {len(listed)} listed"
    )
    assert not theirs.keys() - ours.keys() - listed, "Mininet calls them, and nobody does here"
    assert not listed & ours.keys(), "listed as never called, and called"


def test_what_is_not_called_is_in_the_manual() -> None:
    page = " ".join(PAGE.read_text().split())
    assert all(reason in page for reason in NOT_CALLED)
