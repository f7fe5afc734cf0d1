# SPDX-License-Identifier: MIT
"""The veth pairs of a machine, or of a fragment of its plan: between hosts, between a host and a switch, and those
of portals.

A pair is made with both ends where they belong, names, addresses and sizes included, so no device is ever renamed or
moved. Which offloads it needs depends on who reads the frames:

=========  ====================================================================================================
port type  at the devices
=========  ====================================================================================================
afxdp      AF_XDP takes single frames with finished checksums: `tx off` at whoever sends to a port. The port's
           own end has TSO off, or the kernel would not coalesce (GRO) what the port sends to a portal
afpacket   the switch handles TCP super-packets (userspace-tso), but not the UDP ones that GRO makes
           (an Open vSwitch that is not ours may lack this: then its ports take what AF_XDP does)
system     the kernel datapath takes all
=========  ====================================================================================================

A link between two portals is for its two ends what a veth pair is: what each may send, and takes, is said by its own
MTU, which may be changed at any time. So the devices of such portals take frames of any size, and the kernel drops what
is too large where it arrives. Where a simulated node, another instance or AF_XDP is at one end, the devices have the
link's MTU: a node takes what Linux would, and AF_XDP what fits into a page.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection
from pathlib import Path

from hybridnet.agent.hosts.namespace_thread import NamespaceThread
from hybridnet.describe.schema.elements import other_portals
from hybridnet.describe.schema.plans import Fragment, HostInterface, PairEnd, PortalPlan
from hybridnet.errors import MachineError
from hybridnet.system.command import ip_batch, ip_tries, run
from hybridnet.system.journal import Journal, alias_of, network_namespace
from hybridnet.system.netlink import set_features

TOWARD_A_PORT = {
    "afxdp": ["tx", "off"],
    "afpacket": ["tx-udp-segmentation", "off"],
    "system": [],
}
# For portals that take single frames with finished checksums (and tags inside them, for AF_XDP). A portal sets this at
# the other end of its device, but cannot when that end is in a host.
TOWARD_A_BACKEND = {"pcap": ["tx", "off"], "xdp": ["tx", "off", "tx-vlan-hw-insert", "off"]}
AT_A_PORT = {"afxdp": ["tso", "off"], "afpacket": [], "system": []}

WIDEST_MTU = 65535

Interfaces = dict[str, dict[str, HostInterface]]
"""Of hosts, by host and by name."""


class Pairs:
    """Makes and removes the veth pairs of one machine."""

    def __init__(self, journal: Journal, inside: NamespaceThread) -> None:
        self._journal = journal
        self._inside = inside
        self._network = network_namespace()
        self._devices: dict[str, None] = {}  # in order

    def create(self, plan: Fragment, frames: str) -> dict[str, list[str]]:
        """Make all veth pairs of a fragment; the ends in this machine's own namespace are up, those in hosts are not.

        Args:
            frames: whose frames the switches' ports take: a port type of the table above.

        Returns:
            The arguments of `ethtool -K` for devices in hosts, by device name.
        """
        hosts, outside = _interfaces(plan), _outside(plan)
        switches = {switch["name"] for switch in (*plan["switches"], *plan["switch_parts"])}
        ours: list[str] = []
        lines: list[str] = []
        of_hosts: list[str] = []  # in this machine's own namespace
        offloads: dict[str, list[str]] = {}
        host_offloads: dict[str, list[str]] = {}
        for pair in plan["pairs"]:
            if pair["kind"] != "veth":
                continue
            a, b = pair["a"], pair["b"]
            mtu = max(_mtu(a, hosts), _mtu(b, hosts))
            near, far = (_end(end, hosts, outside, mtu) for end in (a, b))
            lines.append(f"link add {near} type veth peer {far}")
            for end, other in ((a, b), (b, a)):
                wanted = AT_A_PORT[frames] if end["node"] in switches else []
                if other["node"] in switches:
                    wanted = [*wanted, *TOWARD_A_PORT[frames]]
                if end["node"] in hosts:
                    host_offloads[end["interface"]] = wanted
                    if end["node"] in outside:
                        of_hosts.append(end["interface"])
                    continue
                ours.append(end["interface"])
                lines.append(mark(end["interface"], self._journal))
                offloads[end["interface"]] = wanted
        backends = _backends(plan)
        narrow = switches if frames == "afxdp" else set()
        wide = _wide(plan, narrow)
        for portal in plan["portals"]:
            mtu = _mtu(portal, hosts)
            inner = WIDEST_MTU if portal["name"] in wide else mtu
            lines.append(
                f"link add {_end(portal, hosts, outside, mtu)} type veth peer name {portal['device']} mtu {inner}"
            )
            lines.append(mark(portal["device"], self._journal))
            ours.append(portal["device"])
            if portal["node"] in outside:
                of_hosts.append(portal["interface"])
            if portal["node"] in hosts:
                host_offloads[portal["interface"]] = TOWARD_A_BACKEND.get(backends[portal["device"]], [])
                continue
            ours.append(portal["interface"])
            lines.append(mark(portal["interface"], self._journal))
            if portal["node"] in switches:
                offloads[portal["device"]] = TOWARD_A_PORT[frames]
                offloads[portal["interface"]] = AT_A_PORT[frames]
        lines += [mark(device, self._journal) for device in of_hosts]
        for device in (*ours, *of_hosts):
            self._journal.record("link", name=device, network=self._network)
        self._devices |= dict.fromkeys((*ours, *of_hosts))
        ip_batch(lines)
        for device, wanted in offloads.items():
            if wanted:
                set_features(device, wanted)
        keep_stack_out(ours)
        ip_batch([f"link set dev {device} up" for device in ours])
        return host_offloads

    def remove(self, plan: Fragment) -> None:
        """Remove the veth pairs of a fragment. What is gone already is no error."""
        inside = _interfaces(plan).keys() - _outside(plan)
        ends: list[PairEnd | PortalPlan] = [*plan["portals"]]
        for pair in plan["pairs"]:
            ends += [pair["a"], pair["b"]] if pair["kind"] == "veth" else []
        ours = [end["interface"] for end in ends if end["node"] not in inside]
        ours += [portal["device"] for portal in plan["portals"]]
        delete_each(ours, self._journal)
        for device in ours:
            self._devices.pop(device, None)
        for pair in plan["pairs"]:
            if pair["a"]["node"] in inside and pair["b"]["node"] in inside:
                line = f"link del dev {pair['a']['interface']}"
                self._inside.run(pair["a"]["node"], lambda line=line: ip_tries([line]))  # type: ignore[misc]

    def destroy(self) -> None:
        """Remove the pairs that are still there; those with an end in a host went with the host."""
        delete_links(list(self._devices), self._journal)
        self._devices = {}


def _interfaces(plan: Fragment) -> Interfaces:
    """The interfaces of a fragment's hosts and parts of hosts, by host and name."""
    return {
        host["name"]: {interface["name"]: interface for interface in host["interfaces"]}
        for host in (*plan["hosts"], *plan["host_parts"])
    }


def _outside(plan: Fragment) -> set[str]:
    """The hosts of a fragment that live in the machine's own namespace."""
    hosts = (*plan["hosts"], *plan["host_parts"])
    return {host["name"] for host in hosts if host.get("in_namespace") is False}


def _backends(plan: Fragment) -> dict[str, str]:
    """Return the backends that read the portals' devices."""
    return {
        portal["device"]: portal["backend"]
        for instance in plan["instances"]
        for portal in instance["emulation_portals"]
    }


def _wide(plan: Fragment, narrow: Collection[str]) -> set[str]:
    """The portals whose devices take frames of any size: see above.

    Args:
        narrow: nodes whose interfaces go with no device that does.
    """
    backends = _backends(plan)
    able = {
        portal["name"]
        for portal in plan["portals"]
        if backends.get(portal["device"]) == "packet" and portal["node"] not in narrow
    }
    others = other_portals(plan["instances"])
    return {portal for portal in able if others.get(portal) in able}


def mark(device: str, journal: Journal) -> str:
    """The line of an `ip -batch` that makes a device known as the run's, by its alias and its group."""
    return f"link set dev {device} alias {journal.alias()} group {_group(journal)}"


def delete_links(devices: list[str], journal: Journal) -> None:
    """Delete those of `devices` that belong to the run, and every other device of its group in this namespace.

    The kernel deletes a group at once: 64 devices in 0.1 s instead of 1.4 s.

    Raises:
        MachineError: one is still there.
    """
    if ours := [device for device in devices if alias_of(device) == journal.alias()]:
        group = str(_group(journal))
        there = filter(None, json.loads(run(["ip", "-json", "link", "show", "group", group])))
        if all(link.get("ifalias") == journal.alias() for link in there):
            lines = [f"link del group {group}"]
        else:  # somebody else uses the same random number for a group of theirs
            lines = [f"link del dev {device}" for device in ours]
        _delete(ours, lines, journal)
    for device in devices:
        journal.gone("link", name=device, network=network_namespace())


def delete_each(devices: list[str], journal: Journal) -> None:
    """Delete those of `devices` that belong to the run, and no other.

    Raises:
        MachineError: one is still there.
    """
    if ours := [device for device in devices if alias_of(device) == journal.alias()]:
        _delete(ours, [f"link del dev {device}" for device in ours], journal)
    for device in devices:
        journal.gone("link", name=device, network=network_namespace())


def _delete(ours: list[str], lines: list[str], journal: Journal) -> None:
    # A device may go meanwhile, with its other end or that end's namespace: it only has to be gone.
    complaint = ip_tries(lines)
    if left := [device for device in ours if alias_of(device) == journal.alias()]:
        raise MachineError(f"devices {', '.join(left)} could not be deleted: {complaint[:300]}")


def _group(journal: Journal) -> int:
    return zlib.crc32(journal.run.encode()) & 0x3FFFFFFF | 0x40000000  # never one that people choose by hand


def keep_stack_out(devices: list[str]) -> None:
    """Keep this machine's own IP stack out of devices that only carry others' frames.

    The kernel would send router solicitations and the like there, answer ARP requests for any address of the machine,
    and take what a host sends to such an address: the machine's side of the fabric could be reached from its hosts. So
    it has no IPv6 there, answers only for addresses of the device itself, of which there are none unless a user gives
    it one, and takes only packets whose answer would leave by the same device.
    """
    for device in devices:
        for setting in ("ipv6/conf/{}/disable_ipv6", "ipv4/conf/{}/arp_ignore", "ipv4/conf/{}/rp_filter"):
            path = Path("/proc/sys/net", setting.format(device))
            if path.exists():  # there may be no such device, or no IPv6 in this kernel
                path.write_text("1")


def _mtu(end: PairEnd | PortalPlan, hosts: Interfaces) -> int:
    if end["node"] in hosts:
        return int(hosts[end["node"]][end["interface"]]["mtu"])
    return int(end.get("mtu", 1500))


def _end(end: PairEnd | PortalPlan, hosts: Interfaces, outside: set[str], mtu: int) -> str:
    device = end["interface"]
    if end["node"] not in hosts:
        return f"name {device} mtu {mtu}"
    interface = hosts[end["node"]][device]
    namespace = "" if end["node"] in outside else f" netns {end['node']}"
    return f"name {device} address {interface['mac']} mtu {interface['mtu']}{namespace}"
