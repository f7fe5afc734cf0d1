# SPDX-License-Identifier: MIT
"""What a `Mininet` has: its nodes, links and controllers, and the one `hybridnet.Net` that is made of them.

    adopt ─▶ make: one Net of all that was adopted ─▶ adopt and remove: the same Net, changed at once ─▶ stop

Mininet makes each node and link when it is added. Here they are made together, by `start` or by the first command
that needs them; until then they are descriptions with names, addresses and ports as Mininet would have chosen them.
Nodes that a script makes without `Mininet` share a network of their own, until one of a `Mininet` takes them over.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from hybridnet.agent.switching.openvswitch import kernel_datapath
from hybridnet.compat.mininet.loading.script_devices import Mentions, script_text
from hybridnet.compat.mininet.machines import machines_of_the_run
from hybridnet.compat.mininet.tc.server import TcServer
from hybridnet.describe.topo import Topo
from hybridnet.errors import UsageError
from hybridnet.machines.cluster.here import ADDRESS, HERE, Here
from hybridnet.run.net import Net
from hybridnet.system.log import info, warn

__all__ = [
    "Network", "commands_wait", "is_constructing", "network_of_link", "network_of_loose_nodes", "remove_forgotten",
    "take_over",
]  # fmt: skip

# AF_XDP ports would have large trees answer sooner, but come at 0.3 s each: 20 s for 64 hosts, where Mininet takes 5.
_IN_USER_SPACE = "afpacket"
SHELLS_AT_ONCE = 32
"""Nodes of a network whose shells start with it. Each takes some 4 ms of a processor, and a network of a thousand hosts
would come up several seconds later."""


class Network:
    """Nodes, links and controllers, described or made.

    Args:
        describe: called before it is made, to have what a `Mininet` has of a topology adopted; None: a network of nodes
            that the script made without one.
        end: called where the script has ended and not stopped it; None: `stop`.
    """

    def __init__(
        self, describe: Callable[[], None] | None = None, end: Callable[[], None] | None = None
    ) -> None:
        self.is_of_loose_nodes = describe is None
        self._describe = describe or (lambda: None)
        self.end = end or self.stop
        self.hosts: list[Any] = []
        self.loose: list[Any] = []  # nodes that the script made without a network, and linked to this one
        self.switches: list[Any] = []
        self.controllers: list[Any] = []
        self.came_later: list[Any] = []  # what is behind those that were added to a network that was made
        self.links: list[Any] = []
        self.terms: list[Any] = []
        self.nameToNode: dict[str, Any] = {}
        self.autoStaticArp = False
        self.machines = machines_of_the_run()
        self.live: Net | None = None
        self.awaits_build = False  # made by a command before `Mininet.build`, which configures the hosts
        self.obeyed: list[str] = []  # the controllers that each switch obeys when the network is made
        # Known when it is made: whether its switches forward in the kernel of this computer, and the devices that the
        # script names.
        self.in_kernel = False
        self.mentions = Mentions("")
        self.is_being_made = False
        self._one_makes = threading.RLock()  # a script's threads may all have commands for nodes
        self._tc: TcServer | None = None

    def is_here(self) -> bool:
        """Whether the network is on this computer itself."""
        return self.machines is None

    def nodes(self) -> list[Any]:
        """All nodes, those that were made without a network among them."""
        return [*self.hosts, *self.loose, *self.switches]

    def bridges(self) -> list[Any]:
        """The nodes of which bridges are made."""
        return [node for node in (*self.switches, *self.loose) if node.is_bridge]

    def others(self) -> list[Any]:
        """The nodes that are no bridges."""
        return [node for node in (*self.hosts, *self.switches, *self.loose) if not node.is_bridge]

    def links_between(self, node1: Any, node2: Any) -> list[Any]:
        """The links between two nodes."""
        ends = {node1.end_of_link(), node2.end_of_link()}
        return [link for link in self.links if {link.intf1.node, link.intf2.node} == ends]

    # Adopting: what is described, and what comes to a network that is made

    def adopt(self, node: Any, among: list[Any]) -> None:
        """Take a node that was made by its class, among the hosts or the switches."""
        if node.name in self.nameToNode:
            raise UsageError(f"node {node.name}: the name is taken; choose another")
        self.nameToNode[node.name] = node
        self._take(node, among)

    def adopt_loose(self, node: Any) -> None:
        """Take a node that was made without a network: it is built with this one, and not among its hosts."""
        if node.name in {known.name for known in self.nodes()}:
            raise UsageError(f"node {node.name}: the name is taken; choose another")
        self._take(node, self.loose)

    def _take(self, node: Any, among: list[Any]) -> None:
        node.net = self
        among.append(node)
        if self.live is not None:
            self._make_node(self.live, node)

    def adopt_link(self, link: Any) -> None:
        """Take a link that was made by its class."""
        self.links.append(link)
        if self.live is not None:
            self._make_link(self.live, link)

    def adopt_controller(self, controller: Any) -> None:
        """Take a controller that was made by its class. Raises UsageError where machines must be told of it."""
        if self.live is not None and self.machines is not None:
            raise UsageError(
                f"controller {controller.name} cannot be added once a network on several machines is made, by start() "
                "or by a command in a node; add it before"
            )
        controller.net = self
        self.controllers.append(controller)
        self.nameToNode[controller.name] = controller
        if self.live is not None:
            controller.choose_port(self.controllers)
            behind = controller.behind()
            self.came_later.append(behind)
            behind.begin(ADDRESS)

    def _make_node(self, live: Net, node: Any) -> None:
        """Where that fails, the network has not got it."""
        placed = {}
        if self.machines is not None and node.name in self.machines.machine_of:
            placed = {"machine": self.machines.machine_of[node.name]}
        others = [other for other in (*self.hosts, *self.switches) if other is not node]
        try:
            if node.is_bridge:
                dpids = {int(other.params["dpid"], 16) for other in others if other.params.get("dpid")}
                made = live.addSwitch(node.name, **node.topo_options(dpids), **placed)
            else:
                taken = {told.partition("/")[0] for host in others if (told := host.params.get("ip"))}
                taken |= {told.lower() for host in others if (told := host.params.get("mac"))}
                made = live.addHost(node.name, **node.topo_options(taken), **placed)
        except BaseException:
            self._forget(node)
            raise
        node.bind(functools.partial(live.cluster.call, made.machine), made.machine, node.intfList())
        self._have_shells([node])
        if node.is_bridge:
            node.take_own_options()
        node.run_waiting()
        if node not in self.switches and not self.awaits_build:
            node.configDefault()

    def _make_link(self, live: Net, link: Any) -> None:
        """Where that fails, neither the network nor its nodes have got it."""
        if link.is_loop:
            link.make_loop()
            return
        ends = [intf.node for intf in (link.intf1, link.intf2)]
        options = link.description()
        try:
            if self.machines is not None:
                options = self.machines.joining(
                    ends[0].machine, ends[1].machine, options, f"link {link.name}"
                )
            link.key = live.addLink(ends[0].name, ends[1].name, **options)
        except BaseException:
            self._take_apart(link)
            raise
        for intf in (link.intf1, link.intf2):
            made = next(made for made in live[intf.node.name].intfList() if made.name == intf.name)
            intf.made_as(made)
            intf.node.joined_by(intf)
        link.configure_ends()
        for node in ends:
            node.run_waiting()

    # Removing

    def remove_node(self, node: Any) -> None:
        """Take a node out of the network, with its links."""
        if self.live is not None:
            node.terminate()
            self.live.delNode(node.name)
            node.unbind()
        for link in [link for link in self.links if node in (link.intf1.node, link.intf2.node)]:
            self._take_apart(link)
        self._forget(node)

    def remove_link(self, link: Any) -> None:
        """Take a link out of the network, with its interfaces."""
        if link.is_loop:
            link.remove_loop()
        elif self.live is not None:
            self.live.delLink(link.intf1.node.name, link.intf2.node.name, link.key)
        self._take_apart(link)

    def remove_controller(self, controller: Any) -> None:
        """Stop a controller, and forget it. Switches that obey it are left alone, as in Mininet."""
        self.controllers.remove(controller)
        del self.nameToNode[controller.name]
        if self.live is None:
            return
        controller.stop()
        behind = controller.behind()
        if behind in self.came_later:
            self.came_later.remove(behind)
            behind.end()
        else:
            self.live.delController(behind)
        controller.end()

    def _take_apart(self, link: Any) -> None:
        if link in self.links:
            self.links.remove(link)
        for intf in (link.intf1, link.intf2):
            intf.node.delIntf(intf)

    def _forget(self, node: Any) -> None:
        self.nameToNode.pop(node.name, None)
        for nodes in (self.hosts, self.switches, self.loose):
            if node in nodes:
                nodes.remove(node)

    # Making

    def make(self) -> None:
        """Make everything that is described. A second call does nothing; one of another thread waits for the first.

        Raises:
            HybridnetError: it cannot be made; nothing is left behind.
        """
        with self._one_makes:
            if self.live is None and not self.is_being_made:
                self.is_being_made = True
                try:
                    self._make()
                finally:
                    self.is_being_made = False

    def running(self) -> Net:
        """What runs of it; made, if that is not done."""
        self.make()
        assert self.live is not None
        return self.live

    def _make(self) -> None:
        self._describe()
        self.in_kernel = self.is_here() and self._finds_kernel_datapath()
        self.mentions = Mentions(script_text())
        topo: Topo = self.description()
        cluster: Any = HERE
        if self.machines is not None:
            cluster = self.machines.cluster()
            topo = self.machines.spread(topo)
        net = Net(
            topo,
            controller=None,
            waitConnected=False,
            autoStaticArp=self.autoStaticArp,
            cluster=cluster,
            port_type="auto" if self.in_kernel or not self.is_here() else _IN_USER_SPACE,
        )
        for controller in self.controllers:
            if self.is_here():
                controller.choose_port(self.controllers)
            net.addController(controller.behind())
        self.obeyed = [controller.name for controller in self.controllers]
        net.start()
        atexit.register(remove_forgotten)  # comes before the network's own end
        self.live = net
        _running.append(self)
        if isinstance(net.cluster, Here):
            if self.is_of_loose_nodes:
                net.cluster.outlive()  # its script may be ended from outside as soon as its daemons run
            self._tc = TcServer(self._shaped_interface, self._link_sample, net.cluster.journal.directory)
        self._bind(net)
        self._have_shells(self.nodes())
        self._start_switching(net)
        self._configure()

    def _finds_kernel_datapath(self) -> bool:
        asked = {getattr(switch, "datapath", None) for switch in self.bridges()}
        return "user" not in asked and kernel_datapath()

    def description(self) -> Topo:
        """All of it as hybridnet takes it."""
        topo = Topo()
        dpids: set[int] = set()
        taken: set[str] = set()
        for host in self.others():
            topo.addHost(host.name, **host.topo_options(taken))
        for switch in self.bridges():
            topo.addSwitch(switch.name, **switch.topo_options(dpids))
        for link in self.links:
            if not link.is_loop:
                link.key = topo.addLink(link.intf1.node.name, link.intf2.node.name, **link.description())
        return topo

    def _bind(self, net: Net) -> None:
        for node in self.nodes():
            made = net[node.name]
            for intf in made.intfList():
                node.nameToIntf[intf.name].made_as(intf)
            node.bind(functools.partial(net.cluster.call, made.machine), made.machine, node.intfList())
        for switch in self.bridges():
            for intf in switch.port_list():
                switch.address_port(intf)

    def _have_shells(self, nodes: Iterable[Any]) -> None:
        """Have the shells of nodes be as Mininet's: in a small network ``pgrep -f mininet:h1`` finds one, whether or
        not it had a command.
        """
        begin = len(self.nodes()) <= SHELLS_AT_ONCE
        on: dict[str, list[str]] = {}
        for node in nodes:
            on.setdefault(node.machine, []).append(node.name)
        calls = {
            machine: ("mininet_shells", {"nodes": names, "begin": begin}) for machine, names in on.items()
        }
        self.running().cluster.call_all(calls)

    def _start_switching(self, net: Net) -> None:
        """Scripts that make a switch of a node in the computer's own namespace do so by ovs-vsctl."""
        if self.is_here() and not self.bridges() and any(not node.inNamespace for node in self.others()):
            assert net.plan is not None
            net.cluster.call(HERE, "start_switching", port_type=net.plan.machines[HERE]["port_type"])

    def _configure(self) -> None:
        for link in self.links:
            if link.is_loop:
                link.make_loop()
        for link in self.links:
            link.configure_ends()
        for switch in self.bridges():
            switch.take_own_options()
        for node in self.nodes():
            node.run_waiting()
        for host in () if self.awaits_build else self.hosts:
            host.configDefault()
        for switch in self.bridges():
            if switch.wanted is not None:
                switch.obey()

    # Running

    def mark(self) -> dict[str, str]:
        """The external ids of its bridges, by which the run removes them when it ends."""
        cluster = self.running().cluster
        return {"hybridnet": cluster.journal.run} if isinstance(cluster, Here) else {}

    def set_link(self, link: Any, **options: Any) -> None:
        """Change a simulated link while it runs."""
        assert self.live is not None
        self.live.set_link(link.intf1.node.name, link.intf2.node.name, key=link.key, **options)

    def _shaped_interface(self, device: str) -> Any:
        """The end of a simulated link that is this device; None where there is none."""
        links = (link for link in self.links if not link.is_loop and not link.by_kernel)
        ends = (intf for link in links for intf in (link.intf1, link.intf2))
        return next((intf for intf in ends if intf.name == device), None)

    def _link_sample(self, device: str) -> Mapping[str, Any] | None:
        """The counters of what is sent at a device; None where no simulated link is there."""
        found = (
            None if self.live is None else self.live.cluster.call(HERE, "link_sample", portal=f"p-{device}")
        )
        return found

    # Stopping

    def close_terms(self) -> None:
        """Close the terminals that were opened, each once: scripts add what `makeTerm` returns, a list, to the
        network's own.
        """
        terms, self.terms = self.terms, []
        closed: list[Any] = []
        for term in terms:
            for each in term if isinstance(term, list) else [term]:
                if each not in closed:
                    closed.append(each)
                    each.close()

    def stop(self) -> None:
        """Stop the switches' and hosts' own programs, and remove the network. A second call does nothing."""
        if self.live is None:
            return
        self.close_terms()
        net, self.live = self.live, None
        _running.remove(self)
        info("*** Stopping network\n")
        try:
            for controller in self.controllers:
                controller.stop()
            for switch in self.switches:
                if not switch.is_bridge:
                    switch.stop()
            for node in (*self.switches, *self.hosts):
                node.terminate()
        finally:
            for each in (*self.controllers, *self.came_later):
                each.end()
            self.came_later = []
            for node in self.nodes():
                node.unbind()
            if self._tc is not None:
                self._tc.close()
                self._tc = None
            net.stop()
        info("*** Done\n")

    def release(self, node: Any) -> None:
        """A node that was made without a network has stopped, or belongs to another one."""
        if node in self.loose:
            self.loose.remove(node)
        if self.is_of_loose_nodes and not self.loose:
            self.stop()

    def leave(self) -> list[str]:
        """Leave it to those programs in its hosts that outlive their shells, if there are any. Returns them."""
        cluster = self.running().cluster
        programs: list[str] = cluster.call(HERE, "daemons") if isinstance(cluster, Here) else []
        if programs and isinstance(cluster, Here):
            _running.remove(self)
            cluster.leave()
        return programs


_running: list[Network] = []  # made and not stopped
_loose: Network | None = None
_constructors = 0


def network_of_loose_nodes() -> Network:
    """The network of nodes and links that a script makes without `Mininet`: another one, when all have stopped."""
    global _loose
    if _loose is None or not _loose.loose:
        _loose = Network()
    return _loose


def network_of_link(nodes: Sequence[Any]) -> Network:
    """The network of a link: that of the node which was made with one, and the other joins it."""
    found: Network = min((node.network() for node in nodes), key=lambda network: network.is_of_loose_nodes)
    for node in nodes:
        take_over(found, node)
    return found


def take_over(network: Network, node: Any) -> None:
    """Have a network take a node that was made without one, with all that it is linked to."""
    before = node.network()
    if before is network or not before.is_of_loose_nodes:
        return
    before.release(node)
    network.adopt_loose(node)
    for link in [] if before.live is not None else list(before.links):
        if node in (link.intf1.node, link.intf2.node):
            before.links.remove(link)
            for end in (link.intf1, link.intf2):
                take_over(network, end.node)
            network.adopt_link(link)


def remove_forgotten() -> None:
    """The script has ended: remove the networks that it did not stop, and say so.

    Nodes that were made without a network, and run programs in sessions of their own, stay as long as those: such a
    script, like Mininet's example of a bare sshd, has no way to say otherwise.
    """
    for network in list(_running):
        if network.is_of_loose_nodes and (programs := network.leave()):
            warn(f"*** the script ended; its nodes stay while they run {', '.join(programs)}\n")
            continue
        warn("*** the script ended without net.stop(): its network is removed\n")
        network.end()


@contextlib.contextmanager
def commands_wait() -> Iterator[None]:
    """Meanwhile, commands in nodes wait until the network is made: constructors of a script's classes of nodes, links
    and interfaces run some, and get no output.
    """
    global _constructors
    _constructors += 1
    try:
        yield
    finally:
        _constructors -= 1


def is_constructing() -> bool:
    """Whether commands wait."""
    return _constructors > 0
