# SPDX-License-Identifier: MIT
"""What `Topo.addLink` accepts, checked when it is written and not when it is built.

Mininet passes unknown options down and loses them, and builds a link without its delay where netem is
missing. Here an option is understood, or it is an error that says what to write instead.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from hybridnet.describe.options.read import cure
from hybridnet.describe.topo.addresses import address_option, mac_address
from hybridnet.describe.topo.direction import direction_options
from hybridnet.describe.values import nearest, shown
from hybridnet.errors import TopologyError

__all__ = ["END_OPTIONS", "LINK_OPTIONS", "End", "Said", "check_names", "link_option_names", "resolve_end"]


@dataclass(frozen=True)
class Said:
    """What people are told of an option that is declared here, and not by the simulator.

    Attributes:
        help: what it means, in one line.
        kind: what its value looks like, in the words of `hybridnet.describe.options.Option`.
        choices: the values of a choice.
        default: what holds without it, as people write it; empty where nothing does.
        table: the simulator's table that declares it after all, and says all of this.
    """

    help: str = ""
    kind: str = "text"
    choices: tuple[str, ...] = ()
    default: str = ""
    table: str | None = None


_MTU = Said("largest packet, 576 to 65535 bytes", "count", default="1500")
# What params1 / params2 may say about the interface at that end.
END_OPTIONS: Mapping[str, Said] = {
    "ip": Said("IPv4 address of the interface, such as 10.0.0.1/8"),
    "ip6": Said("IPv6 address of the interface, such as fd00::1/64"),
    "mac": Said("MAC address of the interface"),
    "mtu": _MTU,
    "name": Said("what the host itself calls the interface, such as eth1"),
}
# What `addLink` takes besides the options of a direction.
LINK_OPTIONS: Mapping[str, Said] = {
    "port1": Said("port number at the first node", "count", default="the next one"),
    "port2": Said("port number at the second node", "count", default="the next one"),
    "intfName1": Said("name of the first interface", default="NODE-ethPORT"),
    "intfName2": Said("name of the second interface", default="NODE-ethPORT"),
    "addr1": Said("MAC address of the first interface"),
    "addr2": Said("MAC address of the second interface"),
    "mtu": _MTU,
    "params1": Said("options of the first interface, and of the direction that starts there", "map"),
    "params2": Said("options of the second interface, and of the direction that starts there", "map"),
    "patch": Said(
        "between two switches: no means a veth pair, whose ends are devices", "flag", default="yes"
    ),
}
_PARAMETERS = {"port1", "port2"}  # named ones of `addLink`


def link_option_names() -> frozenset[str]:
    """What `addLink` takes besides its named parameters."""
    return direction_options() | (LINK_OPTIONS.keys() - _PARAMETERS)


UNSUPPORTED_LINK_OPTIONS: Mapping[str, str] = {
    "cls": "links with bw=, delay= and the like are simulated; leave it out",
    "use_htb": "links with bw= are simulated; leave it out",
    "use_hfsc": "links with bw= are simulated; leave it out",
    "use_tbf": "links with bw= are simulated; leave it out",
    "speedup": "leave it out",
    "latency_ms": "write delay=",
    "latency": "write delay=",
    "bandwidth": "write bw= (Mbit/s)",
    "capacity": "write bw= (Mbit/s)",
    "rate": "write bw= (Mbit/s)",
    "queue": "write max_queue_size= (packets)",
    "queue_size": "write max_queue_size= (packets)",
    "txo": "the checksum offload is chosen for the port type; leave it out",
    "rxo": "the checksum offload is chosen for the port type; leave it out",
    "fast": "leave it out",
}

DEFAULT_MTU = 1500
_NAME_INSIDE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,14}")
_OF_THE_KERNEL = ("lo", "all", "default")  # in /proc/sys/net, besides the loopback


@dataclass(frozen=True, kw_only=True)
class End:
    """One end of a link: the node, its port, and the interface there, which its host may call by another name."""

    node: str
    port: int
    interface: str
    ip: str | None = None
    ip6: str | None = None
    mac: str | None = None
    mtu: int = DEFAULT_MTU
    inside: str | None = None


def resolve_end(node: str, port: int, interface: str, options: Mapping[str, Any], what: str) -> End:
    """The end of link `what` at `node`; `options` are the interface's: ip, ip6, mac, mtu, name."""
    mtu = options.get("mtu", DEFAULT_MTU)
    if not isinstance(mtu, int) or isinstance(mtu, bool) or not 576 <= mtu <= 65535:
        raise TopologyError(f"{what}: mtu {mtu!r} of {interface} is out of range; write 576 to 65535 (bytes)")
    return End(
        node=node,
        port=port,
        interface=interface,
        ip=address_option("ip", options.get("ip"), f"{what}: ip of {interface}"),
        ip6=address_option("ip6", options.get("ip6"), f"{what}: ip6 of {interface}"),
        mac=mac_address(options.get("mac"), f"{what}: mac of {interface}"),
        mtu=mtu,
        inside=_name_inside(options.get("name"), f"{what}: name of {interface}"),
    )


def _name_inside(value: Any, what: str) -> str | None:
    """The name of a device in its host; None or empty: that of the interface in the network."""
    if value is None or value == "":
        return None
    if not isinstance(value, str) or not _NAME_INSIDE.fullmatch(value) or value in _OF_THE_KERNEL:
        raise TopologyError(
            f"{what} {shown(value)} is not a name of a device; write one of at most 15 letters, digits, '_', '.' and "
            "'-', such as eth1"
        )
    return value


def check_names(
    given: Collection[str], allowed: Collection[str], unsupported: Mapping[str, str], what: str
) -> None:
    """Raise TopologyError for the first option that is not in `allowed`, with the nearest one that is."""
    for name in given:
        if name in allowed:
            continue
        if name in unsupported:
            raise TopologyError(f"{what}: option {name!r} is not supported; {unsupported[name]}")
        near = nearest(name, [*unsupported, *allowed])
        if near is not None and near in unsupported and near not in allowed:  # another tool's word, misspelt
            raise TopologyError(
                f"{what}: unknown option {name!r}, nor is {near!r} supported; {unsupported[near]}"
            )
        raise TopologyError(f"{what}: unknown option {name!r}; {cure(name, allowed)}")
