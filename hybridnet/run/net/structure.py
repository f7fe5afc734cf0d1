# SPDX-License-Identifier: MIT
"""The structure of a network: nodes, links and controllers, described before it starts and changed while it runs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from hybridnet.describe.topo import External, LinkSpec, Topo
from hybridnet.describe.values import plain, shown
from hybridnet.errors import MachineError, UsageError
from hybridnet.machines.cluster import Machines
from hybridnet.observe.series.snapshot import Snapshot
from hybridnet.plan.network import MachineSpec, Plan, PlanOptions, make_plan
from hybridnet.plan.network.difference import difference
from hybridnet.plan.network.pinning import pins_of
from hybridnet.run.controllers.kinds import RemoteController
from hybridnet.run.net import startup
from hybridnet.run.net.changes import make_changes, undo_changes
from hybridnet.run.net.controllers import Controllers
from hybridnet.run.net.machines import NetMachines
from hybridnet.run.net.members import Leaving, check_instance_leaving, newcomers
from hybridnet.run.net.nodes import LiveNodes, check_node_class, unknown_node
from hybridnet.run.net.running_state import Running
from hybridnet.run.node import Host, Node, Switch
from hybridnet.run.node.link import Link
from hybridnet.system.ending import Endings, undone_on_error

__all__ = ["Structure", "name_of"]


class Structure:
    """What `hybridnet.Net` knows of its nodes and links; of no use by itself.

    Args:
        topo: the description.
        nodes, controllers: what is live of it.
        machines: which it has or will have.
        await_switches: waits until the switches of these names have their controllers.
    """

    def __init__(
        self,
        topo: Topo,
        nodes: LiveNodes,
        controllers: Controllers,
        machines: NetMachines,
        await_switches: Callable[[Plan, Sequence[str]], None],
    ) -> None:
        self.topo = topo
        self.links: list[Link] = []
        self.plan: Plan | None = None
        self._nodes, self._controllers = nodes, controllers
        self._machines = machines
        self._await_switches = await_switches
        self._started = False
        self._running: Running | None = None
        self._configured: list[Node] = []  # those whose `config` was called, so that `terminate` will be
        self._gathering: set[str] | None = None  # links that were removed, while changes are gathered
        self._replaced: set[str] = set()  # of these, plain ones that simulated ones take the place of
        self._leaving = Leaving()  # meanwhile
        self._left_counters: dict[str, Snapshot | None] = {}  # of the instances of machines that have left
        self.build_seconds: dict[str, dict[str, float]] = {}

    # Describing

    def build(self) -> None:
        """Make the nodes of the description known; nothing is created on a machine before `start`.

        Raises:
            TopologyError: a class of a node cannot be used, or asks for what there is not.
        """
        for node in self.topo.node_specs():
            if node.role in ("host", "switch"):
                self._nodes.make(node)
        self._described()

    def addHost(self, name: str, cls: Any = None, **params: Any) -> Any:
        """Describe a host, and return it; see `Topo.addHost`. While the network runs it is there at once, and so is its
        machine: one that the network does not have is started.

        Raises:
            TopologyError, UnitError, PlanError: it cannot be as asked. Nothing has changed.
            MachineError, ControllerError: it could not be made. Nothing has changed.
        """
        check_node_class(cls, "host", f"host {plain(name)}: cls")
        with self.changes():
            return self._made(self.topo.addHost(name, **_with_class(cls, params)))

    def addNAT(self, name: str = "nat0", connect: Any = True, **params: Any) -> Any:
        """Describe a host through which the others reach the outside, and return it; see `Topo.addNAT`, and `addHost`
        for a network that runs.
        """
        with self.changes():
            end = connect if isinstance(connect, bool) else name_of(connect)
            return self._made(self.topo.addNAT(name, end, **params))

    def addSwitch(self, name: str, cls: Any = None, **params: Any) -> Any:
        """Describe a switch, and return it; see `Topo.addSwitch`, and `addHost` for a network that runs."""
        check_node_class(cls, "switch", f"switch {plain(name)}: cls")
        with self.changes():
            return self._made(self.topo.addSwitch(name, **_with_class(cls, params)))

    def addRouter(self, name: str, kind: str = "frr", **params: Any) -> Any:
        """Describe an emulated router, and return it; see `Topo.addRouter`, and `addHost` for a network that runs."""
        return self.addHost(name, kind=kind, **params)

    def addSimHost(self, name: str, **params: Any) -> str:
        """Describe a simulated host; see `Topo.addSimHost`, and `addHost` for a network that runs."""
        with self.changes():
            return self.topo.addSimHost(name, **params)

    def addSimRouter(self, name: str, **params: Any) -> str:
        """Describe a simulated router; see `Topo.addSimRouter`, and `addHost` for a network that runs."""
        with self.changes():
            return self.topo.addSimRouter(name, **params)

    def addSimSwitch(self, name: str, **params: Any) -> str:
        """Describe a simulated switch; see `Topo.addSimSwitch`, and `addHost` for a network that runs."""
        with self.changes():
            return self.topo.addSimSwitch(name, **params)

    def addGuest(self, name: str, **params: Any) -> str:
        """Describe a place for a computer that joins from elsewhere; see `Topo.addGuest`. Before the network starts."""
        with self.changes():
            return self.topo.addGuest(name, **params)

    def addLink(
        self,
        node1: Node | str | External,
        node2: Node | str | External,
        port1: int | None = None,
        port2: int | None = None,
        **opts: Any,
    ) -> int:
        """Describe a link; see `Topo.addLink`, and `addHost` for a network that runs. Returns its key."""
        with self.changes():
            ends = [node if isinstance(node, External) else name_of(node) for node in (node1, node2)]
            return self.topo.addLink(ends[0], ends[1], port1, port2, **opts)

    def delLink(
        self, node1: Node | str | Link, node2: Node | str | None = None, key: int | None = None
    ) -> None:
        """Remove a link: a `Link`, or the first one between two nodes, or the one of them with `key`.

        Raises:
            UsageError, TopologyError: there is no such link.
            MachineError: it could not be removed. Nothing has changed.
        """
        with self.changes():
            spec = self._link_spec(node1, node2, key)
            self.topo.delLink(spec.a.node, spec.b.node, spec.key)
            if self._gathering is not None:
                self._gathering.add(spec.name)

    def delNode(self, node: Node | str) -> None:
        """Remove a node and its links. What runs in it ends.

        Raises:
            UsageError, TopologyError: there is no such node.
            MachineError: it could not be removed. Nothing has changed, except that what ran in it may have ended.
        """
        name = name_of(node)
        with self.changes():
            links = [link for link in self.topo.link_specs() if name in (link.a.node, link.b.node)]
            self.topo.delNode(name)
            if self._gathering is not None:
                self._gathering.update(link.name for link in links)
            if name in self._nodes:
                self._nodes.remove(name)

    delHost = delSwitch = delNode

    def delMachine(self, name: str) -> None:
        """Let a machine leave a network that runs: its nodes and their links are removed, the others forget it, and it
        ends. One of that name may join again.

        Raises:
            UsageError: there is no such machine, it is lost, or it is the last one.
            MachineError: the others could not do without it, and nothing has changed; or it has left, but something of
                it could not be removed.

        Example:
            >>> net.addHost("h9", machine="m3")  # doctest: +SKIP
            >>> net.delMachine("m3")  # doctest: +SKIP
        """
        plan, running = self._now("delMachine: ")
        running.members.check_leaving(name, plan, self._leaving)
        with self.changes():
            own = [node.name for node in self.topo.node_specs() if plan.machine_of.get(node.name) == name]
            for node in own:
                self.delNode(node)
            self._leaving.machines.add(name)

    def delInstance(self, name: str) -> None:
        """Let an instance leave a network that runs, once it simulates nothing any more. One of that name may come
        again.

        Raises:
            UsageError: there is no such instance, or it simulates something.
            MachineError: it could not be ended, or the others could not do without it. Nothing has changed.
        """
        plan, _ = self._now("delInstance: ")
        check_instance_leaving(name, plan)
        with self.changes():
            self._leaving.instances.add(name)

    @contextlib.contextmanager
    def changes(self) -> Iterator[None]:
        """Gather what is added and removed inside, and make it together at the end: all of it or nothing.

        Outside, each call that adds or removes is a change of its own. Before `start` it makes no difference.

        Raises:
            PlanError, MachineError, ControllerError: the changes cannot be made. The network and its description are
                as before.

        Example:
            >>> with net.changes():  # doctest: +SKIP
            ...     net.addHost("h9")
            ...     net.addLink("h9", "s1")
        """
        if self._started and self._running is None:
            raise UsageError(
                "the network is just starting, and cannot change before it runs; do it afterwards"
            )
        if self._running is None or self._gathering is not None:
            yield
            return
        topo, nodes = self.topo.copy(), self._nodes
        self._nodes, self._gathering, self._leaving = nodes.copy(), set(), Leaving()
        self._replaced = set()
        try:
            yield
            leave = self._change(nodes, self._running, self._gathering, self._leaving)
        except BaseException:
            self.topo.restore(topo)
            self._nodes = nodes
            raise
        finally:
            self._gathering, self._leaving = None, Leaving()
        leave()

    def addController(self, name: Any = "c0", controller: Any = None, **params: Any) -> RemoteController:
        """Add a controller: an object, or a name with a class and its options. Raises UsageError."""
        self._refuse_started(f"controller {plain(name)}")
        return self._controllers.add(name, controller, params, list(self._nodes))

    def delController(self, controller: RemoteController) -> None:
        """Stop a controller, and forget it: that it is gone is no fault. Switches that obey it are left alone."""
        self._controllers.remove(controller)

    # What there is

    @property
    def cluster(self) -> Machines:
        """The machines. Raises MachineError before `start`."""
        return self._machines.cluster

    @property
    def controllers(self) -> list[RemoteController]:
        """The controllers, in the order in which they were added."""
        return self._controllers.all

    @property
    def hosts(self) -> list[Any]:
        """The emulated hosts, in natural order."""
        return self._nodes.of_kind("host")

    @property
    def switches(self) -> list[Switch]:
        """The emulated switches, in natural order."""
        return self._nodes.of_kind("switch")

    @property
    def nameToNode(self) -> dict[str, Any]:
        """All emulated nodes and controllers by name."""
        return {**dict(self._nodes.items()), **{each.name: each for each in self.controllers}}

    def getNodeByName(self, *names: str) -> Any:
        """The node of that name, or a list for several. Raises UsageError for an unknown one."""
        known = self.nameToNode
        for name in names:
            if not isinstance(name, str) or name not in known:
                raise unknown_node(name, known, self.topo.simulated())
        found = [known[name] for name in names]
        return found[0] if len(found) == 1 else found

    get = getNodeByName

    def __getitem__(self, name: str) -> Any:
        return self.getNodeByName(name)

    def __contains__(self, name: str) -> bool:
        return name in self.nameToNode

    def __iter__(self) -> Iterator[str]:
        return iter(self.nameToNode)

    def __len__(self) -> int:
        return len(self.nameToNode)

    def keys(self) -> list[str]:
        """The names of all nodes and controllers."""
        return list(self)

    def values(self) -> list[Any]:
        """All nodes and controllers."""
        return list(self.nameToNode.values())

    def items(self) -> list[tuple[str, Any]]:
        """Names with their nodes and controllers."""
        return list(self.nameToNode.items())

    def linksBetween(self, node1: Node, node2: Node) -> list[Link]:
        """The links between two emulated nodes."""
        return startup.links_between(self.links, self._node(node1), self._node(node2))

    # Inside

    def _described(self) -> Topo:
        """The description with what the classes of its nodes add; checked."""
        specs = {spec.name: spec for spec in self.topo.node_specs()}
        return self.topo.revised(self._nodes.described(specs))

    def _change(
        self, before: LiveNodes, running: Running, removed: set[str], leaving: Leaving
    ) -> Callable[[], None]:
        """Make what the description says now; `before` are the nodes that there were.

        Returns:
            What then has those leave that do: the others know them no longer.
        """
        assert self.plan is not None
        running.losses.refuse()
        running.timelines.follow()
        running.timelines.check_removal(removed - self._replaced)
        old, nodes, live, topo = self.plan, self._nodes, self.links, self._described()
        pins = pins_of(old, removed, leaving.all_instances(old), self._replaced)
        specs = [spec for spec in running.specs if spec.name not in leaving.machines]
        names = newcomers(topo, specs, leaving)
        gone = [before[name] for name in before if name not in nodes]

        def plan_with(specs: Sequence[MachineSpec], options: PlanOptions) -> Plan:
            plan = make_plan(topo, specs, options, pins)
            for instance in sorted(leaving.instances & plan.instances.keys()):
                _refuse_leaving(plan, instance)
            return plan

        undo = Endings()
        with undone_on_error(undo.close):
            with running.members.joining(names, specs, running.options, plan_with) as planned:
                new = planned.plan
                changes = difference(old, new)
                self._terminate(gone)
                counted = running.members.counted(leaving, old)
                make_changes(self.cluster, changes)
                undo.add(partial(self._bind, old, before, live, new))
                undo.add(partial(undo_changes, self.cluster, changes))
            for name in planned.came:
                undo.add(partial(self.cluster.remove, name))
            if names or any(part.get("peers") for each in changes.values() for part in each.add["instances"]):
                startup.await_peers(self.cluster, new.instances, missed=running.losses.missed().instances)
            self._bind(new, nodes, live, old)
            came = [nodes[name] for name in nodes if name not in before]
            self._await_switches(new, [node.name for node in came])
            self._configure(came)
        for node in gone:
            node.unbind()
        self.plan = new
        self._running = replace(running, specs=planned.specs, options=planned.options)
        self.build_seconds |= planned.seconds
        running.links.follow(topo, new, removed - self._replaced)
        running.links.hold_down(self._replaced, nodes, running.losses.missed())
        running.outages.follow()

        def leave() -> None:
            self._left_counters |= running.members.leave(leaving, old, counted)

        return leave

    def _bind(self, plan: Plan, nodes: LiveNodes, live: Sequence[Link], earlier: Plan) -> None:
        self.links = startup.bind_nodes(plan, dict(nodes.items()), self.cluster, live, earlier)

    def _now(self, what: str = "") -> tuple[Plan, Running]:
        """The plan and what runs. Raises MachineError, whose text begins with `what`: the network does not run."""
        if self.plan is None or self._running is None:
            raise MachineError(f"{what}the network is not running; call net.start() first")
        return self.plan, self._running

    def _planning(self) -> tuple[Plan, Callable[[frozenset[str]], Plan]]:
        """The plan, and what plans the same network with routes that avoid some links."""
        plan, running = self._now()

        def without(down: frozenset[str]) -> Plan:
            return make_plan(self._described(), running.specs, running.options, pins_of(plan), down)

        return plan, without

    def _refuse_losses(self) -> None:
        """Raise MachineError if a machine is lost and the others do not go on."""
        if self._running is not None:
            self._running.losses.refuse()

    def _simulate(self, wire: LinkSpec, options: Mapping[str, Any]) -> None:
        """Put a simulated link with these options in the place of one that nothing simulates. It keeps its name."""
        given = {**wire.options, **options}
        for end, intf in ((1, wire.a), (2, wire.b)):
            own = (wire.options, options)
            given[f"params{end}"] = {
                name: value for each in own for name, value in (each.get(f"params{end}") or {}).items()
            }
            given[f"intfName{end}"] = intf.interface
        with self.changes():
            self.topo.restore(self.topo.revised(links={wire.name: given}))
            if self._gathering is not None:
                self._gathering.add(wire.name)
                self._replaced.add(wire.name)

    def _configure(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            self._configured.append(node)
            node.config(**node.params)
        for node in nodes:
            if isinstance(node, Host):
                node.run_commands()

    def _terminate(self, nodes: Sequence[Node]) -> None:
        """Call `terminate` of nodes that were configured, once: all of them, whatever one raises."""
        ends = set(nodes)
        ending = [node for node in self._configured if node in ends]
        self._configured = [node for node in self._configured if node not in ends]
        Endings(*(node.terminate for node in reversed(ending))).close()

    def _made(self, name: str) -> Node:
        return self._nodes.make(self.topo.node_spec(name))

    def _link_spec(self, node1: Any, node2: Any, key: int | None) -> LinkSpec:
        """The described link that is given as itself, or by its nodes."""
        if not isinstance(node1, Link):
            return self.topo.spec(name_of(node1), name_of(node2), key)
        for link in self.topo.link_specs():
            if node2 is None and link.name == node1.name and node1 in self.links:
                return link
        raise UsageError(f"link {node1}: it is not of this network, or was removed; `net.links` lists them")

    def _node(self, node: Any) -> Node:
        """Return the node itself, or the node of that name."""
        if isinstance(node, Node):
            return node
        found = self.getNodeByName(node)
        if not isinstance(found, Node):
            raise UsageError(
                f"node {shown(node)} is a controller and runs no commands; name a host or switch"
            )
        return found

    def _refuse_started(self, what: str) -> None:
        if self._started:
            raise UsageError(f"{what} cannot be added while the network runs; add it before start()")


def _refuse_leaving(plan: Plan, instance: str) -> None:
    part = plan.instances[instance]
    has = [item["name"] for item in (*part["nodes"], *part["links"])]
    raise UsageError(
        f"delInstance: instance {instance} cannot leave: it simulates {', '.join(has[:5])}"
        f"{' ...' if len(has) > 5 else ''}; remove these first"
    )


def _with_class(cls: Any, params: dict[str, Any]) -> dict[str, Any]:
    return params if cls is None else {**params, "cls": cls}


def name_of(node: Any) -> str:
    """The name of a node that is given as itself or by name."""
    if not isinstance(node, str | Node):
        raise UsageError(f"node {shown(node)} is not a node; give one, or its name")
    return node.name if isinstance(node, Node) else node
