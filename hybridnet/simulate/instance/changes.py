# SPDX-License-Identifier: MIT
"""What a running instance is to gain and lose, from JSON to the simulator's objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hybridnet.describe.schema.plans import InstanceAddition, InstanceChange, InstanceRemoval
from hybridnet.simulate.instance.build import (
    add_interface,
    add_links,
    add_nodes,
    add_portals,
    add_routes,
    with_paths,
)

__all__ = ["change_of"]


def change_of(wanted: InstanceChange, directory: Path) -> Any:
    """The `_simcore.InstanceChange` of a change that follows the schema.

    Args:
        directory: as for `build`.

    Raises:
        PlanError: a trace cannot be read.
        UsageError: there is no such plug-in.
    """
    from hybridnet import _simcore

    change = _simcore.InstanceChange()
    remove, add = wanted.get("remove", InstanceRemoval()), wanted.get("add", InstanceAddition())
    for names, take_out in (
        (remove.get("links", []), change.remove_link),
        (remove.get("portals", []), change.remove_portal),
        (remove.get("peers", []), change.remove_peer),
        (remove.get("nodes", []), change.remove_node),
        (remove.get("interfaces", []), change.remove_interface),
    ):
        for name in names:
            take_out(name)
    add_nodes(change, add.get("nodes", []))
    for node, interfaces in add.get("interfaces", {}).items():
        for interface in interfaces:
            add_interface(change, node, interface)
    add_portals(change, add.get("emulation_portals", []))
    for peer in add.get("peers", []):
        change.add_peer(dict(with_paths(peer, directory)))
    add_links(change, add.get("links", []))
    for node, routes in wanted.get("routes", {}).items():
        change.replace_routes(node)
        add_routes(change, node, routes)
    return change
