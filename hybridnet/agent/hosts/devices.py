# SPDX-License-Identifier: MIT
"""Devices of the computer that a network borrows: ports of switches, interfaces of hosts, portals of the instance.

A device is taken from the computer's network namespace to where it is used, without its addresses, and given back with
them at the end. The journal has what it was like. A physical device comes back to the computer even if its machine is
killed; the kernel removes a virtual one (veth, dummy) with a namespace that it was lent to.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hybridnet.agent.hosts.host_namespaces import NETWORK_DIRECTORY
from hybridnet.agent.hosts.hosts import Hosts
from hybridnet.agent.hosts.pairs import keep_stack_out
from hybridnet.describe.schema.elements import nodes_of
from hybridnet.describe.schema.plans import Fragment, HostPlan, NodePlan, SwitchPlan
from hybridnet.errors import MachineError
from hybridnet.system import devices
from hybridnet.system.command import ip_batch
from hybridnet.system.device_features import DeviceFeatures
from hybridnet.system.ending import Endings
from hybridnet.system.journal import DeviceState, Journal, network_namespace

OPENVSWITCH, OTHER, HOST = "openvswitch", "other", "host"


@dataclass(frozen=True)
class _Lent:
    node: str  # empty: the simulator
    kind: str
    state: DeviceState  # what the device was like
    prefix: list[str]  # what enters where it is


class Devices:
    """Those of one machine."""

    def __init__(
        self,
        journal: Journal,
        hosts: Hosts,
        outside: int | None,
        vsctl: Callable[..., object],
        add_port: Callable[[str, str], object],
    ) -> None:
        """
        Args:
            outside: a descriptor of the computer's network namespace, if the machine has another one.
            vsctl: runs a command of `ovs-vsctl`.
            add_port: makes a device a port of another switch, whose name is the first argument.
        """
        self._journal = journal
        self._vsctl, self._add_port = vsctl, add_port
        self._hosts = hosts
        self._network = network_namespace() if outside is None else os.fstat(outside).st_ino
        self._home = "" if outside is None else f"/proc/{os.getpid()}/fd/{outside}"
        self._lent: dict[str, _Lent] = {}
        self._features: dict[str, DeviceFeatures] = {}  # of those that the instance reads

    def take_all(self, fragment: Fragment) -> None:
        """Take what a fragment of a machine plan says, once its nodes are there."""
        kinds: tuple[tuple[str, Sequence[HostPlan | SwitchPlan | NodePlan]], ...] = (
            (HOST, fragment["hosts"]),
            (OPENVSWITCH, fragment["switches"]),
            (OTHER, fragment["nodes"]),
        )
        for kind, nodes in kinds:
            for node in nodes:
                for device in node.get("devices", []):
                    self.take(device, node["name"], kind)
        for device in fragment.get("devices", []):
            self.take(device)

    def give_all_back(self, fragment: Fragment) -> None:
        """Give back what a fragment says, as far as it is taken. Whatever one raises, all are tried."""
        names = [
            *fragment.get("devices", []),
            *(device for node in nodes_of(fragment) for device in node.get("devices", [])),
        ]
        Endings(*(lambda name=name: self.give_back(name) for name in names if name in self._lent)).close()

    def take(self, device: str, node: str = "", kind: str = "") -> None:
        """Take a device, and give it to a node; without one it stays with the machine, for the instance.

        Raises:
            MachineError: it does not exist, is lent already, or is needed by the computer.
        """
        if device in self._lent:
            raise MachineError(
                f"device {device} is already lent to {self._lent[device].node or 'the simulator'}"
            )
        home = self._prefix(self._home)
        state = devices.state_of(device, home)
        inside = kind == HOST and bool(self._hosts.namespace(node))
        where = (
            f"{NETWORK_DIRECTORY}/{node}" if inside else f"/proc/{os.getpid()}/ns/net" if self._home else ""
        )
        self._journal.record("device", name=device, network=self._network, state=state, where=where)
        prefix = self._prefix(where) if inside else []
        self._lent[device] = _Lent(node, kind, state, prefix)  # from here on it is given back
        devices.empty(device, home)
        if where:
            ip_batch([f"link set dev {device} netns {where}"], prefix=home)
        if kind != HOST:
            keep_stack_out([device])
        if not kind:  # a portal changes offloads, and cannot put them back if it is killed
            self._features[device] = DeviceFeatures([device])
        ip_batch([f"link set dev {device} up"], prefix=prefix)
        if kind == OPENVSWITCH:
            self._vsctl("add-port", node, device)
        elif kind == OTHER:
            self._add_port(node, device)

    def give_back(self, device: str) -> None:
        """Give a device back to the computer, as it was."""
        lent = self._lent[device]
        prefix = lent.prefix
        if lent.kind == OPENVSWITCH:  # which may have ended, and the port with it
            with contextlib.suppress(MachineError):
                self._vsctl("--if-exists", "del-port", lent.node, device, timeout_s=5)
        if (features := self._features.pop(device, None)) is not None:
            features.put_back()
        if devices.exists(device, prefix):
            ip_batch([f"link set dev {device} nomaster"], prefix=prefix)
            if self._home or prefix:
                ip_batch(
                    [f"link set dev {device} netns {self._home or f'/proc/{os.getpid()}/ns/net'}"],
                    prefix=prefix,
                )
            devices.restore(device, lent.state, self._prefix(self._home))
        self._journal.gone("device", name=device, network=self._network)
        del self._lent[device]

    def destroy(self) -> None:
        """Give all back, once no switch has them. Whatever one raises, all are tried."""
        Endings(*(lambda name=name: self.give_back(name) for name in self._lent)).close()

    @staticmethod
    def _prefix(namespace: str) -> list[str]:
        return ["nsenter", f"--net={namespace}", "--"] if namespace else []
