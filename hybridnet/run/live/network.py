# SPDX-License-Identifier: MIT
"""What the page needs of a running network; `hybridnet.Net` has it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from hybridnet.describe.topo import LinkSpec, NodeSpec, Topo
from hybridnet.describe.values import nearest, plain
from hybridnet.errors import MachineError, UsageError
from hybridnet.machines.cluster import Machines
from hybridnet.observe.results.machines import Counters
from hybridnet.observe.results.verdict import Verdict
from hybridnet.plan.network import Plan
from hybridnet.plan.network.links import LinkPlan
from hybridnet.run.node import Node

_SHOWN = 10  # names, in an error

__all__ = ["Live", "Network", "UnknownNameError"]


class UnknownNameError(UsageError):
    """There is no node, link, capture or flow of that name."""


def no_such_link(name: str, names: Collection[str]) -> UnknownNameError:
    """The error for a name that is none of the links', with the one that was meant: perhaps its other direction."""
    other_way = "-".join(reversed(name.split("-")))
    near = other_way if other_way in names else nearest(name, names)
    meant = (
        f"did you mean {near}?"
        if near
        else f"there are {', '.join([*names][:_SHOWN])}{', …' * (len(names) > _SHOWN)}"
    )
    return UnknownNameError(f"link {plain(name)}: there is no such link; {meant}")


class Network(Protocol):
    """A `hybridnet.Net` that runs."""

    topo: Topo
    plan: Plan | None

    @property
    def cluster(self) -> Machines:
        """Its machines."""

    @property
    def nameToNode(self) -> dict[str, Any]:
        """Its live nodes and controllers."""

    def set_link(self, src: str, dst: str, key: int | None = None, **options: Any) -> None:
        """Change a link."""

    def configLinkStatus(self, src: str, dst: str, status: str) -> None:
        """Set the links between two nodes up or down."""


@dataclass(frozen=True)
class Live:
    """A network, and what its page asks beside its public methods.

    Args:
        judge: the verdict, given what the agents' verb `counters` answered.
        down: the names of the links that are down.
        options: what was said of a link, from its first end and from its second.
        capture: begins one at a simulated interface, given a file, a filter and how much that may be: a
            `hybridnet.run.net.captures.Capture`.
    """

    net: Network
    judge: Callable[[dict[str, Counters]], Verdict]
    down: Callable[[], frozenset[str]]
    options: Callable[[LinkSpec], tuple[Mapping[str, Any], Mapping[str, Any]]]
    capture: Callable[[str, str, str, str], Any]

    @property
    def plan(self) -> Plan:
        """The plan that holds now. Raises MachineError: the network does not run."""
        plan = self.net.plan
        if plan is None:
            raise MachineError("the network is not running")
        return plan

    def link(self, name: str) -> LinkPlan:
        """What a link became. Raises UnknownNameError."""
        for link in self.plan.links:
            if link.name == name:
                return link
        raise no_such_link(name, [link.name for link in self.plan.links])

    def link_spec(self, name: str) -> LinkSpec:
        """A link as described. Raises UnknownNameError."""
        for spec in self.net.topo.link_specs():
            if spec.name == name:
                return spec
        raise no_such_link(name, [spec.name for spec in self.net.topo.link_specs()])

    def spec(self, name: str) -> NodeSpec:
        """A node as described. Raises UnknownNameError."""
        if name not in self.plan.machine_of:
            near = nearest(name, self.plan.machine_of)
            meant = f"; did you mean {near}?" if near else ""
            raise UnknownNameError(f"node {plain(name)}: there is no such node{meant}")
        return self.net.topo.node_spec(name)

    def node(self, name: str) -> Node:
        """A host or switch, where commands run. Raises UnknownNameError, UsageError: it is simulated."""
        spec = self.spec(name)
        node = self.net.nameToNode.get(name)
        if not isinstance(node, Node):
            raise UsageError(f"{spec.role} {name} runs no commands, because it is simulated; choose a host")
        return node

    def call(self, node: str, verb: str, /, **arguments: Any) -> Any:
        """Run a verb of the agent of a node's machine."""
        return self.net.cluster.call(self.plan.machine_of[node], verb, **arguments)
