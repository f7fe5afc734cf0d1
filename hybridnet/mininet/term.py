# SPDX-License-Identifier: MIT
"""Mininet's terminals. None is opened: hosts are used from the prompt, or with `popen`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hybridnet.mininet.tolerance import tolerate

__all__ = ["cleanUpScreens", "makeTerm", "makeTerms", "runX11", "tunnelX11"]


def makeTerm(
    node: Any, title: str = "Node", term: str = "xterm", display: str | None = None, cmd: str = "bash"
) -> list[Any]:
    """Say that no terminal is opened. Returns no programs."""
    tolerate("makeTerm", "terminals are not opened; use the prompt, or popen")
    return []


def makeTerms(nodes: Iterable[Any], title: str = "Node", term: str = "xterm") -> list[Any]:
    """`makeTerm` for several nodes."""
    return [program for node in nodes for program in makeTerm(node, title, term)]


def runX11(node: Any, cmd: str) -> list[Any]:
    """Say that no window is opened. Returns no programs."""
    tolerate("runX11", "windows are not opened")
    return []


def tunnelX11(node: Any, display: str | None = None) -> tuple[None, None]:
    """No display is carried into the network. Returns no address and no program."""
    return None, None


def cleanUpScreens() -> None:
    """Nothing: no terminal was opened."""
