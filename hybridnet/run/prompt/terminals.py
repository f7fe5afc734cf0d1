# SPDX-License-Identifier: MIT
"""Terminals of the nodes of a running network. Each runs `hybridnet exec NODE`: it is outside, and its shell inside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hybridnet.run.node import Node, Switch
from hybridnet.system.journal import Journal
from hybridnet.system.python_command import python_module
from hybridnet.system.terminal import Terminal, open_terminal

__all__ = ["terminal_of"]


def terminal_of(
    node: Node,
    journal: Journal,
    command: str = "bash",
    *,
    title: str = "",
    display: Mapping[str, Any] | None = None,
) -> Terminal:
    """Open a terminal of a node: a host's shell is in the host, a switch's on its machine.

    Args:
        journal: of the run.
        command: what runs in it, for a shell.
        title: of the window, before the node's name.
        display: variables that replace those of this process, such as DISPLAY.

    Raises:
        EnvironmentLackError, MachineError: none can be opened.
    """
    place = str(node.machine) if isinstance(node, Switch) else node.name
    into = ["exec", "--run", journal.run, place, "/bin/sh", "-c", command]
    environment = {**journal.environment(), **(display or {})}
    name = f"{title}: {node.name}" if title else node.name
    return open_terminal(name, [*python_module("hybridnet.cli"), *into], environment, journal.directory)
