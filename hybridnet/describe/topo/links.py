# SPDX-License-Identifier: MIT
"""From the options of `Topo.addLink` to a link: its two ends and its two directions, each option checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hybridnet.describe.topo.direction import Direction, direction_options, resolve_direction
from hybridnet.describe.topo.node_options import MAX_DEVICE_NAME
from hybridnet.describe.topo.options import (
    END_OPTIONS,
    UNSUPPORTED_LINK_OPTIONS,
    End,
    check_names,
    link_option_names,
    resolve_end,
)
from hybridnet.describe.topo.specs import LinkSpec, NodeSpec
from hybridnet.describe.values import flag, shown
from hybridnet.errors import TopologyError

__all__ = ["describe_link", "link_options"]

_INTERFACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


def link_options(opts: Mapping[str, Any], what: str) -> dict[str, object]:
    """The options of a link.

    Raises:
        TopologyError: one does not exist.
    """
    given = dict(opts)
    check_names(given, link_option_names(), UNSUPPORTED_LINK_OPTIONS, what)
    for number in (1, 2):
        if not isinstance(given.get(f"params{number}") or {}, Mapping):
            raise TopologyError(
                f"{what}: params{number} {shown(given[f'params{number}'])} is not a dictionary; write {{'bw': 10}}"
            )
    return given


def describe_link(
    nodes: tuple[NodeSpec, NodeSpec], ports: tuple[int, int], key: int, name: str, given: Mapping[str, Any]
) -> LinkSpec:
    """The link between two nodes; `given` comes from `link_options`.

    Raises:
        TopologyError, UnitError: an option makes no sense.
    """
    what = f"link {nodes[0].name}-{nodes[1].name}"
    both = {option: value for option, value in given.items() if option in direction_options()}
    ends: list[End] = []
    directions: list[Direction] = []
    for number, node, port in zip((1, 2), nodes, ports, strict=True):
        params = _params(given, number, what)
        interface = _interface(given.get(f"intfName{number}"), node, port, what)
        ends.append(resolve_end(node.name, port, interface, params, what))
        _check_inside(ends[-1], node, what)
        own = {option: value for option, value in params.items() if option in direction_options()}
        direction = resolve_direction({**both, **own}, what)
        direction.check_fits(ends[-1].mtu, what)
        directions.append(direction)
    if ends[0].interface == ends[1].interface:
        raise TopologyError(
            f"{what}: both ends are named {ends[0].interface}; give them different intfName1, intfName2"
        )
    told = given.get("patch")
    patch = True if told is None else flag(told, f"{what}: patch", error=TopologyError)
    return LinkSpec(name, ends[0], ends[1], directions[0], directions[1], key, dict(given), patch)


def _params(given: Mapping[str, Any], number: int, what: str) -> dict[str, object]:
    params = dict(given.get(f"params{number}") or {})
    check_names(
        params, END_OPTIONS.keys() | direction_options(), UNSUPPORTED_LINK_OPTIONS, f"{what}: params{number}"
    )
    if given.get(f"addr{number}") is not None:
        params.setdefault("mac", given[f"addr{number}"])
    if given.get("mtu") is not None:
        params.setdefault("mtu", given["mtu"])
    return params


def _check_inside(end: End, node: NodeSpec, what: str) -> None:
    if end.inside is None or (node.role == "host" and node.resolved.get("inNamespace") is not False):
        return
    raise TopologyError(
        f"{what}: name {end.inside}: only a host with a namespace of its own calls an interface by another name than "
        f"the network does; for one of {node.name} write intfName"
    )


def _interface(named: Any, node: NodeSpec, port: int, what: str) -> str:
    interface = f"{node.name}-eth{port}" if named is None or named == "" else named
    if node.role == "external":
        if interface not in (f"{node.name}-eth{port}", node.name):
            raise TopologyError(
                f"{what}: device {node.name} keeps its name; leave intfName {shown(named)} out"
            )
        interface = node.name
    if not isinstance(interface, str) or not _INTERFACE.fullmatch(interface):
        raise TopologyError(
            f"{what}: {shown(interface)} is not the name of an interface; write letters, digits, '_', '.', '-'"
        )
    if interface == "lo" and not node.simulated:
        raise TopologyError(f"{what}: lo is the loopback interface; choose another intfName")
    if not node.simulated and len(interface) > MAX_DEVICE_NAME:
        raise TopologyError(
            f"{what}: interface {interface} has {len(interface)} characters, Linux allows {MAX_DEVICE_NAME}; "
            "choose a shorter node name or intfName"
        )
    return interface
