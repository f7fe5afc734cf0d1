# SPDX-License-Identifier: MIT
"""Net: the live network.

    with Net(topo, controller=Ryu("c0", "my_app.py")) as net:
        net.pingAll()
        print(net["h1"].cmd("traceroute -n", net["h2"].IP()))

    describe ─▶ start: machines, controllers, plan, build, switches connected ─▶ use ─▶ stop: everything is
    removed

It has the constructor and the methods of Mininet's class of that name. What differs: everything is made in
`start`, in bulk, or not at all; an option that cannot be had is an error and not a warning.
"""

from __future__ import annotations

import functools
import itertools
import secrets
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any

from hybridnet import net_probes
from hybridnet.cluster import Cluster
from hybridnet.errors import ControllerError, HybridnetError, MachineError, TopologyError, UsageError
from hybridnet.link import Intf, Link
from hybridnet.log import debug, info, output
from hybridnet.net_controllers import Controller, RemoteController
from hybridnet.node import Host, Node, Switch
from hybridnet.plan import MachineSpec, Plan, PlanOptions, make_plan
from hybridnet.topo import Topo, natural

__all__ = ["Mininet", "Net", "own_address_toward"]

CONNECT_SECONDS = 60.0
_POLL_S = 0.1

# Mininet's constructor options that have no meaning here, and what to do instead.
_UNSUPPORTED = {
    "autoPinCpus": "pin processes with taskset",
    "inNamespace": "switches live in their machine's namespace",
    "listenPort": "use `hybridnet exec MACHINE ovs-ofctl ...`",
    "xterms": "run programs with popen",
}
_PLAN_OPTIONS = set(PlanOptions.__dataclass_fields__) - {"token", "controllers"}
_WITHOUT_EFFECT = {"cleanup", "intf", "link"}  # whether a link is simulated follows from its options


class Net:
    """A network that can be started.

    Args:
        topo: the description; None: it is made with this object's addHost, addSwitch, addLink.
        switch, host: classes for the live nodes that do not say `cls`.
        controller: a class, a function of a name, an object, or None for no controller.
        build: with False, nodes of `topo` appear only at `build()` or `start()`.
        autoSetMacs, autoStaticArp, ipBase: as in Mininet.
        waitConnected: wait until every switch has its controller; False: do not.
        cluster: the machines; None: local ones, as many as `topo` names, made at `start` and ended at `stop`.
        on_progress: called with the machine's name and what it has done, while building.
        plan_options: fields of `hybridnet.PlanOptions`, such as port_type, seed, captures.

    Raises:
        UsageError: an option does not exist or is not supported.
    """

    def __init__(
        self,
        topo: Topo | None = None,
        switch: type[Switch] = Switch,
        host: type[Host] = Host,
        controller: Any = Controller,
        *,
        build: bool = True,
        autoSetMacs: bool = False,
        autoStaticArp: bool = False,
        ipBase: str = "10.0.0.0/8",
        waitConnected: bool | float = True,
        cluster: Cluster | None = None,
        on_progress: Callable[[str, str], object] | None = None,
        **options: Any,
    ) -> None:
        for name in [name for name in options if name in _UNSUPPORTED]:
            if options.pop(name):
                raise UsageError(f"Net: {name}= is not supported; {_UNSUPPORTED[name]}")
        for name in _WITHOUT_EFFECT & set(options):
            options.pop(name)
        if unknown := set(options) - _PLAN_OPTIONS:
            raise UsageError(f"Net: unknown option {min(unknown)!r}; see help(hybridnet.Net)")
        self.topo = Topo() if topo is None else topo
        self._switch, self._host = switch, host
        self._options = {
            "ip_base": ipBase,
            "auto_set_macs": autoSetMacs,
            "auto_static_arp": autoStaticArp,
            **options,
        }
        self._wait_connected = waitConnected
        self._cluster, self._own_cluster = cluster, cluster is None
        self._on_progress = on_progress
        self._nodes: dict[str, Node] = {}
        self._started = False
        self.controllers: list[RemoteController] = []
        self.links: list[Link] = []
        self.plan: Plan | None = None
        self.final_counters: dict[str, Any] = {}  # of each machine's instance, once the network is stopped
        self.build_seconds: dict[str, dict[str, float]] = {}
        self._default_controller = controller
        if build:
            self.build()

    # Describing

    def build(self) -> None:
        """Make the nodes of the description known; nothing is created on a machine before `start`."""
        for spec in self.topo.node_specs():
            if spec.kind in ("host", "switch") and spec.name not in self._nodes:
                self._make_node(spec.name, spec.kind, spec.options)

    def addHost(self, name: str, cls: type[Host] | None = None, **params: Any) -> Host:
        """Describe a host, and return it; see `Topo.addHost`."""
        self._refuse_started(f"host {name}")
        self.topo.addHost(name, **params)
        return self._make_node(name, "host", {**params, "cls": cls})  # type: ignore[return-value]

    def addSwitch(self, name: str, cls: type[Switch] | None = None, **params: Any) -> Switch:
        """Describe a switch, and return it; see `Topo.addSwitch`."""
        self._refuse_started(f"switch {name}")
        self.topo.addSwitch(name, **params)
        return self._make_node(name, "switch", {**params, "cls": cls})  # type: ignore[return-value]

    def addLink(
        self,
        node1: Node | str,
        node2: Node | str,
        port1: int | None = None,
        port2: int | None = None,
        **opts: Any,
    ) -> int:
        """Describe a link; see `Topo.addLink`."""
        self._refuse_started(f"link {node1}-{node2}")
        return self.topo.addLink(str(node1), str(node2), port1, port2, **opts)

    def addController(self, name: Any = "c0", controller: Any = None, **params: Any) -> RemoteController:
        """Add a controller: an object, or a class and its options."""
        self._refuse_started(f"controller {name}")
        if isinstance(name, RemoteController):
            made = name
        else:
            kind = controller or self._default_controller or Controller
            made = kind if isinstance(kind, RemoteController) else kind(name, **params)
        self.controllers.append(made)
        return made

    # Starting and stopping

    def start(self) -> None:
        """Make the network. What fails is removed again before the error is raised. A second call does
        nothing.

        Raises:
            PlanError, TopologyError, UnitError: the description cannot be built.
            EnvironmentLackError: this computer lacks something.
            MachineError, ControllerError: something could not be made, or a switch did not find its
                controller.
        """
        if self._started:
            return
        self.build()
        if not self.controllers and self._default_controller is not None and self.topo.switches():
            self.addController("c0")
        self._started = True
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Remove the network, and end what was started for it. A second call does nothing."""
        if not self._started:
            return
        self._started = False
        for node in self._nodes.values():
            if self.plan is not None:
                node.terminate()
            node.unbind()
        try:
            self._remove()
        finally:
            for controller in self.controllers:
                controller.end()
            if self._own_cluster and self._cluster is not None:
                self._cluster.close()
                self._cluster = None

    def check(self) -> None:
        """Raise the error of whatever has died meanwhile: a controller, an instance, a machine."""
        for controller in self.controllers:
            controller.check()
        cluster = self.cluster
        for text in cluster.lost().values():
            raise MachineError(text)
        cluster.call_all({machine: ("check_instance", {}) for machine in cluster.machines})

    def __enter__(self) -> Net:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    # Looking up

    @property
    def cluster(self) -> Cluster:
        """The machines. Raises MachineError before `start`."""
        if self._cluster is None:
            raise MachineError("the network is not running; call net.start() first")
        return self._cluster

    @property
    def hosts(self) -> list[Host]:
        """The emulated hosts, in natural order."""
        return [node for node in self._sorted() if isinstance(node, Host)]

    @property
    def switches(self) -> list[Switch]:
        """The emulated switches, in natural order."""
        return [node for node in self._sorted() if isinstance(node, Switch)]

    @property
    def nameToNode(self) -> dict[str, Any]:
        """All emulated nodes and controllers by name."""
        return {**self._nodes, **{controller.name: controller for controller in self.controllers}}

    def getNodeByName(self, *names: str) -> Any:
        """The node of that name, or a list for several. Raises UsageError for an unknown one."""
        known = self.nameToNode
        for name in names:
            if name not in known:
                simulated = name in self.topo.simulated()
                why = "is simulated and runs no commands" if simulated else "does not exist"
                raise UsageError(
                    f"node {name!r} {why}; the nodes are {', '.join(sorted(known, key=natural)[:20])}"
                )
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
        ends = {node1, node2}
        return [
            link
            for link in self.links
            if {intf.node for intf in (link.intf1, link.intf2) if isinstance(intf, Intf)} == ends
        ]

    def snapshot(self) -> dict[str, Any]:
        """The counters of each machine's instance; None where nothing is simulated."""
        return self.cluster.call_all({machine: ("snapshot", {}) for machine in self.cluster.machines})

    # Using

    def ping(self, hosts: Sequence[Host] | None = None, timeout: float | str | None = None) -> float:
        """Ping once between all pairs of hosts; prints a table. Returns the percentage lost."""
        try:
            wait_s = 1.0 if timeout is None else float(timeout)
        except (TypeError, ValueError):
            raise UsageError(
                f"ping: timeout {timeout!r} is no number of seconds; write for example 2"
            ) from None
        return net_probes.ping_all(self.cluster, self.hosts if hosts is None else hosts, wait_s)

    def pingAll(self, timeout: float | str | None = None) -> float:
        """`ping` between all hosts."""
        return self.ping(timeout=timeout)

    def pingPair(self) -> float:
        """`ping` between the first two hosts."""
        return self.ping(self.hosts[:2])

    def iperf(
        self,
        hosts: Sequence[Host] | None = None,
        l4Type: str = "TCP",
        udpBw: str = "10M",
        fmt: str | None = None,
        seconds: float = 5,
        port: int = 5001,
    ) -> list[str]:
        """One iperf3 flow between two hosts (the first and the last); prints and returns what arrived and
        what was sent.

        For UDP the offered rate comes first, as in Mininet.
        """
        if fmt is not None:
            raise UsageError("iperf: fmt= is not supported; leave it out, the unit is chosen by size")
        if hosts is None:
            hosts = [self.hosts[0], self.hosts[-1]]
        client, server = hosts
        output(f"*** Iperf: testing {l4Type} bandwidth between {client} and {server}\n")
        received, sent = net_probes.iperf(
            server, client, protocol=l4Type, rate=udpBw, seconds=seconds, port=port
        )
        result = [net_probes.format_bandwidth(received), net_probes.format_bandwidth(sent)]
        if l4Type == "UDP":
            result.insert(0, udpBw)
        output(f"*** Results: {result}\n")
        return result

    def configLinkStatus(self, src: str, dst: str, status: str) -> None:
        """Set all links between two nodes ``"up"`` or ``"down"``, at their emulated ends.

        Raises:
            UsageError: no such link or status, or both ends are simulated.
        """
        if status not in ("up", "down"):
            raise UsageError(f"link {src}-{dst}: status {status!r} does not exist; write 'up' or 'down'")
        plan = self._built_plan()
        found = [link for link in plan.links if {link.a.node, link.b.node} == {src, dst}]
        ends = [end for link in found for end in (link.a, link.b) if end.node in self._nodes]
        if not found:
            raise UsageError(f"link {src}-{dst}: there is no such link; `links` of the prompt lists them")
        if not ends:
            raise UsageError(
                f"link {src}-{dst}: both ends are simulated and cannot be set {status} while running"
            )
        for end in ends:
            self._nodes[end.node].set_interface(end.interface, status == "up")

    # Inside

    def _start(self) -> None:
        names = self._machine_names() if self._cluster is None else self._cluster.machines
        # A first plan, with made-up addresses: what cannot be built is said before a machine is started.
        specs = [MachineSpec(name, f"198.18.0.{number}") for number, name in enumerate(names, start=1)]
        make_plan(self.topo, specs, PlanOptions(token="0" * 16, **self._options))
        if self._cluster is None:
            info(f"*** Starting machines: {' '.join(names)}\n")
            self._cluster = Cluster.local(names)
        cluster = self._cluster
        cluster.on_progress = self._on_progress or (lambda machine, text: debug(f"{machine}: {text}\n"))
        heads = {machine: own_address_toward(cluster.address(machine)) for machine in cluster.machines}
        info(f"*** Starting controllers: {' '.join(str(c) for c in self.controllers)}\n")
        for controller in self.controllers:
            controller.begin(heads[cluster.machines[0]])
        targets = {
            m: [controller.target(head) for controller in self.controllers] for m, head in heads.items()
        }
        facts = cluster.call_all({machine: ("facts", {}) for machine in cluster.machines})
        self.plan = make_plan(
            self.topo,
            [
                MachineSpec(
                    m, cluster.address(m), facts[m]["kernel_datapath"], facts[m]["memory_available_bytes"]
                )
                for m in cluster.machines
            ],
            PlanOptions(token=secrets.token_hex(8), controllers=targets, **self._options),
        )
        for warning in self.plan.warnings:
            info(f"*** Warning: {warning}\n")
        info(
            f"*** Building {len(self.hosts)} hosts, {len(self.switches)} switches, {len(self.plan.links)} links\n"
        )
        self.build_seconds = cluster.call_all(
            {machine: ("build", {"plan": plan}) for machine, plan in self.plan.machines.items()}
        )
        self._bind(self.plan)
        if self.controllers and self._wait_connected:
            self._await_switches()
        for node in self._nodes.values():
            node.config(**node.params)

    def _remove(self) -> None:
        """Have every machine that is left take its part down; the first error is raised when all have
        tried.
        """
        if self._cluster is None or self.plan is None:
            return
        self.plan = None
        self.links = []
        lost = self._cluster.lost()
        left = [machine for machine in self._cluster.machines if machine not in lost]
        try:
            self.final_counters = self._cluster.call_all({machine: ("destroy", {}) for machine in left})
        except HybridnetError:
            if not self._own_cluster:
                raise
            debug("*** a machine could not take its part down; it is removed with the machine\n")

    def _machine_names(self) -> list[str]:
        named = {
            str(spec.options["machine"]) for spec in self.topo.node_specs() if spec.options.get("machine")
        }
        return sorted(named, key=natural) or ["m1"]

    def _bind(self, plan: Plan) -> None:
        intfs: dict[str, Intf] = {}
        for name, node in self._nodes.items():
            machine = plan.machine_of[name]
            plans: dict[str, dict[str, Any]] = {}
            if isinstance(node, Host):
                plans = {interface["name"]: interface for interface in plan.host(name)["interfaces"]}
            else:
                node.params["dpid"] = plan.switch(name)["dpid"]
            own = [
                Intf(end.interface, node, end.port, plans.get(end.interface))
                for link in plan.links
                for end in (link.a, link.b)
                if end.node == name
            ]
            intfs.update({intf.name: intf for intf in own})
            node.bind(functools.partial(self.cluster.call, machine), machine, own)
        self.links = [
            Link(
                link.name,
                link.kind,
                intfs.get(link.a.interface, link.a.interface),
                intfs.get(link.b.interface, link.b.interface),
            )
            for link in plan.links
        ]

    def _await_switches(self) -> None:
        """Wait until every switch is connected; a controller that dies meanwhile is the error."""
        patience = CONNECT_SECONDS if self._wait_connected is True else float(self._wait_connected)
        machines = sorted(
            {self._built_plan().machine_of[switch.name] for switch in self.switches}, key=natural
        )
        deadline = time.monotonic() + patience
        for attempt in itertools.count():
            answers = self.cluster.call_all({machine: ("switches_connected", {}) for machine in machines})
            states = {name: up for answer in answers.values() for name, up in answer.items()}
            missing = sorted((name for name, up in states.items() if not up), key=natural)
            if self._on_progress is not None:
                self._on_progress("", f"{len(states) - len(missing)} of {len(states)} switches connected")
            if not missing:
                info(f"*** All {len(states)} switches are connected\n")
                return
            for controller in self.controllers:
                controller.check()
            if time.monotonic() > deadline:
                names = ", ".join(missing[:5]) + (" ..." if len(missing) > 5 else "")
                raise ControllerError(
                    f"{len(missing)} of {len(states)} switches ({names}) found no controller within {patience:g} s; "
                    "does it speak OpenFlow 1.3, and can it be reached from the machines?"
                )
            time.sleep(_POLL_S if attempt else 0)

    def _make_node(self, name: str, kind: str, options: dict[str, Any]) -> Node:
        base, default = (Host, self._host) if kind == "host" else (Switch, self._switch)
        cls = options.get("cls") or default
        params = {key: value for key, value in options.items() if key != "cls"}
        if not (isinstance(cls, functools.partial) or (isinstance(cls, type) and issubclass(cls, base))):
            raise TopologyError(
                f"{kind} {name}: cls={cls!r} is no {base.__name__} class; give a subclass of it"
            )
        node: Node = cls(name, **params)
        if isinstance(node, Switch):
            node.on_start = self.start
        self._nodes[name] = node
        return node

    def _sorted(self) -> list[Node]:
        return sorted(self._nodes.values(), key=lambda node: natural(node.name))

    def _built_plan(self) -> Plan:
        if self.plan is None:
            raise MachineError("the network is not running; call net.start() first")
        return self.plan

    def _refuse_started(self, what: str) -> None:
        if self._started:
            raise UsageError(f"{what} cannot be added while the network runs; add it before start()")


Mininet = Net


def own_address_toward(address: str) -> str:
    """This computer's address on the way to a machine. Sends nothing: a UDP socket only looks up the
    route.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((address, 9))
        return str(probe.getsockname()[0])
