# SPDX-License-Identifier: MIT
"""Labs of containerlab (https://containerlab.dev/manual/topo-def-file), as far as their nodes are Linux.

A node of the kind ``linux`` becomes a host, or with an image of FRR a router of the kind ``frr``; ``bridge`` becomes a
Linux bridge, ``ovs-bridge`` a bridge of Open vSwitch that learns by itself. No image is run: nodes have the computer's
programs, and see the lab's files (``binds``). There is no management network.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hybridnet.describe.topo import Topo
from hybridnet.describe.values import nearest, plain, shown
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
    is_service_of_frr,
    refuse_large,
)
from hybridnet.plan.files.yaml_text import read_yaml

__all__ = ["fill_from_containerlab", "is_containerlab"]

MOST_LAB_VALUES = 200_000
MTU = 9500  # of its links, if the file does not say
_SWITCHES: Mapping[str, Mapping[str, Any]] = {
    "bridge": {"kind": "linux"},
    "ovs-bridge": {"failMode": "standalone"},
}
_VARIABLE = re.compile(r"\$\{(\w+)(?::[-=]([^}]*))?\}")
_TURNS_ON = re.compile(r"s/\^?(\w+)=no/\1=yes/")
_NODE_NAMES = ("__clabNodeName__", "__clabDir__", "__clabNodeDir__")
_MERGED = ("env", "labels", "sysctls")
_JOINED = ("exec", "binds", "ports", "env-files")

_SILENT = frozenset(
    ("kind", "group", "labels", "position", "exec", "binds", "env", "cpu", "cpu-set", "sysctls", "image")
)
"""Keys of a node that are obeyed, or are of no account to a network."""
_NOTED: Mapping[str, str] = {
    "cmd": "no image is run, so nor is its command; start what the network needs with exec",
    "entrypoint": "no image is run, so nor is its entry point; start what the network needs with exec",
    "startup-config": "only images of network operating systems read it; for FRR bind a file to /etc/frr/frr.conf",
    "mgmt-ipv4": "there is no management network; reach the node from hybridnet's prompt",
    "mgmt-ipv6": "there is no management network; reach the node from hybridnet's prompt",
    "ports": "no port is published; reach the node from hybridnet's prompt, or write nat",
    "memory": "no limit of memory is set; leave it out",
    "env-files": "these files are not read; write env",
    "user": "commands run as root; leave it out",
    "dns": "nodes ask the computer's name servers; bind a file to /etc/resolv.conf",
    "stages": "nodes do not wait for each other; all commands run once the whole network is there",
    "startup-delay": "nodes do not wait; all commands run once the whole network is there",
    "healthcheck": "nobody asks how the node is; leave it out",
    "aliases": "the node has one name; leave it out",
    "runtime": "there is no container; leave it out",
    "certificate": "none is made; bind one",
    "license": "no image is run; leave it out",
    "type": "no image is run; leave it out",
    "devices": "nodes see the computer's devices; leave it out",
    "cap-add": "commands run as root; leave it out",
    "privileged": "commands run as root; leave it out",
    "auto-remove": "nodes go with the network; leave it out",
    "restart-policy": "nobody starts the node again; leave it out",
    "image-pull-policy": "no image is run; leave it out",
    "enforce-startup-config": "no image is run; leave it out",
    "suppress-startup-config": "no image is run; leave it out",
    "extras": "they are options of images; leave them out",
    "components": "they are parts of images; leave them out",
    "config": "no template is applied; bind the file",
    "shm-size": "nodes share the computer's memory; leave it out",
}


def is_containerlab(file: str, text: str) -> bool:
    """Whether a YAML file is a lab of containerlab: by its name, or because it has ``topology:``."""
    return (
        re.search(r"\.clab\.ya?ml$", file) is not None
        or re.search(r"^topology\s*:", text, re.MULTILINE) is not None
    )


def fill_from_containerlab(topo: Topo, text: str, file: str) -> list[str]:
    """Add what a lab describes. Returns what is done otherwise than containerlab would, a line each.

    Raises:
        TopologyError: it is no lab, or one that hybridnet cannot make; the message has a line for each thing.
    """
    refuse_large(file, text)
    read = read_yaml(text, file, MOST_LAB_VALUES)
    topology = _section(read.value, "topology", file)
    findings = Findings(file)
    folder = Path(file).resolve().parent
    lab = _Lab(topo, topology, LabFiles(folder, findings), findings, str(read.value.get("name", "lab")))
    if read.value.get("mgmt"):
        findings.note("mgmt", "there is no management network; reach the nodes from hybridnet's prompt")
    if isinstance(read.value.get("settings"), Mapping):
        findings.note("settings", "they are containerlab's own; leave them out")
    lab.check_shared()
    nodes, cure = _section(topology, "nodes", file), 'write - endpoints: ["a:eth1", "b:eth1"]'
    add_all(lab, nodes, topology.get("links"), file, cure)
    findings.check()
    return findings.notes()


class _Lab:
    """Adds the nodes and links of a lab to a description."""

    def __init__(
        self, topo: Topo, topology: Mapping[str, Any], files: LabFiles, findings: Findings, name: str
    ) -> None:
        self._topo = topo
        self._topology = topology
        self._files = files
        self._findings = findings
        self._name = name
        self._added: set[str] = set()  # nodes
        self._bridges = 0  # of Open vSwitch
        self._wrong: set[str] = set()  # nodes that were refused
        self._taken: set[str] = set()

    def add_node(self, name: str, given: Any) -> None:
        """A host, a router or a switch."""
        node = self._inherited(name, given)
        if node is None:
            self._wrong.add(name)
            return
        kind = self._text(name, node.get("kind", "linux"))
        if kind in _SWITCHES:
            self._bridges += kind == "ovs-bridge"
            number = {"dpid": f"{self._bridges:x}"} if kind == "ovs-bridge" else {}
            added = self._findings.adding(name, self._topo.addSwitch, name, **_SWITCHES[kind], **number)
        elif kind == "linux":
            self._say(name, node)
            added = self._findings.adding(name, self._topo.addHost, name, **self._host(name, node))
        else:
            added = False
            self._findings.refuse(
                name,
                f"kind: {plain(kind)} is an image of its own, which hybridnet does not run; make the node kind linux, "
                "with an image of FRR if it is a router",
            )
        (self._added if added else self._wrong).add(name)

    def add_link(self, what: str, given: Any) -> None:
        """A link in the short or the extended form."""
        if not isinstance(given, Mapping):
            self._findings.refuse(what, 'it is not a link; write endpoints: ["a:eth1", "b:eth1"]')
            return
        kind = given.get("type", "veth")
        if kind == "dummy":
            self._findings.note(
                what, "type: a dummy interface leads nowhere, and is not made; add it with exec"
            )
            return
        if kind != "veth":
            self._findings.refuse(
                what,
                f"type: {plain(kind)} leads out of the lab; connect two nodes, or use External or nat (docs/nodes.md)",
            )
            return
        ends = given.get("endpoints")
        if not isinstance(ends, list) or len(ends) != 2:
            self._findings.refuse(what, 'endpoints: write two, such as ["a:eth1", "b:eth1"]')
            return
        found = [self._end(what, end) for end in ends]
        if None in found:
            return
        self._join(what, given, [end for end in found if end is not None])

    def _join(
        self, what: str, given: Mapping[str, Any], ends: list[tuple[str, str, dict[str, object]]]
    ) -> None:
        options: dict[str, Any] = {"mtu": given.get("mtu") or MTU}
        for number, (node, interface, own) in enumerate(ends, 1):
            found = ends_options(self._topo, node, interface, number, self._taken)
            if own:
                found[f"params{number}"] = {**found.get(f"params{number}", {}), **own}
            options |= found
        for key in given.keys() - {"type", "endpoints", "mtu", "labels", "vars", "ipv4", "ipv6"}:
            self._findings.refuse(what, f"{plain(key)}: hybridnet does not know this; leave it out")
        for family, option in (("ipv4", "ip"), ("ipv6", "ip6")):
            addresses = given.get(family)
            if addresses is None:
                continue
            if not isinstance(addresses, list) or len(addresses) > 2:
                self._findings.refuse(
                    what, f"{family}: {shown(addresses)} is not a list of an address for each end; correct it"
                )
                continue
            for number, address in enumerate(addresses, 1):
                options[f"params{number}"] = {**options.get(f"params{number}", {}), option: address}
        self._findings.adding(what, self._topo.addLink, ends[0][0], ends[1][0], **options)

    def _end(self, what: str, end: Any) -> tuple[str, str, dict[str, object]] | None:
        """The node, the interface, and what the file says of it."""
        own: dict[str, object] = {}
        if isinstance(end, Mapping):
            node, interface = str(end.get("node", "")), str(end.get("interface", ""))
            own = {ours: end[theirs] for theirs, ours in _OF_ENDS.items() if end.get(theirs) is not None}
            if unknown := end.keys() - {"node", "interface", "vars", *_OF_ENDS}:
                self._findings.refuse(
                    what, f"{plain(min(map(str, unknown)))}: hybridnet does not know this; leave it out"
                )
        else:
            node, _, interface = self._text(what, end).partition(":")
        if not node or not interface:
            self._findings.refuse(what, f"endpoints: {shown(end)} is not NODE:INTERFACE; correct it")
            return None
        if node in ("host", "mgmt-net", "macvlan"):
            self._findings.refuse(
                what,
                f"endpoints: {node} is outside the lab; connect two nodes, or use External or nat (docs/nodes.md)",
            )
            return None
        if node in self._wrong:
            return None
        if node not in self._added:
            near = nearest(node, list(self._added))
            meant = f"did you mean {near}?" if near else "add it to nodes"
            self._findings.refuse(what, f"endpoints: there is no node {shown(node)}; {meant}")
            return None
        return node, interface, own

    def _inherited(self, name: str, given: Any) -> dict[str, object] | None:
        """What a node says itself, or its group, its kind or the defaults; None: that is no node."""
        node = {} if given is None else given
        if not isinstance(node, Mapping):
            self._findings.refuse(name, f"nodes: {shown(given)} is not a node; write kind: linux")
            return None
        defaults = self._shared("defaults", None)
        group = self._shared("groups", node.get("group", defaults.get("group")))
        kind = node.get("kind", group.get("kind", defaults.get("kind", "linux")))
        found: dict[str, Any] = {}
        for level in (defaults, self._shared("kinds", kind), group, node):
            for key, value in level.items():
                found[key] = _joined(key, found.get(key), value)
        return {**found, "kind": kind}

    def check_shared(self) -> None:
        """Refuse sections that nodes inherit from and that make no sense."""
        for section in ("defaults", "kinds", "groups"):
            given = self._topology.get(section)
            for name, each in (
                given.items() if isinstance(given, Mapping) and section != "defaults" else [("", given)]
            ):
                if each is not None and not isinstance(each, Mapping):
                    what = f"{section}.{name}" if name else section
                    self._findings.refuse(
                        "topology",
                        f"{plain(what)}: {shown(each)} are not values by name; write {{image: ...}}",
                    )

    def _shared(self, section: str, key: Any) -> Mapping[str, Any]:
        found = self._topology.get(section) or {}
        if section != "defaults":
            found = found.get(key) if isinstance(found, Mapping) and isinstance(key, str) else None
        return found if isinstance(found, Mapping) else {}

    def _say(self, name: str, node: Mapping[str, Any]) -> None:
        """Everything that is left out or done otherwise."""
        image = str(node.get("image", ""))
        if image:
            self._findings.note_image(name, image, has_frr(image))
        for key in node:
            if key in _NOTED:
                self._findings.note(name, f"{key}: {_NOTED[key]}")
            elif key == "network-mode":
                if node[key] != "none":
                    self._findings.refuse(
                        name, f"network-mode: {plain(node[key])} is another's network; leave it out"
                    )
            elif key not in _SILENT:
                self._findings.note(name, f"{plain(key)}: hybridnet does not know this; leave it out")

    def _host(self, name: str, node: Mapping[str, Any]) -> dict[str, object]:
        files = self._binds(name, node)
        commands, daemons = self._commands(name, node)
        options: dict[str, object] = {"ip": None, "ip6": None}
        if has_frr(str(node.get("image", ""))):
            options |= frr_options(files, frozenset(daemons))
            commands = [
                each for each in commands if not is_service_of_frr(each) and not _TURNS_ON.search(each)
            ]
        if node.get("cpu") is not None:
            options["cpu"] = node["cpu"]
        if node.get("cpu-set") is not None:
            options["cores"] = str(node["cpu-set"])
        if files:
            options["files"] = files
        return {**options, "commands": [FORWARD, *commands]}

    def _commands(self, name: str, node: Mapping[str, Any]) -> tuple[list[str], list[str]]:
        """What its shell runs, and the daemons of FRR that this turns on."""
        found = []
        for key, write in (("env", export_line), ("sysctls", _sysctl_line)):
            values = {} if node.get(key) is None else node[key]
            if not isinstance(values, Mapping) or not all(
                re.fullmatch(r"[\w.-]+", str(each)) for each in values
            ):
                self._findings.refuse(
                    name, f"{key}: {shown(values)} are not values by name; write {{NAME: value}}"
                )
                continue
            found += [write(str(each), _plain_text(value)) for each, value in values.items()]
        given = [] if node.get("exec") is None else node["exec"]
        if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
            self._findings.refuse(name, f"exec: {shown(given)} is not a list of commands; write - ip link")
            return found, []
        for command in given:
            try:
                found.append(shlex.join(shlex.split(command)))  # no shell reads it in containerlab
            except ValueError as error:
                self._findings.refuse(name, f"exec: {shown(command)}: {error}; close the quotation")
        return found, [daemon for each in given for daemon in _TURNS_ON.findall(each)]

    def _binds(self, name: str, node: Mapping[str, Any]) -> dict[str, str]:
        given = [] if node.get("binds") is None else node["binds"]
        if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
            self._findings.refuse(
                name, f"binds: {shown(given)} is not a list; write - file:/path/in/the/node"
            )
            return {}
        found: dict[str, str] = {}
        for bind in given:
            source, colon, rest = self._in_lab(name, bind).partition(":")
            target = rest.partition(":")[0]
            if not colon or not target.startswith("/"):
                self._findings.refuse(name, f"binds: {shown(bind)} is not SOURCE:/TARGET; correct it")
            elif source != target:  # which the computer has there already
                found |= self._files.at(name, "binds", self._files.path(source), os.path.normpath(target))
        return self._files.laid(name, "binds", found)

    def _in_lab(self, name: str, value: str) -> str:
        """A text with containerlab's own names filled in."""
        own = (name, f"clab-{self._name}", f"clab-{self._name}/{name}")
        text = self._text(name, value)
        for theirs, ours in zip(_NODE_NAMES, own, strict=True):
            text = text.replace(theirs, ours)
        return text

    def _text(self, what: str, value: Any) -> str:
        """A text with the variables of the environment filled in."""

        def filled(found: re.Match[str]) -> str:
            if found[1] not in os.environ and found.lastindex == 1:
                self._findings.refuse(what, f"{found[0]}: the environment has no {found[1]}; set it")
            return os.environ.get(found[1]) or found[2] or ""

        return _VARIABLE.sub(filled, _plain_text(value))


def _joined(key: str, before: Any, value: Any) -> Any:
    """What a node has of a key that a level above it has, too; what makes no sense at one of them stays, and is refused
    where it is read.
    """
    kind: type[Any] | None = dict if key in _MERGED else list if key in _JOINED else None
    if kind is None or before is None:
        return value
    if value is None or not isinstance(before, kind):
        return before
    if not isinstance(value, kind):
        return value
    return {**before, **value} if key in _MERGED else [*before, *value]


_OF_ENDS: Mapping[str, str] = {"mac": "mac", "ipv4": "ip", "ipv6": "ip6"}


def _sysctl_line(name: str, value: str) -> str:
    return f"sysctl -qw {shlex.quote(f'{name}={value}')}"


def _plain_text(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if value is True or value is False else str(value)


def _section(value: Any, name: str, file: str) -> Mapping[str, Any]:
    found = value.get(name) if isinstance(value, Mapping) else None
    if not isinstance(found, Mapping) or not found:
        raise TopologyError(
            f"{file}: it is no lab of containerlab: it has no {name}; write topology: with nodes: and links:"
        )
    return found
