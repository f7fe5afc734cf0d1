# SPDX-License-Identifier: MIT
"""Addresses and routes of a description, checked where they are written. The plan decides where they fit."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hybridnet.describe.values import shown, text
from hybridnet.errors import TopologyError

__all__ = ["Default", "Given", "address_option", "default_route", "mac_address", "router_routes", "routes"]

_MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")
_EXAMPLES: Mapping[str, str] = {"ip": "10.0.0.1/8", "ip6": "fd00::1/64"}
_OBJECTS = (
    ipaddress.IPv4Address, ipaddress.IPv4Interface, ipaddress.IPv6Address, ipaddress.IPv6Interface,
)  # fmt: skip

Given = tuple[str, str | None]  # a route: prefix and gateway; no gateway: on link
Default = tuple[str | None, str | None]  # the default route: gateway and interface, at least one of them


def address_option(option: str, value: Any, what: str) -> str | None:
    """The text of an address of the family of `option` (``"ip"`` or ``"ip6"``), with or without a prefix length; None
    where there shall be none. Raises TopologyError.
    """
    if value is None or value == "":
        return None
    text = str(value) if isinstance(value, _OBJECTS) else value
    parse: Any = ipaddress.IPv4Interface if option == "ip" else ipaddress.IPv6Interface
    try:
        if not isinstance(text, str):
            raise ValueError
        parse(text)
    except ValueError:
        raise TopologyError(
            f"{what} {shown(value)} is not an {'IPv4' if option == 'ip' else 'IPv6'} address; write one like "
            f"{_EXAMPLES[option]}"
        ) from None
    return text


def mac_address(value: Any, what: str) -> str | None:
    """A MAC address of one station, in small letters; None: the plan chooses one. Raises TopologyError."""
    if value is None:
        return None
    mac = value.lower() if isinstance(value, str) else ""
    if not _MAC.fullmatch(mac):
        raise TopologyError(f"{what} {shown(value)} is not a MAC address; write one like 00:00:00:00:00:01")
    if mac == "00:00:00:00:00:00":
        raise TopologyError(f"{what} {value} is nobody's address; write one like 00:00:00:00:00:01")
    if int(mac[:2], 16) & 1:
        raise TopologyError(f"{what} {value} is a multicast address; make its first byte even")
    return mac


def routes(value: Any, what: str) -> list[Given]:
    """A list of (prefix, gateway) pairs; the gateway is an address, or ``"via ADDRESS"``. Raises TopologyError."""
    if value is None:
        return []
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise TopologyError(f"{what} {shown(value)} is not a list of (prefix, gateway) pairs")
    return [_route(pair, what) for pair in value]


def router_routes(value: Any, what: str) -> list[tuple[str, str]] | None:
    """A list of (destination, next hop) pairs: of each the prefix, ``"default"`` or the name of a node, and the address
    or name of a neighbour; None: the plan computes routes. Raises TopologyError.
    """
    if value is None:
        return None
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise TopologyError(
            f"{what} {shown(value)} is not a list of (destination, next hop) pairs; write [('h2', 'r2')]"
        )
    for pair in value:
        if (
            not isinstance(pair, tuple | list)
            or len(pair) != 2
            or not all(type(part) is str for part in pair)
        ):
            raise TopologyError(
                f"{what} {shown(pair)} is not a pair of destination and next hop; write ('10.2.0.0/16', 'r2')"
            )
    for part in {part for pair in value for part in pair}:  # there may be thousands, and few that differ
        text(part, what, error=TopologyError)
    return [(destination, via) for destination, via in value]


def default_route(value: Any, what: str) -> Default | None:
    """Mininet's defaultRoute: ``"via 10.0.0.1"``, ``"dev h1-eth0"``, or both. Raises TopologyError."""
    if value is None:
        return None
    words = value.split() if isinstance(value, str) else []
    given = dict(zip(words[::2], words[1::2], strict=False))
    if not words or len(words) % 2 or not set(given) <= {"via", "dev"} or len(given) * 2 != len(words):
        raise TopologyError(f"{what} {shown(value)} is not understood; write 'via 10.0.0.1' or 'dev h1-eth0'")
    via = given.get("via")
    return None if via is None else _gateway(via, f"{what} {shown(value)}"), given.get("dev")


def _route(pair: Any, what: str) -> Given:
    if not isinstance(pair, Sequence) or isinstance(pair, str | bytes) or len(pair) != 2:
        raise TopologyError(
            f"{what} {shown(pair)} is not a pair of prefix and gateway; write ('10.2.0.0/16', '10.0.0.1')"
        )
    prefix, via = pair
    where = f"{what} {shown(prefix)} via {shown(via)}"
    try:
        network = ipaddress.ip_network(prefix if isinstance(prefix, str) else "", strict=False)
    except ValueError:
        raise TopologyError(
            f"{where}: {shown(prefix)} is not a prefix; write one like 10.2.0.0/16 or fd00:2::/64"
        ) from None
    words = str(via).split()
    gateway = _gateway(words[-1] if words[:-1] in ([], ["via"]) and words else str(via), where)
    if ipaddress.ip_address(gateway).version != network.version:
        raise TopologyError(
            f"{where}: the two are of different families; write both for IPv4 or both for IPv6"
        )
    return str(network), gateway


def _gateway(text: str, what: str) -> str:
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        raise TopologyError(
            f"{what}: {shown(text)} is not an address; write one like 10.0.0.1 or fd00::1"
        ) from None
