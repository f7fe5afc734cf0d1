# SPDX-License-Identifier: MIT
"""A wire: two network interfaces of this namespace, joined by one simulated link.

::

    A ── portal ── link, each direction with its rate, delay and queue ── portal ── B

What netem, dummynet or TLEM are used for, without a kernel module: frames that arrive at one interface leave at the
other. It is one instance with two emulation portals, in a process of its own, like those of a network's machines. While
it runs its socket lies in the state directory, so that another process can find it by its name and change it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import socket
import struct
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from hybridnet.agent.device_features import DeviceFeatures
from hybridnet.agent.instance_process import InstanceProcess
from hybridnet.cleaning import remove_run_directory
from hybridnet.errors import EnvironmentLackError, MachineError, UsageError
from hybridnet.journal import Journal, state_directory
from hybridnet.results import Limits, Verdict, judge
from hybridnet.wire_options import DEFAULTS, changes_of
from hybridnet.wire_report import direction_figures, portal_drops, portal_notes

__all__ = ["BACKENDS", "Wire", "set_wire", "wire_plan"]

BACKENDS = ("packet", "pcap", "tap", "xdp")
LINK = "wire"
_NAME = re.compile(r"[A-Za-z0-9_.:@-]{1,40}")
_SOCKET_PATH_BYTES = 107
_SIOCGIFFLAGS, _IFF_UP = 0x8913, 1  # netdevice(7)


def wire_plan(
    a: str,
    b: str,
    *,
    name: str,
    forward: Mapping[str, Any],
    backward: Mapping[str, Any],
    backend: str = "packet",
    portal_options: Mapping[str, Any] | None = None,
    realtime: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The instance plan (``schema/instance.json``) of a wire from interface ``a`` to ``b``.

    Args:
        forward, backward: the directions a to b and b to a, with all keys of the schema.
        portal_options: of both portals; see docs/portals.md.
        realtime: what differs from the defaults.
    """
    return {
        "format": 1,
        "name": name,
        "seed": 1,
        "token": "0" * 16,  # no peers, no datagrams
        "nodes": [],
        "emulation_portals": [
            {"name": device, "device": device, "backend": backend, "options": dict(portal_options or {})}
            for device in (a, b)
        ],
        "peers": [],
        "links": [
            {
                "name": LINK,
                "a": {"portal": a},
                "b": {"portal": b},
                "a_to_b": dict(forward),
                "b_to_a": dict(backward),
            }
        ],
        "captures": [],
        "realtime": {
            "policy": "best_effort",
            "lateness_limit_ns": 1_000_000,
            "spin_ns": 0,
            "cpu": None,
            "fifo_priority": 10,
            **(realtime or {}),
        },
    }


class Wire:
    """Joins two interfaces of this network namespace by a simulated link, until it is closed.

    Args:
        a, b: names of the interfaces.
        rate: of each direction, text with its unit; None: no limit.
        delay: propagation delay of each direction, text with its unit; at least 0.
        queue: what may wait for the wire, ``100`` packets or ``"150 kB"``; default 1000 packets.
        overhead: added to every frame on the wire, ``"24 B"`` for Ethernet in full; default 0.
        train_limit: how long a train of segments may hold the wire at once; ``"0"``: single segments, exact.
            Default 50 us.
        forward, backward: the same options for the direction a to b, or b to a, alone; they go first.
        backend: ``packet``, ``pcap``, ``tap`` or ``xdp``: how frames are read and written; ``tap`` makes
            interfaces that are not there.
        portal_options: of both portals; see docs/portals.md.
        realtime: of the instance, as in an instance plan.
        name: by which ``hybridnet wire set`` finds it; default ``A-B``.
        limits: what the verdict tolerates.

    Raises:
        UsageError, UnitError: an option makes no sense, or a wire of this name exists.
        EnvironmentLackError: not root, or there is no such interface here, or it is down.
        MachineError: the instance did not start; the message has its own words.

    Example::

        with hybridnet.Wire("eth1", "eth2", rate="100 Mbit/s", delay="10 ms") as wire:
            ...
            wire.set(rate="10 Mbit/s")
        print(wire.verdict)
    """

    def __init__(
        self,
        a: str,
        b: str,
        *,
        rate: object = None,
        delay: object = None,
        queue: object = None,
        overhead: object = None,
        train_limit: object = None,
        forward: Mapping[str, object] | None = None,
        backward: Mapping[str, object] | None = None,
        backend: str = "packet",
        portal_options: Mapping[str, Any] | None = None,
        realtime: Mapping[str, Any] | None = None,
        name: str | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.a, self.b = a, b
        self.name = name or f"{a}-{b}"
        self.verdict: Verdict | None = None
        self._limits = limits or Limits()
        what = f"wire {self.name}"
        common = changes_of(
            {"rate": rate, "delay": delay, "queue": queue, "overhead": overhead, "train_limit": train_limit},
            what,
        )
        self._directions = {
            key: {**DEFAULTS, **common, **changes_of(own or {}, f"{what}, {word}")}
            for key, word, own in (("a_to_b", "forward", forward), ("b_to_a", "backward", backward))
        }
        self._check(backend)
        plan = wire_plan(
            a,
            b,
            name=self.name,
            forward=self._directions["a_to_b"],
            backward=self._directions["b_to_a"],
            backend=backend,
            portal_options=portal_options,
            realtime=realtime,
        )
        self._journal = Journal.create()
        self._process: InstanceProcess | None = None
        self._features = DeviceFeatures((a, b))
        try:
            directory = self._journal.directory / f"wire-{self.name}"
            if len(os.fsencode(directory)) + len("/instance.sock") > _SOCKET_PATH_BYTES:
                raise EnvironmentLackError(
                    f"{what}: the path of its socket in {directory} is too long for Unix; "
                    "set HYBRIDNET_STATE_DIR to a shorter one"
                )
            self._process = InstanceProcess(plan, self._journal, directory, directory)
            self._first = self._last = self._process.ask("snapshot")
        except BaseException:
            self.close()
            raise

    def set(
        self,
        *,
        forward: Mapping[str, object] | None = None,
        backward: Mapping[str, object] | None = None,
        **options: object,
    ) -> None:
        """Changes what is given (rate, delay, queue, overhead, train_limit), in both directions or in one.

        Nothing in flight is lost or overtaken: what waits goes on at the new rate, what was accepted keeps its delay.
        """
        if self._process is None:
            raise UsageError(f"wire {self.name}: it is closed and cannot be changed")
        self._process.ask("set_link", **_set_request(self.name, options, forward, backward))

    @property
    def directions(self) -> dict[str, dict[str, Any]]:
        """What holds now, ``a_to_b`` and ``b_to_a``, with the keys of an instance plan; at the end: what held last."""
        if self._process is not None:  # somebody else may have changed it
            self._directions.update(self._process.ask("set_link", link=LINK))
        return {key: dict(self._directions[key]) for key in ("a_to_b", "b_to_a")}

    def snapshot(self) -> dict[str, Any]:
        """Every counter of the instance, now.

        Raises:
            MachineError: the instance has ended; the message has its last words.
        """
        if self._process is not None:
            self._last = self._process.ask("snapshot")
        return self._last

    def close(self) -> None:
        """Ends the wire, puts the interfaces' settings back, and judges: afterwards `verdict` is there."""
        process, self._process = self._process, None
        try:
            if process is not None:
                with contextlib.suppress(MachineError):  # it has ended: stop() says how
                    self._directions.update(process.ask("set_link", link=LINK))
                final = process.stop()
                if final is None:
                    self._features.put_back()  # what was killed did not
                    raise MachineError(f"wire {self.name}: its instance ended before it was asked to")
                self._last = final
                self.verdict = judge([([self._first], [self._last])], self._limits)
        finally:
            self._journal.close()
            remove_run_directory(self._journal.directory)

    def to_json(self) -> dict[str, Any]:
        """What passed since the start, and the verdict if it is closed."""
        seconds = (self._last["time_ns"] - self._first["time_ns"]) / 1e9
        return {
            "name": self.name,
            "seconds": seconds,
            "directions": {
                key: {"from": source, "to": target, **self._directions[key]}
                | direction_figures(self._first, self._last, source)
                for key, source, target in (("a_to_b", self.a, self.b), ("b_to_a", self.b, self.a))
            },
            "portal_drops": portal_drops(self._first, self._last),
            "notes": portal_notes(self._last),
            "verdict": None if self.verdict is None else self.verdict.to_json(),
        }

    def __enter__(self) -> Wire:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check(self, backend: str) -> None:
        what = f"wire {self.name}"
        if not _NAME.fullmatch(self.name):
            raise UsageError(
                f"{what}: the name may have letters, figures and _.:@-, 40 at most; give another"
            )
        if backend not in BACKENDS:
            raise UsageError(f"{what}: there is no portal {backend!r}; there are {', '.join(BACKENDS)}")
        if self.a == self.b:
            raise UsageError(f"{what}: both ends are {self.a}; a wire joins two interfaces")
        if os.geteuid() != 0:
            raise EnvironmentLackError(f"{what}: reading and writing frames needs root; run it with sudo")
        for device in (self.a, self.b) if backend != "tap" else ():  # which makes what is not there
            try:
                socket.if_nametoindex(device)
            except OSError:
                raise EnvironmentLackError(
                    f"{what}: there is no interface {device} in this network namespace; `ip link` lists what there is"
                ) from None
            if not _is_up(device):
                raise EnvironmentLackError(
                    f"{what}: interface {device} is down and carries nothing; `ip link set dev {device} up`"
                )
        if _reachable(self.name) is not None:
            raise UsageError(
                f"{what}: a wire of this name runs already; end it, or give this one another name"
            )


def _is_up(device: str) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        answer = fcntl.ioctl(any_socket, _SIOCGIFFLAGS, struct.pack("16sH22x", device.encode(), 0))
    (flags,) = struct.unpack_from("H", answer, 16)
    return bool(flags & _IFF_UP)


def set_wire(
    name: str,
    *,
    forward: Mapping[str, object] | None = None,
    backward: Mapping[str, object] | None = None,
    **options: object,
) -> dict[str, Any]:
    """Changes a wire that another process of this computer runs, as `Wire.set` does.

    Returns:
        What holds now: ``a_to_b`` and ``b_to_a`` with the keys of an instance plan.

    Raises:
        UsageError: there is no wire of this name, or nothing to change is given.
    """
    request = {"verb": "set_link", **_set_request(name, options, forward, backward)}
    connection = _reachable(name)
    if connection is None:
        raise UsageError(
            f"wire {name}: there is none of this name; there are {', '.join(_names()) or 'none'}"
        )
    with connection, connection.makefile("rwb") as lines:
        lines.write(json.dumps(request).encode() + b"\n")
        lines.flush()
        answer: dict[str, Any] = json.loads(lines.readline() or b'{"error": "it has just ended"}')
    if "error" in answer:
        raise MachineError(f"wire {name}: {answer['error']}")
    return answer


def _set_request(
    name: str,
    options: Mapping[str, object],
    forward: Mapping[str, object] | None,
    backward: Mapping[str, object] | None,
) -> dict[str, Any]:
    what = f"wire {name}"
    common = changes_of(options, what)
    request = {
        key: {**common, **changes_of(own or {}, f"{what}, {word}")}
        for key, word, own in (("a_to_b", "forward", forward), ("b_to_a", "backward", backward))
    }
    if not any(request.values()):
        raise UsageError(f"{what}: nothing to change is given; give for example --rate or --delay")
    return {"link": LINK, **request}


def _sockets() -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    for path in state_directory().glob("*/wire-*/instance.sock"):
        found.setdefault(path.parent.name.removeprefix("wire-"), []).append(path)
    return found


def _names() -> list[str]:
    names = []
    for name in sorted(_sockets()):
        if (connection := _reachable(name)) is not None:
            connection.close()
            names.append(name)
    return names


def _reachable(name: str) -> socket.socket | None:
    """A connection to the wire of this name; a socket that nobody serves was left by one that was killed."""
    for path in _sockets().get(name, []):
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(20.0)
        try:
            connection.connect(str(path))
            return connection
        except OSError:
            connection.close()
    return None
