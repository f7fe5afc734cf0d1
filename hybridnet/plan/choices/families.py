# SPDX-License-Identifier: MIT
"""Address families: what IPv4 and IPv6 differ in when addresses are assigned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Interface,
    IPv4Network,
    IPv6Address,
    IPv6Interface,
    IPv6Network,
    ip_interface,
)
from itertools import chain, islice

__all__ = [
    "IPV6_PREFIX_LENGTH",
    "Address",
    "Family",
    "Interface",
    "Subnet",
    "interface_of",
    "ipv4",
    "ipv6",
    "overlap",
]

Address = IPv4Address | IPv6Address
Interface = IPv4Interface | IPv6Interface
Subnet = IPv4Network | IPv6Network

ROUTED_SUBNETS = IPv4Network("10.0.0.0/9")
ROUTED_PREFIX_LENGTH = 16
FURTHER_SUBNETS = IPv4Network("10.128.0.0/9")  # of networks with more than 127 routed segments
FURTHER_PREFIX_LENGTH = 24
POINT_TO_POINT_SUBNETS = IPv4Network("100.64.0.0/10")
POINT_TO_POINT_PREFIX_LENGTH = 30
IPV6_PREFIX_LENGTH = 64


@dataclass(frozen=True)
class Family:
    """One of the two.

    Args:
        version: 4 or 6.
        option: what a description calls an address of it: "ip" or "ip6".
        base: where the hosts of segments without a router are numbered; None: they get addresses only where told.
        routed, pairs: subnets for segments with a router, and for pairs of routers; empty: those get addresses
            only where one of their interfaces is told its own.
        pool: what to call `routed` when it runs out.
        most: only this many addresses of a subnet are given out.
        least_mtu: of an interface that has such an address.
    """

    version: int
    option: str
    base: Subnet | None
    routed: Iterator[Subnet]
    pairs: Iterator[Subnet]
    pool: str
    most: int
    least_mtu: int

    @property
    def name(self) -> str:
        return f"IPv{self.version}"

    def parse(self, text: str) -> Interface:
        """An address, perhaps with a prefix length, as the description has checked it."""
        return IPv4Interface(text) if self.version == 4 else IPv6Interface(text)

    def address(self, number: int) -> Address:
        return IPv4Address(number) if self.version == 4 else IPv6Address(number)

    def may_not_be_given(self, parsed: Interface) -> str | None:
        """Return why no interface may have this address; None if one may."""
        network = parsed.network
        if self.version == 4:
            own = (network.network_address, network.broadcast_address) if network.prefixlen < 31 else ()
            return "its subnet's own or broadcast address" if parsed.ip in own else None
        if (
            parsed.ip.is_link_local
            or parsed.ip.is_multicast
            or parsed.ip.is_loopback
            or parsed.ip.is_unspecified
        ):
            return "link-local or no single host's"
        return (
            "its subnet's routers' address" if network.prefixlen < 127 and parsed.ip == network[0] else None
        )


def ipv4(ip_base: str) -> Family:
    """IPv4: hosts without a router in `ip_base`, 127 routed segments in 10.k.0.0/16, 32,768 more in a /24 of
    10.128.0.0/9 each, pairs of routers in 100.64.0.0/10.
    """
    routed = ROUTED_SUBNETS.subnets(new_prefix=ROUTED_PREFIX_LENGTH)
    further = FURTHER_SUBNETS.subnets(new_prefix=FURTHER_PREFIX_LENGTH)
    return Family(
        version=4,
        option="ip",
        base=IPv4Network(ip_base, strict=False),
        routed=chain(islice(routed, 1, None), further),  # 10.0.0.0/16 stays free: for hosts without a router
        pairs=POINT_TO_POINT_SUBNETS.subnets(new_prefix=POINT_TO_POINT_PREFIX_LENGTH),
        pool="10.1.0.0/16 to 10.255.255.0/24",
        most=1 << 32,
        least_mtu=68,
    )


def ipv6(ip6_base: str | None) -> Family:
    """IPv6: the first /64 of `ip6_base` for hosts without a router, the others for routed segments and pairs of
    routers alike, the first 65,534 addresses of each. Without `ip6_base` there are only those that the description
    gives.
    """
    base = None if ip6_base is None else IPv6Network(ip6_base, strict=False)
    subnets: Iterator[IPv6Network] = iter(()) if base is None else base.subnets(new_prefix=IPV6_PREFIX_LENGTH)
    first = next(subnets, None)
    return Family(
        version=6,
        option="ip6",
        base=first,
        routed=subnets,
        pairs=subnets,
        pool=f"of {base}",
        most=(1 << 16) - 2,
        least_mtu=1280,
    )


def overlap(one: Subnet, other: Subnet) -> bool:
    """Whether two subnets of one family have an address in common."""
    return one.overlaps(other)


def interface_of(address: Address, prefixlen: int) -> Interface:
    """The address with the length of its subnet's prefix."""
    return ip_interface((address, prefixlen))
