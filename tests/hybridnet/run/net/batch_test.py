# SPDX-License-Identifier: MIT
"""Commands in many nodes at once: one call for each machine."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.errors import MachineError, UsageError
from hybridnet.run.net import Net
from hybridnet.topologies import TwoTrees
from tests.hybridnet.run.net.support import FakeCluster


def started() -> tuple[Net, FakeCluster]:
    cluster = FakeCluster("m1", "m2")

    def run(machine: str, commands: dict[str, str], timeout: float | None) -> dict[str, Any]:
        return {
            node: {"output": f"{node}: {text}\n", "status": 3, "last_pid": 9}
            for node, text in commands.items()
        }

    cluster.answers["run_commands"] = run
    net = Net(TwoTrees(depth=1), controller=None, cluster=cluster)  # type: ignore[arg-type]
    net.start()
    return net, cluster


def test_each_machine_is_called_once_and_each_node_answers() -> None:
    net, cluster = started()
    done = net.run_all({"h1": "true", net["h2"]: ["echo", "a b"], "h3": "false", "s1": "ls"}, timeout=5)
    calls = {machine: given for machine, verb, given in cluster.calls if verb == "run_commands"}
    assert calls == {
        "m1": {"commands": {"h1": "true", "h2": "echo 'a b'", "s1": "ls"}, "timeout": 5},
        "m2": {"commands": {"h3": "false"}, "timeout": 5},
    }
    assert done["h1"] == ("h1: true\n", 3)
    assert done[net["h2"]].output == "h2: echo 'a b'\n"
    assert done["h3"].exit_code == 3
    assert (net["h3"].lastCmd, net["h3"].last_status, net["h3"].lastPid) == ("false", 3, 9)
    assert net.run_all({}) == {}


def test_what_cannot_be_run_is_refused_before_anything_runs() -> None:
    net, cluster = started()
    for commands in ({"h9": "true"}, ["true"], {"h1": "a\0b"}, {"h1": "true", net["h1"]: "true"}):
        with pytest.raises(UsageError):
            net.run_all(commands)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="timeout 'soon' is not a number"):
        net.run_all({"h1": "true"}, timeout="soon")  # type: ignore[arg-type]
    net["h2"].sendCmd("slow")
    with pytest.raises(MachineError, match="cannot run `true` while `slow` is running"):
        net.run_all({"h1": "true", "h2": "true"})
    assert "run_commands" not in cluster.verbs()
