# SPDX-License-Identifier: MIT
"""How what is described becomes one `hybridnet.Net`, and how that changes once it is made."""

from __future__ import annotations

import atexit
import functools
import os
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Interface
from typing import Any

from hybridnet.agent.switching.openvswitch import kernel_datapath
from hybridnet.compat.mininet.changes import configure_ends, join_link, join_node, remove_link, remove_node
from hybridnet.compat.mininet.controllers.kinds import Controller, give_ports
from hybridnet.compat.mininet.described import Described
from hybridnet.compat.mininet.hosts import CPULimitedHost, Host
from hybridnet.compat.mininet.lenient_options import accepted_address, accepted_mac, accepted_route, tolerate
from hybridnet.compat.mininet.link import Link, is_overridden
from hybridnet.compat.mininet.loading.script_devices import Mentions, script_text
from hybridnet.compat.mininet.log import error
from hybridnet.compat.mininet.switches import EVERY_VERSION, Switch
from hybridnet.compat.mininet.tc.server import TcServer
from hybridnet.describe.topo import Topo
from hybridnet.errors import UsageError
from hybridnet.machines.cluster.here import ADDRESS, HERE, Here
from hybridnet.plan.choices.families import ipv4
from hybridnet.run.net import Net, own_address_toward

__all__ = ["Making", "running"]

# Options of nodes that the description takes; others stay with the node's class.
_OF_NODES = ("devices", "privateDirs")
_OF_HOSTS = (*_OF_NODES, "ip", "mac", "defaultRoute")
_OF_SWITCHES = (
    "datapath", "devices", "dpid", "failMode", "inband", "listenPort", "prio", "protocols", "reconnectms",
    "stp",
)  # fmt: skip
_OF_ITS_CLASS = {"inNamespace", "ipv6"}
# AF_XDP ports would have large trees answer sooner, but come at 0.3 s each: 20 s for 64 hosts, where Mininet takes 5.
_IN_USER_SPACE = "afpacket"
SHELLS_AT_ONCE = 32
"""Nodes of a network whose shells start with it. Each takes some 4 ms of a processor, and a network of a thousand hosts
would come up several seconds later."""
_WITHOUT_15 = EVERY_VERSION.removesuffix(",OpenFlow15")


class Making(Described):
    """What makes the network of `hybridnet.compat.mininet.net.Mininet`, and changes it."""

    _obeyed: list[str] = []  # the controllers that each switch obeys when the network is made
    _tc: TcServer | None = None

    # Making

    def make(self) -> None:
        """Make everything that is described. A second call does nothing; one of another thread waits for the first.

        Raises:
            HybridnetError: it cannot be made; nothing is left behind.
        """
        with self._one_makes:
            if self.live is None and not self._making:
                self._make()

    def _make(self) -> None:
        self._making = True
        self.awaits_build = not self.built and not self.is_of_loose_nodes
        try:
            super().build()
            self.in_kernel = self.machines is None and self._finds_kernel_datapath()
            self.mentions = Mentions(script_text())
            topo, cluster = self._description(), None
            if self.machines is not None:
                cluster = self.machines.cluster()
                topo = self.machines.spread(topo)
            net = Net(
                topo,
                controller=None,
                waitConnected=False,
                autoStaticArp=self.autoStaticArp,
                cluster=cluster,
                machine=HERE if self.machines is None else None,
                port_type="auto" if self.in_kernel or self.machines is not None else _IN_USER_SPACE,
            )
            if self.machines is None:
                give_ports(self.controllers)
            for controller in self.controllers:
                net.addController(controller.behind())
            self._obeyed = [controller.name for controller in self.controllers]
            net.start()
            atexit.register(_end_of_script)  # comes before the network's own end
            self.live = net
            running.append(self)
            if self.is_of_loose_nodes and isinstance(net.cluster, Here):
                net.cluster.outlive()  # its script may be ended from outside as soon as its daemons run
            if isinstance(net.cluster, Here):
                self._tc = TcServer(self, net.cluster.journal.directory)
            self._bind(net)
            self.have_shells((*self.hosts, *self.loose, *self.switches))
            self._start_switching(net)
            self._configure()
        finally:
            self._making = False

    def build(self) -> None:
        """Add what `topo` describes, and have hosts configured that a command had made before. A second call does
        nothing.
        """
        super().build()
        if self.awaits_build and not self._making:
            self.awaits_build = False
            for host in self.hosts:
                host.configDefault()

    def _finds_kernel_datapath(self) -> bool:
        asked = {getattr(switch, "datapath", None) for switch in self._every_bridge()}
        return "user" not in asked and kernel_datapath()

    def _description(self) -> Topo:
        topo = Topo()
        dpids: set[int] = set()
        taken: set[str] = set()
        for host in self._every_host():
            topo.addHost(host.name, **self.described_host(host, taken))
        for switch in self._every_bridge():
            topo.addSwitch(switch.name, **self.described_switch(switch, dpids))
        for link in self.links:
            if link.is_loop:
                continue
            link.key = topo.addLink(link.intf1.node.name, link.intf2.node.name, **link.description())
        return topo

    def _every_host(self) -> list[Any]:
        return [node for node in (*self.hosts, *self.switches, *self.loose) if not node.is_bridge]

    def _every_bridge(self) -> list[Any]:
        return [node for node in (*self.switches, *self.loose) if node.is_bridge]

    def described_switch(self, switch: Any, dpids: set[int]) -> dict[str, Any]:
        """A switch as `hybridnet.Topo.addSwitch` takes it; `dpids` are those of the others."""
        switch.take_attributes()
        own = {name: switch.params[name] for name in _OF_SWITCHES if switch.params.get(name)}
        if own.get("protocols") == EVERY_VERSION and any(each.fails_at_15() for each in self.controllers):
            own["protocols"] = _WITHOUT_15
        own["devices"] = switch.borrowed()
        if switch.made_of is not None:
            own["kind"] = switch.made_of
        if type(switch).__module__.startswith("hybridnet.") and (
            unknown := {name for name, value in switch.params.items() if value}
            - {*_OF_SWITCHES, *_OF_ITS_CLASS}
        ):
            tolerate(
                f"switch {switch.name}: {min(unknown)}=", "switches have no such option; it has no effect"
            )
        if "dpid" in own:
            dpid = int(own["dpid"], 16)
            if dpid in dpids:
                dpid = next(number for number in range(1, 1 << 32) if number not in dpids)
                tolerate(f"switch {switch.name}: its dpid is another's, too", f"it gets {dpid:016x}")
                switch.dpid = switch.params["dpid"] = own["dpid"] = f"{dpid:016x}"
            dpids.add(dpid)
        return own

    @staticmethod
    def described_host(host: Any, taken: set[str]) -> dict[str, Any]:
        """A host, or a switch that is no bridge, as `hybridnet.Topo.addHost` takes it; `taken` are the IP and MAC
        addresses of the others.
        """
        what = f"host {host.name}"
        options: tuple[str, ...] = _OF_NODES if isinstance(host, Switch) else _OF_HOSTS
        if is_overridden(host, "mountPrivateDirs"):
            options = tuple(name for name in options if name != "privateDirs")
        own = {name: host.params[name] for name in options if host.params.get(name) is not None}
        own["devices"] = host.borrowed()
        if (mac := accepted_mac(own.pop("mac", None), what)) in taken:  # its `config` gives it
            tolerate(f"{what}: its mac {mac} is another's, too", "both have it, as the script asks")
        elif mac is not None:
            own["mac"] = mac
            taken.add(mac)
        known = {Host: _OF_ITS_CLASS, CPULimitedHost: {*_OF_ITS_CLASS, "cpu", "cores", "period_us"}}
        read = {*_OF_HOSTS, *known.get(type(host), host.params)}  # a class of the script's may read any
        if unknown := host.params.keys() - read:
            tolerate(f"hosts: {min(unknown)}=", "no class of the script's takes it; it has no effect")
        own["ip"] = asked = accepted_address(own.get("ip"), what)
        if own["ip"] is not None:
            own["ip"] = own["ip"] if "/" in own["ip"] else f"{own['ip']}/8"
            if own["ip"].partition("/")[0] in taken:
                tolerate(
                    f"host {host.name}: its address {own['ip']} is another's, too",
                    "both have it, as the script asks",
                )
                own["ip"] = None
            elif _is_no_host_s(own["ip"]):  # its `config` gives it, once the interface is there
                if not own["ip"].startswith("0.0.0.0/"):
                    tolerate(
                        f"host {host.name}: its address {own['ip']} is its subnet's own or broadcast address",
                        "it gets this address, as the script asks",
                    )
                own["ip"] = None
            else:
                taken.add(own["ip"].partition("/")[0])
        own["defaultRoute"] = accepted_route(own.get("defaultRoute"), what)
        if not host.intfList():
            own.pop("defaultRoute", None)  # its first link brings it
        if asked is not None and own["ip"] is None:
            own.pop("defaultRoute", None)  # its `config` gives it, behind the address
        if (gateway := _unreachable_gateway(host)) and own.pop("defaultRoute", None):
            tolerate(
                f"host {host.name}: its gateway {gateway} is in none of its networks",
                "it has no default route, as in Mininet",
            )
        words = (own.get("defaultRoute") or "").split()
        if "dev" in words and words[words.index("dev") + 1] not in host.nameToIntf:
            tolerate(f"{what}: its default route {own.pop('defaultRoute')}", "it has no such interface")
        if host.params.get("ipv6"):
            own["ip6"] = host.params["ipv6"] if "/" in host.params["ipv6"] else f"{host.params['ipv6']}/64"
        if not host.inNamespace:
            own["inNamespace"] = False
            if own.pop("privateDirs", None):
                tolerate(f"host {host.name}: privateDirs=", "it has the computer's files; it has no effect")
        if "privateDirs" in own:
            own["privateDirs"] = [_private_directory(host, each) for each in own["privateDirs"]]
        return own

    def _start_switching(self, net: Net) -> None:
        """Scripts that make a switch of a node in the computer's own namespace do so by ovs-vsctl."""
        outside = [node for node in self._every_host() if not node.inNamespace]
        if self.is_here() and outside and not self._every_bridge():
            assert net.plan is not None
            port_type = net.plan.machines[HERE]["port_type"]
            net.cluster.call(HERE, "start_switching", port_type=port_type)

    def have_shells(self, nodes: Iterable[Any]) -> None:
        """Have the shells of nodes be as Mininet's: in a small network ``pgrep -f mininet:h1`` finds one, whether or
        not it had a command.
        """
        begin = len(self.hosts) + len(self.loose) + len(self.switches) <= SHELLS_AT_ONCE
        on: dict[str, list[str]] = {}
        for node in nodes:
            on.setdefault(node.machine, []).append(node.name)
        calls = {
            machine: ("mininet_shells", {"nodes": names, "begin": begin}) for machine, names in on.items()
        }
        self.running().cluster.call_all(calls)

    def mark(self) -> dict[str, str]:
        """The external ids of its bridges, by which the run removes them when it ends."""
        cluster = self.running().cluster
        return {"hybridnet": cluster.journal.run} if isinstance(cluster, Here) else {}

    def _bind(self, net: Net) -> None:
        for node in (*self.hosts, *self.loose, *self.switches):
            made = net[node.name]
            for intf in made.intfList():
                node.nameToIntf[intf.name].made_as(intf)
            node.bind(functools.partial(net.cluster.call, made.machine), made.machine, node.intfList())
        for switch in self._every_bridge():
            for intf in switch.port_list():
                switch.address_port(intf)

    def _configure(self) -> None:
        for link in self.links:
            if link.is_loop:
                link.make_loop()
        for link in self.links:
            configure_ends(link)
        for switch in self._every_bridge():
            switch.take_own_options()
        for node in (*self.hosts, *self.loose, *self.switches):
            node.run_waiting()
        for host in () if self.awaits_build else self.hosts:
            host.configDefault()
        for switch in self._every_bridge():
            if switch.wanted is not None:
                self.give_controllers(switch)

    def give_controllers(self, switch: Any) -> None:
        """Have a switch obey the controllers that its `start` named, where these are not those that it obeys."""
        assert self.live is not None
        wanted = list(switch.wanted)
        names = [controller.name for controller in wanted]
        if names == (self._obeyed if switch.obeyed is None else switch.obeyed):
            return
        switch.obeyed = names
        for controller in wanted:
            if controller.behind() in self.came_later:
                controller.behind().ready()
        head = own_address_toward(self.live.cluster.address(switch.machine))
        if switch.params.get("protocols") == EVERY_VERSION and any(each.fails_at_15() for each in wanted):
            switch.vsctl("set bridge", switch, f"protocols={_WITHOUT_15}")
        targets = [controller.behind().target(head) for controller in wanted]
        if switch.params.get("listenPort"):
            targets.append(f"ptcp:{switch.params['listenPort']}:127.0.0.1")
        switch.vsctl(*(("set-controller", switch, *targets) if targets else ("del-controller", switch)))

    def configHosts(self) -> None:
        """Have every host configured by its own parameters, once more."""
        for host in self.hosts:
            host.configDefault()

    # Changing

    def adopt(self, node: Any, among: list[Any]) -> None:
        """Take a node that was made by its class."""
        super().adopt(node, among)
        if self.live is not None:
            join_node(self, node)

    def adopt_loose(self, node: Any) -> None:
        """Take a node that was made without a network."""
        super().adopt_loose(node)
        if self.live is not None:
            join_node(self, node)

    def joined(self, link: Link) -> None:
        """Take a link that was made by its class."""
        super().joined(link)
        if self.live is not None:
            join_link(self, link)

    def adopt_controller(self, controller: Controller) -> None:
        """Take a controller that was made by its class. Raises UsageError where machines must be told of it."""
        if self.live is not None and self.machines is not None:
            raise UsageError(
                f"controller {controller.name} cannot be added once a network on several machines is made, by start() "
                "or by a command in a node; add it before"
            )
        super().adopt_controller(controller)
        if self.live is not None:
            give_ports(self.controllers)
            behind = controller.behind()
            self.came_later.append(behind)
            behind.begin(ADDRESS)

    def delNode(self, node: Any, nodes: list[Any] | None = None) -> None:
        """Remove a node and its links; a controller stops."""
        gone = self[node] if isinstance(node, str) else node
        if isinstance(gone, Controller):
            self.delController(gone)
        else:
            remove_node(self, gone)

    def delController(self, controller: Any) -> None:
        """Stop a controller, and forget it. Switches that obey it are left alone, as in Mininet."""
        gone = self[controller] if isinstance(controller, str) else controller
        super().delController(gone)
        if self.live is None:
            return
        gone.stop()
        behind = gone.behind()
        if behind in self.came_later:
            self.came_later.remove(behind)
            behind.end()
        else:
            self.live.delController(behind)
        gone.end()

    def __delitem__(self, key: str) -> None:
        self.delNode(self[key])

    def delHost(self, host: Any) -> None:
        """Remove a host and its links."""
        self.delNode(host)

    def delSwitch(self, switch: Any) -> None:
        """Remove a switch and its links."""
        self.delNode(switch)

    def delLink(self, link: Link) -> None:
        """Remove a link."""
        remove_link(self, link)

    def delLinkBetween(
        self, node1: Any, node2: Any, index: int = 0, allLinks: bool = False
    ) -> Link | list[Link]:
        """Remove one link between two nodes, or all. Returns what was removed."""
        between = self.linksBetween(node1, node2)
        gone = between if allLinks else [between[index]]
        for link in gone:
            self.delLink(link)
        return gone if allLinks else gone[0]

    def set_link(self, link: Link, **options: Any) -> None:
        """Change a simulated link while it runs."""
        assert self.live is not None
        self.live.set_link(link.intf1.node.name, link.intf2.node.name, key=link.key, **options)

    def configLinkStatus(self, src: str, dst: str, status: str) -> None:
        """Set the links between two nodes (by name) "up" or "down"; says so if there is none."""
        for name in (src, dst):
            if name not in self.nameToNode:
                error(f"{name} is not in the network\n")
                return
        links = self.linksBetween(self[src], self[dst])
        if not links:
            error(f"{src} and {dst} are not connected\n")
        for link in links:
            for intf in (link.intf1, link.intf2):
                intf.ifconfig(status)

    def staticArp(self) -> None:
        """Have every host know every other's MAC address."""
        for source in self.hosts:
            for other in self.hosts:
                if source is not other and other.IP() is not None:
                    source.setARP(ip=other.IP(), mac=other.MAC())

    def running(self) -> Net:
        """What runs of it; made, if that is not done."""
        self.make()
        assert self.live is not None
        return self.live

    def _hosts(self, hosts: Sequence[Any] | None) -> list[Any]:
        self.make()
        return list(self.hosts if hosts is None else hosts)


def _end_of_script() -> None:
    from hybridnet.compat.mininet.net import remove_forgotten

    remove_forgotten()


def _is_no_host_s(ip: str) -> bool:
    """Whether an address is none that hybridnet gives: a subnet's own or broadcast address; 0.0.0.0 is no address."""
    try:
        return ipv4(ip).may_not_be_given(IPv4Interface(ip)) is not None
    except ValueError:
        return False  # no IPv4 address: the network says so when it is made


def _unreachable_gateway(host: Any) -> str | None:
    """The gateway of its default route, where none of the addresses that it is told has it in its network."""
    words = str(host.params.get("defaultRoute") or "").split()
    told = [host.params.get("ip"), *(intf.params.get("ip") for intf in host.intfList())]
    try:
        gateway = IPv4Address(words[words.index("via") + 1])
        networks = [IPv4Interface(ip if "/" in ip else f"{ip}/8").network for ip in told if ip]
    except (ValueError, IndexError):
        return None  # none, or one that the network judges when it is made
    return None if "onlink" in words or any(gateway in each for each in networks) else str(gateway)


def _private_directory(host: Any, given: Any) -> Any:
    """A directory, or a pair of one and of what shows there: a template of the node's attributes, as in Mininet.
    Relative ones are below the folder of the script's process, in which the node's shell begins.
    """
    if isinstance(given, str):
        return _absolute(given)
    at, source = given
    return _absolute(at), _absolute(source % vars(host)).replace("%", "%%")


def _absolute(folder: str) -> str:
    return folder if folder.startswith("/") else os.path.abspath(folder)


running: list[Any] = []
"""The networks that are made and not stopped."""
