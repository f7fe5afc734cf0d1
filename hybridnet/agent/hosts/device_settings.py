# SPDX-License-Identifier: MIT
"""What somebody has set at devices of hosts since they were made: found, so that devices in their place get it, too."""

from __future__ import annotations

import json
import socket
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from hybridnet.describe.schema.plans import HostInterface
from hybridnet.system.command import run

__all__ = ["Found", "names_now", "settings_of"]

PLAIN_QDISCS = ("noqueue", "noop")  # what a veth has that nobody gave another one


class Found(NamedTuple):
    """What devices of one namespace have.

    Args:
        lines: of `ip`, which give it to other devices of these names.
        lost: what cannot be given, in words; each names its interface.
    """

    lines: list[str]
    lost: list[str]


def settings_of(interfaces: Collection[HostInterface]) -> Found:
    """What devices of this namespace have now: addresses, routes, permanent neighbours, and the name, the MTU and the
    MAC address where they are others than planned. One that a script has removed has nothing.

    Args:
        interfaces: as planned.
    """
    found = Found([], [])
    names = names_now(interfaces)
    for interface in (each for each in interfaces if each["name"] in names):
        name = names[interface["name"]]
        (device,) = json.loads(run(["ip", "-json", "link", "show", "dev", name]))
        if name != interface["name"]:
            found.lines.append(f"link set dev {interface['name']} down")
            found.lines.append(f"link set dev {interface['name']} name {name}")
            found.lines.append(f"link set dev {name} up")
        lines, lost = _of_device({**interface, "name": name}, device)
        found.lines.extend([*lines, *_addresses(name), *_routes(name), *_neighbours(name)])
        found.lost.extend(lost)
    return found


def names_now(interfaces: Collection[HostInterface]) -> dict[str, str]:
    """The devices of this namespace by the names that they were made with: a script may have given them others. One
    that is gone is left out.

    Args:
        interfaces: as planned.
    """
    there = {name for _, name in socket.if_nameindex()}
    names = {each["name"]: each["name"] for each in interfaces if each["name"] in there}
    if renamed := [each for each in interfaces if each["name"] not in there]:
        devices = json.loads(run(["ip", "-json", "link", "show"]))
        by_mac = {device["address"]: device["ifname"] for device in devices if device.get("address")}
        names |= {each["name"]: by_mac[each["mac"]] for each in renamed if each["mac"] in by_mac}
    return names


def _of_device(interface: HostInterface, device: Mapping[str, Any]) -> Found:
    name = interface["name"]
    found = Found([], [])
    if device["mtu"] != interface["mtu"]:
        found.lines.append(f"link set dev {name} mtu {device['mtu']}")
    if device["address"] != interface["mac"]:
        found.lines.append(f"link set dev {name} address {device['address']}")
    if (qdisc := device["qdisc"]) not in PLAIN_QDISCS:
        found.lost.append(
            f"interface {name}: its queueing discipline {qdisc} is gone, because its link has become a simulated one; "
            "give the link such options with set_link, or set it again with tc"
        )
    return found


def _addresses(name: str) -> list[str]:
    lines = [f"addr flush dev {name} scope global"]
    for row in run(["ip", "-o", "addr", "show", "dev", name, "scope", "global"]).splitlines():
        _, _, family, address, *_ = row.split()
        lines.append(f"addr add {address} dev {name}{' nodad' if family == 'inet6' else ' brd +'}")
    return lines


def _routes(name: str) -> list[str]:
    lines: list[str] = []
    for family in ("-4", "-6"):
        routes = run(["ip", family, "route", "show", "dev", name]).splitlines()
        ours = [route for route in routes if "proto kernel" not in route]
        if family == "-6":  # a line of a batch says no family
            ours = [route.replace("default", "::/0", 1) for route in ours]
        lines += [f"route replace {route.replace('linkdown', '')} dev {name}" for route in ours]
    return lines


def _neighbours(name: str) -> list[str]:
    rows = [row.split() for row in run(["ip", "neigh", "show", "dev", name, "nud", "permanent"]).splitlines()]
    return [
        f"neigh replace {address} lladdr {mac} dev {name} nud permanent"
        for address, word, mac, *_ in rows
        if word == "lladdr"
    ]
