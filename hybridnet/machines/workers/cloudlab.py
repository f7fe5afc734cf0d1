# SPDX-License-Identifier: MIT
"""The nodes of a CloudLab experiment, as its manifest names them.

A manifest is RSpec v3: a ``node`` element for each node, with its ``interface`` elements on the experiment's links,
``services/login`` for each user, and ``host`` with the address on the control network. The first address of a node on
an experiment link is where peering datagrams go. On a node of the experiment SSH goes there too, with the key that
CloudLab gives every node of an experiment (``geni-get key``), so the control network carries nothing; from elsewhere
SSH goes to the address in ``login``.
"""

from __future__ import annotations

import getpass
import hashlib
import ipaddress
import json
import os
import re
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hybridnet.errors import EnvironmentLackError, MachineError, UsageError
from hybridnet.machines.workers.ssh import SshMachine
from hybridnet.system.command import run

__all__ = ["CloudlabNode", "as_machines", "fetch_manifest", "machines_of_cloudlab", "read_manifest"]

RSPEC = "{http://www.geni.net/resources/rspec/3}"
_KEY = "hybridnet-cloudlab"


@dataclass(frozen=True)
class CloudlabNode:
    """A node of an experiment.

    Args:
        name: as the profile calls it, its ``client_id``.
        hardware: its type, such as ``c220g5``; empty: the manifest does not say.
        user, login, port: how to get there by SSH from anywhere.
        address: its first IPv4 address on a link of the experiment.
        sliver: its identifier, which no other experiment has.
    """

    name: str
    hardware: str
    user: str
    login: str
    port: int
    address: str
    sliver: str


def read_manifest(text: str, user: str | None = None, what: str = "manifest") -> list[CloudlabNode]:
    """The nodes of a manifest, in the order of their names.

    Args:
        text: RSpec v3.
        user: whose login to take; default: the user who asks, else the first that a node names.
        what: for messages: the file.

    Raises:
        UsageError: it is no manifest, or a node lacks a login or an address on a link of the experiment.
    """
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        raise UsageError(
            f"{what}: not XML: {error}; save what `geni-get manifest` prints on a node"
        ) from None
    if root.tag != f"{RSPEC}rspec" or root.get("type") != "manifest":
        raise UsageError(
            f"{what}: not an RSpec v3 manifest (its root is {root.tag}, of type {root.get('type')}); save what "
            "`geni-get manifest` prints on a node"
        )
    nodes = [_node(element, user, what) for element in root.findall(f"{RSPEC}node")]
    if not nodes:
        raise UsageError(f"{what}: it has no node; is the experiment ready?")
    return sorted(nodes, key=lambda node: _natural(node.name))


def fetch_manifest() -> str:
    """The manifest of the experiment that this computer is a node of.

    Raises:
        EnvironmentLackError: this is no CloudLab node.
    """
    if shutil.which("geni-get") is None:
        raise EnvironmentLackError(
            "this computer is not a CloudLab node: it has no geni-get; run this on node-0, or give --manifest FILE"
        )
    return run(["geni-get", "manifest"])


def as_machines(nodes: Sequence[CloudlabNode], here: Sequence[str], key: str | None) -> list[SshMachine]:
    """The nodes as machines m1, m2 …

    Args:
        here: this computer's addresses. If a node's is among them, SSH goes over the experiment's links.
        key: the private key file of the experiment, for SSH between nodes; None: the user's own.
    """
    inside = any(node.address in here for node in nodes)
    slivers = hashlib.sha256(" ".join(sorted(node.sliver for node in nodes)).encode()).hexdigest()[:12]
    known = Path.home() / ".ssh" / f"{_KEY}-known-{slivers}"  # nodes of a later experiment have other keys
    options = ("-o", "StrictHostKeyChecking=accept-new", "-o", f"UserKnownHostsFile={known}")
    return [
        SshMachine(
            f"{node.user}@{node.address if inside else node.login}",
            name=f"m{number}",
            address=node.address,
            port=None if inside or node.port == 22 else node.port,
            identity=key if inside else None,
            options=options,
        )
        for number, node in enumerate(nodes, 1)
    ]


def machines_of_cloudlab(manifest: str | None) -> list[SshMachine]:
    """The machines of an experiment.

    Args:
        manifest: a file; None: the manifest of the experiment that this computer is a node of.

    Raises:
        UsageError: the file cannot be read, or is no manifest.
        EnvironmentLackError: there is no file, and this is no CloudLab node.
    """
    if manifest is None:
        nodes = read_manifest(fetch_manifest(), what="geni-get manifest")
    else:
        try:
            nodes = read_manifest(Path(manifest).read_text(encoding="utf-8"), what=manifest)
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"--manifest {manifest}: {getattr(error, 'strerror', None) or error}") from None
    return as_machines(nodes, _own_addresses(), _experiment_key())


def _node(element: ET.Element, user: str | None, what: str) -> CloudlabNode:
    name = element.get("client_id", "")
    logins = element.findall(f"{RSPEC}services/{RSPEC}login")
    if not logins:
        raise UsageError(f"{what}: node {name or '?'} has no login; is the experiment ready?")
    wanted = user or os.environ.get("SUDO_USER") or getpass.getuser()
    login = next((each for each in logins if each.get("username") == wanted), logins[0])
    addresses = [
        ip.get("address", "")
        for ip in element.findall(f"{RSPEC}interface/{RSPEC}ip")
        if ip.get("type", "ipv4") == "ipv4"
    ]
    if not addresses:
        raise UsageError(f"{what}: node {name} has no IPv4 address on a link of the experiment; give it one")
    try:
        address = str(ipaddress.IPv4Address(addresses[0]))
        port = int(login.get("port", "22"))
    except ValueError as error:
        raise UsageError(f"{what}: node {name}: {error}") from None
    hardware = element.find(f"{RSPEC}hardware_type")
    return CloudlabNode(
        name=name,
        hardware="" if hardware is None else hardware.get("name", ""),
        user=login.get("username") or wanted,
        login=login.get("hostname", ""),
        port=port,
        address=address,
        sliver=element.get("sliver_id", name),
    )


def _natural(name: str) -> list[tuple[int, str]]:
    """For sorting node-2 before node-10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def _own_addresses() -> list[str]:
    shown = json.loads(run(["ip", "-json", "-4", "address", "show"]))
    return [each["local"] for device in shown for each in device.get("addr_info", [])]


def _experiment_key() -> str | None:
    """The file with the private key that CloudLab gives the nodes of an experiment; None elsewhere."""
    if shutil.which("geni-get") is None:
        return None
    try:
        key = run(["geni-get", "key"])
    except MachineError:  # an experiment without one
        return None
    folder = Path.home() / ".ssh"
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / _KEY
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as file:
        file.write(key)
    return str(path)
