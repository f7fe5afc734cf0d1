# SPDX-License-Identifier: MIT
"""What stands beside a description: options that its own file cannot say, of nodes, and of links at their interfaces.

nodes:
  r1: {machine: m1}
links:
  r1:eth1: {delay: 5ms, bw: 100}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hybridnet.describe.topo import LinkSpec, Topo
from hybridnet.describe.values import nearest, plain, shown
from hybridnet.errors import TopologyError, UnitError
from hybridnet.plan.files.yaml_text import Read, read_yaml, where

__all__ = ["add_beside"]


def add_beside(topo: Topo, text: str, file: str) -> None:
    """Give nodes and links of a description the options that a file has for them.

    Raises:
        TopologyError, UnitError: there is no such node or interface, or an option makes no sense; with file and line.
    """
    read = read_yaml(text, file)
    if not isinstance(read.value, Mapping) or not set(read.value) <= {"nodes", "links"} or not read.value:
        raise TopologyError(f"{file}: write nodes: and links:, and nothing else, as in docs/labs.md")
    nodes = {spec.name: spec.options for spec in topo.node_specs()}
    ends = {
        f"{end.node}:{end.inside or end.interface}": link
        for link in topo.link_specs()
        for end in (link.a, link.b)
    }
    of_nodes: dict[str, Mapping[str, Any]] = {}
    for name, given in _section("nodes", read, file):
        _known(name, nodes, "node", ("nodes", name), read, file)
        of_nodes[name] = {**nodes[name], **given}
        _checked(topo, {name: of_nodes[name]}, {}, ("nodes", name), read, file)
    of_links: dict[str, Mapping[str, Any]] = {}
    for name, given in _section("links", read, file):
        _known(name, ends, "interface", ("links", name), read, file)
        link: LinkSpec = ends[name]
        if link.name in of_links:
            raise TopologyError(
                f"{where(('links', name), read, file)}: link {link.name} is there by its other end, too; write it once"
            )
        of_links[link.name] = _merged(link.options, given)
        _checked(topo, {}, {link.name: of_links[link.name]}, ("links", name), read, file)
    topo.restore(topo.revised(of_nodes, of_links))


def _section(section: str, read: Read, file: str) -> list[tuple[str, Mapping[str, Any]]]:
    content = read.value.get(section) or {}
    if not isinstance(content, Mapping):
        raise TopologyError(f"{where((section,), read, file)}: it is no mapping; write NAME: {{delay: 5ms}}")
    for name, given in content.items():
        if not isinstance(given, Mapping):
            raise TopologyError(
                f"{where((section, name), read, file)}: {shown(given)} are no options; write {{delay: 5ms}}"
            )
    return list(content.items())


def _known(
    name: str, known: Mapping[str, object], what: str, path: tuple[str | int, ...], read: Read, file: str
) -> None:
    if name not in known:
        near = nearest(name, list(known))
        meant = f"did you mean {plain(near)}?" if near else "the network's file names them"
        raise TopologyError(f"{where(path, read, file)}: there is no {what} {shown(name)}; {meant}")


def _checked(
    topo: Topo,
    nodes: Mapping[str, Mapping[str, Any]],
    links: Mapping[str, Mapping[str, Any]],
    path: tuple[str | int, ...],
    read: Read,
    file: str,
) -> None:
    try:
        topo.revised(nodes, links)
    except (TopologyError, UnitError) as error:
        raise type(error)(f"{where(path, read, file)}: {error}") from None


def _merged(options: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, object]:
    """Options with others in their place; those of one end are joined, too."""
    ends = {
        name: {**(options.get(name) or {}), **given[name]}
        for name in ("params1", "params2")
        if isinstance(given.get(name), Mapping)
    }
    return {**options, **given, **ends}
