# SPDX-License-Identifier: MIT
"""CAIDA's files of AS relationships (serial-1 and serial-2), as an Internet of routers.

# a comment
1|11537|-1          1 is a provider of 11537
174|3356|0|bgp      174 and 3356 are peers; serial-2 says how that is known
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hybridnet.describe.topo import Topo
from hybridnet.describe.values import file_path, shown
from hybridnet.errors import TopologyError
from hybridnet.plan.files.files import read_text
from hybridnet.topologies.autonomous_systems import MOST_SYSTEMS, SIMULATED, Systems, fill

__all__ = ["CaidaTopo"]

MOST_NUMBER = (1 << 32) - 1


class CaidaTopo(Topo):
    """The autonomous systems of a file, of which each is a router: AS 174 is as174, its host h174.

    Args:
        file: as CAIDA has it, not compressed.
        others: as of `hybridnet.topologies.AutonomousSystemsTopo`.

    Raises:
        UsageError: the file cannot be read.
        TopologyError, UnitError: it is none of these files, or an option makes no sense; the message says in which
            line.

    Example:
        >>> CaidaTopo("20240801.as-rel.txt", hosts=20, simulated=True)  # doctest: +SKIP
    """

    def build(
        self,
        file: str | Path,
        hosts: int | None = None,
        simulated: bool = False,
        bw: Any = None,
        delay: Any = "5ms",
        routers: str = SIMULATED,
    ) -> None:
        path = file_path(file, "caida: file")
        link = {name: value for name, value in (("delay", delay), ("bw", bw)) if value is not None}
        systems = _systems(read_text(path), str(path))
        fill(self, systems, f"caida:{path}", hosts=hosts, simulated=simulated, link=link, routers=routers)


def _systems(text: str, file: str) -> Systems:
    provides: list[tuple[int, int]] = []
    peers: list[tuple[int, int]] = []
    lines: dict[tuple[int, int], int] = {}
    numbers: set[int] = set()
    for line, content in enumerate(text.splitlines(), 1):
        words = content.strip().split("|")
        if not words[0] or words[0].startswith("#"):
            continue
        if len(words) not in (3, 4) or words[2] not in ("-1", "0"):
            raise TopologyError(
                f"{file}:{line}: {shown(content)} is no relation of two systems; write PROVIDER|CUSTOMER|-1 or "
                "PEER|PEER|0"
            )
        one, other = (_number(word, f"{file}:{line}") for word in words[:2])
        pair = min(one, other), max(one, other)
        if one == other:
            raise TopologyError(f"{file}:{line}: AS {one} has a relation to itself; take the line out")
        if pair in lines:
            raise TopologyError(
                f"{file}:{line}: the relation of AS {one} and AS {other} stands in line {lines[pair]} already; "
                "take one of them out"
            )
        lines[pair] = line
        (peers if words[2] == "0" else provides).append((one, other))
        numbers.update(pair)
        if len(numbers) > MOST_SYSTEMS:
            raise TopologyError(
                f"{file}:{line}: it has more than {MOST_SYSTEMS:,} systems; take a part of it"
            )
    if not numbers:
        raise TopologyError(f"{file}: it has no relations; give a file with some")
    return Systems.of(provides, peers)


def _number(word: str, where: str) -> int:
    if not (word.isascii() and word.isdigit()) or len(word) > 10 or not 0 < int(word) <= MOST_NUMBER:
        raise TopologyError(f"{where}: {shown(word)} is not the number of an autonomous system; correct it")
    return int(word)
