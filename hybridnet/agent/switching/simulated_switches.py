# SPDX-License-Identifier: MIT
"""The OpenFlow switches that a machine's instance simulates, as the agent sees them: their names, and the sockets by
which `ovs-ofctl` finds them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from hybridnet.describe.schema.plans import InstancePlan, SimulatedNode
from hybridnet.errors import MachineError
from hybridnet.system.journal import Journal

__all__ = ["SimulatedSwitches", "simulated_link"]


class SimulatedSwitches:
    """Those of one machine.

    Args:
        own_files: whether ``/run`` is the machine's own; if not, the sockets are journaled.
    """

    def __init__(self, journal: Journal, *, own_files: bool) -> None:
        self._journal = journal
        self._own_files = own_files
        self._sockets: dict[str, list[Path]] = {}  # by switch

    def __len__(self) -> int:
        return len(self._sockets)

    def __contains__(self, name: object) -> bool:
        return name in self._sockets

    def expect(self, nodes: list[SimulatedNode]) -> None:
        """The instance is about to make these nodes: their sockets need a directory."""
        for node in _switches(nodes):
            listens = node["openflow"]["listens"]
            paths = [Path(at.removeprefix("unix:")) for at in listens if at.startswith("unix:")]
            for path in paths:
                path.parent.mkdir(parents=True, exist_ok=True)
                if not self._own_files:
                    self._journal.record("file", path=str(path))
            self._sockets[node["name"]] = paths

    def forget(self, nodes: list[SimulatedNode] | None = None) -> None:
        """The instance has removed these, or has ended: what it left of the sockets goes."""
        names = list(self._sockets) if nodes is None else [node["name"] for node in _switches(nodes)]
        for name in names:
            for path in self._sockets.pop(name, []):
                path.unlink(missing_ok=True)
                if not self._own_files:
                    self._journal.gone("file", path=str(path))


def simulated_link(instances: Iterable[InstancePlan], node: str, interface: str) -> tuple[str, str]:
    """The instance and the name of the link at an interface of a simulated switch.

    Raises:
        MachineError: there is none.
    """
    for part in instances:
        for link in part["links"]:
            if {"interface": interface} in (link["a"], link["b"]):
                return part["name"], link["name"]
    raise MachineError(
        f"switch {node}: it has no interface {interface} with a link; `intfs` of the prompt lists them"
    )


def _switches(nodes: list[SimulatedNode]) -> Iterator[SimulatedNode]:
    return (node for node in nodes if node["kind"] == "openflow")
