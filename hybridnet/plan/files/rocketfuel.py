# SPDX-License-Identifier: MIT
"""Rocketfuel's maps of Internet providers (Spring, Mahajan, Wetherall: SIGCOMM 2002), in their two forms.

Maps of routers (``1221.r0.cch``), a router a line, and with a minus before its number what is outside the provider:

    uid @place [+] [bb] (number of neighbours) [&links outward] -> <uid> <uid> … {-uid} … =name[!] rN
    -uid =address rN

Maps of places with weights or latencies that were inferred (``weights.intra``, ``latencies.intra``), a link a line, in
each of its directions:

    Sydney,+Australia1 Perth,+Australia7 4.5
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hybridnet.describe.topo import Topo
from hybridnet.describe.values import file_path, shown
from hybridnet.errors import TopologyError
from hybridnet.plan.files.files import read_text
from hybridnet.plan.files.graphml import fill_from_map

__all__ = ["RocketfuelTopo"]

MOST_PLACES = 50_000
MOST_LINKS = 500_000
MOST_MS = 10_000.0  # of a latency
LATENCIES = "latencies"  # in the name of a file whose figures are milliseconds
_ROUTER = re.compile(
    r"(?P<uid>[0-9]{1,12})\s+@(?P<place>\S*)\s+(?:\+\s*)?(?:bb\s*)?\([0-9]+\)\s*(?:&[0-9]+\s*)?->\s*"
    r"(?P<beside>(?:<[0-9]{1,12}>\s*)*)(?:\{-[0-9]+\}\s*)*(?:=\S+\s*)?(?:r[0-9]+)?"
)
_OUTSIDE = re.compile(r"-[0-9]+\s+=\S+\s+r[0-9]+")
_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")


class RocketfuelTopo(Topo):
    """The routers or places of one of Rocketfuel's maps, which are joined as there.

    Args:
        file: one of ``*.cch``, ``weights.intra``, ``latencies.intra``, not compressed.
        nodes: what each becomes: ``"switch"``, ``"simswitch"`` or ``"simrouter"``.
        hosts: how many hosts each has, h1 and on, 0 to 256.
        bw: rate of the links, in Mbit/s; None: no limit.
        delay: of links of which the file tells none, such as ``"2ms"``; only files with ``latencies`` in their name do.
            Weights of routing are no delays, and are not used.
        simulated: hosts are simulated, and each pings the next one once a second; else they are emulated.

    Raises:
        UsageError: the file cannot be read.
        TopologyError, UnitError: it is none of these files, or an option makes no sense; the message says in which
            line.

    Example:
        >>> RocketfuelTopo("1221.r0.cch", nodes="simrouter", hosts=0, delay="1ms")  # doctest: +SKIP
    """

    def build(
        self,
        file: str | Path,
        nodes: str = "switch",
        hosts: int = 1,
        bw: Any = None,
        delay: Any = None,
        simulated: bool = False,
    ) -> None:
        path = file_path(file, "rocketfuel: file")
        graph = _graph(read_text(path), str(path), LATENCIES in path.name)
        what = f"rocketfuel:{path}"
        fill_from_map(self, graph, what, nodes=nodes, hosts=hosts, bw=bw, delay=delay, simulated=simulated)


def _graph(text: str, file: str, latencies: bool) -> Any:
    import networkx

    graph: Any = networkx.Graph()
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
    lines = [(number, line) for number, line in lines if line and not line.startswith("#")]
    routers = any("->" in line for _, line in lines)
    for number, link in _routers(lines, graph, file) if routers else _places(lines, graph, file, latencies):
        one, other, told = link
        if one != other:  # Rocketfuel took some interfaces of one router for its neighbour
            graph.add_edge(one, other, **told)
        if graph.number_of_edges() > MOST_LINKS or graph.number_of_nodes() > MOST_PLACES:
            raise TopologyError(
                f"{file}:{number}: it has more than {MOST_PLACES:,} places or {MOST_LINKS:,} links; take a part of it"
            )
    if graph.number_of_nodes() == 0:
        raise TopologyError(f"{file}: it has no routers and no links; give a file with some")
    return graph


_Link = tuple[int, tuple[str, str, dict[str, str]]]


def _routers(lines: list[tuple[int, str]], graph: Any, file: str) -> Iterator[_Link]:
    beside: list[tuple[int, str, str]] = []
    for number, line in lines:
        if _OUTSIDE.fullmatch(line):
            continue
        router = _ROUTER.fullmatch(line)
        if router is None:
            raise TopologyError(
                f"{file}:{number}: {shown(line)} is no router; write 'UID @PLACE (NUMBER) -> <UID> <UID> =NAME rN'"
            )
        uid = router["uid"]
        if uid in graph:
            raise TopologyError(
                f"{file}:{number}: router {shown(uid)} has a line already; take one of them out"
            )
        graph.add_node(uid, label=router["place"].partition(",")[0] or uid)
        beside += [(number, uid, other) for other in re.findall(r"<([0-9]+)>", router["beside"])]
    for number, uid, other in beside:
        if other not in graph:
            raise TopologyError(
                f"{file}:{number}: router {shown(uid)} is beside {shown(other)}, which has no line; add it"
            )
        yield number, (uid, other, {})


def _places(lines: list[tuple[int, str]], graph: Any, file: str, latencies: bool) -> Iterator[_Link]:
    told: dict[frozenset[str], str] = {}
    for number, line in lines:
        words = line.split()
        if len(words) != 3 or not _NUMBER.fullmatch(words[2]):
            raise TopologyError(f"{file}:{number}: {shown(line)} is no link; write PLACE PLACE NUMBER")
        one, other, figure = words
        for place in (one, other):
            graph.add_node(place, label=place.partition(",")[0])
        if not latencies:
            yield number, (one, other, {})
            continue
        if float(figure) > MOST_MS:
            raise TopologyError(
                f"{file}:{number}: latency {figure} is more than {MOST_MS:,.0f} ms; correct it"
            )
        if told.setdefault(frozenset((one, other)), figure) != figure:
            raise TopologyError(
                f"{file}:{number}: the latency from {shown(one)} to {shown(other)} was "
                f"{told[frozenset((one, other))]} before, and is {figure} here; correct one of them"
            )
        yield number, (one, other, {"delay": f"{float(figure) * 1000:.0f}us"})
