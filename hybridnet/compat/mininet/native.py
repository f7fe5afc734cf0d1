# SPDX-License-Identifier: MIT
"""A topology that was written for Mininet, as one of hybridnet's: for `plan`, `simulate` and `run --topo`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from hybridnet.compat.mininet.topo import Topo
from hybridnet.describe.topo import Topo as NativeTopo
from hybridnet.describe.values import shown
from hybridnet.errors import TopologyError

__all__ = ["as_native"]

_OWN = "hybridnet."  # what the names of Mininet's modules stand for
# What says nothing more: where it is, and how Mininet would make it.
_NO_OPTIONS = frozenset({"node1", "node2", "isSwitch", "cls", "use_htb", "batch"})


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
        options = _options(info, f"node {name}")
        (native.addSwitch if topo.isSwitch(name) else native.addHost)(name, **options)
    for node1, node2, info in topo.links(withInfo=True):
        native.addLink(node1, node2, **_options(info, f"link {node1}-{node2}"))
    return native


def _options(info: Mapping[str, object], what: str) -> dict[str, Any]:
    """The options of a node or a link, those that ``cls=partial(TCLink, bw=10)`` gives among them."""
    kind: Any = info.get("cls")
    params: dict[str, object] = {}
    while isinstance(kind, functools.partial):
        kind, params = kind.func, {**kind.keywords, **params}
    if kind is not None and not getattr(kind, "__module__", "").startswith(_OWN):
        raise TopologyError(
            f"{what}: cls={getattr(kind, '__name__', shown(kind))} has code of its own, which Mininet's network runs: "
            "start it with `hybridnet mn --custom FILE --topo NAME`"
        )
    return {name: value for name, value in {**params, **info}.items() if name not in _NO_OPTIONS}
