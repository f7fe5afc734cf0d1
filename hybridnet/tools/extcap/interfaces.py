# SPDX-License-Identifier: MIT
"""What can be captured at: the interfaces of the networks that this user runs on this computer."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hybridnet.system.entrances import read_entrances
from hybridnet.system.journal import (
    RUN_VARIABLE,
    Entry,
    directories_in,
    read_entries,
    start_time,
    state_directory,
)
from hybridnet.system.network_namespace import in_network

__all__ = ["Emulated", "Interface", "Simulated", "interfaces"]

INSTANCE = "hybridnet.simulate.instance"
_INIT = "init of machine "
_NO_LINKS = {"lo", "ovs-netdev", "ovs-system"}


@dataclass(frozen=True)
class Interface:
    """An interface. `value` is its name in Wireshark, and `text` what is shown beside it."""

    run: str
    node: str
    name: str

    @property
    def value(self) -> str:
        """Its run, its node, or for an interface of a switch its machine, and its own name."""
        return f"{self.run}:{self.node}:{self.name}"

    @property
    def text(self) -> str:
        """For people."""
        return f"hybridnet: {self.name} of {self.node}"


@dataclass(frozen=True)
class Emulated(Interface):
    """A device.

    Args:
        network: the file of its network namespace.
    """

    network: Path


@dataclass(frozen=True)
class Simulated(Interface):
    """Of a simulated node.

    Args:
        pid: the process of its instance.
        root: where the instance's files are.
        folder: where it may write, as it calls it.
        control: its control socket, as it calls it.
    """

    pid: int
    root: Path
    folder: Path
    control: Path

    @property
    def text(self) -> str:
        """For people."""
        return f"{super().text}, simulated"


def interfaces() -> list[Interface]:
    """All of them, those of each run together. What cannot be read, because it is somebody else's, is left out."""
    found: list[Interface] = [*_simulated(), *_emulated()]
    return sorted(found, key=lambda each: each.value)


def _simulated() -> Iterator[Simulated]:
    for process in Path("/proc").iterdir():
        if not process.name.isdecimal():
            continue
        try:
            if process.stat().st_uid != os.geteuid():
                continue  # what another user's process says of itself is not believed
            words = [word.decode() for word in (process / "cmdline").read_bytes().split(b"\0")]
            if INSTANCE not in words or "--control" not in words:
                continue
            run = _variable(process, RUN_VARIABLE)
            plan_file = Path(words[words.index(INSTANCE) + 1])
            control = Path(words[words.index("--control") + 1])
            root = process / "root"
            plan = json.loads(_within(root, plan_file).read_text(encoding="utf-8"))
            for node in plan["nodes"]:
                for interface in node["interfaces"]:
                    yield Simulated(
                        run,
                        node["name"],
                        interface["name"],
                        int(process.name),
                        root,
                        plan_file.parent,
                        control,
                    )
        except (
            OSError,
            ValueError,
            KeyError,
            IndexError,
            TypeError,
        ):  # it ends just now, or is not ours to read
            continue


def _emulated() -> Iterator[Emulated]:
    state = state_directory()
    for directory in directories_in(state):
        try:
            entries = read_entries(directory)
        except OSError:
            continue
        if any(each["kind"] == "owner" and start_time(each["pid"]) != each["start"] for each in entries):
            continue  # the run has ended
        for entry in entries:
            if _is_init(entry):
                machine = entry["what"].removeprefix(_INIT)
                yield from _of_machine(directory, machine, Path(f"/proc/{entry['pid']}"))


def _is_init(entry: Entry) -> bool:
    return (
        entry["kind"] == "process"
        and entry["what"].startswith(_INIT)
        and start_time(entry["pid"]) == entry["start"]
    )


def _of_machine(directory: Path, machine: str, init: Path) -> Iterator[Emulated]:
    own = directory / machine  # a network on this computer itself has none
    try:
        places = {
            host: _within(init / "root", Path(each.network))
            for host, each in read_entrances(own if own.is_dir() else directory).items()
            if each.network is not None
        }
        network = init / "ns/net"
        if os.stat(network).st_ino != os.stat("/proc/self/ns/net").st_ino:  # else Wireshark has them itself
            places[machine] = network
    except OSError:
        return
    for node, place in places.items():
        try:
            devices = _devices(place)
        except OSError:  # the host is gone, or the namespace is not ours to enter
            continue
        yield from (Emulated(directory.name, node, device, place) for device in devices)


def _devices(network: Path) -> list[str]:
    descriptor = os.open(network, os.O_RDONLY | os.O_CLOEXEC)
    try:
        with in_network(descriptor):
            return [name for _, name in socket.if_nameindex() if name not in _NO_LINKS]
    finally:
        os.close(descriptor)


def _within(root: Path, path: Path) -> Path:
    return root / path.relative_to("/")


def _variable(process: Path, name: str) -> str:
    """Of its environment. Raises KeyError."""
    rows = (process / "environ").read_bytes().split(b"\0")
    return dict(row.decode(errors="replace").split("=", 1) for row in rows if b"=" in row)[name]
