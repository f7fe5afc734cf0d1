# SPDX-License-Identifier: MIT
"""Bridges of the Linux kernel: they learn by themselves, and know no controller."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hybridnet.agent.hosts.pairs import delete_each, delete_links, keep_stack_out, mark
from hybridnet.describe.kinds import KindOption, SwitchKind
from hybridnet.describe.schema.plans import NodePlan
from hybridnet.describe.topo.switch_options import priority, spanning_tree
from hybridnet.describe.values import shown
from hybridnet.errors import TopologyError, UsageError
from hybridnet.run.node import Switch
from hybridnet.system.command import ip_batch
from hybridnet.system.journal import Journal, network_namespace

__all__ = ["LINUX", "LinuxBridge", "LinuxBridges"]


class LinuxBridges:
    """Makes and removes the Linux bridges of one machine."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._bridges: dict[str, None] = {}  # in order

    def create(self, nodes: Sequence[NodePlan]) -> None:
        """Make bridges, without ports. Raises MachineError: the kernel refuses one."""
        for node in nodes:
            self._journal.record("link", name=node["name"], network=network_namespace())
            self._bridges[node["name"]] = None
        ip_batch(self.line_of(node) for node in nodes)
        ip_batch(mark(node["name"], self._journal) for node in nodes)
        keep_stack_out([node["name"] for node in nodes])
        ip_batch(f"link set dev {node['name']} up" for node in nodes)

    def line_of(self, node: NodePlan) -> str:
        """What ``ip -batch`` is told to make a bridge."""
        stp, prio = node["options"].get("stp"), node["options"].get("prio")
        # Without the protocol a port forwards at once; with it, after twice the forward delay, which stays the usual.
        return (
            f"link add name {node['name']} type bridge mcast_snooping 0 stp_state {int(stp is not None)}"
            + ("" if stp else " forward_delay 0")
            + ("" if prio is None else f" priority {prio}")
        )

    def add_ports(self, switch: str, devices: Sequence[str]) -> None:
        """Make devices ports of a bridge."""
        ip_batch(f"link set dev {device} master {switch}" for device in devices)

    def remove(self, names: Sequence[str]) -> None:
        """Remove bridges. One that is not there is no error."""
        ours = [name for name in names if name in self._bridges]
        delete_each(ours, self._journal)
        for name in ours:
            del self._bridges[name]

    def destroy(self) -> None:
        """Remove them all; their ports are the pairs'."""
        delete_links(list(self._bridges), self._journal)
        self._bridges = {}


class LinuxBridge(Switch):
    """A bridge of the Linux kernel, which learns by itself; `stp` and `prio` are its options."""

    kind = "linux"

    def described(self) -> dict[str, object]:
        """The options with which it is built."""
        return self.params

    def connected(self) -> bool:
        """Whether it forwards: at once, or once the spanning tree protocol has settled."""
        said = self.execute(["ip", "-json", "-details", "link", "show", "master", self.name])
        states = [
            link["linkinfo"]["info_slave_data"]["state"] for link in json.loads(said) if link.get("linkinfo")
        ]
        return "forwarding" in states and not {"listening", "learning"} & set(states)

    def dpctl(self, *args: Any) -> str:
        """Refuse: it speaks no OpenFlow. Raises UsageError."""
        raise UsageError(f"switch {self.name}: a Linux bridge has no flows; use cmd('bridge fdb')")


def _spanning_tree(value: Any, what: str) -> str | None:
    tree = spanning_tree(value, what)
    if tree == "rstp":
        raise TopologyError(f"{what} {shown(value)}: a Linux bridge has no rstp; write stp=True")
    return tree


LINUX = SwitchKind(
    name="linux",
    title="Linux bridge",
    maker=LinuxBridges,
    live=LinuxBridge,
    options={
        "stp": KindOption(_spanning_tree, "it runs the kernel's spanning tree protocol", "flag"),
        "prio": KindOption(
            priority, "priority in that protocol, 0 to 65535; the lowest is the root", "count"
        ),
    },
)
