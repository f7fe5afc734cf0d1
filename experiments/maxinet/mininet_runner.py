# SPDX-License-Identifier: MIT
"""Builds one machine's half of the MaxiNet arm with Mininet itself, and keeps it until standard input ends.

Run inside a machine by Debian's Python, which sees Debian's ``mininet`` package. MaxiNet (Wette et al. 2014) is a
front end to one Mininet per machine whose roots are joined by a kernel tunnel; this is that network without the front
end. Takes its settings as JSON in the first argument, prints one JSON line when the network runs::

    {"hosts": {"h1": 1234, …pid of each host}, "seconds": 12.3}

and removes the network when standard input ends. What it sets, beyond Mininet's own defaults, is what the arm
needs to work:

* Open vSwitch's userspace datapath where the kernel has none, with checksum offload off in the hosts (without that no
  TCP segment passes);
* the joint between switches: ``veth`` (Mininet's default, and MaxiNet's) or ``patch`` (Mininet's OVSLink);
* an MTU in the hosts that leaves room for the tunnel's headers;
* static names, addresses and datapath identifiers, so that the two halves are one network to the controller.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import time
from typing import Any

from mininet.link import Link, OVSLink
from mininet.log import setLogLevel
from mininet.net import Mininet
from mininet.node import OVSSwitch, RemoteController
from mininet.topo import Topo


class HalfTree(Topo):  # type: ignore[misc]  # Mininet has no types
    """A binary tree of switches with hosts at its leaves, its numbers starting where the settings say."""

    def build(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self.next_host = settings["first_host"]
        self.next_switch = settings["first_switch"]
        self.root = self.grow(settings["depth"])

    def grow(self, depth: int) -> str:
        if depth == 0:
            number = self.next_host
            self.next_host += 1
            host: str = self.addHost(
                f"h{number}",
                ip=f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}/8",
                mac=f"00:00:00:{number >> 16:02x}:{number >> 8 & 255:02x}:{number & 255:02x}",
            )
            return host
        number = self.next_switch
        self.next_switch += 1
        switch: str = self.addSwitch(f"s{number}", dpid=f"{number:016x}", protocols="OpenFlow13")
        for _ in range(2):
            self.addLink(switch, self.grow(depth - 1))
        return switch


def ports_of(net: Mininet) -> list[str]:
    """The switches' devices, and their patch ports, which are none of the kernel's."""
    return [port.name for switch in net.switches for port in switch.intfList() if port.link is not None]


def ip_batch(lines: list[str]) -> None:
    """Run commands of ip(8) in one process, and pass over what fails."""
    text = "".join(f"{line}\n" for line in lines)
    subprocess.run(["ip", "-force", "-batch", "-"], input=text, text=True, stderr=subprocess.DEVNULL)


def name_as_ours(net: Mininet, alias: str) -> None:
    """Give the devices outside hosts the alias by which `hybridnet clean` knows them, should this be killed."""
    ip_batch([f"link set dev {name} alias {alias}" for name in ports_of(net)])


def end(net: Mininet) -> None:
    """What ``net.stop()`` does, but in one go: Open vSwitch lets go of all devices in one transaction, and one process
    removes them. Mininet removes them one by one while Open vSwitch has them, which then looks through all the others
    for each.
    """
    removals = [["--", "--if-exists", "del-br", switch.name] for switch in net.switches]
    subprocess.run(["ovs-vsctl", *itertools.chain.from_iterable(removals)])
    ip_batch([f"link del dev {name}" for name in ports_of(net)])
    for node in [*net.switches, *net.hosts]:
        node.terminate()


def main() -> None:
    settings = json.loads(sys.argv[1])
    setLogLevel("error")
    began = time.monotonic()
    topo = HalfTree(settings)
    net = Mininet(
        topo=topo,
        switch=lambda name, **options: OVSSwitch(name, datapath=settings["datapath"], **options),
        link=OVSLink if settings["joint"] == "patch" else Link,
        controller=None,
        build=False,
    )
    net.addController(
        "c0", controller=RemoteController, ip=settings["controller_ip"], port=settings["controller_port"]
    )
    try:
        net.build()
        name_as_ours(net, settings["alias"])
        root = net[topo.root]
        root.cmd(settings["tunnel_command"])
        for host in net.hosts:
            host.cmd(f"ip link set {host.defaultIntf()} mtu {settings['mtu']}")
            if settings["datapath"] == "user":
                host.cmd(f"ethtool -K {host.defaultIntf()} tx off")
        net.start()
        root.cmd("ip link set {} up".format(settings["tunnel_device"]))
        root.vsctl("add-port", root, settings["tunnel_device"])
        if not net.waitConnected(timeout=60):
            raise RuntimeError("a switch did not reach the controller within 60 s")
        pids = {host.name: host.pid for host in net.hosts}
        print(json.dumps({"hosts": pids, "seconds": time.monotonic() - began}), flush=True)
        sys.stdin.read()
    finally:
        end(net)


if __name__ == "__main__":
    main()
