# SPDX-License-Identifier: MIT
"""MAC addresses: given, counted as Mininet's autoSetMacs does, or derived from the interface's name.

A derived address is locally administered (02:...) and the same in every run, so you can compare captures of two
runs.
"""

from __future__ import annotations

import hashlib
from itertools import count

from hybridnet.describe.topo import natural
from hybridnet.describe.topo.options import End
from hybridnet.errors import PlanError
from hybridnet.plan.placement.layout import Layout
from hybridnet.plan.placement.pins import NO_PINS, Pins

__all__ = ["assign_macs"]


def assign_macs(layout: Layout, auto_set_macs: bool, pins: Pins = NO_PINS) -> dict[str, str]:
    """A MAC address for every interface of a host or router, by interface name; one that exists keeps its own.

    Raises:
        PlanError: an explicit address is taken, or given to a switch's port.
    """
    owners: dict[str, str] = {}
    given: dict[str, str] = {}
    for name, ends in layout.ends_of.items():
        for end in ends:
            text = _explicit(layout, end, pins)
            if text is None:
                continue
            if layout.nodes[name].forwards_frames:
                raise PlanError(
                    f"interface {end.interface}: a switch's port has no MAC address to set; leave it out"
                )
            given[end.interface] = _claim(owners, text, end.interface)
    known = owners.keys() | set(pins.macs.values())
    numbers = _numbers(layout) if auto_set_macs else {}
    for name, ends in layout.ends_of.items():
        if layout.nodes[name].forwards_frames:
            continue
        for end in ends:
            if end.interface in given:
                continue
            if name in numbers and end is ends[0]:
                mac = _counted(numbers[name])
                if pins.macs:  # beside what exists, a new host takes the first number that is free
                    mac = next(other for other in map(_counted, count(1)) if other not in known)
                given[end.interface] = _claim(owners, mac, end.interface)
                known.add(mac)
            else:
                given[end.interface] = _derive(owners, end.interface)
    return given


def _explicit(layout: Layout, end: End, pins: Pins) -> str | None:
    if end.mac is None and pins.node_of.get(end.interface) == end.node:
        return pins.macs[end.interface]
    if end.mac is None and layout.ends_of[end.node][0] is end:
        return layout.nodes[end.node].resolved.get("mac")
    return end.mac


def _claim(owners: dict[str, str], mac: str, interface: str) -> str:
    if mac in owners:
        raise PlanError(f"interface {interface}: mac {mac} is taken by {owners[mac]}; choose another")
    owners[mac] = interface
    return mac


def _derive(owners: dict[str, str], interface: str) -> str:
    for salt in range(len(owners) + 1):
        digest = hashlib.sha256(f"{interface}/{salt}".encode()).digest()
        mac = ":".join(f"{byte:02x}" for byte in (0x02, *digest[:5]))
        if mac not in owners:
            return _claim(owners, mac, interface)
    raise AssertionError("every candidate is taken, although there is one more than addresses taken")


def _counted(number: int) -> str:
    return ":".join(f"{byte:02x}" for byte in number.to_bytes(6))


def _numbers(layout: Layout) -> dict[str, int]:
    hosts = [spec.name for spec in layout.nodes.values() if spec.role == "host"]
    simulated = [spec.name for spec in layout.nodes.values() if spec.role == "simhost"]
    ordered = (*sorted(hosts, key=natural), *sorted(simulated, key=natural))
    return {name: number for number, name in enumerate(ordered, start=1)}
