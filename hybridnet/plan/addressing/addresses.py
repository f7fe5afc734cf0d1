# SPDX-License-Identifier: MIT
"""Addresses: every host and router interface gets an IPv4 address, and an IPv6 one if asked for.

Without a simulated router in the segment, Mininet's rule: the n-th host (natural order) gets the n-th
address of ip_base on its first interface, and its other interfaces get none. With a router:

    10.k.0.0/16       the k-th routed segment, up to 127: hosts from 10.k.0.1 up, routers from 10.k.255.254 down
    10.128.0.0/9      one /24 for each further routed segment
    100.64.0.0/10     one /30 for each pair of routers joined without a host between them

An explicit `ip=` always wins, and sets its segment's subnet if it has a prefix length. IPv6 follows the
same rules with `ip6=` and ip6_base, one /64 for each segment: hosts from ::1 up, routers from ::fffe down. Without
ip6_base, only segments where an interface is given its address and prefix length have IPv6.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, count, islice, pairwise

from hybridnet.describe.topo import natural
from hybridnet.describe.topo.options import End
from hybridnet.errors import PlanError
from hybridnet.plan.choices.families import Address, Family, Interface, Subnet, interface_of, overlap
from hybridnet.plan.placement.layout import Layout
from hybridnet.plan.placement.pins import NO_PINS, Pins
from hybridnet.plan.placement.segments import Segment

__all__ = ["Addresses", "assign_addresses"]


@dataclass(frozen=True)
class Addresses:
    """What was assigned, by interface name; `subnet_of` by segment, for routed ones only."""

    by_interface: dict[str, Interface]
    subnet_of: dict[Segment, Subnet]


def assign_addresses(
    layout: Layout, segments: Sequence[Segment], family: Family, pins: Pins = NO_PINS
) -> Addresses:
    """Assign all addresses of one family. An interface that exists keeps its own, even where links that came or went
    have put it on a segment of another subnet. One that was lost and has a link again has its old address where that
    fits the segment, and else a new one.

    Raises:
        PlanError: an explicit address is taken, or outside its segment's subnet; subnets overlap,
            or run out.
    """
    wanted = {
        end.interface: _wanted(layout, end, family, pins) for segment in segments for end in segment.ends
    }
    wanted |= _moved(layout, segments, wanted, family, pins)
    assigned: dict[str, Interface] = {}
    subnets = _choose_subnets(segments, wanted, family)
    for segment, subnet in subnets.items():
        assigned.update(_fill_routed(segment, subnet, wanted, family))
    numbers = _mininet_numbers(layout) if pins is NO_PINS else _free_numbers(layout, wanted, family, pins)
    for segment in segments:
        if not segment.routed:
            assigned.update(_fill_unrouted(layout, segment, numbers, wanted, family))
        elif segment not in subnets:
            _refuse_loose(segment, wanted)
    _check_mtus(segments, assigned, family)
    return Addresses(assigned, subnets)


@dataclass(frozen=True)
class _Wanted:
    """What the description says about one interface's address."""

    address: Address | None = None
    network: Subnet | None = None  # if the prefix length was given too
    none: bool = False  # ip=None: it gets no address
    pinned: bool = False  # it has the address already, or none


def _wanted(layout: Layout, end: End, family: Family, pins: Pins) -> _Wanted:
    options, option = layout.nodes[end.node].resolved, family.option
    text = getattr(end, option)
    if pins.node_of.get(end.interface) == end.node:
        pinned = pins.address(end.interface, family.version)
        if text is None and pinned is None:
            return _Wanted(none=True, pinned=True)
        if pinned is not None and (text is None or family.parse(text).ip == pinned.ip):
            return _Wanted(pinned.ip, pinned.network, pinned=True)
    if text is None and layout.ends_of[end.node][0] is end:
        if option in options and not options[option]:
            return _Wanted(none=True)
        text = options.get(option)
    if text is None:
        return _Wanted()
    parsed = family.parse(text)
    if "/" not in text:
        return _Wanted(parsed.ip)
    if (fault := family.may_not_be_given(parsed)) is not None:
        raise PlanError(f"interface {end.interface}: {text} is {fault}; choose another")
    return _Wanted(parsed.ip, parsed.network)


def _moved(
    layout: Layout, segments: Sequence[Segment], wanted: dict[str, _Wanted], family: Family, pins: Pins
) -> dict[str, _Wanted]:
    """What is wanted of interfaces that were lost and are back in another subnet: the same as if they were new."""
    back = {
        end.interface: _wanted(layout, end, family, NO_PINS)
        for segment in segments
        for end in segment.ends
        if end.interface in pins.lost and wanted[end.interface].pinned
    }
    if not back:
        return {}
    told = {segment: _told_networks(segment, wanted, back) for segment in segments}
    taken = [network for segment, networks in told.items() if segment.routed for network in networks]
    moved: dict[str, _Wanted] = {}
    for segment in segments:
        own = [end.interface for end in segment.ends if end.interface in back]
        fits = told[segment]
        if own and not fits and not segment.routed and family.base is not None:
            fits = {family.base}
        elif (
            own and not fits
        ):  # whoever is on it was lost, or is new: it may have the subnet that one of them had
            had = (wanted[interface].network for interface in own)
            fits = set(islice((net for net in had if net and not any(overlap(net, one) for one in taken)), 1))
            taken.extend(fits)
        moved |= {interface: back[interface] for interface in own if wanted[interface].network not in fits}
    return moved


def _told_networks(segment: Segment, wanted: dict[str, _Wanted], back: dict[str, _Wanted]) -> set[Subnet]:
    """The networks of who is there; else those that are described for who is back."""
    there = {wanted[end.interface].network for end in segment.ends if end.interface not in back}
    described = {back[end.interface].network for end in segment.ends if end.interface in back}
    return {network for network in there if network} or {network for network in described if network}


def _choose_subnets(
    segments: Sequence[Segment], wanted: dict[str, _Wanted], family: Family
) -> dict[Segment, Subnet]:
    explicit: dict[Segment, Subnet] = {}
    for segment in segments:
        if segment.routed:
            network = _explicit_network(segment, wanted)
            if network is not None:
                explicit[segment] = network
    _refuse_overlaps(explicit, wanted)
    taken = list(explicit.values())
    routed, pairs = _free(family.routed, taken), _free(family.pairs, taken)
    chosen: dict[Segment, Subnet] = {}
    for segment in segments:
        if not segment.routed:
            continue
        subnet = explicit.get(segment)
        if subnet is None and family.base is not None:
            subnet = next(pairs if segment.point_to_point else routed, None)
            if subnet is None:
                raise PlanError(
                    f"interface {segment.ends[0].interface}: all subnets {family.pool} are taken; "
                    f"give the segments' hosts {family.option}= in smaller ones"
                )
        if subnet is not None:
            chosen[segment] = subnet
    return chosen


def _explicit_network(segment: Segment, wanted: dict[str, _Wanted]) -> Subnet | None:
    network, given_by = None, ""
    for end in sorted(segment.ends, key=lambda end: not wanted[end.interface].pinned):
        own = wanted[end.interface].network
        if own is None or (network is not None and wanted[end.interface].pinned):
            continue
        if network is not None and own != network:
            raise PlanError(
                f"interface {end.interface}: its subnet {own} differs from {network} of {given_by}, which is on the "
                "same segment; give both the same subnet"
            )
        network, given_by = own, end.interface
    return network


def _refuse_overlaps(explicit: dict[Segment, Subnet], wanted: dict[str, _Wanted]) -> None:
    def exists(segment: Segment) -> bool:
        return any(wanted[end.interface].pinned for end in segment.ends)

    # Sorted by their first address, an overlap shows between neighbours.
    ordered = sorted(explicit.items(), key=lambda item: int(item[1].network_address))
    for (segment, network), (other, another) in pairwise(ordered):
        # Two parts of what was one segment, until a link between them was removed, have one subnet.
        if overlap(network, another) and not (exists(segment) and exists(other)):
            raise PlanError(
                f"subnets {network} of {segment.ends[0].interface} and {another} of {other.ends[0].interface} overlap, "
                "but lie on different segments; give them different subnets"
            )


def _free(candidates: Iterator[Subnet], taken: list[Subnet]) -> Iterator[Subnet]:
    """The candidates that overlap nothing that is taken."""
    spans = sorted((int(subnet.network_address), int(subnet.broadcast_address)) for subnet in taken)
    firsts = [first for first, _ in spans]
    furthest = list(accumulate((last for _, last in spans), max))  # end of what begins there or before
    for subnet in candidates:
        begun = bisect_right(firsts, int(subnet.broadcast_address))
        if begun == 0 or furthest[begun - 1] < int(subnet.network_address):
            yield subnet


def _refuse_loose(segment: Segment, wanted: dict[str, _Wanted]) -> None:
    """An address on a segment without a subnet cannot be reached from elsewhere."""
    for address, interface in _explicit_addresses(segment, wanted).items():
        raise PlanError(
            f"interface {interface}: {address} has no prefix length, and nothing else says its segment's subnet; "
            f"write it too (ip6='{address}/64')"
        )


def _fill_routed(
    segment: Segment, subnet: Subnet, wanted: dict[str, _Wanted], family: Family
) -> dict[str, Interface]:
    taken = _explicit_addresses(segment, wanted)
    for address, interface in taken.items():
        if address not in subnet and not wanted[interface].pinned:
            raise PlanError(
                f"interface {interface}: {address} is not in its segment's subnet {subnet}; "
                f"write the prefix length too ({family.option}='{address}/{subnet.prefixlen}'), or choose an address "
                "in the subnet"
            )
    used = set(taken)
    first = int(subnet.network_address) + 1
    last = min(int(subnet.broadcast_address) - 1, first + family.most - 1)
    # Generators look at `used` when an address is drawn, so the two never give the same one.
    upward = (address for address in map(family.address, range(first, last + 1)) if address not in used)
    downward = (address for address in map(family.address, range(last, first - 1, -1)) if address not in used)
    filled: dict[str, Interface] = {}
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
        own = want.network if want.pinned and want.network is not None else subnet
        filled[end.interface] = interface_of(chosen, own.prefixlen)
    return filled


def _fill_unrouted(
    layout: Layout,
    segment: Segment,
    numbers: dict[str, int],
    wanted: dict[str, _Wanted],
    family: Family,
) -> dict[str, Interface]:
    taken = _explicit_addresses(segment, wanted)
    filled: dict[str, Interface] = {}
    for end in _in_natural_order(segment.hosts):
        want = wanted[end.interface]
        if want.none:
            continue
        if want.address is not None:
            network = want.network or family.base
            if network is None:
                _refuse_loose(segment, wanted)
            else:
                filled[end.interface] = interface_of(want.address, network.prefixlen)
            continue
        if family.base is None or layout.ends_of[end.node][0] is not end:
            continue  # as in Mininet: a host's further interfaces get an address only when told
        address = _nth(family, family.base, numbers[end.node], end)
        if address in taken:
            raise PlanError(
                f"interface {end.interface}: its address {address} is taken by {taken[address]}; give {end.node} an "
                f"{family.option}="
            )
        filled[end.interface] = interface_of(address, family.base.prefixlen)
    return filled


def _check_mtus(segments: Sequence[Segment], assigned: dict[str, Interface], family: Family) -> None:
    for end in (end for segment in segments for end in segment.ends):
        if end.interface in assigned and end.mtu < family.least_mtu:
            raise PlanError(
                f"interface {end.interface}: {family.name} needs an MTU of {family.least_mtu}, and it has {end.mtu}; "
                f"give it a larger mtu=, or its segment no {family.option}="
            )


def _explicit_addresses(segment: Segment, wanted: dict[str, _Wanted]) -> dict[Address, str]:
    taken: dict[Address, str] = {}
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
    """1, 2, 3 ... for the hosts in natural order, then for the simulated hosts, then for the guests."""
    specs = layout.nodes.values()
    emulated = sorted((spec.name for spec in specs if spec.role == "host"), key=natural)
    simulated = sorted((spec.name for spec in specs if spec.role == "simhost"), key=natural)
    guests = sorted((spec.name for spec in specs if spec.role == "guest"), key=natural)
    return {name: number for number, name in enumerate((*emulated, *simulated, *guests), start=1)}


def _free_numbers(layout: Layout, wanted: dict[str, _Wanted], family: Family, pins: Pins) -> dict[str, int]:
    """For each host whose first interface is new, the lowest number whose address nothing has, or had: others may still
    know it by another MAC address. Where there is no such number, the lowest that is free.
    """
    if family.base is None:
        return {}
    used = {want.address for want in wanted.values() if want.address is not None}
    used |= {address.ip for known in pins.addresses.values() for address in known.values()}
    known = used | pins.spent
    first, most = int(family.base.network_address), family.base.num_addresses - 1
    fresh = (number for number in range(1, most) if family.address(first + number) not in known)
    spent = sorted(int(address) - first for address in pins.spent - used if address in family.base)
    free = chain(fresh, spent, count(most))
    return {
        name: next(free)
        for name in _mininet_numbers(layout)
        if layout.ends_of[name] and wanted[layout.ends_of[name][0].interface] == _Wanted()
    }


def _nth(family: Family, base: Subnet, number: int, end: End) -> Address:
    if number >= base.num_addresses - 1:
        raise PlanError(
            f"interface {end.interface}: {family.option}_base {base} has no address left for it; use a larger one"
        )
    return family.address(int(base.network_address) + number)


def _in_natural_order(ends: Sequence[End]) -> list[End]:
    return sorted(ends, key=lambda end: (natural(end.node), end.port))
