# SPDX-License-Identifier: MIT
"""The network between local machines and the head: a bridge in a network namespace of its own.

::

    head (hn…, 198.18.x.254) ──┐
    m1   (eth0, 198.18.x.1)  ──┤ bridge, MTU 1600: frames of 1500 bytes fit into a tunnel
    m2   (eth0, 198.18.x.2)  ──┘

Nothing but this joins the machines. Addresses are out of 198.18.0.0/15, which RFC 2544 sets aside for tests; each run
takes a /24 that this computer has no route to, so several runs do not meet.

The namespace has no name and no process: the head holds it open. When the head ends, for whatever reason, the kernel
removes the bridge and every cable.
"""

from __future__ import annotations

import contextlib
import ctypes
import ipaddress
import json
import os
import secrets
import threading
from pathlib import Path

from hybridnet.errors import EnvironmentLackError, HybridnetError, MachineError
from hybridnet.machines.workers.lines import Cable
from hybridnet.system.command import ip_batch, run
from hybridnet.system.ending import Endings, undone_on_error
from hybridnet.system.journal import Journal, network_namespace
from hybridnet.system.locks import lock_what_others_can_open

CLONE_NEWNET = 0x40000000
ADDRESSES = ipaddress.IPv4Network("198.18.0.0/15")
MTU = 1600
DEVICE = "eth0"  # of every machine
MACHINES_LIMIT = 250
HEAD_HOST_NUMBER = 254
_FREE = ""  # a place that a machine has left


class Fabric:
    """The cables of one run's local machines."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._network = network_namespace()
        self._descriptor = _new_network_namespace()
        self._path = f"/proc/{os.getpid()}/fd/{self._descriptor}"
        self.device = f"hn{secrets.token_hex(5)}"
        self._machines: list[str] = []
        with undone_on_error(self.close):
            self._build()

    @property
    def head_address(self) -> str:
        """The head's address on the fabric."""
        return str(self._subnet[HEAD_HOST_NUMBER])

    def plug_in(self, machine: str, init_pid: int) -> Cable:
        """Connect a cable to the machine whose init is `init_pid`. Returns the device and address that it must
        configure: one that returns has those that it had.
        """
        if machine in self._machines:
            self._unplug(machine)
        elif _FREE in self._machines:
            self._machines[self._machines.index(_FREE)] = machine
        elif len(self._machines) >= MACHINES_LIMIT:
            raise MachineError(f"machine {machine}: a run has at most {MACHINES_LIMIT} local machines")
        else:
            self._machines.append(machine)
        number = self._machines.index(machine) + 1
        ip_batch(
            [
                f"link add name port{number} mtu {MTU} type veth peer name {DEVICE} mtu {MTU} netns {init_pid}",
                f"link set dev port{number} master fabric",
                f"link set dev port{number} up",
            ],
            prefix=self._inside,
        )
        return {"device": DEVICE, "address": f"{self._subnet[number]}/{self._subnet.prefixlen}"}

    def unplug(self, machine: str) -> None:
        """Remove the cable of a machine that has left; another may have its place. None is no error."""
        if machine in self._machines:
            self._unplug(machine)
            self._machines[self._machines.index(machine)] = _FREE

    def close(self) -> None:
        """Remove the bridge and the cables. Idempotent; errors are collected, and every part is ended."""
        Endings(self._forget, self._let_go, self._remove_device).close()

    def _unplug(self, machine: str) -> None:
        """Remove the cable of a machine that has ended: the kernel does that some time after its last process."""
        port = f"port{self._machines.index(machine) + 1}"
        with contextlib.suppress(MachineError):  # it was faster; what else goes wrong, `plug_in` says
            run([*self._inside, "ip", "link", "del", "dev", port])

    def _remove_device(self) -> None:
        """The kernel takes a namespace down some time after its last user is gone; our own device goes now."""
        device = Path(f"/sys/class/net/{self.device}")
        if device.exists():
            try:
                run(["ip", "link", "del", "dev", self.device])
            except HybridnetError:
                if device.exists():  # else the kernel was faster
                    raise

    def _let_go(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _forget(self) -> None:
        self._journal.gone("link", name=self.device, network=self._network)

    @property
    def _inside(self) -> list[str]:
        return ["nsenter", f"--net={self._path}", "--"]

    def _build(self) -> None:
        ip_batch(
            [
                "link set dev lo up",
                f"link add name fabric mtu {MTU} type bridge stp_state 0 forward_delay 0 mcast_snooping 0",
                "link set dev fabric up",
            ],
            prefix=self._inside,
        )
        self._journal.record("link", name=self.device, network=self._network)
        # Two runs that start at once would find the same addresses free, so they take turns: all those of this
        # network namespace, whichever state directories they have.
        lock = os.open("/proc/self/ns/net", os.O_RDONLY)
        try:
            lock_what_others_can_open(lock, "this network namespace")
            self._subnet = _free_subnet()
            ip_batch(
                [
                    f"link add name {self.device} mtu {MTU} type veth peer name head mtu {MTU} netns {self._path}",
                    f"link set dev {self.device} alias {self._journal.alias()}",
                    f"addr add {self.head_address}/{self._subnet.prefixlen} dev {self.device}",
                    f"link set dev {self.device} up",
                ]
            )
        finally:
            os.close(lock)
        ip_batch(["link set dev head master fabric", "link set dev head up"], prefix=self._inside)


def _free_subnet() -> ipaddress.IPv4Network:
    """A /24 that no address and no route of this computer, except a default route, overlaps."""
    taken = []
    for route in json.loads(run(["ip", "-json", "-4", "route", "show", "table", "all"])):
        if route["dst"] != "default":
            taken.append(ipaddress.IPv4Network(route["dst"], strict=False))
    for subnet in ADDRESSES.subnets(new_prefix=24):
        if not any(subnet.overlaps(network) for network in taken):
            return subnet
    raise EnvironmentLackError(
        f"every /24 of {ADDRESSES} is in use on this computer (ip route); end other runs: hybridnet clean"
    )


def _new_network_namespace() -> int:
    """A descriptor of a new network namespace. Only a separate thread enters it, so the head stays where it is."""
    answer: list[int | OSError] = []

    def make() -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.unshare(CLONE_NEWNET) != 0:
            error = ctypes.get_errno()
            answer.append(OSError(error, os.strerror(error)))
        else:
            answer.append(os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC))

    thread = threading.Thread(target=make)
    thread.start()
    thread.join()
    if isinstance(answer[0], OSError):
        raise EnvironmentLackError(
            f"a network namespace cannot be made ({answer[0].strerror}); local machines need root (sudo)"
        )
    return answer[0]
