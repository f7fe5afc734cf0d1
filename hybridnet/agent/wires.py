# SPDX-License-Identifier: MIT
"""The veth pairs of a machine: between hosts, between a host and a switch, and the portals'.

A pair is made with both ends where they belong, names, addresses and sizes included, so no device is ever renamed or
moved. What its offloads have to be depends on who reads the frames:

=========  ====================================================================================================
port type  at the devices
=========  ====================================================================================================
afxdp      AF_XDP takes single frames with finished checksums: `tx off` at whoever sends to a port. The port's
           own end has TSO off, or the kernel would not coalesce (GRO) what the port sends to a portal
afpacket   the switch handles TCP super-packets (userspace-tso), but not the UDP ones that GRO makes
system     the kernel datapath takes all
=========  ====================================================================================================
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from hybridnet.agent.command import ip_batch, run
from hybridnet.journal import Journal, network_namespace

TOWARD_A_PORT = {
    "afxdp": ["tx", "off"],
    "afpacket": ["tx-udp-segmentation", "off"],
    "system": [],
}
AT_A_PORT = {"afxdp": ["tso", "off"], "afpacket": [], "system": []}


class Wires:
    """Makes and removes the veth pairs of one machine plan."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._network = network_namespace()
        self._devices: list[str] = []
        self.host_offloads: dict[str, list[str]] = {}

    def create(self, plan: dict[str, Any]) -> None:
        """Makes all veth pairs of `plan`; the ends in this machine's own namespace are up, those in hosts are not."""
        hosts = {host["name"]: {i["name"]: i for i in host["interfaces"]} for host in plan["hosts"]}
        ours: list[str] = []
        lines: list[str] = []
        offloads: dict[str, list[str]] = {}
        self.host_offloads = {}
        for wire in plan["wires"]:
            if wire["kind"] != "veth":
                continue
            a, b = wire["a"], wire["b"]
            mtu = max(
                (hosts[end["node"]][end["interface"]]["mtu"] for end in (a, b) if end["node"] in hosts),
                default=1500,
            )
            lines.append(f"link add {_end(a, hosts, mtu)} type veth peer {_end(b, hosts, mtu)}")
            for end, other in ((a, b), (b, a)):
                if end["node"] not in hosts:
                    ours.append(end["interface"])
                    lines.append(f"link set dev {end['interface']} alias {self._journal.alias()}")
                    offloads[end["interface"]] = AT_A_PORT[plan["port_type"]]
                elif other["node"] not in hosts:
                    self.host_offloads[end["interface"]] = TOWARD_A_PORT[plan["port_type"]]
        for portal in plan["portals"]:
            lines.append(f"link add {_end(portal, hosts, 1500)} type veth peer name {portal['device']}")
            lines.append(f"link set dev {portal['device']} alias {self._journal.alias()}")
            ours.append(portal["device"])
            if portal["node"] in hosts:
                continue
            ours.append(portal["interface"])
            lines.append(f"link set dev {portal['interface']} alias {self._journal.alias()}")
            offloads[portal["device"]] = TOWARD_A_PORT[plan["port_type"]]
            offloads[portal["interface"]] = AT_A_PORT[plan["port_type"]]
        for device in ours:
            self._journal.record("link", name=device, network=self._network)
        self._devices += ours
        ip_batch(lines)
        for device, wanted in offloads.items():
            if wanted:
                run(["ethtool", "-K", device, *wanted])
        silence_ipv6(ours)
        ip_batch([f"link set dev {device} up" for device in ours])

    def destroy(self) -> None:
        """Removes the pairs that are still there; those with an end in a host went with the host."""
        delete_links(self._devices, self._journal)
        self._devices = []


def delete_links(devices: list[str], journal: Journal) -> None:
    """Deletes those of `devices` that are the run's, which their alias says."""
    lines = [f"link del dev {device}" for device in devices if _alias(device) == journal.alias()]
    if lines:
        # The other end of a pair goes with the first: its line fails, and that is right.
        batch = "\n".join(lines) + "\n"
        subprocess.run(
            ["ip", "-force", "-batch", "-"], input=batch, text=True, capture_output=True, check=False
        )
    for device in devices:
        journal.gone("link", name=device, network=network_namespace())


def silence_ipv6(devices: list[str]) -> None:
    """Keeps the kernel from sending router solicitations and the like from devices that only carry others' frames."""
    for device in devices:
        path = Path(f"/proc/sys/net/ipv6/conf/{device}/disable_ipv6")
        if path.exists():  # a kernel without IPv6 is silent already
            path.write_text("1")


def _alias(device: str) -> str | None:
    try:
        return Path(f"/sys/class/net/{device}/ifalias").read_text().strip()
    except FileNotFoundError:
        return None


def _end(end: dict[str, Any], hosts: dict[str, dict[str, Any]], mtu: int) -> str:
    device = end["interface"]
    if end["node"] not in hosts:
        return f"name {device} mtu {mtu}"
    interface = hosts[end["node"]][device]
    return f"name {device} address {interface['mac']} mtu {interface['mtu']} netns {end['node']}"
