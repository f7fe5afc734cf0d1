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
import secrets
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

from hybridnet.cluster import Cluster
from hybridnet.controllers.kinds import Controller, RemoteController
from hybridnet.errors import HybridnetError, MachineError, TopologyError, UsageError
from hybridnet.net.boot import (
    CONNECT_SECONDS,
    await_switches,
    bind_nodes,
    check_controllers,
    controller_targets,
    counted,
    machine_names,
    machine_specs,
    own_address_toward,
)
from hybridnet.net.using import NetUsing
from hybridnet.node import Host, Node, Switch
from hybridnet.node.link import Link
from hybridnet.plan import MachineSpec, Plan, PlanOptions, make_plan
from hybridnet.system.cleaning import uninterrupted
from hybridnet.system.log import debug, info
from hybridnet.topo import Topo, natural

__all__ = ["Mininet", "Net", "own_address_toward"]

# Mininet's constructor options that have no meaning here, and what to do instead.
_UNSUPPORTED = {
    "autoPinCpus": "pin processes with taskset",
    "inNamespace": "switches live in their machine's namespace",
    "listenPort": "use `hybridnet exec MACHINE ovs-ofctl ...`",
    "xterms": "run programs with popen",
}
_PLAN_OPTIONS = set(PlanOptions.__dataclass_fields__) - {"token", "controllers"}
_WITHOUT_EFFECT = {"cleanup", "intf", "link"}  # whether a link is simulated follows from its options


class Net(NetUsing):
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
        self._link_options = {}
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
        with uninterrupted("the network"):
            self._stop()

    def _stop(self) -> None:
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
        self._check_controllers()
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

    # Inside

    def _start(self) -> None:
        names = machine_names(self.topo) if self._cluster is None else self._cluster.machines
        if self._cluster is None or self.controllers:
            # A first plan, with made-up addresses: what cannot be built is said before anything is started.
            specs = [MachineSpec(name, f"198.18.0.{number}") for number, name in enumerate(names, start=1)]
            make_plan(self.topo, specs, PlanOptions(token="0" * 16, **self._options))
        check_controllers(self.controllers, names)
        if self._cluster is None:
            info(f"*** Starting machines: {' '.join(names)}\n")
            self._cluster = Cluster.local(
                names,
                on_head_address=lambda address: self._begin_controllers(dict.fromkeys(names, address)),
            )
            cluster = self._cluster
        else:
            cluster = self._cluster
            self._begin_controllers({name: own_address_toward(cluster.address(name)) for name in names})
        cluster.on_progress = self._on_progress or (lambda machine, text: debug(f"{machine}: {text}\n"))
        heads = {machine: own_address_toward(cluster.address(machine)) for machine in cluster.machines}
        self.plan = make_plan(
            self.topo,
            machine_specs(cluster),
            PlanOptions(
                token=secrets.token_hex(8),
                controllers=controller_targets(self.controllers, heads),
                **self._options,
            ),
        )
        for warning in self.plan.warnings:
            info(f"*** Warning: {warning}\n")
        for controller in self.controllers:  # a switch that finds none waits a second before it tries again
            controller.ready()
        parts = (("host", self.hosts), ("switch", self.switches), ("link", self.plan.links))
        info(f"*** Building {', '.join(counted(len(made), what) for what, made in parts)}\n")
        self.build_seconds = cluster.call_all(
            {machine: ("build", {"plan": plan}) for machine, plan in self.plan.machines.items()}
        )
        self.links = bind_nodes(self.plan, self._nodes, cluster)
        if self._wait_connected and (switches := self._switches_with_controllers()):
            machines = sorted({self.plan.machine_of[name] for name in switches}, key=natural)
            patience_s = CONNECT_SECONDS if self._wait_connected is True else float(self._wait_connected)
            await_switches(cluster, machines, self._check_controllers, self._on_progress, patience_s)
        for node in self._nodes.values():
            node.config(**node.params)

    def _begin_controllers(self, heads: Mapping[str, str]) -> None:
        """Start them, without waiting; `heads`: this computer's address toward each machine."""
        if self.controllers:
            info(f"*** Starting controllers: {' '.join(str(c) for c in self.controllers)}\n")
        for controller in self.controllers:
            controller.begin(heads[(controller.machines or list(heads))[0]])

    def _switches_with_controllers(self) -> list[str]:
        """The switches that have been told a controller."""
        plan = self._built_plan()
        return [
            switch["name"]
            for machine in plan.machines.values()
            for switch in machine["switches"]
            if switch["controllers"]
        ]

    def _check_controllers(self) -> None:
        for controller in self.controllers:
            controller.check()

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

    def _refuse_started(self, what: str) -> None:
        if self._started:
            raise UsageError(f"{what} cannot be added while the network runs; add it before start()")


Mininet = Net
