# SPDX-License-Identifier: MIT
"""The devices by which frames of cut links pass between instances, where emulation portals take the place of peering:
veth pairs within this machine, and ends of VXLAN tunnels to others. See `hybridnet/plan/choices/crossings.py`.
"""

from __future__ import annotations

from collections.abc import Iterable

from hybridnet.agent.hosts.pairs import delete_each, keep_stack_out, mark
from hybridnet.describe.schema.elements import crossing_devices
from hybridnet.describe.schema.plans import CrossingPlan
from hybridnet.system.command import ip_batch
from hybridnet.system.journal import Journal, network_namespace

__all__ = ["Crossings", "lines_of"]


class Crossings:
    """Makes and removes the crossings of one machine, all in its own network namespace."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._network = network_namespace()
        self._devices: dict[str, None] = {}  # in order

    def create(self, crossings: Iterable[CrossingPlan]) -> None:
        """Make crossings, as the machine plan has them. Raises MachineError: the kernel refuses one."""
        crossings = list(crossings)
        devices = [device for crossing in crossings for device in crossing_devices(crossing)]
        for device in devices:
            self._journal.record("link", name=device, network=self._network)
        self._devices |= dict.fromkeys(devices)
        ip_batch([line for crossing in crossings for line in lines_of(crossing)])
        ip_batch([mark(device, self._journal) for device in devices])
        keep_stack_out(devices)
        ip_batch([f"link set dev {device} up" for device in devices])

    def remove(self, crossings: Iterable[CrossingPlan]) -> None:
        """Remove crossings. What is gone already is no error."""
        devices = [device for crossing in crossings for device in crossing_devices(crossing)]
        delete_each(devices, self._journal)
        for device in devices:
            self._devices.pop(device, None)

    def destroy(self) -> None:
        """Remove those that are still there."""
        delete_each(list(self._devices), self._journal)
        self._devices = {}


def lines_of(crossing: CrossingPlan) -> list[str]:
    """What ``ip -batch`` is told to make a crossing.

    Example:
        >>> lines_of({"device": "cross1a", "mtu": 1500, "other": "cross1b"})
        ['link add name cross1a mtu 1500 type veth peer name cross1b mtu 1500']
    """
    device, mtu = crossing["device"], crossing["mtu"]
    if "other" in crossing:
        return [f"link add name {device} mtu {mtu} type veth peer name {crossing['other']} mtu {mtu}"]
    tunnel = crossing["tunnel"]
    ends = f"local {tunnel['local']} remote {tunnel['remote']} dstport {tunnel['port']}"
    return [f"link add name {device} mtu {mtu} type vxlan id {tunnel['id']} {ends} nolearning"]
