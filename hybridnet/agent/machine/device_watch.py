# SPDX-License-Identifier: MIT
"""Hears of what happens to a machine's own devices: bridges, ports, portals. The kernel tells (rtnetlink(7)).

What happens to the interfaces of hosts, in their namespaces, is the business of what runs there.
"""

from __future__ import annotations

import errno
import socket
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from hybridnet.describe.kinds import switch_kind
from hybridnet.describe.schema.elements import crossing_devices
from hybridnet.describe.schema.plans import MachinePlan

__all__ = ["Device", "DeviceWatch", "devices_of"]

_ERROR, _DONE, _NEW_LINK, _DEL_LINK, _GET_LINK = 2, 3, 16, 17, 18
_REQUEST_DUMP = 0x301
_GROUP_LINK = 1  # RTMGRP_LINK
_NAME, _MTU, _MASTER = 3, 4, 10  # IFLA_IFNAME, IFLA_MTU, IFLA_MASTER
_UP = 1
_RCVBUFFORCE = 33  # SO_RCVBUFFORCE, which Python's socket module lacks
_HEADER = struct.Struct("=IHHII")
_LINK = struct.Struct("=BxHiII")
_ATTRIBUTE = struct.Struct("=HH")
_PART_BYTES = 1 << 16
_BUFFER_BYTES = 4 << 20  # a change of many devices tells of each several times


class Device(NamedTuple):
    """A device that a plan has: what it is called, and whether its state is watched, not only that it is there."""

    part: str
    state: bool = True


@dataclass
class _State:
    """What was last heard of a device."""

    up: bool
    mtu: int
    master: int  # the bridge that it is a port of; 0: none


class DeviceWatch:
    """Watches devices in the network namespace of the thread that makes it, and which others become ports of theirs.

    Example:
        ``for part, how, is_so in watch.heard(): ...``: a part is, or is no longer, removed, down, or of another MTU.
    """

    def __init__(self) -> None:
        self._socket = socket.socket(
            socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, socket.NETLINK_ROUTE
        )
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, _RCVBUFFORCE, _BUFFER_BYTES)
        except PermissionError:  # root of a user namespace; what overflows is looked up: see `heard`
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER_BYTES)
        self._socket.bind((0, _GROUP_LINK))
        self._socket.setblocking(False)
        self._devices: dict[str, Device] = {}
        self._made: dict[str, _State] = {}  # as they were when they became known
        self._now: dict[str, _State | None] = {}
        self._names: dict[int, str] = {}
        self._ours: dict[int, str] = {}  # by number, the devices that are watched
        self._masters: dict[int, int] = {}  # of all others, by number, the bridge that each is a port of

    def fileno(self) -> int:
        """The socket."""
        return self._socket.fileno()

    def expect(self, devices: Mapping[str, Device]) -> None:
        """These are there from now on, as they are now, and no others are watched."""
        for name in self._devices.keys() - devices.keys():
            self._made.pop(name, None)
            self._now.pop(name, None)
        self._devices = dict(devices)
        self._names, self._ours, self._masters = {}, {}, {}
        for _ in self.heard():  # what was done until now is as it should be
            pass
        self._made, self._now = {}, {}
        self._ask()
        for _ in self.heard():
            pass

    def heard(self) -> Iterator[tuple[str, str, bool]]:
        """What has happened since the last call: the part, how it is, and whether it is so or no longer."""
        while True:
            try:
                data = self._socket.recv(_PART_BYTES)
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno != errno.ENOBUFS:
                    raise
                self._names = {}
                self._ask()  # some was lost: all that is there is told anew
                continue
            yield from self._read(data)

    def close(self) -> None:
        """Watch no longer."""
        self._socket.close()

    def _ask(self) -> None:
        request = _HEADER.pack(_HEADER.size + _LINK.size, _GET_LINK, _REQUEST_DUMP, 0, 0)
        self._socket.send(request + _LINK.pack(0, 0, 0, 0, 0))

    def _read(self, data: bytes) -> Iterator[tuple[str, str, bool]]:
        at = 0
        while at + _HEADER.size <= len(data):
            length, kind, *_ = _HEADER.unpack_from(data, at)
            if (
                kind in (_NEW_LINK, _DEL_LINK) and data[at + _HEADER.size] == socket.AF_UNSPEC
            ):  # not a bridge's own
                _, _, index, flags, _ = _LINK.unpack_from(data, at + _HEADER.size)
                words = dict(_attributes(data, at + _HEADER.size + _LINK.size, at + length))
                name = words.get(_NAME, b"").rstrip(b"\0").decode(errors="replace")
                mtu, master = (_number(words.get(key)) for key in (_MTU, _MASTER))
                state = None if kind == _DEL_LINK else _State(bool(flags & _UP), mtu, master)
                before = self._names.get(index, name)
                if state is not None:
                    self._names[index] = name
                if before != name:  # it was given another name
                    yield from self._told(before, None)
                yield from self._told(name, state)
                yield from self._given(index, name, 0 if state is None else state.master)
            elif kind == _DONE:
                missing = [name for name in self._made if name not in self._names.values()]
                for name in missing:
                    yield from self._told(name, None)
            at += (length + 3) & ~3

    def _told(self, name: str, state: _State | None) -> Iterator[tuple[str, str, bool]]:
        device = self._devices.get(name)
        if device is None:
            return
        if (made := self._made.get(name)) is None:
            if state is not None:
                self._made[name] = self._now[name] = state
            return
        before, self._now[name] = self._now.get(name), state
        if state is None:
            if before is not None:
                yield device.part, "was removed", True
            return
        if before is None:
            yield device.part, "was removed", False
            before = made
        if not device.state:
            return
        if state.up != before.up and made.up:
            yield device.part, "was set down", not state.up
        if state.master != before.master and made.master:
            yield device.part, "was taken out of its bridge", state.master != made.master
        if state.mtu != before.mtu:
            for mtu, is_so in ((before.mtu, False), (state.mtu, True)):
                if mtu != made.mtu:
                    yield device.part, f"was given an MTU of {mtu} instead of {made.mtu} bytes", is_so

    def _given(self, index: int, name: str, master: int) -> Iterator[tuple[str, str, bool]]:
        """A device that is not of the plan has become a port of a bridge that is, or is so no longer."""
        if name in self._devices:
            self._ours[index] = name
            return
        before = self._masters.pop(index, 0)
        if master:
            self._masters[index] = master
        if before != master:
            for bridge, is_so in ((before, False), (master, True)):
                if bridge in self._ours:
                    part = self._devices[self._ours[bridge]].part
                    yield part, f"was given the port {name}", is_so


def _number(value: bytes | None) -> int:
    return 0 if value is None else int(struct.unpack("=I", value)[0])


def _attributes(data: bytes, at: int, end: int) -> Iterator[tuple[int, bytes]]:
    while at + _ATTRIBUTE.size <= end:
        length, kind = _ATTRIBUTE.unpack_from(data, at)
        if length < _ATTRIBUTE.size:
            return
        yield kind & 0x3FFF, data[at + _ATTRIBUTE.size : at + length]
        at += (length + 3) & ~3


def devices_of(plan: MachinePlan) -> dict[str, Device]:
    """The devices that a machine plan has in the machine's own network namespace, by name, and what each is.

    A simulated OpenFlow switch sets portals' devices down while a port of it is: of those only that they are there.
    """
    outside = {host["name"] for host in plan["hosts"] if host.get("in_namespace") is False}
    inside = {host["name"] for host in plan["hosts"]} - outside
    obeying = any(node["kind"] == "openflow" for each in plan["instances"] for node in each["nodes"])
    found: dict[str, Device] = {}
    for node in plan.get("nodes", ()):
        if (kind := switch_kind(node["kind"])).is_device:
            found[node["name"]] = Device(f"{kind.title} {node['name']}")
    for pair in plan["pairs"]:
        if pair["kind"] == "veth":
            for end in (pair["a"], pair["b"]):
                if end["node"] not in inside:
                    # A host without a namespace of its own sets its interfaces up and down as it likes.
                    state = end["node"] not in outside
                    found[end["interface"]] = Device(f"port {end['interface']} of {end['node']}", state)
    for portal in plan["portals"]:
        found[portal["device"]] = Device(f"device {portal['device']} of portal {portal['name']}", not obeying)
        if portal["node"] not in inside:
            state = portal["node"] not in outside and not obeying
            found[portal["interface"]] = Device(f"port {portal['interface']} of {portal['node']}", state)
    for crossing in plan.get("crossings", ()):
        for device in crossing_devices(crossing):
            found[device] = Device(f"device {device} of a cut link")
    return found
