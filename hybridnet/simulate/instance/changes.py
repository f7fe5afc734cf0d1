# SPDX-License-Identifier: MIT
"""What a running instance is to gain and lose, from JSON to the simulator's objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hybridnet.simulate.instance.build import (
    add_interface,
    add_links,
    add_nodes,
    add_portals,
    add_routes,
    with_paths,
)

__all__ = ["change_of"]


def change_of(wanted: dict[str, Any], directory: Path) -> Any:
    """The `_simcore.InstanceChange` of a change that follows the schema.

    Args:
        directory: as for `build`.

    Raises:
        PlanError: a trace cannot be read.
        UsageError: there is no such plug-in.
    """
    from hybridnet import _simcore

    change = _simcore.InstanceChange()
    remove, add = wanted.get("remove", {}), wanted.get("add", {})
    for kind, take_out in (
        ("links", change.remove_link),
        ("portals", change.remove_portal),
        ("peers", change.remove_peer),
        ("nodes", change.remove_node),
        ("interfaces", change.remove_interface),
    ):
        for name in remove.get(kind, []):
            take_out(name)
    add_nodes(change, {"nodes": add.get("nodes", [])})
    for node, interfaces in add.get("interfaces", {}).items():
        for interface in interfaces:
            add_interface(change, node, interface)
    add_portals(change, {"emulation_portals": add.get("emulation_portals", [])})
    for peer in add.get("peers", []):
        change.add_peer(with_paths(peer, directory))
    add_links(change, {"links": add.get("links", [])})
    for node, routes in wanted.get("routes", {}).items():
        change.replace_routes(node)
        add_routes(change, node, routes)
    return change
