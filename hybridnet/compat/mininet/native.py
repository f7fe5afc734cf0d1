# SPDX-License-Identifier: MIT
"""A topology that was written for Mininet, as one of hybridnet's: for `plan`, `simulate` and `run --topo`."""

from __future__ import annotations

import functools
from typing import Any

from hybridnet.compat.mininet.topo import Topo
from hybridnet.describe.topo import Topo as NativeTopo
from hybridnet.describe.values import shown
from hybridnet.errors import TopologyError

__all__ = ["as_native"]

_OWN = "hybridnet."  # what the names of Mininet's modules stand for
_OF_LINKS = ("node1", "node2", "cls")
_OF_NODES = ("isSwitch", "cls")


def as_native(topo: Topo) -> NativeTopo:
    """The same nodes and links, with the same options. Mininet's classes of nodes and links say nothing more than
    these.

    Raises:
        TopologyError: it uses a class of the script's own, whose code only a network of Mininet's runs, or an option
            makes no sense.
    """
    native = NativeTopo()
    for name in topo.nodes(sort=False):
        info = topo.nodeInfo(name)
        options = {**_params(info, f"node {name}"), **_without(info, _OF_NODES)}
        (native.addSwitch if topo.isSwitch(name) else native.addHost)(name, **options)
    for node1, node2, info in topo.links(withInfo=True):
        options = {**_params(info, f"link {node1}-{node2}"), **_without(info, _OF_LINKS)}
        native.addLink(node1, node2, **options)
    return native


def _without(info: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in info.items() if name not in names}


def _params(info: dict[str, Any], what: str) -> dict[str, Any]:
    """The options that ``cls=partial(TCLink, bw=10)`` gives."""
    kind: Any = info.get("cls")
    params: dict[str, Any] = {}
    while isinstance(kind, functools.partial):
        kind, params = kind.func, {**kind.keywords, **params}
    if kind is not None and not getattr(kind, "__module__", "").startswith(_OWN):
        raise TopologyError(
            f"{what}: cls={getattr(kind, '__name__', shown(kind))} has code of its own, which Mininet's network runs: "
            "start it with `hybridnet mn --custom FILE --topo NAME`"
        )
    return params
