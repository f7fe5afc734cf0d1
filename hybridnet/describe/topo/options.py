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

__all__ = ["End", "check_names", "link_option_names", "resolve_end"]

# What params1 / params2 may say about the interface at that end.
END_OPTIONS = frozenset({"ip", "ip6", "mac", "mtu", "name"})
# What `addLink` takes besides the options of a direction.
_LINK_OPTIONS = frozenset({"addr1", "addr2", "intfName1", "intfName2", "mtu", "params1", "params2", "patch"})


def link_option_names() -> frozenset[str]:
    """What `addLink` takes besides its named parameters."""
    return direction_options() | _LINK_OPTIONS


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
