# SPDX-License-Identifier: MIT
"""What ``--trace`` names, and the files of frames that it leaves: a capture of each interface, with its text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from hybridnet.errors import UsageError
from hybridnet.observe.recording.frames_text import write_frames_text

__all__ = ["CONNECTIONS", "split_traced", "write_connections", "write_texts"]

CONNECTIONS = "connections.txt"


def split_traced(names: Sequence[str], kinds: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """The interfaces and the simulated hosts among the names.

    Args:
        kinds: of the nodes, by name.

    Raises:
        UsageError: a name is that of another node.

    Example:
        >>> split_traced(["a-eth0", "a"], {"a": "simhost", "r": "simrouter"})
        (['a-eth0'], ['a'])
    """
    hosts = [name for name in names if kinds.get(name) == "simhost"]
    if other := [name for name in names if name in kinds and name not in hosts]:
        what = (
            "its connections are the kernel's; run ss or tcpdump in it"
            if kinds[other[0]] == "host"
            else f"name its interfaces, such as {other[0]}-eth1"
        )
        raise UsageError(f"--trace {other[0]}: it is not a simulated host; {what}")
    return [name for name in names if name not in kinds], hosts


def write_texts(folder: Path) -> None:
    """Write the text of each capture in a folder beside it. Raises UsageError where one is damaged."""
    for capture in sorted(folder.glob("*.pcap")):
        write_frames_text(capture, capture.with_suffix(".txt"))


def write_connections(folder: Path, lines: Sequence[str]) -> None:
    """Write the states of connections into a folder."""
    (folder / CONNECTIONS).write_text("\n".join([*lines, ""]), encoding="utf-8")
