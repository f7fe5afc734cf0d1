# SPDX-License-Identifier: MIT
"""Interfaces and links of the live network. A link's options decide whether it is a veth pair or simulated."""

from __future__ import annotations

import ipaddress
from functools import partial
from typing import Any, Protocol

from hybridnet.describe.schema.plans import HostInterface
from hybridnet.describe.values import plain, shown
from hybridnet.errors import UsageError
from hybridnet.run.node.settings import Settings

_ADDRESSES = ipaddress.IPv4Address | ipaddress.IPv4Interface | ipaddress.IPv6Address | ipaddress.IPv6Interface

__all__ = ["Intf", "Link", "Owner"]


class Owner(Protocol):
    """What an interface needs of its node."""

    name: str
    settings: Settings

    def execute(self, argv: list[str], timeout: float = 60.0) -> str:
        """Run a short program in the node and return its output."""

    def set_interface(self, name: str, up: bool) -> None:
        """Set an interface up or down."""


class Intf:
    """An interface of an emulated node. Prints as its name."""

    _inside: str | None = None

    def __init__(
        self, name: str, node: Owner, port: int | None = None, plan: HostInterface | None = None
    ) -> None:
        """Made by the network; a script gets it from its node.

        Args:
            plan: the interface of a host in the machine plan; None for a switch's port.

        Raises:
            UsageError: a script makes one, as Mininet's do to give a device of the computer to a node.
        """
        if not isinstance(name, str) or type(port) is not int:
            raise UsageError(
                f"interface {plain(name)} cannot be given to node {plain(getattr(node, 'name', node))} like this: "
                f"describe a link with addLink, or for a device of this computer give the node devices=[{shown(name)}]"
            )
        self.name = name
        self.node = node
        self.port = port
        self.link: Link | None = None
        self.follow(plan)

    def follow(self, plan: HostInterface | None) -> None:
        """It has been made as the machine plan says."""
        self.mac: str | None = None if plan is None else plan["mac"]
        self._inside = None if plan is None else plan.get("inside")
        addresses = [] if plan is None else plan["addresses"]
        parsed = [ipaddress.ip_interface(address) for address in addresses]
        first = next((address for address in parsed if address.version == 4), None)
        first6 = next((address for address in parsed if address.version == 6), None)
        self.ip: str | None = None if first is None else str(first.ip)
        self.prefixLen: int | None = None if first is None else first.network.prefixlen
        self.ip6: str | None = None if first6 is None else str(first6.ip)

    @property
    def inside(self) -> str:
        """What its host calls it: its name, unless its link gives it another."""
        return self._inside or self.name

    def found(self, address: str, prefix: int) -> None:
        """It has this address, though the description gives it none of that family."""
        if ":" in address:
            self.ip6 = self.ip6 or address
        elif self.ip is None:
            self.ip, self.prefixLen = address, prefix

    def IP(self) -> str | None:
        """The first IPv4 address, without prefix length."""
        return self.ip

    def IP6(self) -> str | None:
        """The first IPv6 address that is not link-local, without prefix length."""
        return self.ip6

    def MAC(self) -> str | None:
        """The MAC address; None for a switch's port."""
        return self.mac

    def setIP(self, ipstr: str, prefixLen: int | None = None) -> None:
        """Replace the addresses of one family by one: ``"10.0.0.5/8"``, or an address and a prefix length.

        Raises:
            UsageError: it is not an address with a prefix length.
            MachineError: the host refused it.
        """
        written = str(ipstr) if isinstance(ipstr, str | _ADDRESSES) else ""
        text = written if "/" in written else f"{written}/{8 if prefixLen is None else prefixLen}"
        try:
            address = ipaddress.ip_interface(text)
        except ValueError:
            raise UsageError(
                f"interface {self}: {shown(text if written else ipstr)} is not an IP address; write one like 10.0.0.5/8"
            ) from None
        family = f"-{address.version}"
        self.node.execute(["ip", family, "address", "flush", "dev", self.name, "scope", "global"])
        how = ["brd", "+"] if address.version == 4 else ["nodad"]
        self.node.execute(["ip", family, "address", "add", str(address), "dev", self.name, *how])
        if address.version == 4:
            self.ip, self.prefixLen = str(address.ip), address.network.prefixlen
            self.node.settings.drop(self.name, "route")  # the kernel does, with the last address
        else:
            self.ip6 = str(address.ip)
        self.node.settings.note(f"address {address.version}", partial(self.setIP, str(address)), self.name)

    def setMAC(self, mac: str) -> None:
        """Replace the MAC address. Raises MachineError if the host refuses it."""
        self.node.execute(["ip", "link", "set", "dev", self.name, "address", str(mac)])
        self.mac = mac
        self.node.settings.note("MAC", partial(self.setMAC, mac), self.name)

    def ifconfig(self, *args: str) -> str:
        """Set it ``"up"`` or ``"down"``; without an argument, return what `ip address` prints about it."""
        if args in (("up",), ("down",)):
            self.node.set_interface(self.name, args[0] == "up")
            self.node.settings.note("state", partial(self.ifconfig, *args), self.name)
            return ""
        if args:
            raise UsageError(
                f"interface {self}: ifconfig {' '.join(map(str, args))} is not supported; use node.cmd('ip ...')"
            )
        return self.node.execute(["ip", "address", "show", "dev", self.name])

    def isUp(self) -> bool:
        """Whether it is administratively up."""
        flags = self.node.execute(["cat", f"/sys/class/net/{self.inside}/flags"])
        return bool(int(flags, 16) & 1)

    def status(self) -> str:
        """Return "OK" if the device exists, else "MISSING"; a switch's patch port has no device to
        look at.
        """
        return "OK" if f" {self.name}" in self.node.execute(["ip", "-o", "link", "show"]) else "MISSING"

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class Link:
    """A link of the live network; an end at a simulated node has no `Intf` and is given by its name."""

    def __init__(
        self, name: str, kind: str, intf1: Intf | str = "", intf2: Intf | str = "", **options: Any
    ) -> None:
        """Made by the network.

        Args:
            kind: what it became: veth, patch, simulated or cut.

        Raises:
            UsageError: a script makes one, as Mininet's may.
        """
        if options or not all(isinstance(each, str | Intf) and str(each) for each in (intf1, intf2)):
            raise UsageError(
                f"link {plain(name)}-{plain(kind)}: a link is described with addLink of the network"
            )
        self.name = name
        self.kind = kind
        self.intf1 = intf1
        self.intf2 = intf2
        for intf in (intf1, intf2):
            if isinstance(intf, Intf):
                intf.link = self

    def __str__(self) -> str:
        return f"{self.intf1}<->{self.intf2}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self} {self.kind}>"
