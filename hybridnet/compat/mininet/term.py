# SPDX-License-Identifier: MIT
"""Mininet's terminals: a shell of a node in a window, of xterm where there is a display, else of tmux."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from hybridnet.compat.mininet.controllers.outside_node import OutsideNode
from hybridnet.errors import HybridnetError
from hybridnet.run.prompt.terminals import terminal_of
from hybridnet.system.log import error, info
from hybridnet.system.terminal import Terminal, open_terminal

__all__ = ["cleanUpScreens", "makeTerm", "makeTerms", "runX11", "tunnelX11"]


def makeTerm(
    node: Any, title: str = "Node", term: str = "xterm", display: str | None = None, cmd: str = "bash"
) -> list[Terminal]:
    """Open a terminal with a shell of the node; says so where none can be opened.

    Args:
        title: what the window is called, with the node's name.
        term: accepted; xterm and tmux are what is used.
        display: of the window; default: that of the script.
        cmd: what runs in it, a command line.

    Returns:
        The terminal, in a list; an empty list where none was opened. The network closes it when it stops.
    """
    net: Any = node.net if isinstance(node, OutsideNode) else node.network()
    if net is None:
        error(f"*** {node} belongs to no network, and gets no terminal\n")
        return []
    given = {"DISPLAY": display} if display else {}
    journal = net.running().cluster.journal
    try:
        if isinstance(node, OutsideNode):
            command = ["/bin/sh", "-c", cmd]
            environment = {**journal.environment(), **given}
            made = open_terminal(f"{title}: {node}", command, environment, journal.directory)
        else:
            made = terminal_of(node, journal, cmd, title=title, display=given)
    except HybridnetError as problem:
        error(f"*** {problem}\n")
        return []
    if made.how and not net.terms:
        info(f"*** the terminals are windows of tmux: {made.how}\n")
    net.terms.append(made)
    return [made]


def makeTerms(nodes: Iterable[Any], title: str = "Node", term: str = "xterm") -> list[Terminal]:
    """`makeTerm` for several nodes."""
    return [made for node in nodes for made in makeTerm(node, title, term)]


def runX11(node: Any, cmd: str) -> list[Any]:
    """Run a program with a window in a node, on the display of the script. Returns the program, in a list.

    It needs a display on this computer (``:0``), whose socket hosts see as a file; says so if there is none.
    """
    display = os.environ.get("DISPLAY", "")
    if not display.startswith(":"):
        error(
            f"*** {cmd}: hosts reach only a display of this computer, such as :0, and DISPLAY is {display!r}\n"
        )
        return []
    return [node.popen(cmd, shell=True, env={"DISPLAY": display})]


def tunnelX11(node: Any, display: str | None = None) -> tuple[str | None, None]:
    """The display that programs in a node can use, and no program: hosts see its socket as a file."""
    given = display or os.environ.get("DISPLAY", "")
    return (given if given.startswith(":") else None), None


def cleanUpScreens() -> None:
    """Nothing: a network closes its terminals when it stops."""
