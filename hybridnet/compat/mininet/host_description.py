# SPDX-License-Identifier: MIT
"""A host of Mininet's as `hybridnet.Topo.addHost` takes it. What it refuses and Mininet takes is left to the host's own
`config`, once the network is made.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from ipaddress import IPv4Address, IPv4Interface
from typing import Any

from hybridnet.compat.mininet.lenient_options import (
    accepted_address,
    accepted_mac,
    accepted_route,
    tolerate,
)
from hybridnet.plan.choices.families import ipv4

__all__ = ["described_host"]


def described_host(host: Any, options: Collection[str], taken: set[str]) -> dict[str, object]:
    """The options of a host, or of a switch that is no bridge.

    Args:
        options: those of its parameters that count.
        taken: the IP and MAC addresses of the others; its own are added.
    """
    what = f"host {host.name}"
    own = {name: host.params[name] for name in options if host.params.get(name) is not None}
    own["devices"] = host.borrowed()
    if (mac := accepted_mac(own.pop("mac", None), what)) in taken:  # its `config` gives it
        tolerate(f"{what}: its mac {mac} is another's, too", "both have it, as the script asks")
    elif mac is not None:
        own["mac"] = mac
        taken.add(mac)
    asked = accepted_address(own.get("ip"), what)
    own["ip"] = None if asked is None else _given_by_the_network(asked, what, taken)
    own["defaultRoute"] = accepted_route(own.get("defaultRoute"), what)
    if not host.intfList():
        own.pop("defaultRoute", None)  # its first link brings it
    if asked is not None and own["ip"] is None:
        own.pop("defaultRoute", None)  # its `config` gives it, behind the address
    if (gateway := _unreachable_gateway(host)) and own.pop("defaultRoute", None):
        tolerate(
            f"{what}: its gateway {gateway} is in none of its networks",
            "it has no default route, as in Mininet",
        )
    words = (own.get("defaultRoute") or "").split()
    if "dev" in words and words[words.index("dev") + 1] not in host.nameToIntf:
        tolerate(f"{what}: its default route {own.pop('defaultRoute')}", "it has no such interface")
    if host.params.get("ipv6"):
        own["ip6"] = host.params["ipv6"] if "/" in host.params["ipv6"] else f"{host.params['ipv6']}/64"
    if not host.inNamespace:
        own["inNamespace"] = False
        if own.pop("privateDirs", None):
            tolerate(f"{what}: privateDirs=", "it has the computer's files; it has no effect")
    if "privateDirs" in own:
        own["privateDirs"] = [_private_directory(host, each) for each in own["privateDirs"]]
    return own


def _given_by_the_network(asked: str, what: str, taken: set[str]) -> str | None:
    """The address with its length; None where its `config` gives it, once the interface is there."""
    ip = asked if "/" in asked else f"{asked}/8"
    if ip.partition("/")[0] in taken:
        tolerate(f"{what}: its address {ip} is another's, too", "both have it, as the script asks")
        return None
    if _is_no_host_s(ip):
        if not ip.startswith("0.0.0.0/"):
            tolerate(
                f"{what}: its address {ip} is its subnet's own or broadcast address",
                "it gets this address, as the script asks",
            )
        return None
    taken.add(ip.partition("/")[0])
    return ip


def _is_no_host_s(ip: str) -> bool:
    """Whether an address is none that hybridnet gives: a subnet's own or broadcast address; 0.0.0.0 is no address."""
    try:
        return ipv4(ip).may_not_be_given(IPv4Interface(ip)) is not None
    except ValueError:
        return False  # no IPv4 address: the network says so when it is made


def _unreachable_gateway(host: Any) -> str | None:
    """The gateway of its default route, where none of the addresses that it is told has it in its network."""
    words = str(host.params.get("defaultRoute") or "").split()
    told = [host.params.get("ip"), *(intf.params.get("ip") for intf in host.intfList())]
    try:
        gateway = IPv4Address(words[words.index("via") + 1])
        networks = [IPv4Interface(ip if "/" in ip else f"{ip}/8").network for ip in told if ip]
    except (ValueError, IndexError):
        return None  # none, or one that the network judges when it is made
    return None if "onlink" in words or any(gateway in each for each in networks) else str(gateway)


def _private_directory(host: Any, given: Any) -> Any:
    """A directory, or a pair of one and of what shows there: a template of the node's attributes, as in Mininet.
    Relative ones are below the folder of the script's process, in which the node's shell begins.
    """
    if isinstance(given, str):
        return os.path.abspath(given) if not given.startswith("/") else given
    at, source = given
    return _private_directory(host, at), _private_directory(host, source % vars(host)).replace("%", "%%")
