# SPDX-License-Identifier: MIT
"""Addresses: every host and router interface gets an IPv4 address and a MAC address.

Without a simulated router in the segment, Mininet's rule: the n-th host (natural order) gets the n-th
address of ip_base on its first interface, and its other interfaces get none. With a router:

    10.k.0.0/16       the k-th routed segment: hosts from 10.k.0.1 up, routers from 10.k.255.254 down
    100.64.0.0/10     one /30 for each pair of routers joined without a host between them

An explicit `ip=` always wins, and decides its segment's subnet where it comes with a prefix length.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from itertools import pairwise

from hybridnet.errors import PlanError
from hybridnet.plan_layout import Layout
from hybridnet.plan_segments import Segment
from hybridnet.topo import natural
from hybridnet.topo_options import End

__all__ = ["Addresses", "assign_addresses"]

ROUTED_SUBNETS = IPv4Network("10.0.0.0/8")
ROUTED_PREFIX_LENGTH = 16
POINT_TO_POINT_SUBNETS = IPv4Network("100.64.0.0/10")
POINT_TO_POINT_PREFIX_LENGTH = 30


@dataclass(frozen=True)
class Addresses:
    """What was assigned, by interface name; `subnet_of` by segment, for routed ones only."""

    by_interface: dict[str, IPv4Interface]
    subnet_of: dict[Segment, IPv4Network]


def assign_addresses(layout: Layout, segments: Sequence[Segment], ip_base: str) -> Addresses:
    """Assign all IPv4 addresses.

    Raises:
        PlanError: an explicit address is malformed, taken, or outside its segment's subnet; subnets overlap,
            or run out.
    """
    wanted = {end.interface: _wanted(layout, end) for segment in segments for end in segment.ends}
    assigned: dict[str, IPv4Interface] = {}
    subnets = _choose_subnets(segments, wanted)
    for segment, subnet in subnets.items():
        assigned.update(_fill_routed(segment, subnet, wanted))
    numbers = _mininet_numbers(layout)
    base = IPv4Network(ip_base, strict=False)
    for segment in segments:
        if not segment.routed:
            assigned.update(_fill_unrouted(layout, segment, base, numbers, wanted))
    return Addresses(assigned, subnets)


@dataclass(frozen=True)
class _Wanted:
    """What the description says of one interface's address."""

    address: IPv4Address | None = None
    network: IPv4Network | None = None  # where the prefix length was given too
    none: bool = False  # ip=None: it shall have no address


def _wanted(layout: Layout, end: End) -> _Wanted:
    options = layout.nodes[end.node].options
    text = end.ip
    if text is None and layout.ends_of[end.node][0] is end:
        if "ip" in options and not options["ip"]:
            return _Wanted(none=True)
        text = options.get("ip")
    if text is None:
        return _Wanted()
    try:
        parsed = IPv4Interface(text)
    except ValueError:
        raise PlanError(
            f"interface {end.interface}: ip {text!r} is no IPv4 address; write one like 10.1.0.1/16"
        ) from None
    if "/" not in str(text):
        return _Wanted(parsed.ip)
    network = parsed.network
    if network.prefixlen < 31 and parsed.ip in (network.network_address, network.broadcast_address):
        raise PlanError(
            f"interface {end.interface}: {text} is its subnet's own or broadcast address; choose another"
        )
    return _Wanted(parsed.ip, network)


def _choose_subnets(segments: Sequence[Segment], wanted: dict[str, _Wanted]) -> dict[Segment, IPv4Network]:
    explicit: dict[Segment, IPv4Network] = {}
    for segment in segments:
        if segment.routed:
            network = _explicit_network(segment, wanted)
            if network is not None:
                explicit[segment] = network
    _refuse_overlaps(explicit)
    taken = list(explicit.values())
    # 10.0.0.0/16 stays free: hosts without a router count from 10.0.0.1.
    routed = _free(list(ROUTED_SUBNETS.subnets(new_prefix=ROUTED_PREFIX_LENGTH))[1:], taken)
    pairs = _free(POINT_TO_POINT_SUBNETS.subnets(new_prefix=POINT_TO_POINT_PREFIX_LENGTH), taken)
    chosen: dict[Segment, IPv4Network] = {}
    for segment in segments:
        if not segment.routed:
            continue
        subnet = explicit.get(segment) or next(pairs if segment.point_to_point else routed, None)
        if subnet is None:
            raise PlanError(
                f"interface {segment.ends[0].interface}: all subnets 10.1.0.0/16 to 10.255.0.0/16 are taken; "
                "give the segments' hosts ip= in smaller ones"
            )
        chosen[segment] = subnet
    return chosen


def _explicit_network(segment: Segment, wanted: dict[str, _Wanted]) -> IPv4Network | None:
    network, given_by = None, ""
    for end in segment.ends:
        own = wanted[end.interface].network
        if own is None:
            continue
        if network is not None and own != network:
            raise PlanError(
                f"interface {end.interface}: its subnet {own} differs from {network} of {given_by}, which is on the "
                "same segment; give both the same subnet"
            )
        network, given_by = own, end.interface
    return network


def _refuse_overlaps(explicit: dict[Segment, IPv4Network]) -> None:
    # Sorted by their first address, an overlap shows between neighbours.
    ordered = sorted(explicit.items(), key=lambda item: item[1])
    for (segment, network), (other, another) in pairwise(ordered):
        if network.overlaps(another):
            raise PlanError(
                f"subnets {network} of {segment.ends[0].interface} and {another} of {other.ends[0].interface} overlap, "
                "but lie on different segments; give them different subnets"
            )


def _free(
    candidates: Sequence[IPv4Network] | Iterator[IPv4Network], taken: list[IPv4Network]
) -> Iterator[IPv4Network]:
    return (subnet for subnet in candidates if not any(subnet.overlaps(other) for other in taken))


def _fill_routed(
    segment: Segment, subnet: IPv4Network, wanted: dict[str, _Wanted]
) -> dict[str, IPv4Interface]:
    taken = _explicit_addresses(segment, wanted)
    for address, interface in taken.items():
        if address not in subnet:
            raise PlanError(
                f"interface {interface}: {address} is not in its segment's subnet {subnet}; "
                f"write the prefix length too (ip='{address}/24'), or choose an address in the subnet"
            )
    used = set(taken)
    first, last = int(subnet.network_address) + 1, int(subnet.broadcast_address) - 1
    # Generators look at `used` when an address is drawn, so the two never give the same one.
    upward = (address for address in map(IPv4Address, range(first, last + 1)) if address not in used)
    downward = (address for address in map(IPv4Address, range(last, first - 1, -1)) if address not in used)
    filled: dict[str, IPv4Interface] = {}
    for end in (*_in_natural_order(segment.hosts), *segment.routers):
        want = wanted[end.interface]
        if want.none:
            continue
        from_above = end in segment.routers and not segment.point_to_point
        chosen = want.address or next(downward if from_above else upward, None)
        if chosen is None:
            raise PlanError(
                f"interface {end.interface}: subnet {subnet} has no free address; use a larger one"
            )
        used.add(chosen)
        filled[end.interface] = IPv4Interface((chosen, subnet.prefixlen))
    return filled


def _fill_unrouted(
    layout: Layout,
    segment: Segment,
    base: IPv4Network,
    numbers: dict[str, int],
    wanted: dict[str, _Wanted],
) -> dict[str, IPv4Interface]:
    taken = _explicit_addresses(segment, wanted)
    filled: dict[str, IPv4Interface] = {}
    for end in _in_natural_order(segment.hosts):
        want = wanted[end.interface]
        if want.none:
            continue
        if want.address is not None:
            length = want.network.prefixlen if want.network else base.prefixlen
            filled[end.interface] = IPv4Interface((want.address, length))
            continue
        if layout.ends_of[end.node][0] is not end:
            continue  # as in Mininet: a host's further interfaces get an address only when told
        address = _nth(base, numbers[end.node], end)
        if address in taken:
            raise PlanError(
                f"interface {end.interface}: its address {address} is taken by {taken[address]}; give {end.node} an ip="
            )
        filled[end.interface] = IPv4Interface((address, base.prefixlen))
    return filled


def _explicit_addresses(segment: Segment, wanted: dict[str, _Wanted]) -> dict[IPv4Address, str]:
    taken: dict[IPv4Address, str] = {}
    for end in segment.ends:
        address = wanted[end.interface].address
        if address is None:
            continue
        if address in taken:
            raise PlanError(
                f"interface {end.interface}: address {address} is taken by {taken[address]}; choose another"
            )
        taken[address] = end.interface
    return taken


def _mininet_numbers(layout: Layout) -> dict[str, int]:
    """1, 2, 3 ... for the hosts in natural order, then for the simulated hosts."""
    specs = layout.nodes.values()
    emulated = sorted((spec.name for spec in specs if spec.kind == "host"), key=natural)
    simulated = sorted((spec.name for spec in specs if spec.kind == "simhost"), key=natural)
    return {name: number for number, name in enumerate((*emulated, *simulated), start=1)}


def _nth(base: IPv4Network, number: int, end: End) -> IPv4Address:
    if number >= base.num_addresses - 1:
        raise PlanError(
            f"interface {end.interface}: ip_base {base} has no {number} addresses; use a larger one"
        )
    return ipaddress.IPv4Address(int(base.network_address) + number)


def _in_natural_order(ends: Sequence[End]) -> list[End]:
    return sorted(ends, key=lambda end: (natural(end.node), end.port))
