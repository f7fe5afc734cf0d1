# SPDX-License-Identifier: MIT
"""Mininet's switches: bridges of Open vSwitch, whatever they are called. A script's own classes are honoured.

Switch ─┬─ a script's own: a node with ports, and its `start` makes it forward (a router, say)
        └─ Bridge ─┬─ OVSSwitch ─── OVSBridge, UserSwitch, IVSSwitch
                   └─ LinuxBridge (nodelib)
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

from hybridnet.compat.mininet.hosts import Node
from hybridnet.compat.mininet.lenient_options import accepted_address, tolerate, truth
from hybridnet.compat.mininet.link import Intf, is_overridden
from hybridnet.errors import UsageError
from hybridnet.run.net import own_address_toward
from hybridnet.run.node import node as live

__all__ = [
    "Bridge",
    "IVSSwitch",
    "OVSBatch",
    "OVSBridge",
    "OVSKernelSwitch",
    "OVSSwitch",
    "Switch",
    "UserSwitch",
]

EVERY_VERSION = "OpenFlow10,OpenFlow11,OpenFlow12,OpenFlow13,OpenFlow14,OpenFlow15"
"""What a bridge of Mininet's offers: it says nothing, and Open vSwitch then offers all."""
_WITHOUT_15 = EVERY_VERSION.removesuffix(",OpenFlow15")
# Options of bridges that the description takes; others stay with the switch's class.
_OF_BRIDGES = (
    "datapath", "devices", "dpid", "failMode", "inband", "listenPort", "prio", "protocols", "reconnectms",
    "stp",
)  # fmt: skip


class Switch(Node):
    """A switch, which a script's own class makes of it: a node whose ports have no addresses, and whose `start` says
    what forwards between them.

    Args:
        name: unique in the network.
        dpid: up to 16 hexadecimal digits; default: the first number in the name.
        opts: accepted; it has no effect, and that is said.
        listenPort: the port of its machine's loopback at which it takes OpenFlow connections.
        **params: as of `Node`; in a network it has no namespace of its own unless inNamespace=True.
    """

    portBase = 1
    dpidLen = 16
    _options_described = ("devices", "privateDirs")

    def __init__(
        self, name: str, dpid: str | None = None, opts: str = "", listenPort: int | None = None, **params: Any
    ) -> None:
        super().__init__(name, **params)
        if opts and self.is_bridge:
            tolerate(f"opts={opts!r} of switches", "it has no effect")
        self.opts = opts
        self.listenPort = listenPort
        self.dpid = self.defaultDpid(dpid)
        self.take_attributes()
        self.controlIntf: Any = None
        if self.is_bridge or not self.inNamespace:
            self.controlIntf = Intf("lo", node=self, port=0)
            self.controlIntf.ip, self.controlIntf.prefixLen = "127.0.0.1", 8
            self.addIntf(self.controlIntf, port=0)

    def defaultDpid(self, dpid: str | None = None) -> str:
        """Its datapath id: the one given, or the first number in its name. Raises UsageError if it has none."""
        if dpid is not None:
            return dpid.replace(":", "").lower().zfill(self.dpidLen)
        number = re.search(r"\d+", self.name)
        if number is None:
            raise UsageError(
                f"switch {self.name}: its name has no number to derive a dpid from; give it dpid="
            )
        return f"{int(number[0]):x}".zfill(self.dpidLen)

    def take_attributes(self) -> None:
        """Have what its attributes say now in `params`: a script may set them until the network is made."""
        self.params |= {"dpid": self.dpid, "listenPort": self.listenPort}

    def defaultIntf(self) -> Any:
        """The interface at which its controllers are reached: the loopback interface of its machine, its port 0; the
        first one of a switch that has a namespace of its own.
        """
        return super().defaultIntf() if self.controlIntf is None else self.controlIntf

    def port_list(self) -> list[Any]:
        """Its interfaces that are ports, by number."""
        return [intf for intf in self.intfList() if intf is not self.controlIntf]

    def start(self, controllers: Sequence[Any] = ()) -> None:
        """A class of a script's own says here what forwards."""

    def stop(self, deleteIntfs: bool = True) -> None:
        """A class of a script's own ends here what `start` began; the network's `stop` calls it."""

    def connected(self) -> bool:
        """Whether it waits for no controller: hybridnet knows of none."""
        return True


class Bridge(Switch, live.Switch):
    """A switch that hybridnet makes: a bridge. Its commands run on its machine.

    Args:
        name, **params: as of `Switch`; the name is the bridge's, too.
    """

    is_bridge = True
    made_of: str | None = None  # its kind, as descriptions have it; `kind=` of a script is the script's own
    dpid: str  # that of a bridge which nobody gave one is derived from its name
    wanted: Sequence[Any] | None = None  # the controllers that `start` gave it
    _stopped: Sequence[Any] = ()  # the ports that `stop` took down

    def topo_options(self, taken: set[Any]) -> dict[str, object]:
        """It as `hybridnet.Topo.addSwitch` takes it; `taken` are the datapath ids of the others."""
        self.take_attributes()
        own = {name: self.params[name] for name in _OF_BRIDGES if self.params.get(name)}
        if own.get("protocols") == EVERY_VERSION and any(
            each.fails_at_15() for each in self.network().controllers
        ):
            own["protocols"] = _WITHOUT_15
        own["devices"] = self.borrowed()
        if self.made_of is not None:
            own["kind"] = self.made_of
        given = {name for name, value in self.params.items() if value}
        unknown = given - {*_OF_BRIDGES, "inNamespace", "ipv6"}
        if unknown and type(self).__module__.startswith("hybridnet."):
            tolerate(f"switch {self.name}: {min(unknown)}=", "switches have no such option; it has no effect")
        if "dpid" in own:
            dpid = int(own["dpid"], 16)
            if dpid in taken:
                dpid = next(number for number in range(1, 1 << 32) if number not in taken)
                tolerate(f"switch {self.name}: its dpid is another's, too", f"it gets {dpid:016x}")
                self.dpid = self.params["dpid"] = own["dpid"] = f"{dpid:016x}"
            taken.add(dpid)
        return own

    def joined_by(self, intf: Any) -> None:
        """See `Node`."""
        self.address_port(intf)

    def address_port(self, intf: Any) -> None:
        """Give a port the MAC and IP addresses that its link was told, if any; a patch port has no device to give them
        to.
        """
        if intf.mac is not None:
            self.cmd(f"ip link set dev {intf} address {intf.mac} 2>/dev/null")
        if (address := accepted_address(intf.params.get("ip"), f"interface {intf.name}")) is not None:
            address = address if "/" in address else f"{address}/8"
            self.cmd(f"ip address replace {address} dev {intf} 2>/dev/null")
            intf.ip, _, length = address.partition("/")
            intf.prefixLen = int(length)

    def stop(self, deleteIntfs: bool = True) -> None:
        """Take it out of service: its ports go down until `start`. `net.stop` does not need it."""
        if self.is_made():
            up = [intf for intf in self.port_list() if intf.isUp()]
            for intf in up:
                intf.ifconfig("down")
            self._stopped = [*self._stopped, *up]

    def take_own_options(self) -> None:
        """Give the bridge what a class of a script's says of it beyond hybridnet: only `OVSSwitch` can."""

    def raise_stopped_ports(self) -> None:
        """Set up what `stop` has taken down and is still there; what was down before stays so."""
        stopped, self._stopped = self._stopped, []
        for intf in self.port_list():
            if intf in stopped:
                intf.ifconfig("up")

    def connected(self) -> bool:
        """Whether a controller has it, or it needs none."""
        needs_none = self.params.get("failMode") == "standalone" or self.wanted == []
        return needs_none or live.Switch.connected(self)


class OVSSwitch(Bridge):
    """An Open vSwitch bridge.

    Args:
        name, **params: as of `Switch`.
        failMode: "secure" or "standalone".
        datapath: "user"; or "kernel", where the machine has that, else it is "user" too.
        inband: controllers are reached through the switch itself.
        protocols: such as "OpenFlow13"; default: all that Open vSwitch has.
        reconnectms: at most so long between two attempts to reach a controller; Open vSwitch waits a second at least.
        stp: have it run the spanning tree protocol; "rstp" for the rapid one.
        batch: accepted; switches are always made in bulk.
    """

    obeyed: list[str] | None = None  # the controllers that it obeys; None: the network's when that was made
    _is_out = False  # whether `stop` has removed the bridge

    def __init__(
        self,
        name: str,
        failMode: str = "secure",
        datapath: str = "kernel",
        inband: bool = False,
        protocols: str | None = None,
        reconnectms: int = 1000,
        stp: bool | str = False,
        batch: bool = False,
        **params: Any,
    ) -> None:
        self.failMode, self.datapath, self.protocols, self.stp = failMode, datapath, protocols, stp
        self.inband, self.reconnectms, self.batch = inband, reconnectms, batch
        super().__init__(name, **params)

    def start(self, controllers: Sequence[Any] = ()) -> None:
        """Give it its controllers. The last of a network's switches to start makes the network; one that was stopped is
        made again, without flows.
        """
        if self._is_out:
            self._call("put_back_switch", switch=self.name)
            self._is_out = False
            self.take_own_options()
        self.wanted = list(controllers)
        if self.is_made():
            self.raise_stopped_ports()
            self.obey()
        elif not self._is_loose() and all(
            switch.wanted is not None for switch in self.network().switches if switch.is_bridge
        ):
            self.make()

    def obey(self) -> None:
        """Have it obey the controllers that its `start` named, where these are not those that it obeys."""
        network, wanted = self.network(), list(self.wanted or ())
        names = [controller.name for controller in wanted]
        if names == (network.obeyed if self.obeyed is None else self.obeyed):
            return
        self.obeyed = names
        for controller in wanted:
            if controller.behind() in network.came_later:
                controller.behind().ready()
        head = own_address_toward(network.running().cluster.address(str(self.machine)))
        if self.params.get("protocols") == EVERY_VERSION and any(each.fails_at_15() for each in wanted):
            self.vsctl("set bridge", self, f"protocols={_WITHOUT_15}")
        targets = [controller.behind().target(head) for controller in wanted]
        if self.params.get("listenPort"):
            targets.append(f"ptcp:{self.params['listenPort']}:127.0.0.1")
        self.vsctl(*(("set-controller", self, *targets) if targets else ("del-controller", self)))

    def take_attributes(self) -> None:
        """See `Switch`."""
        super().take_attributes()
        self.params |= {"failMode": self.failMode, "stp": self._tree(), "inband": truth(self.inband)}
        self.params["protocols"] = _versions(self.protocols)
        self.params["reconnectms"] = max(self.reconnectms or 0, 1000)
        self.params["datapath"] = "user" if self.datapath == "user" else None

    def _tree(self) -> bool | str:
        """The spanning tree protocol that its attribute asks for, as `hybridnet.Topo.addSwitch` takes it."""
        return "rstp" if self.stp == "rstp" else truth(self.stp)

    def stop(self, deleteIntfs: bool = True) -> None:
        """See `Bridge`; the bridge goes, as by `ovs-vsctl del-br`: its controllers lose it, and its flows go."""
        super().stop(deleteIntfs)
        if self.is_made() and not self._is_out:
            self._call("take_out_switch", switch=self.name)
            self.obeyed, self._is_out = [], True

    def vsctl(self, *args: Any, **_: Any) -> str:
        """Run ovs-vsctl on its machine, beside its shell: a thread of the script's may use that."""
        out, err, _status = self.pexec(" ".join(str(word) for word in ("ovs-vsctl", *args)), shell=True)
        return str(out + err)

    def dpctl(self, *args: Any) -> str:
        """Run `ovs-ofctl COMMAND SWITCH ARGUMENTS`; options may stand before the command: ``"-O OpenFlow13 show"``.

        It speaks OpenFlow 1.0, as ovs-ofctl does by itself; with a switch that does not offer that, what this offers.
        """
        command, *arguments = args or ("help",)
        offered = self.params["protocols"]
        options = () if "OpenFlow10" in offered.split(",") else ("-O", offered)
        return self.cmd("ovs-ofctl", *options, command, self.name, *arguments)

    def attach(self, intf: Any) -> None:
        """Add a port: one that was made by hand, or that `detach` has taken out. Links attach theirs themselves."""
        self.vsctl("--may-exist add-port", self, intf)
        self.cmd("ip link set dev", intf, "up")

    def detach(self, intf: Any) -> None:
        """Take a port out of the bridge."""
        self.vsctl("--if-exists del-port", self, intf)

    def controllerUUIDs(self, update: bool = False) -> list[str]:
        """The rows of its controllers in Open vSwitch's database."""
        return re.findall(r"[0-9a-f-]{36}", self.vsctl("-- get Bridge", self, "Controller"))

    def bridgeOpts(self) -> str:
        """What a command of ovs-vsctl that makes its bridge anew says of it, as a class of a script's own may."""
        told = {"fail_mode": self.failMode or "standalone", "protocols": self.params["protocols"]}
        told["other_config:datapath-id"] = self.dpid
        told["other_config:dp-desc"] = self.name
        if not self.network().in_kernel:
            told["datapath_type"] = "netdev"
        if self._tree():
            told["stp_enable"] = "true"
        told |= {f"external_ids:{name}": value for name, value in self.network().mark().items()}
        return " " + " ".join(f"{name}={value}" for name, value in told.items())

    def intfOpts(self, intf: Any) -> str:
        """The same of one of its ports."""
        told = f" -- set Interface {intf} ofport_request={self.ports[intf]}"
        if intf.link is None or os.path.exists(f"/sys/class/net/{intf}"):
            return told
        peer = intf.link.intf2 if intf is intf.link.intf1 else intf.link.intf1
        return f"{told} type=patch options:peer={peer}"

    def take_own_options(self) -> None:
        """Give the bridge and its ports what `bridgeOpts` and `intfOpts` of a script's class say beyond these ones."""
        changes = []
        if is_overridden(self, "bridgeOpts"):
            usual = OVSSwitch.bridgeOpts(self).split()
            own = [word for word in self.bridgeOpts().split() if word not in usual]
            changes += ["-- set Bridge", self, *own] if own else []
        if is_overridden(self, "intfOpts"):
            changes += [self.intfOpts(intf) for intf in self.port_list()]
        if changes and (said := self.vsctl(*changes)):
            tolerate(f"switch {self.name}: its bridgeOpts or intfOpts", f"ovs-vsctl says: {said.strip()}")

    @staticmethod
    def TCReapply(intf: Any) -> None:
        """Nothing: Open vSwitch does not touch how links are shaped here."""

    @classmethod
    def batchStartup(cls, switches: Sequence[Any], run: Any = None) -> Sequence[Any]:
        """Nothing: the network has made them in bulk. Returns them."""
        return switches

    @classmethod
    def batchShutdown(cls, switches: Sequence[Any], run: Any = None) -> Sequence[Any]:
        """Nothing: the network removes them in bulk. Returns them."""
        return switches

    argmax = 128000  # characters of a command of ovs-vsctl's, in Mininet

    @classmethod
    def isOldOVS(cls) -> bool:
        """Whether Open vSwitch is older than 1.10; it is not."""
        return False


def _versions(protocols: str | Sequence[str] | None) -> str:
    if protocols is None:
        return EVERY_VERSION
    return protocols if isinstance(protocols, str) else ",".join(protocols)


OVSKernelSwitch = OVSSwitch
OVSBatch = OVSSwitch


class OVSBridge(OVSSwitch):
    """A bridge without a controller, which learns by itself."""

    def __init__(self, name: str, **params: Any) -> None:
        super().__init__(name, **{**params, "failMode": "standalone"})

    def start(self, controllers: Sequence[Any] = ()) -> None:
        """It has no controllers."""
        super().start([])

    def connected(self) -> bool:
        """It forwards by itself; with the spanning tree protocol, once that has settled."""
        if not self._tree():
            return True
        shown = self.cmd("ovs-appctl", "rstp/show" if self._tree() == "rstp" else "stp/show", self).lower()
        return "forwarding" in shown and not re.search("listening|learning", shown)


class UserSwitch(OVSSwitch):
    """The reference switch in user space, which nobody has any more: an Open vSwitch bridge that forwards there, and
    that is said.
    """

    def __init__(self, name: str, dpopts: str = "", **params: Any) -> None:
        tolerate(type(self).__name__, "an Open vSwitch bridge in user space takes its place")
        if dpopts:
            tolerate(f"{type(self).__name__}: dpopts={dpopts!r}", "it has no effect: they are ofdatapath's")
        super().__init__(name, **{"datapath": "user", **params})


class IVSSwitch(UserSwitch):
    """The Indigo switch, which nobody has any more: as `UserSwitch`."""

    def __init__(self, name: str, verbose: bool = False, **params: Any) -> None:
        super().__init__(name, **params)
