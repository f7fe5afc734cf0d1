# SPDX-License-Identifier: MIT
"""GraphML: maps of real networks, as the Internet Topology Zoo has them, and descriptions that hybridnet has written.

A file of ours says of each node its ``kind``. In any other, each node is a place: it becomes a switch (or a simulated
node) with hosts. A link's options are attributes of its edge, by the names of `addLink`. Else its rate is
``LinkSpeedRaw`` in bit/s, and its delay what light in a fibre takes for the distance of its ends, where these have
``Latitude`` and ``Longitude`` in degrees.
"""

from __future__ import annotations

import io
import json
import math
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hybridnet.describe.topo import Topo
from hybridnet.describe.topo.options import link_option_names
from hybridnet.describe.topo.roles import ROLES
from hybridnet.describe.values import choice, flag, number, parse_json, plain, shown, whole, why_unread
from hybridnet.errors import TopologyError, UnitError
from hybridnet.plan.files.yaml_form import plain_link, plain_node

__all__ = ["FIBRE_KM_PER_S", "distance_km", "fill_from_graphml", "fill_from_map", "to_graphml"]

EARTH_RADIUS_KM = 6371.0  # mean
FIBRE_KM_PER_S = 200_000.0  # two thirds of the speed of light
LONGEST_DEVICE = 15  # characters, in Linux
LONGEST_PLACE = 8  # letters of a switch's name, so that its interfaces' names fit into Linux's 15
MOST_HOSTS = 256  # of one place
PLACES = ("switch", "simswitch", "simrouter")
_TEXT_OF_JSON = ("{", "[", "null")


def fill_from_graphml(
    topo: Topo,
    text: str,
    file: str,
    *,
    nodes: str = "switch",
    hosts: int = 1,
    bw: Any = None,
    delay: Any = None,
    simulated: bool = False,
) -> None:
    """Add what a file describes.

    Args:
        nodes: what each place becomes: ``switch``, ``simswitch`` or ``simrouter``. Not for files of ours.
        hosts: how many hosts each place has, h1 and on.
        bw, delay: of links for which the file has neither such an option nor what it follows from.
        simulated: hosts are simulated, and each pings the next one once a second; else they are emulated.

    Raises:
        TopologyError, UnitError: with the file, and the line or the node or link.
    """
    import networkx

    try:
        graph = networkx.read_graphml(io.BytesIO(text.encode()), force_multigraph=True)
    except ElementTree.ParseError as error:
        raise TopologyError(f"{file}:{error.position[0]}: it is not XML: {error}") from None
    except (networkx.NetworkXError, KeyError, ValueError, TypeError, RecursionError) as error:
        raise TopologyError(f"{file}: it is not GraphML: {why_unread(error)}") from None
    if graph.number_of_nodes() == 0:
        raise TopologyError(f"{file}: it has no nodes; give a file with some")
    if any("role" in data for _, data in graph.nodes(data=True)):
        _fill_from_ours(topo, graph, file)
    else:
        fill_from_map(topo, graph, file, nodes=nodes, hosts=hosts, bw=bw, delay=delay, simulated=simulated)


def to_graphml(topo: Topo) -> str:
    """The file of a description: options that are no plain values are JSON text."""
    import networkx

    graph: Any = networkx.MultiDiGraph()
    for spec in topo.node_specs():
        graph.add_node(spec.name, role=spec.role, **_texts(plain_node(spec)))
    for order, link in enumerate(topo.link_specs()):
        ports = {"port1": link.a.port, "port2": link.b.port}
        graph.add_edge(link.a.node, link.b.node, order=order, **ports, **_texts(plain_link(link)))
    return "\n".join(networkx.generate_graphml(graph)) + "\n"


def distance_km(one: tuple[float, float], other: tuple[float, float]) -> float:
    """The distance of two places on a sphere, given by latitude and longitude in degrees (haversine formula).

    Example:
        >>> round(distance_km((52.52, 13.41), (48.14, 11.58)))  # Berlin, Munich
        504
    """
    (lat1, lon1), (lat2, lon2) = (tuple(map(math.radians, place)) for place in (one, other))
    part = (
        math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    )
    return 2 * EARTH_RADIUS_KM * math.asin(min(1.0, math.sqrt(part)))


def _fill_from_ours(topo: Topo, graph: Any, file: str) -> None:
    roles = {role.name: role for role in ROLES.values() if role.add is not None}
    for name, data in graph.nodes(data=True):
        what = f"{file}: node {plain(name)}"
        options = _values(data, what)
        role = choice(options.pop("role", None), f"{what}: role", tuple(roles), error=TopologyError)
        _within(what, roles[role].add_to(topo), str(name), **options)
    edges = list(graph.edges(data=True))
    for one, other, data in sorted(edges, key=lambda edge: edge[2].get("order", 0)):
        what = f"{file}: edge {plain(one)} - {plain(other)}"
        options = _values(data, what)
        options.pop("order", None)
        options.pop("id", None)
        _within(what, topo.addLink, str(one), str(other), **options)


def fill_from_map(
    topo: Topo, graph: Any, file: str, *, nodes: str, hosts: int, bw: Any, delay: Any = None, simulated: bool
) -> None:
    """Add the places and links of a graph of networkx, which comes from `file`; the others as of `fill_from_graphml`.

    Raises:
        TopologyError, UnitError: with the node or link.
    """
    choice(nodes, f"{file}: nodes", PLACES, error=TopologyError)
    whole(hosts, f"{file}: hosts", 0, MOST_HOSTS, error=TopologyError)
    flag(simulated, f"{file}: simulated", error=TopologyError)
    last = graph.number_of_nodes() * hosts
    if not simulated:
        topo.reserve(f"{file}: hosts={hosts}", last)
    names = dict(zip(graph.nodes, _place_names(graph, hosts), strict=True))
    places = {
        node: _coordinates(data, f"{file}: node {plain(node)}") for node, data in graph.nodes(data=True)
    }
    anywhere = any(place is not None for place in places.values())
    count = 0
    for index, name in enumerate(names.values(), 1):
        what = f"{file}: node {name}"
        if nodes == "switch":
            _within(what, topo.addSwitch, name, dpid=f"{index:x}")
        else:
            _within(what, topo.addSimSwitch if nodes == "simswitch" else topo.addSimRouter, name)
        for _ in range(hosts):
            count += 1
            if simulated:
                ping = {"kind": "ping", "destination": f"h{count % last + 1}", "interval": "1s"}
                _within(what, topo.addSimHost, f"h{count}", applications=[ping] if last > 1 else [])
            else:
                _within(what, topo.addHost, f"h{count}")
            _within(what, topo.addLink, f"h{count}", name)
    for one, other, data in graph.edges(data=True):
        what = f"{file}: edge {names[one]} - {names[other]}"
        options = {name: value for name, value in _values(data, what).items() if name in link_option_names()}
        if "bw" not in options:
            rate = data.get("LinkSpeedRaw")
            speed = bw if rate is None else _speed(rate, what)
            options |= {} if speed is None else {"bw": speed}
        if "delay" not in options:
            takes = _delay(places[one], places[other], anywhere, delay, what)
            options |= {} if takes is None else {"delay": takes}
        _within(what, topo.addLink, names[one], names[other], **options)


def _delay(one: Any, other: Any, anywhere: bool, otherwise: Any, what: str) -> Any:
    if one is not None and other is not None:
        return f"{distance_km(one, other) / FIBRE_KM_PER_S * 1e6:.0f}us"
    if otherwise is None and anywhere:
        raise TopologyError(
            f"{what}: one of its ends has no Latitude and Longitude, so its delay is not known; give one for such "
            "links, as in --topo FILE.graphml,delay=1ms"
        )
    return otherwise


def _speed(rate: Any, what: str) -> float:
    try:
        speed = float(rate)
    except ValueError:
        raise TopologyError(
            f"{what}: LinkSpeedRaw {shown(rate)} is not a number of bit/s; correct it"
        ) from None
    return float(number(speed, f"{what}: LinkSpeedRaw", 1, 1e15, error=TopologyError)) / 1e6


def _coordinates(data: Mapping[str, Any], what: str) -> tuple[float, float] | None:
    given: list[Any] = [data.get("Latitude"), data.get("Longitude")]
    if None in given:
        return None
    try:
        latitude, longitude = (float(each) for each in given)
    except (TypeError, ValueError):
        raise TopologyError(
            f"{what}: Latitude and Longitude {shown(given)} are not degrees; correct them"
        ) from None
    number(latitude, f"{what}: Latitude", -90, 90, error=TopologyError)
    number(longitude, f"{what}: Longitude", -180, 180, error=TopologyError)
    return latitude, longitude


def _place_names(graph: Any, hosts: int) -> Iterator[str]:
    """Of each node a name that Linux takes: the letters of its label, with a number where two are alike. With the
    number of its last port it fits into the name of a device.
    """
    taken: set[str] = set()
    numbers: dict[str, int] = {}
    for node, data in graph.nodes(data=True):
        longest = min(LONGEST_PLACE, LONGEST_DEVICE - len(f"-eth{graph.degree(node) + hosts}p"))
        label = re.sub(r"[^A-Za-z0-9]", "", str(data.get("label", node)))[:longest] or "s"
        if re.fullmatch(r"h?[0-9]+", label):  # a number alone says little, and h1 is a host's
            label = f"s{label.lstrip('h')}"[:longest]
        name, number = label, numbers.get(label, 1)
        while name in taken:
            number += 1
            name = f"{label[: longest - len(str(number))]}{number}"
        numbers[label] = number
        taken.add(name)
        yield name


def _within(what: str, add: Callable[..., Any], *arguments: Any, **options: Any) -> None:
    try:
        add(*arguments, **options)
    except (TopologyError, UnitError) as error:
        raise type(error)(f"{what}: {error}") from None
    except TypeError:
        raise TopologyError(f"{what}: an attribute is not an option: {plain(', '.join(options))}") from None


def _texts(options: Mapping[str, Any]) -> dict[str, object]:
    """Each value as GraphML has it."""
    return {
        name: value if isinstance(value, bool | int | float | str) else json.dumps(value)
        for name, value in options.items()
    }


def _values(data: Mapping[str, Any], what: str) -> dict[str, object]:
    found = {}
    for name, value in data.items():
        if isinstance(value, str) and value.startswith(_TEXT_OF_JSON):
            try:
                value = parse_json(value)
            except ValueError as error:
                raise TopologyError(
                    f"{what}: {plain(name)} {shown(value)} is not JSON: {error}; correct it"
                ) from None
        found[str(name)] = value
    return found
