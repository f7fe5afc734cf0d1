# SPDX-License-Identifier: MIT
"""Networks by name, from the package topohub: the Topology Zoo, SNDlib, CAIDA's maps, backbones, Gabriel graphs.

Each is a map: places with coordinates, and links with lengths in kilometres, which become delays. The package is not
part of hybridnet; its files are read as they are, and none of its code runs.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hybridnet.describe.topo import Topo
from hybridnet.describe.values import meant, number, parse_json, plain, shown, text
from hybridnet.errors import EnvironmentLackError, TopologyError
from hybridnet.plan.files.graphml import FIBRE_KM_PER_S, fill_from_map

__all__ = ["Topohub", "topohub_names"]

EARTH_ROUND_KM = 40_075.0 * 2  # no link is longer
_END = ".json"
_SHOWN = 8  # names, where several are meant


class Topohub(Topo):
    """A network of the package topohub (``pip install 'hybridnet[topohub]'``).

    Args:
        name: such as ``"geant"``, in small or capital letters; ``"topozoo/Abilene"`` where several groups have one of
            that name.
        nodes: what each place becomes: ``"switch"``, ``"simswitch"`` or ``"simrouter"``.
        hosts: how many hosts each place has, h1 and on, 0 to 256.
        bw: rate of the links between places, in Mbit/s; None: no limit. Their delay is that of light in a fibre of
            their length.
        simulated: hosts are simulated, and each pings the next one once a second; else they are emulated.

    Raises:
        EnvironmentLackError: the package is not installed.
        TopologyError, UnitError: it has no such network, or an option makes no sense.

    Example:
        >>> Topohub("geant", nodes="simrouter").nodes()[:2]  # doctest: +SKIP
        ['at1at', 'be1be']
    """

    def build(
        self, name: str, nodes: str = "switch", hosts: int = 1, bw: Any = None, simulated: bool = False
    ) -> None:
        found = _named(text(name, "topohub: name", error=TopologyError))
        what = f"topohub:{found}"
        graph = _graph(_folder() / f"{found}{_END}", what)
        fill_from_map(self, graph, what, nodes=nodes, hosts=hosts, bw=bw, simulated=simulated)


def _folder() -> Path:
    spec = find_spec("topohub")
    if spec is None or not spec.submodule_search_locations:
        raise EnvironmentLackError(
            "topohub: its package is not installed; run `pip install topohub==1.5.1`, or install hybridnet[topohub]"
        )
    return Path(spec.submodule_search_locations[0]) / "data"


@cache
def topohub_names() -> tuple[str, ...]:
    """All networks there are, as ``"sndlib/geant"``. Raises EnvironmentLackError: the package is not installed."""
    folder = _folder()
    return tuple(
        sorted(str(file.relative_to(folder)).removesuffix(_END) for file in folder.rglob(f"*{_END}"))
    )


def _named(name: str) -> str:
    """The whole name of a network."""
    known = topohub_names()
    for alike in (str, str.casefold):
        wanted = alike(name)
        found = [each for each in known if wanted in (alike(each), alike(each.partition("/")[2]))]
        found = found or [each for each in known if alike(each.rpartition("/")[2]) == wanted]
        if len(found) == 1:
            return found[0]
        if found:
            more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
            raise TopologyError(
                f"topohub: {len(found)} networks are named {shown(name)}; write one of "
                f"{', '.join(found[:_SHOWN])}{more}"
            )
    near = meant(name, [*known, *(each.rpartition("/")[2] for each in known)])
    groups = ", ".join(sorted({each.partition("/")[0] for each in known}))
    raise TopologyError(
        f"topohub: there is no network {shown(name)}; "
        f"{near}there are {len(known)} in the groups {groups}, such as {known[0]}"
    )


def _graph(file: Path, what: str) -> Any:
    import networkx

    graph: Any = networkx.MultiGraph()
    try:
        content = parse_json(file.read_bytes())
        for node in content["nodes"]:
            graph.add_node(node["id"], label=str(node.get("name", node["id"])))
        for edge in content["edges"]:
            ends = edge["source"], edge["target"]
            where = f"{what}: edge {plain(ends[0])} - {plain(ends[1])}"
            km = number(edge["dist"], f"{where}: dist", 0, EARTH_ROUND_KM, error=TopologyError)
            graph.add_edge(*ends, delay=f"{km / FIBRE_KM_PER_S * 1e6:.0f}us")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise TopologyError(
            f"{what}: the package has another form than version 1.5.1 ({type(error).__name__}: {error}); install that"
        ) from None
    return graph
