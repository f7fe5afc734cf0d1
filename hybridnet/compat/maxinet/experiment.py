# SPDX-License-Identifier: MIT
"""An experiment: one topology over the workers of a cluster.

Experiment(cluster, topo) ─▶ setup: a network of `hybridnet.compat.mininet`, spread over the workers ─▶ use ─▶ stop
"""

from __future__ import annotations

import functools
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hybridnet.compat.maxinet.cluster import Cluster
from hybridnet.compat.maxinet.monitor import Monitor
from hybridnet.compat.maxinet.nodes import NodeWrapper
from hybridnet.compat.maxinet.partitioner import Clustering
from hybridnet.compat.maxinet.tools import Tools
from hybridnet.compat.maxinet.worker import Worker
from hybridnet.compat.mininet.controllers.kinds import DefaultController, RemoteController
from hybridnet.compat.mininet.lenient_options import tolerate
from hybridnet.compat.mininet.link import TCLink
from hybridnet.compat.mininet.machines import Machines, machines_of_the_run
from hybridnet.compat.mininet.net import Mininet
from hybridnet.compat.mininet.node import UserSwitch
from hybridnet.errors import UsageError
from hybridnet.system.log import info

__all__ = ["Experiment"]

OPENFLOW_PORT = 6633
LOGS = Path("/tmp/maxinet_logs")


class Experiment:
    """A topology over the workers.

    Args:
        cluster: the workers.
        topology: a `mininet.topo.Topo`; with `is_partitioned`, a `Clustering`.
        controller: where one runs, ``"192.0.2.1"`` or ``"192.0.2.1:6653"`` (port 6633 if none is given), or what
            Mininet takes; None: hybridnet's learning switch.
        is_partitioned: the topology is in parts, one for each worker.
        switch: the class of switches that name none.
        nodemapping: the number of the worker, from 0, of each node; nodes that it leaves out follow their neighbours.
        hostnamemapping: the number of each worker, by host name.
        sharemapping: how much each worker gets, by number.
    """

    def __init__(
        self,
        cluster: Cluster,
        topology: Any,
        controller: Any = None,
        is_partitioned: bool = False,
        switch: Any = UserSwitch,
        nodemapping: Mapping[str, int] | None = None,
        hostnamemapping: Mapping[str, int] | None = None,
        sharemapping: Sequence[float] | None = None,
    ) -> None:
        if is_partitioned != isinstance(topology, Clustering):
            raise UsageError("Experiment: is_partitioned=True goes with a Clustering, and with nothing else")
        self.cluster = cluster
        self.origtopology = None if is_partitioned else topology
        self.topology: Clustering | None = topology if is_partitioned else None
        self.controller = _controller(controller)
        self.switch = switch
        self.nodemapping, self.shares = nodemapping, sharemapping
        self.starttime = time.localtime()
        self.nodes: list[NodeWrapper] = []
        self.hosts: list[NodeWrapper] = []
        self.switches: list[NodeWrapper] = []
        self.node_to_wrapper: dict[str, NodeWrapper] = {}
        self._net: Mininet | None = None
        self._monitors: list[Monitor] = []
        self.hostname_to_workerid = self._worker_numbers(hostnamemapping)
        self.workerid_to_hostname = {wid: name for name, wid in self.hostname_to_workerid.items()}

    @property
    def net(self) -> Mininet:
        """The network that runs. Raises UsageError before `setup`."""
        if self._net is None:
            raise UsageError("the experiment does not run; call setup() first")
        return self._net

    @property
    def isMonitoring(self) -> bool:
        """Whether `monitor` or a log is under way."""
        return bool(self._monitors)

    @property
    def node_to_worker(self) -> dict[str, Worker]:
        """The worker of each node, by name."""
        return {wrapper.nn: wrapper.worker for wrapper in self.nodes}

    # Starting and stopping

    def setup(self) -> None:
        """Spread the topology over the workers, and start it.

        Raises:
            UsageError: another experiment runs on the cluster, or a worker is named that there is not.
            HybridnetError: it cannot be made; nothing is left behind.
        """
        if self.cluster.experiment is not None:
            raise UsageError("Experiment: another one runs on this cluster; stop() it first")
        topo, part_of = (
            (self.origtopology, self.nodemapping or {}) if self.topology is None else self.topology.whole()
        )
        net = Mininet(topo, switch=self.switch, controller=self.controller, link=TCLink, build=False)
        names = [worker.machine for worker in self._by_number()]
        net.machines = Machines(
            names,
            lambda: self.cluster.machines,
            shares=self.shares,
            machine_of={node: self._worker(wid).machine for node, wid in part_of.items()},
            least_cut_delay_ns=(machines_of_the_run() or Machines()).least_cut_delay_ns,
        )
        net.start()
        assert net.live is not None
        self._net, self.cluster.experiment = net, self
        workers = {worker.machine: worker for worker in self.cluster.workers()}
        for worker in workers.values():
            worker.experiment = self
        for node in net.hosts:
            self._wrapped(node.name, workers[node.machine], self.hosts)
        for node in net.switches:
            self._wrapped(node.name, workers[node.machine], self.switches)

    def stop(self) -> None:
        """Stop the network, what the workers run in the background, and the logs. A second call does nothing."""
        if self._net is None:
            return
        for monitor in self._monitors:
            monitor.stop()
        if self._monitors:
            info(f"*** the logs of the workers are in {self.get_log_folder()}\n")
        self._monitors = []
        net, self._net = self._net, None
        for worker in self.cluster.workers():
            worker.end_daemons()
            worker.experiment = None
        self.cluster.experiment = None
        net.stop()

    def CLI(self, plocals: Mapping[str, Any], pglobals: Mapping[str, Any]) -> None:
        """Open the prompt; `py` there sees the names of the script: ``exp.CLI(locals(), globals())``."""
        from hybridnet.compat.maxinet.cli import CLI

        CLI(self, plocals, pglobals)

    # Looking

    def get_node(self, node: Any) -> NodeWrapper | None:
        """The node of that name; None if there is none."""
        return node if isinstance(node, NodeWrapper) else self.node_to_wrapper.get(node)

    get = get_node

    def get_worker(self, node: Any) -> Worker:
        """Where a node lives. Raises UsageError if there is none of that name."""
        return self._known(node).worker

    find_worker = get_worker

    def name(self, node: Any) -> str:
        """The name of a node."""
        return node.nn if isinstance(node, NodeWrapper) else str(node)

    def generate_hostname_mapping(self) -> dict[str, int]:
        """The numbers that the workers have if nobody says others."""
        return {worker.hn(): worker.wid for worker in self.cluster.workers()}

    # Changing

    def configLinkStatus(self, src: Any, dst: Any, status: str) -> None:
        """Set the links between two nodes "up" or "down", also between workers."""
        self.net.configLinkStatus(self.name(src), self.name(dst), status)

    def addHost(
        self, name: str, cls: Any = None, wid: int | None = None, pos: Any = None, **params: Any
    ) -> Any:
        """Add a host while the network runs.

        Args:
            name: its name.
            cls: its class, as in Mininet.
            wid: the number of its worker.
            pos: a node beside which it lives; neither: on the worker with the fewest nodes.
            params: as in Mininet.

        Returns:
            The host.
        """
        worker = self._place(name, wid, pos)
        self.net.addHost(name, cls, **params)
        return self._wrapped(name, worker, self.hosts)

    def addSwitch(
        self, name: str, cls: Any = None, wid: int | None = None, pos: Any = None, **params: Any
    ) -> Any:
        """Add a switch while the network runs, and start it. The parameters are those of `addHost`."""
        worker = self._place(name, wid, pos)
        self.net.addSwitch(name, cls, **params).start(self.net.controllers)
        return self._wrapped(name, worker, self.switches)

    def addController(
        self, name: str = "c0", controller: Any = None, wid: int | None = None, pos: Any = None, **params: Any
    ) -> Any:
        """The controller of that name, or a new one. It runs on this computer, whatever `wid` and `pos` say."""
        made = self.net.nameToNode.get(name) or self.net.addController(name, controller, **params)
        return self._wrapped(made.name, self.cluster.workers()[0], [])

    def addLink(
        self,
        node1: Any,
        node2: Any,
        port1: int | None = None,
        port2: int | None = None,
        cls: Any = None,
        autoconf: bool = False,
        **params: Any,
    ) -> Any:
        """Add a link while the network runs, between workers too, and at hosts too.

        Args:
            node1, node2: the nodes, or their names.
            port1, port2: port numbers; None: the next ones.
            cls: its class, as in Mininet.
            autoconf: whether hosts get their addresses now; switches have their port in any case.
            params: as in Mininet.

        Returns:
            The link.
        """
        link = self.net.addLink(self.name(node1), self.name(node2), port1, port2, cls, **params)
        if autoconf:
            for node in (node1, node2):
                if self.name(node) in {host.nn for host in self.hosts}:
                    self.net.get(self.name(node)).configDefault()
        return link

    def delLink(self, link: Any) -> None:
        """Remove a link that `addLink` has returned."""
        self.net.delLink(link)

    def delHost(self, node: Any) -> None:
        """Remove a host and its links."""
        self._removed(node, self.hosts, self.net.delHost)

    def delSwitch(self, node: Any) -> None:
        """Remove a switch and its links."""
        self._removed(node, self.switches, self.net.delSwitch)

    def setMTU(self, host: Any, mtu: int) -> None:
        """Set the MTU of all interfaces of a node."""
        node = self.net.get(self.name(host))
        for interface in node.intfNames():
            node.cmd(f"ip link set dev {interface} mtu {mtu}")

    def run_cmd_on_host(self, host: Any, cmd: str) -> str:
        """Run a command in a node. Returns what it printed."""
        return str(self.net.get(self.name(host)).cmd(cmd))

    # Logs

    def get_log_folder(self) -> str:
        """Where the logs of this experiment go."""
        return f"{LOGS / Tools.time_to_string(self.starttime)}/"

    def monitor(self) -> None:
        """Log the processors, the memory and the network of the workers, once a second, until `stop`."""
        interfaces = {worker.machine: [_interface(worker)] for worker in self.cluster.workers()}
        self._watch(self.cluster.workers(), cpu=True, memory=True, interfaces=interfaces)

    def log_cpu(self) -> None:
        """Log the processors of all workers."""
        self._watch(self.cluster.workers(), cpu=True)

    def log_cpu_of_worker(self, worker: Worker) -> None:
        """Log the processors of a worker."""
        self._watch([worker], cpu=True)

    def log_free_memory(self) -> None:
        """Log the memory of all workers."""
        self._watch(self.cluster.workers(), memory=True)

    def log_interface(self, worker: Worker, intf: str) -> None:
        """Log what passes an interface of a worker."""
        self._watch([worker], interfaces={worker.machine: [intf]})

    def terminate_logging(self) -> None:
        """Stop all logs."""
        for monitor in self._monitors:
            monitor.stop()
        self._monitors = []

    def _watch(self, workers: Sequence[Worker], **what: Any) -> None:
        folder = Path(self.get_log_folder())
        self._monitors.append(Monitor(workers, folder, self.cluster.machines.call_all, **what))

    # Inside

    def _worker_numbers(self, given: Mapping[str, int] | None) -> dict[str, int]:
        usual = self.generate_hostname_mapping()
        if given is None:
            return usual
        if set(given) == set(usual) and sorted(given.values()) == list(range(len(usual))):
            return dict(given)
        tolerate(
            f"hostnamemapping of {', '.join(map(str, given))}",
            f"the workers are {', '.join(usual)}; they are numbered in this order",
        )
        return usual

    def _worker(self, wid: int) -> Worker:
        if wid not in self.workerid_to_hostname:
            raise UsageError(
                f"there is no worker {wid}; the workers are {', '.join(map(str, sorted(self.workerid_to_hostname)))}"
            )
        return self.cluster.get_worker(self.workerid_to_hostname[wid])

    def _by_number(self) -> list[Worker]:
        return [self._worker(wid) for wid in sorted(self.workerid_to_hostname)]

    def _place(self, name: str, wid: int | None, pos: Any) -> Worker:
        """Choose the worker of a node that is about to be added, and have the network put it there."""
        if pos is not None:
            worker = self.get_worker(pos)
        elif wid is not None:
            worker = self._worker(wid)
        else:
            loads = Counter(wrapper.worker.machine for wrapper in self.nodes)
            worker = min(self._by_number(), key=lambda each: loads[each.machine])
        assert self.net.machines is not None
        self.net.machines.machine_of = {**self.net.machines.machine_of, name: worker.machine}
        return worker

    def _wrapped(self, name: str, worker: Worker, beside: list[NodeWrapper]) -> NodeWrapper:
        wrapper = self.node_to_wrapper[name] = NodeWrapper(name, worker)
        self.nodes.append(wrapper)
        beside.append(wrapper)
        return wrapper

    def _removed(self, node: Any, beside: list[NodeWrapper], remove: Any) -> None:
        wrapper = self._known(node)
        remove(self.net.get(wrapper.nn))
        beside.remove(wrapper)
        self.nodes.remove(wrapper)
        del self.node_to_wrapper[wrapper.nn]

    def _known(self, node: Any) -> NodeWrapper:
        wrapper = self.get_node(node)
        if wrapper is None:
            raise UsageError(
                f"there is no node {node!r}; the nodes are {', '.join(sorted(self.node_to_wrapper))}"
            )
        return wrapper


def _controller(given: Any) -> Any:
    if given is None:
        return DefaultController
    if not isinstance(given, str):
        return given
    address, _, port = given.partition(":")
    if port and not port.isdecimal():
        raise UsageError(f"Experiment: controller {given!r}: write ADDRESS or ADDRESS:PORT")
    return functools.partial(RemoteController, ip=address, port=int(port or OPENFLOW_PORT))


def _interface(worker: Worker) -> str:
    """The interface of a worker that has its address."""
    words = worker.run_cmd(f"ip -4 -o address show to {worker.ip()}").split()
    return words[1]
