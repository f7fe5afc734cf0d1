# SPDX-License-Identifier: MIT
"""Sessions of CORE, the Common Open Research Emulator (https://coreemu.github.io/core), as its XML files have them.

A device becomes a host; one with routing services becomes a router of the kind ``frr``. ``SWITCH`` becomes a Linux
bridge and ``HUB`` a hub. Links have the rate, delay, jitter, loss and duplicates of the file. What is wireless, or
outside of the computer, is refused.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element

from hybridnet.describe.topo import Topo
from hybridnet.describe.values import plain, shown
from hybridnet.errors import TopologyError
from hybridnet.plan.files.lab import (
    FORWARD,
    MOST_NODES,
    Findings,
    ends_options,
    frr_options,
    has_frr,
    refuse_large,
)
from hybridnet.plan.files.xml_text import read_xml

__all__ = ["fill_from_core"]

_SWITCHES: Mapping[str, str] = {"SWITCH": "linux", "HUB": "hub"}
_HOSTS = ("router", "PC", "host", "docker", "lxc", "podman", "DOCKER", "LXC", "PODMAN", "DEFAULT", "")
# What a type of device has where the file does not say.
_USUAL: Mapping[str, tuple[str, ...]] = {
    "router": ("zebra", "OSPFv2", "OSPFv3", "IPForward"),
    "PC": ("DefaultRoute",),
    "host": ("DefaultRoute", "SSH"),
}
_DAEMONS: Mapping[str, str] = {
    "OSPFv2": "ospfd", "OSPFv3": "ospf6d", "RIP": "ripd", "RIPNG": "ripngd", "BGP": "bgpd", "Babel": "babeld",
}  # fmt: skip
_OF_ROUTERS = ("zebra", "IPForward", *_DAEMONS)
_SILENT = ("zebra", "IPForward", "DefaultRoute", "vtysh")
_MADE = ("ospfd", "ospf6d")  # daemons whose configuration is made as CORE makes it
HELLO_S, DEAD_S = 1, 4
_CONFIGURATIONS = ("Quagga.conf", "frr.conf")
_ENDS = (
    (("node1", "iface1"), ("node_one", "interface_one")),
    (("node2", "iface2"), ("node_two", "interface_two")),
)


@dataclass
class _Device:
    name: str
    type: str
    services: tuple[str, ...]
    image: str
    interfaces: dict[str, _Interface] = field(default_factory=dict)  # by name

    @property
    def is_router(self) -> bool:
        return self.type == "router" or any(_service(each) in _OF_ROUTERS for each in self.services)


@dataclass
class _Interface:
    address: str | None  # with its mask
    address6: str | None
    segment: str
    between_two: bool  # on a link to another device

    @property
    def ip(self) -> str:
        return str(self.address).partition("/")[0]


@dataclass
class _Link:
    what: str
    ends: tuple[str, str]  # the nodes' numbers
    interfaces: tuple[Element | None, Element | None]
    there: dict[str, object]  # options of the direction from the first end
    back: dict[str, object]


def fill_from_core(topo: Topo, text: str, file: str) -> list[str]:
    """Add what a session describes. Returns what is done otherwise than CORE would, a line each.

    Raises:
        TopologyError: it is no session, or one that hybridnet cannot make; the message has a line for each thing.
    """
    refuse_large(file, text)
    root = read_xml(text, file)
    if root.tag != "scenario" or root.find("devices") is None:
        raise TopologyError(
            f"{file}: it is no session of CORE: it has no <scenario> with <devices>; save it in CORE"
        )
    findings = Findings(file)
    session = _Session(topo, root, findings)
    if len(session.devices) + len(session.switches) > MOST_NODES:
        raise TopologyError(f"{file}: the session has more than {MOST_NODES} nodes; divide it")
    session.add()
    findings.check()
    return findings.notes()


class _Session:
    """Adds the nodes and links of a session to a description."""

    def __init__(self, topo: Topo, root: Element, findings: Findings) -> None:
        self._topo, self._root, self._findings = topo, root, findings
        self.devices: dict[str, _Device] = {}  # by number
        self.switches: dict[str, tuple[str, str]] = {}  # by number: name and kind
        self._wrong: set[str] = set()  # numbers of what was refused
        self._links: list[_Link] = []
        self._read_nodes()
        self._read_links()
        self._find_interfaces()
        self._written = self._written_configurations()
        self._routers = self._first_routers()

    def add(self) -> None:
        """Add it all."""
        for number, (name, kind) in self.switches.items():
            if not self._findings.adding(name, self._topo.addSwitch, name, kind=kind):
                self._wrong.add(number)
        for number, device in self.devices.items():
            self._say(device)
            if not self._findings.adding(
                device.name, self._topo.addHost, device.name, **self._host(number, device)
            ):
                self._wrong.add(number)
        taken: set[str] = set()
        for count, link in enumerate(self._links, 1):
            if not self._wrong & set(link.ends):
                self._add_link(link, count, taken)

    def _read_nodes(self) -> None:
        usual = dict(_USUAL)
        for node in self._root.iterfind("default_services/node"):
            usual[node.get("type", "")] = _services(node)
        for device in self._root.iterfind("devices/device"):
            number, name, kind = (device.get(key, "") for key in ("id", "name", "type"))
            if not self._is_new(number, name):
                continue
            if kind not in _HOSTS:
                self._wrong.add(number)
                self._findings.refuse(
                    name,
                    f"type: {plain(kind)} is none that hybridnet has; make it a router, host or PC",
                )
                continue
            said = [each for each in ("configservices", "services") if device.find(each) is not None]
            services = (
                [each for key in said for each in _services(device.find(key))]
                if said
                else usual.get(kind, ())
            )
            self.devices[number] = _Device(
                name, kind, tuple(dict.fromkeys(services)), device.get("image", "")
            )
        for network in self._root.iterfind("networks/network"):
            number, name, kind = (network.get(key, "") for key in ("id", "name", "type"))
            if not self._is_new(number, name):
                continue
            if kind in _SWITCHES:
                self.switches[number] = name, _SWITCHES[kind]
            else:
                self._wrong.add(number)
                self._findings.refuse(
                    name,
                    f"type: {plain(kind)} is no network of cables; join its members by a switch, a hub or links",
                )

    def _is_new(self, number: str, name: str) -> bool:
        if not number or self._is_known(number):
            self._findings.refuse(
                name or "a node", f"id: {shown(number)} is no number of its own; correct it"
            )
            return False
        return True

    def _is_known(self, number: str) -> bool:
        return number in self.devices or number in self.switches or number in self._wrong

    def _read_links(self) -> None:
        known: dict[frozenset[tuple[str, str | None]], _Link] = {}
        for index, element in enumerate(self._root.iterfind("links/link"), 1):
            what = f"links.{index}"
            ends, interfaces = [], []
            for names in _ENDS:
                ends.append(next((element.get(node, "") for node, _ in names if node in element.attrib), ""))
                interfaces.append(
                    next((found for _, at in names if (found := element.find(at)) is not None), None)
                )
            if unknown := [each for each in ends if not self._is_known(each)]:
                self._findings.refuse(what, f"there is no node {shown(unknown[0])}; correct the link")
                continue
            said = element.find("options")
            options = self._options(what, said)
            one_way = said is not None and said.get("unidirectional") == "1"
            places = [
                (end, None if at is None or end in self.switches else at.get("id", at.get("name")))
                for end, at in zip(ends, interfaces, strict=True)
            ]
            before = known.get(frozenset(places)) if one_way else None
            if before is not None:  # the other direction of a link that was there
                if before.ends[0] == ends[0]:
                    before.there = options
                else:
                    before.back = options
                continue
            link = _Link(
                what, (ends[0], ends[1]), (interfaces[0], interfaces[1]), options, {} if one_way else options
            )
            known[frozenset(places)] = link
            self._links.append(link)

    def _options(self, what: str, element: Element | None) -> dict[str, object]:
        """What a direction of a link is like."""
        found: dict[str, object] = {}
        for keys, option, written in (
            (("bandwidth",), "bw", "{} bit/s"),
            (("delay",), "delay", "{}us"),
            (("jitter",), "jitter", "{}us"),
            (("loss", "per"), "loss", None),
            (("dup",), "duplicate", None),
            (("buffer",), "max_queue_size", None),
        ):
            for key in keys:
                said = "" if element is None else element.get(key, "")
                if said in ("", "None"):
                    continue
                try:
                    value = float(said)
                except ValueError:
                    self._findings.refuse(what, f"{key}: {shown(said)} is not a number; correct it")
                    continue
                if value != 0:
                    number: Any = int(value) if value.is_integer() and abs(value) < 1e15 else value
                    found[option] = number if written is None else written.format(number)
        return found

    def _find_interfaces(self) -> None:
        """Which addresses are on one segment: those of a link, or of all that switches join."""
        joined = {number: number for number in self.switches}

        def root_of(number: str) -> str:
            while joined[number] != number:
                joined[number] = joined[joined[number]]  # half the way next time
                number = joined[number]
            return number

        for link in self._links:
            one, other = link.ends
            if one in joined and other in joined:
                joined[root_of(one)] = root_of(other)
        for link in self._links:
            switches = [end for end in link.ends if end in joined]
            segment = f"switch {root_of(switches[0])}" if switches else link.what
            for end, at in zip(link.ends, link.interfaces, strict=True):
                if end not in self.devices:
                    continue
                name = self._interface_name(end, at)
                if name in self.devices[end].interfaces:
                    self._findings.refuse(
                        self.devices[end].name, f"{plain(name)}: the interface is in two links; leave one out"
                    )
                self.devices[end].interfaces[name] = _Interface(
                    _address(at, "ip4"), _address(at, "ip6"), segment, not switches
                )

    def _interface_name(self, number: str, at: Element | None) -> str:
        named = "" if at is None else at.get("name", "")
        return named or f"eth{'' if at is None else at.get('id', '')}"

    def _host(self, number: str, device: _Device) -> dict[str, object]:
        """The options of a device."""
        options: dict[str, object] = {"ip": None, "ip6": None}
        services = {_service(each) for each in device.services}
        daemons = {_DAEMONS[each] for each in services & _DAEMONS.keys()}
        own = self._written.get(number, "")
        if daemons or own:
            if own:
                files = {"/etc/frr/frr.conf": own}
                options |= frr_options(files, frozenset(daemons))
            else:
                for daemon in sorted(daemons - {*_MADE}):
                    self._findings.note(
                        device.name, f"{daemon}: the session does not say what it is to do; it does nothing"
                    )
                options |= {
                    "kind": "frr",
                    "daemons": sorted(daemons),
                    "conf": _configuration(device, daemons),
                }
        elif device.is_router:
            options["commands"] = [FORWARD]
        if "DefaultRoute" in services and (gateway := self._gateway(number)) is not None:
            options["defaultRoute"] = f"via {gateway}"
        return options

    def _written_configurations(self) -> dict[str, str]:
        """What the session's author wrote for routers' daemons, by number."""
        found: dict[str, str] = {}
        for service in self._root.iterfind(".//service"):
            for part in service.iterfind("files/file"):
                if part.get("name", "").rpartition("/")[2] in _CONFIGURATIONS:
                    found.setdefault(service.get("node", ""), part.text or "")
        return found

    def _first_routers(self) -> dict[str, list[tuple[str, str]]]:
        """On each segment the first two routers, with their addresses: one may be the host itself."""
        found: dict[str, list[tuple[str, str]]] = {}
        for number, device in self.devices.items():
            for at in device.interfaces.values() if device.is_router else ():
                there = found.setdefault(at.segment, [])
                if at.address is not None and len(there) < 2 and number not in dict(there):
                    there.append((number, at.ip))
        return found

    def _gateway(self, number: str) -> str | None:
        """The first router on a segment of a host, as CORE chooses it."""
        for own in self.devices[number].interfaces.values():
            for other, address in self._routers.get(own.segment, []):
                if other != number:
                    return address
        return None

    def _say(self, device: _Device) -> None:
        """Everything that is left out or done otherwise."""
        if device.image:
            self._findings.note_image(device.name, device.image, has_frr(device.image))
        for service in device.services:
            known = _service(service)
            if known in ("OSPFv2", "OSPFv3"):
                self._findings.note(
                    device.name,
                    f"{known}: this computer's FRR runs it, in area 0 on all interfaces, with a hello each {HELLO_S} s",
                )
            elif known not in _DAEMONS and known not in _SILENT:
                self._findings.note(
                    device.name,
                    f"{plain(service)}: the service is not started; start it at the prompt, or by commands",
                )

    def _add_link(self, link: _Link, count: int, taken: set[str]) -> None:
        options: dict[str, object] = {}
        for at, (number, interface, direction) in enumerate(
            zip(link.ends, link.interfaces, (link.there, link.back), strict=True), 1
        ):
            own: dict[str, object] = dict(direction)
            if number in self.switches:
                name = self.switches[number][0]
                found = ends_options(self._topo, name, f"{name}-{count}", at, taken)
            else:
                device = self.devices[number]
                name, inside = device.name, self._interface_name(number, interface)
                found = ends_options(self._topo, name, inside, at, taken)
                own |= {
                    key: value
                    for key, value in (
                        ("ip", device.interfaces[inside].address),
                        ("ip6", device.interfaces[inside].address6),
                        ("mac", None if interface is None else interface.get("mac") or None),
                    )
                    if value is not None
                }
            found[f"params{at}"] = {**found.get(f"params{at}", {}), **own}
            options |= found
        names = [
            self.switches[end][0] if end in self.switches else self.devices[end].name for end in link.ends
        ]
        self._findings.adding(link.what, self._topo.addLink, *names, **options)


def _services(parent: Element | None) -> tuple[str, ...]:
    return () if parent is None else tuple(each.get("name", "") for each in parent.iterfind("service"))


def _service(name: str) -> str:
    """A service of FRR has the name that Quagga's has.

    Example:
        >>> _service("FRROSPFv2"), _service("FRRzebra"), _service("SSH")
        ('OSPFv2', 'zebra', 'SSH')
    """
    return name.removeprefix("FRR")


def _address(at: Element | None, family: str) -> str | None:
    address = "" if at is None else at.get(family, "")
    return f"{address}/{at.get(f'{family}_mask', '')}" if at is not None and address else None


def _configuration(device: _Device, daemons: set[str]) -> str:
    """What a router's daemons are told, as CORE would: all interfaces in area 0."""
    lines: list[str] = []
    for name, at in device.interfaces.items():
        if not re.fullmatch(r"[\w.-]{1,15}", name):
            continue  # which is refused where the link is added
        lines.append(f"interface {name}")
        if "ospfd" in daemons and _is_address(at.address):
            lines += [f" ip ospf area 0\n ip ospf hello-interval {HELLO_S}\n ip ospf dead-interval {DEAD_S}"]
            lines += [" ip ospf network point-to-point"] if at.between_two else []
        if "ospf6d" in daemons and _is_address(at.address6):
            lines += [
                " ipv6 ospf6 area 0",
                f" ipv6 ospf6 hello-interval {HELLO_S}",
                f" ipv6 ospf6 dead-interval {DEAD_S}",
            ]
        lines.append("exit")
    for daemon, protocol in (("ospfd", "ospf"), ("ospf6d", "ospf6")):
        lines += [f"router {protocol}", "exit"] if daemon in daemons else []
    return "\n".join([*lines, ""])


def _is_address(text: str | None) -> bool:
    try:
        return text is not None and bool(ipaddress.ip_interface(text))
    except ValueError:
        return False
