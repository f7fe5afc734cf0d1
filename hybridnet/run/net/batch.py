# SPDX-License-Identifier: MIT
"""Commands in many nodes at once: one call for each machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

from hybridnet.errors import UsageError
from hybridnet.machines.cluster import Machines
from hybridnet.run.node import Node
from hybridnet.run.node.node import checked_timeout, command_text

__all__ = ["Completed", "run_all"]

Key = TypeVar("Key")


class Completed(NamedTuple):
    """A command that has ended."""

    output: str  # what it printed, standard error too
    exit_code: int  # of the shell: 128 and more for a signal


def run_all(
    cluster: Machines, commands: Mapping[Key, tuple[Node, Any]], timeout: float | None
) -> dict[Key, Completed]:
    """See `hybridnet.Net.run_all`; here each command comes with its node."""
    limit = checked_timeout(timeout, "run_all")
    texts = {key: command_text((command,)) for key, (_, command) in commands.items()}
    by_machine: dict[str, dict[str, str]] = {}
    for key, (node, _) in commands.items():
        own = by_machine.setdefault(node.begin_command(texts[key]), {})
        if node.name in own:
            raise UsageError(f"run_all: node {node} is given twice; a shell runs one command at a time")
        own[node.name] = texts[key]
    answers = cluster.call_all(
        {
            machine: ("run_commands", {"commands": own, "timeout": limit})
            for machine, own in by_machine.items()
        }
    )
    return {
        key: Completed(*node.finish_command(answers[node.machine or ""][node.name]))
        for key, (node, _) in commands.items()
    }
