# SPDX-License-Identifier: MIT
"""Projects of GNS3 (https://docs.gns3.com), from its version 2.0 on, as far as their nodes are Linux or built in.

VPCS and Docker nodes become hosts, or with an image of FRR a router of the kind ``frr``; the built-in switch becomes a
Linux bridge, and the hub a hub. What the nodes' folders in ``project-files`` say of addresses is obeyed. No image is
run. Everything else is an image of its own, or leads out of the computer, and is refused.
"""

from __future__ import annotations

import ipaddress
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hybridnet.describe.topo import Topo
from hybridnet.describe.values import parse_json, plain, shown
from hybridnet.errors import TopologyError
from hybridnet.plan.files.lab import (
    FORWARD,
    Findings,
    LabFiles,
    add_all,
    ends_options,
    export_line,
    frr_options,
    has_frr,
    refuse_large,
)

__all__ = ["fill_from_gns3"]

LEAST_REVISION = 5  # of the file's format: GNS3 2.0
_SWITCHES: Mapping[str, str] = {"ethernet_switch": "linux", "ethernet_hub": "hub"}
_INTERFACES = "/etc/network/interfaces"
_NUMBER = re.compile(r"[0-9A-Fa-f-]{1,64}")  # of a node: a UUID
_VARIABLE = re.compile(r"[A-Za-z_]\w*")
_NOTED: Mapping[str, str] = {
    "start_command": "no image is run, so nor is its command; start what the network needs at the prompt",
    "extra_hosts": "names are those of the computer and of the network; leave it out",
    "extra_volumes": "the host sees the computer's files; show it folders of its own with privateDirs",
}


def fill_from_gns3(topo: Topo, text: str, file: str) -> list[str]:
    """Add what a project describes: its ``.gns3`` file, and the folder ``project-files`` beside it. Returns what is
    done otherwise than GNS3 would, a line each.

    Raises:
        TopologyError: it is no project, or one that hybridnet cannot make; the message has a line for each thing.
    """
    refuse_large(file, text)
    try:
        project = parse_json(text)
    except ValueError as error:
        raise TopologyError(f"{file}: it is no project of GNS3: {error}; save it in GNS3") from None
    topology = project.get("topology") if isinstance(project, Mapping) else None
    if not isinstance(topology, Mapping) or not isinstance(topology.get("nodes"), list):
        raise TopologyError(
            f"{file}: it is no project of GNS3: it has no topology with nodes; save it in GNS3 2 or later"
        )
    revision = project.get("revision")
    if type(revision) is not int or revision < LEAST_REVISION:
        raise TopologyError(
            f"{file}: revision {shown(revision)} is of a GNS3 before 2.0; open and save the project in a later one"
        )
    findings = Findings(file)
    lab = _Project(topo, LabFiles(Path(file).resolve().parent, findings), findings)
    nodes = {f"nodes.{index}": node for index, node in enumerate(topology["nodes"], 1)}
    add_all(lab, nodes, topology.get("links"), file, "save the project in GNS3")
    findings.check()
    return findings.notes()


class _Project:
    """Adds the nodes and links of a project to a description."""

    def __init__(self, topo: Topo, files: LabFiles, findings: Findings) -> None:
        self._topo, self._files, self._findings = topo, files, findings
        self._names: dict[str, str] = {}  # of nodes, by number
        self._wrong: set[str] = set()  # numbers of nodes that were refused
        self._ports: dict[str, dict[int, tuple[str, int]]] = {}  # of switches: type and VLAN of each port
        self._vlans: dict[str, int] = {}  # of switches: that of the first port that is used
        self._taken: set[str] = set()

    def add_node(self, what: str, node: Any) -> None:
        """A host, a router or a switch."""
        if not isinstance(node, Mapping) or not all(
            isinstance(node.get(key), str) for key in ("name", "node_id", "node_type")
        ):
            self._findings.refuse(what, "it has no name, node_id and node_type; save the project in GNS3")
            return
        name, number, kind = node["name"], node["node_id"], node["node_type"]
        if number in self._names or number in self._wrong:
            self._findings.refuse(name, f"node_id: {shown(number)} is there twice; leave one node out")
            return
        properties = node.get("properties")
        properties = properties if isinstance(properties, Mapping) else {}
        if kind in _SWITCHES:
            self._ports[number] = self._ports_of(name, properties)
            added = self._findings.adding(name, self._topo.addSwitch, name, kind=_SWITCHES[kind])
        elif kind == "vpcs":
            added = self._findings.adding(
                name, self._topo.addHost, name, **self._vpcs(name, number, properties)
            )
        elif kind == "docker":
            added = self._findings.adding(
                name, self._topo.addHost, name, **self._docker(name, number, properties)
            )
        else:
            added = False
            self._findings.refuse(
                name,
                f"node_type: {plain(kind)} is an image of its own, or leads out of the project; make the node a Docker "
                "node, with an image of FRR if it is a router, or use External or nat (docs/nodes.md)",
            )
        if added:
            self._names[number] = name
        else:
            self._wrong.add(number)

    def add_link(self, what: str, link: Any) -> None:
        """A link between two ports."""
        ends = link.get("nodes") if isinstance(link, Mapping) else None
        if not isinstance(ends, list) or len(ends) != 2 or not all(map(_is_end, ends)):
            self._findings.refuse(what, "nodes: it does not have two ends; save the project in GNS3")
            return
        numbers = [end["node_id"] for end in ends]
        if self._wrong & {*numbers}:
            return
        if unknown := [each for each in numbers if each not in self._names]:
            self._findings.refuse(what, f"nodes: there is no node {shown(unknown[0])}; correct the link")
            return
        if link.get("suspend") is True:
            self._findings.note(what, "suspend: a link that is suspended is not made; resume it in GNS3")
            return
        options = self._filters(what, link.get("filters") or {})
        for at, end in enumerate(ends, 1):
            number, adapter, port = end["node_id"], end["adapter_number"], end["port_number"]
            name = self._names[number]
            if number in self._ports:
                self._check_vlan(name, number, port)
                interface = f"{name}-{adapter}-{port}" if adapter else f"{name}-{port}"
            else:
                interface = f"eth{adapter}"
            options |= ends_options(self._topo, name, interface, at, self._taken)
        self._findings.adding(what, self._topo.addLink, *(self._names[each] for each in numbers), **options)

    def _ports_of(self, name: str, properties: Mapping[str, Any]) -> dict[int, tuple[str, int]]:
        """Type and VLAN of a switch's ports, by number."""
        rows = properties.get("ports_mapping", [])
        if not isinstance(rows, list):
            self._findings.refuse(
                name, f"ports_mapping: {shown(rows)} is not a list; save the project in GNS3"
            )
            return {}
        found: dict[int, tuple[str, int]] = {}
        for row in rows:
            port = row.get("port_number") if isinstance(row, Mapping) else None
            if type(port) is not int:
                self._findings.refuse(
                    name, f"ports_mapping: {shown(row)} is no port; save the project in GNS3"
                )
            elif (vlan := _vlan(row.get("vlan", 1))) is None:
                self._findings.refuse(
                    name,
                    f"ports_mapping: port {port}: VLAN {shown(row['vlan'])} is no number; correct it in GNS3",
                )
            else:
                found[port] = (str(row.get("type", "access")), vlan)
        return found

    def _check_vlan(self, name: str, number: str, port: int) -> None:
        """All ports that are used must be in one VLAN."""
        kind, vlan = self._ports[number].get(port, ("access", 1))
        if kind != "access" or self._vlans.setdefault(number, vlan) != vlan:
            self._findings.refuse(
                name,
                f"ports_mapping: port {port} is {plain(kind)}, VLAN {vlan}; a bridge has no VLANs: have a switch for "
                "each",
            )

    def _filters(self, what: str, filters: Any) -> dict[str, object]:
        """The options of a link, from its packet filters."""
        found: dict[str, object] = {}
        if not isinstance(filters, Mapping):
            self._findings.refuse(
                what, f"filters: {shown(filters)} are not filters; save the project in GNS3"
            )
            return found
        for name, values in filters.items():
            if not isinstance(values, list) or not values:
                self._findings.refuse(
                    what, f"filters: {plain(name)}: {shown(values)} is not a list of values"
                )
            elif name == "delay" and all(type(each) in (int, float) for each in values):
                found["delay"] = f"{values[0]}ms"
                if len(values) > 1 and values[1]:
                    found["jitter"] = f"{values[1]}ms"
            elif name == "packet_loss":
                found["loss"] = values[0]
            elif name == "corrupt":
                found["corrupt"] = values[0]
            elif name == "frequency_drop" and values[0] == -1:
                found["loss"] = 100
            else:
                self._findings.refuse(
                    what, f"filters: {plain(name)} is none that hybridnet has; use loss, delay or corrupt"
                )
        return found

    def _vpcs(self, name: str, number: str, properties: Mapping[str, Any]) -> dict[str, object]:
        """The options of a simulated PC, whose start-up script says its addresses."""
        commands: list[str] = []
        script = self._file(number, "vpcs", "startup.vpc")
        text = properties.get("startup_script")
        if not isinstance(text, str):
            text = None if script is None else self._files.text(name, "startup.vpc", script)
        for line in (text or "").splitlines():
            if (said := _of_vpcs(line)) is None:
                self._findings.note(
                    name, f"startup.vpc: {shown(line.strip()[:60])} is not done; do it at the prompt"
                )
            else:
                commands += said
        return {"ip": None, "ip6": None, "commands": commands}

    def _docker(self, name: str, number: str, properties: Mapping[str, Any]) -> dict[str, object]:
        """The options of a container, whose folder is laid over the computer's files."""
        image = str(properties.get("image", ""))
        with_frr = has_frr(image)
        self._findings.note_image(name, image, with_frr)
        for key, words in _NOTED.items():
            if properties.get(key):
                self._findings.note(name, f"{key}: {words}")
        texts: dict[str, str] = {}
        if (folder := self._file(number, "docker", "")) is not None:
            texts = self._files.laid(name, "project-files", self._files.at(name, "project-files", folder, ""))
        commands = [FORWARD]
        environment = properties.get("environment")
        for line in environment.splitlines() if isinstance(environment, str) else ():
            variable, _, value = line.partition("=")
            if _VARIABLE.fullmatch(variable):
                commands.append(export_line(variable, value))
            elif line.strip():
                self._findings.refuse(name, f"environment: {shown(line[:60])} is not NAME=value; correct it")
        for line, said in _of_interfaces(texts.pop(_INTERFACES, "")):
            if said is None:
                self._findings.note(name, f"interfaces: {shown(line[:60])} is not done; do it at the prompt")
            else:
                commands += said
        options: dict[str, object] = {"ip": None, "ip6": None}
        if with_frr:
            options |= frr_options(texts)
        return {**options, "commands": commands, **({"files": texts} if texts else {})}

    def _file(self, number: str, kind: str, name: str) -> Path | None:
        """A file, or with an empty name the folder, that the project has for a node; None: it has none."""
        if _NUMBER.fullmatch(number) is None:
            return None
        place = self._files.path(f"project-files/{kind}/{number}")
        found = place / name if name else place
        return found if found.exists() else None


def _is_end(end: Any) -> bool:
    return (
        isinstance(end, Mapping)
        and isinstance(end.get("node_id"), str)
        and all(
            type(end.get(key)) is int and 0 <= end[key] < 10_000 for key in ("adapter_number", "port_number")
        )
    )


def _vlan(value: Any) -> int | None:
    """A VLAN, as a number or as text; None: it is none."""
    if isinstance(value, str) and re.fullmatch("[0-9]{1,4}", value):
        return int(value)
    return value if type(value) is int else None


def _of_vpcs(line: str) -> list[str] | None:
    """What a line of a start-up script of VPCS does, as commands; None: something that is not done here.

    Example:
        >>> _of_vpcs("ip 10.0.0.1 255.255.255.0 10.0.0.254")
        ['ip address add 10.0.0.1/24 dev eth0', 'ip route replace default via 10.0.0.254']
    """
    words = line.partition("#")[0].split()
    if not words or words[0] in ("set", "echo", "save", "sleep"):
        return []
    if words[0] != "ip" or len(words) < 2:
        return None
    address, *more = words[1:]
    gateway = ""
    for word in more:
        if "/" not in address and (
            word.startswith("255.") or (word.isascii() and word.isdigit() and len(word) < 3)
        ):
            address = f"{address}/{word}"
        else:
            gateway = word
    return _addressed("eth0", address if "/" in address or ":" in address else f"{address}/24", gateway)


def _of_interfaces(text: str) -> Iterator[tuple[str, list[str] | None]]:
    """What each part of a Debian's ``interfaces`` does, as commands; None: something that is not done here."""
    parts: list[tuple[str, dict[str, str], list[str]]] = []
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        if not words or words[0] in ("auto", "allow-hotplug", "source", "source-directory"):
            continue
        if words[0] == "iface":
            parts.append((" ".join(words), {}, []))
        elif not parts:
            yield line, None
        elif words[0] in ("up", "post-up"):
            parts[-1][2].append(line.split(None, 1)[1])
        else:
            parts[-1][1][words[0]] = " ".join(words[1:])
    for head, said, ups in parts:
        words = head.split()
        if len(words) != 4 or words[3] not in ("static", "manual", "loopback"):
            yield head, None
            continue
        address, mask = said.get("address", ""), said.get("netmask", "")
        if words[3] == "static" and mask and "/" not in address:
            address = f"{address}/{mask}"
        found = _addressed(words[1], address, said.get("gateway", "")) if words[3] == "static" else []
        yield head, None if found is None else [*found, *ups]


def _addressed(interface: str, address: str, gateway: str) -> list[str] | None:
    """What gives an interface an address and the host its gateway; None: these are no addresses."""
    try:
        own = ipaddress.ip_interface(address)
        via = ipaddress.ip_address(gateway) if gateway else None
    except ValueError:
        return None
    found = [f"ip address add {own.with_prefixlen} dev {shlex.quote(interface)}"]
    family = "-6 " if own.version == 6 else ""
    return [*found, *([] if via is None else [f"ip {family}route replace default via {via}"])]
