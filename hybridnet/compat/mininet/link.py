# SPDX-License-Identifier: MIT
"""Mininet's interfaces and links: they exist as soon as they are described, and are made with the network.

    Link(h1, s1) ─▶ an Intf at each node ─▶ (network made) the interfaces get their addresses, `config` changes the link

Mininet's `TCLink` shapes with the kernel's tc. Here the simulator does: one with a rate, a delay, a loss or a queue
is simulated. One without is a veth pair, and so is a plain `Link`, which takes no notice of them. With kernel=True a
`TCLink` is a veth pair that the kernel shapes, as in Mininet. Two switches are joined by one where the kernel of this
computer forwards or the script's text names one of its devices, as in Mininet; else, and where the link's class is
OVSLink, by a patch, since Open vSwitch takes a turn of milliseconds for each device that it reads itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hybridnet.compat.mininet.lenient_options import (
    OF_THE_KERNEL,
    SHAPING,
    accepted_address,
    accepted_mac,
    shaping,
    tolerate,
    truth,
    whole_address,
)
from hybridnet.compat.mininet.log import error
from hybridnet.compat.mininet.network import commands_wait, network_of_link
from hybridnet.compat.mininet.tc.commands import OF_NETEM, netem_commands, rate_commands
from hybridnet.compat.mininet.tc.kernel import apply, asks_kernel, check_kernel_link
from hybridnet.compat.mininet.util import makeIntfPair
from hybridnet.errors import HybridnetError, UsageError
from hybridnet.run.node import link as live

__all__ = ["Intf", "Link", "OVSIntf", "OVSLink", "TCIntf", "TCLink", "TCULink"]


_LAST_PORT = 65279  # of a switch
_PLACE_OF_INTF = 7  # among the arguments of a link after its nodes
_OF_RATES: dict[str, object] = {
    "bw": None, "speedup": 0, "use_hfsc": False, "use_tbf": False, "latency_ms": None, "enable_ecn": False,
    "enable_red": False,
}  # fmt: skip
"""What `bwCmds` is given, and where nothing says otherwise."""

_OPTIONS = {*SHAPING, *OF_THE_KERNEL, "ifconfig", "ip", "kernel", "mac", "mtu", "patch", "port", "up"}
"""Of links and their ends: all that is read somewhere."""


class Intf(live.Intf):
    """An interface of a node. Prints as its name.

    Args:
        name: such as h1-eth0.
        node: whose it is.
        port: its number there; None: the next.
        link: the link that makes it; None: the interface is hardware of this computer.
        mac: its address; None: the network chooses.
    """

    node: Any  # a `hybridnet.compat.mininet.hosts.Node`
    link: Any
    knows_tc = False  # whether its class says with which commands of tc it is shaped

    def __init__(
        self,
        name: str,
        node: Any = None,
        port: int | None = None,
        link: Link | None = None,
        mac: str | None = None,
        **params: Any,
    ) -> None:
        if node is None:
            raise UsageError(f"interface {name}: a device of this computer goes to a node; give node=")
        self.name = name
        self.node = node
        self.link = link
        self.mac = mac
        self.ip: str | None = None
        self.prefixLen: int | None = None
        self.ip6: str | None = None
        self._is_up = True  # asked of a patch port, which has no device
        self.params = params
        self.shaped = self.shaping_of(params)  # as it is now: changes leave `params` alone
        if isinstance(params.get("ip"), str):
            params["ip"] = whole_address(params["ip"])
            self.foretell(params["ip"])
        self.port = node.newPort() if port is None else port
        if link is not None:
            node.addIntf(self, port=self.port)
        elif name != "lo":
            node.addIntf(self, port=self.port)
            node.borrow(name)

    def shaping_of(self, params: Mapping[str, Any]) -> dict[str, object]:
        """What of its parameters shapes it: nothing, with a warning, since Mininet's takes no notice. `TCIntf` does."""
        told = [name for name in SHAPING if params.get(name)]
        if told:
            options = ", ".join(f"{name}=" for name in told)
            tolerate(
                f"{options} without TCLink",
                f"link of {self.name}: no effect, as in Mininet; write link=TCLink, cls=TCLink or --link tc",
            )
        return {}

    def tell_unknown_options(self) -> None:
        """Warn of parameters that nobody reads: classes of a script's may read others."""
        if type(self).__module__.startswith("hybridnet.") and (unknown := self.params.keys() - _OPTIONS):
            tolerate(f"links: {min(unknown)}=", "no class of the script's takes it; it has no effect")

    def foretell(self, address: str) -> None:
        """Know the address that it is told, before the network is made."""
        self.ip, _, length = address.partition("/")
        self.prefixLen = int(length) if length.isdecimal() else None

    def made_as(self, other: live.Intf) -> None:
        """The network is made: take the addresses that it gave."""
        self.mac, self.ip = other.mac or self.mac, other.ip
        self.prefixLen, self.ip6 = other.prefixLen, other.ip6

    def IP(self) -> str | None:
        """The IPv4 address, without prefix length."""
        return self.ip

    def MAC(self) -> str | None:
        """The MAC address; makes the network where it is not known before. None for a patch port, which has none."""
        if self.mac is None and not self.node.is_made():
            self.node.make()
        return self.mac or self.updateMAC()

    def cmd(self, *args: Any, **kwargs: Any) -> str:
        """Run a command in the node."""
        return str(self.node.cmd(*args, **kwargs))

    def ifconfig(self, *args: str) -> str:
        """Set it ``"up"`` or ``"down"``; else run ifconfig with it and the arguments."""
        if args in (("up",), ("down",)):
            if self._is_constructed_now():
                self._is_up = args == ("up",)
                return ""
            said = super().ifconfig(*args)
            self._is_up = args == ("up",)
            return said
        return self.cmd("ifconfig", self.name, *args)

    def isUp(self, setUp: bool = False) -> bool:
        """Whether it is administratively up; `setUp` sets it up first."""
        if setUp:
            self.ifconfig("up")
        if self._is_constructed_now():
            return self._is_up
        has_device = not self.node.is_bridge or super().status() == "OK"
        return super().isUp() if has_device else self._is_up

    def _is_constructed_now(self) -> bool:
        """Whether its link is not ready: a constructor of a script's class is running, and there is no device yet."""
        return self.link is not None and getattr(self.link, "intf2", None) is None

    def set_as_told(self) -> None:
        """Set it down, if its constructor has: it is made."""
        if not self._is_up:
            self.ifconfig("down")

    def updateIP(self) -> str | None:
        """Read its address anew, also while a command runs in the node."""
        words = self.node.pexec("ip", "-4", "-o", "address", "show", "dev", self.name)[0].split()
        if "inet" in words:
            address, _, length = words[words.index("inet") + 1].partition("/")
            self.ip, self.prefixLen = address, int(length)
        else:
            self.ip = None
        return self.ip

    def updateMAC(self) -> str | None:
        """Read its MAC address anew."""
        self.mac = self.cmd(f"cat /sys/class/net/{self.name}/address 2>/dev/null").strip() or self.mac
        return self.mac

    def updateAddr(self) -> tuple[str | None, str | None]:
        """Read both anew."""
        return self.updateIP(), self.updateMAC()

    def status(self) -> str:
        """ "OK" where it is there: the device, or a switch's patch port, which has none; else "MISSING"."""
        if super().status() == "OK":
            return "OK"
        bridge = self.node if self.node.is_bridge else None
        ports = "" if bridge is None else self.cmd("ovs-vsctl list-ports", bridge)
        return "OK" if self.name in ports.split() else "MISSING"

    def setMAC(self, macstr: str) -> str:  # type: ignore[override]
        """Replace the MAC address. Returns what is said of it: nothing; what goes wrong is a warning."""
        mac = accepted_mac(macstr, f"host {self.node.name}")
        if mac is not None and self.node.is_made():
            # Mininet sets it down meanwhile: its link-local address then follows the new one, and routes are gone.
            self.ifconfig("down")
            try:
                super().setMAC(mac)
            finally:
                self.ifconfig("up")
        self.mac = mac or self.mac
        return ""

    def setIP(self, ipstr: str, prefixLen: int | None = None) -> str:  # type: ignore[override]
        """Replace the address: ``"10.0.0.5/8"``, or an address and a prefix length; 0.0.0.0 takes it away. Returns what
        is said of it: nothing; what goes wrong is a warning.
        """
        ipstr = whole_address(ipstr)
        if not ipstr:
            self.ip = ipstr
            return ""
        if ipstr.partition("/")[0] == "0.0.0.0":
            self.cmd("ip -4 address flush dev", self.name)
            self.ip, self.prefixLen = "0.0.0.0", prefixLen
            return ""
        try:
            super().setIP(ipstr, prefixLen)
        except HybridnetError as problem:
            tolerate(f"host {self.node.name}: ip {ipstr!r}", f"it has no effect: {problem}")
            self.ip = None
        if self.ip is None:
            self.ip = ipstr.partition("/")[0]  # as Mininet remembers it, whatever the host said
        return ""

    def setParam(self, results: dict[str, object], method: str, **param: Any) -> Any:
        """Call a method with one parameter, unless that is None or there is no such method."""
        return set_param(self, results, method, **param)

    def config(
        self,
        mac: str | None = None,
        ip: str | None = None,
        ifconfig: str | None = None,
        up: bool = True,
        **params: Any,
    ) -> dict[str, object]:
        """Change its addresses, and of a `TCIntf` what it sends: bw, delay, jitter, loss, max_queue_size. If one of
        these is given, the others are as if the link had never had them, as in Mininet, which removes its qdiscs
        first. Returns what its methods have returned, by parameter.
        """
        results: dict[str, object] = {}
        self.setParam(results, "setMAC", mac=mac)
        self.setParam(results, "setIP", ip=ip)
        if self.node.is_made() and not self.node.is_bridge:  # ports are up
            self.setParam(results, "isUp", up=up)
        self.setParam(results, "ifconfig", ifconfig=None if ifconfig is None else ifconfig.split())
        shaped = self.shaping_of(params)
        if self.link is not None and _says_how_to_send(shaped):
            self.link.shape(self, {**dict.fromkeys(SHAPING), **shaped})
        return results

    def configures_itself(self) -> bool:
        """Whether its class is one of a script's that has a `config` of its own, to be called once it is made."""
        return type(self).config not in (Intf.config, TCIntf.config)

    def delete(self) -> None:
        """Remove the interface, and with it its link: the two ends of one are one device."""
        if self.link is not None:
            self.link.delete()
            self.link = None
        else:
            self.cmd("ip link del", self.name)
            self.node.delIntf(self)

    def rename(self, newname: str) -> str:
        """Give it another name. Returns what the commands printed."""
        self.cmd(f"ip link set dev {self.name} down")
        said = self.cmd(f"ip link set dev {self.name} name {newname}")
        self.node.nameToIntf.pop(self.name, None)
        self.name = newname
        self.node.nameToIntf[newname] = self
        self.cmd(f"ip link set dev {newname} up")
        return said


def is_overridden(of: Any, method: str) -> bool:
    """Whether the class of a node or an interface is a script's, with a method of its own by that name."""
    return not getattr(type(of), method).__module__.startswith("hybridnet.")


def starts_by_itself(node: Any) -> bool:
    """Whether the class of a switch is a script's, with a `start` that makes the bridge by commands of its own: it does
    not call the one of Mininet's class. Such commands expect a device for each port.
    """
    if not node.is_bridge or not is_overridden(node, "start"):
        return False
    code = getattr(type(node).start, "__code__", None)
    return code is not None and "start" not in code.co_names


def set_param(of: Any, results: dict[str, object], method: str, **param: Any) -> Any:
    """Mininet's `setParam`: ``set_param(intf, results, "setMAC", mac=None)`` does nothing."""
    ((name, value),) = param.items()
    act = getattr(of, method, None)
    if value is None or act is None:
        return None
    if isinstance(value, list):
        result = act(*value)
    elif isinstance(value, dict):
        result = act(**value)
    else:
        result = act(value)
    results[name] = result
    return result


class Link:
    """A link between two nodes.

    Args:
        node1, node2: the nodes.
        port1, port2: port numbers; default: the next ones.
        intfName1, intfName2: interface names instead of node-ethN.
        addr1, addr2: MAC addresses.
        intf, cls1, cls2: classes of the interfaces.
        params1, params2: of one end's interface and of the direction that starts there.
        **params: of both directions; patch=False: switches are joined by a veth pair, wherever they forward;
            kernel=True, of a `TCLink`: the kernel shapes it, and not the simulator.
    """

    def __init__(
        self,
        node1: Any,
        node2: Any,
        port1: int | None = None,
        port2: int | None = None,
        intfName1: str | None = None,
        intfName2: str | None = None,
        addr1: str | None = None,
        addr2: str | None = None,
        intf: type[Intf] = Intf,
        cls1: type[Intf] | None = None,
        cls2: type[Intf] | None = None,
        params1: dict[str, object] | None = None,
        params2: dict[str, object] | None = None,
        fast: bool = True,
        **params: Any,
    ) -> None:
        own = [{**params, **(params1 or {})}, {**params, **(params2 or {})}]
        node1, node2 = node1.end_of_link(), node2.end_of_link()
        ends: list[Any] = []
        for node, port, name, mac, cls, mine in zip(
            (node1, node2),
            (port1, port2),
            (intfName1, intfName2),
            (addr1, addr2),
            (cls1, cls2),
            own,
            strict=True,
        ):
            number = mine.pop("port", None) if port is None else port
            number = node.newPort() if number is None else number
            name = name or self.intfName(node, number)
            if number == 0 and node.is_bridge:
                number = next(port for port in range(_LAST_PORT, 0, -1) if port not in node.intfs)
                tolerate(f"interface {name}: port 0", f"switches begin with port 1; it gets port {number}")
            with commands_wait():
                made = (cls or intf)(
                    name,
                    node=node,
                    port=number,
                    link=self,
                    mac=accepted_mac(mac or mine.get("mac"), f"link {node1.name}-{node2.name}"),
                    **mine,
                )
            ends.append(made)
        self.intf1, self.intf2 = ends
        self.key: int | None = None  # among the links of its nodes, once the network is made
        if not self._makes_pair():
            self._borrow_ends(node1, node2, addr1, addr2)
            return
        network_of_link((node1, node2)).adopt_link(self)

    def _makes_pair(self) -> bool:
        """Whether its devices are the network's to make: a class of a script's may have a way of its own."""
        own = type(self).makeIntfPair
        return getattr(own, "__func__", own) is Link.makeIntfPair.__func__  # type: ignore[attr-defined]

    def _borrow_ends(self, node1: Any, node2: Any, addr1: str | None, addr2: str | None) -> None:
        """Have the script make the devices, if it does, and lend them to the nodes. An end without a name is none."""
        one, other = self.intf1.name, self.intf2.name
        self.makeIntfPair(one, other, addr1, addr2, node1, node2, deleteIntfs=False)
        for node, name in ((node1, one), (node2, other)):
            if name:
                node.borrow(name)

    @classmethod
    def makeIntfPair(
        cls,
        intfname1: str,
        intfname2: str,
        addr1: str | None = None,
        addr2: str | None = None,
        node1: Any = None,
        node2: Any = None,
        deleteIntfs: bool = True,
    ) -> None:
        """Make a veth pair; links do not call it, unless a script's class overrides it."""
        makeIntfPair(intfname1, intfname2, addr1, addr2, node1, node2, deleteIntfs)

    def intfName(self, node: Any, n: int) -> str:
        """The name of interface number `n` of a node."""
        name: str = node.interface_name(n)
        return name

    @property
    def name(self) -> str:
        """The names of its nodes."""
        return f"{self.intf1.node.name}-{self.intf2.node.name}"

    def description(self) -> dict[str, object]:
        """It as `hybridnet.Topo.addLink` takes it, without the nodes."""
        network = self.intf1.node.network()
        if self.by_kernel:
            check_kernel_link(self, here=network.is_here())
        has_devices = (
            network.in_kernel
            or any(map(network.mentions.name, (self.intf1.name, self.intf2.name)))
            or any(map(starts_by_itself, (self.intf1.node, self.intf2.node)))
        )
        patch = not self.by_kernel and (isinstance(self, OVSLink) or not has_devices)
        patch = patch and not network.mentions.rstp
        told: dict[str, object] = {"patch": truth(self.intf1.params.get("patch", patch))}
        for number, intf in ((1, self.intf1), (2, self.intf2)):
            own = {} if self.by_kernel else shaping(intf.shaped, f"link {self.name}")
            intf.tell_unknown_options()
            ip = accepted_address(intf.params.get("ip"), f"interface {intf.name}")
            if ip is not None and not intf.node.is_bridge:  # a bridge gives it to its port
                own["ip"] = ip
            if intf.params.get("mtu") is not None:
                own["mtu"] = intf.params["mtu"]
            told |= {f"port{number}": intf.port, f"intfName{number}": intf.name, f"params{number}": own}
            if intf.mac is not None and not intf.node.is_bridge:  # a bridge sets those of its ports
                told[f"addr{number}"] = intf.mac
        return told

    @property
    def by_kernel(self) -> bool:
        """Whether the kernel shapes it, and not the simulator: one of its ends says kernel=True."""
        return any(asks_kernel(intf.params) for intf in (self.intf1, self.intf2))

    @property
    def is_loop(self) -> bool:
        """Whether it leads from a node to itself: hybridnet's own networks have no such links."""
        return self.intf1.node is self.intf2.node

    def make_loop(self) -> None:
        """Make it, where it leads from a host to itself: a veth pair there."""
        node, ends = self.intf1.node, (self.intf1, self.intf2)
        if node.is_bridge:
            tolerate(f"link {self.name}", "no switch is linked to itself; it has no effect")
            return
        if any(shaping(end.shaped, f"link {self.name}") for end in ends):
            tolerate(
                f"link {self.name}: its rate, delay, loss or queue", "it has none, from a node to itself"
            )
        one, other = (f"{end}" + (f" address {end.mac}" if end.mac else "") for end in ends)
        node.cmd(f"ip link add {one} type veth peer name {other}")
        for end in ends:
            end.config(ip=end.params.get("ip"))
            end.ifconfig("up")

    def remove_loop(self) -> None:
        """Remove it, where it leads from a host to itself."""
        self.intf1.node.cmd(f"ip link delete dev {self.intf1} 2>/dev/null")

    def configure_ends(self) -> None:
        """Call the `config` of a script's own classes of interfaces, as Mininet does when it makes one, and of those
        that the kernel shapes: as they are told to be now.
        """
        for intf in (self.intf1, self.intf2):
            intf.set_as_told()
            if intf.configures_itself():
                intf.config(**(intf.shaped if self.by_kernel else intf.params))

    def shape(self, intf: Intf, params: Mapping[str, Any]) -> None:
        """Change what is sent at one end: now, or when the network is made."""
        intf.shaped.update(params)
        node = intf.node
        if node.is_made() and not self.is_loop and not self.by_kernel:
            end = "params1" if intf is self.intf1 else "params2"
            if options := self._options(params):
                node.network().set_link(self, **{end: options})

    def reshape(self, intf: Intf, params: Mapping[str, Any]) -> None:
        """Change what is sent at one end of a link that is made; None takes an option back.

        Raises:
            HybridnetError: it cannot be had; then nothing has changed.
        """
        end = "params1" if intf is self.intf1 else "params2"
        if options := self._options(params):
            intf.node.network().set_link(self, **{end: options})
        intf.shaped.update(params)

    def _options(self, params: Mapping[str, Any]) -> dict[str, object]:
        """What `set_link` is told: None for what is taken back, and nothing of what tc would refuse."""
        taken_back = {name: None for name in SHAPING if name in params and params[name] is None}
        return {**taken_back, **shaping(params, f"link {self.name}")}

    def delete(self) -> None:
        """Remove it, with its interfaces."""
        network = self.intf1.node.network()
        if self in network.links:
            network.remove_link(self)

    def stop(self) -> None:
        """`delete`."""
        self.delete()

    def status(self) -> str:
        """ "(OK OK)" where both interfaces are there."""
        return f"({self.intf1.status()} {self.intf2.status()})"

    def __str__(self) -> str:
        return f"{self.intf1}<->{self.intf2}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"


class TCIntf(Intf):
    """Mininet's interface with shaping, by the simulator.

    A class of a script's own may say by `bwCmds` and `delayCmds` with which commands of tc Mininet would shape it:
    these run once it is made, and change the simulated link as far as `tc.commands` knows them.
    """

    bwParamMax = 1000
    knows_tc = True

    def shaping_of(self, params: Mapping[str, Any]) -> dict[str, object]:
        """See `Intf`."""
        return dict(params)

    def bwCmds(
        self,
        bw: float | None = None,
        speedup: float = 0,
        use_hfsc: bool = False,
        use_tbf: bool = False,
        latency_ms: float | None = None,
        enable_ecn: bool = False,
        enable_red: bool = False,
    ) -> tuple[list[str], str]:
        """The commands of tc by which Mininet gives it a rate, and what the next qdisc says of its parent. A simulated
        link knows no TBF and no HFSC: these are HTB there.
        """
        if bw and not 0 <= bw <= self.bwParamMax:
            error(f"Bandwidth limit {bw} is outside supported range 0..{self.bwParamMax} - ignoring\n")
            return [], " root "
        if bw is not None and speedup > 0 and self.node.name[:1] == "s":
            bw = speedup
        by = "htb"
        if self.link is not None and self.link.by_kernel:
            by = "hfsc" if use_hfsc else "tbf" if use_tbf else by
        return rate_commands(bw, red=enable_red, ecn=enable_ecn, by=by, latency_ms=latency_ms)

    @staticmethod
    def delayCmds(
        parent: str,
        delay: str | None = None,
        jitter: str | None = None,
        loss: float | None = None,
        max_queue_size: int | None = None,
    ) -> tuple[list[str], str]:
        """The same for delay, jitter, loss and the queue."""
        if loss and not 0 <= loss <= 100:
            error(f"Bad loss percentage {loss} %%\n")
            return [], parent
        return netem_commands(parent, delay, jitter, loss, max_queue_size)

    def tc(self, cmd: str, tc: str = "tc") -> str:
        """Run a command of tc for it: ``"%s qdisc show dev %s"``."""
        return self.cmd(cmd % (tc, self))

    def configures_itself(self) -> bool:
        """See `Intf`."""
        by_kernel = self.link is not None and self.link.by_kernel
        return super().configures_itself() or self.has_own_commands() or by_kernel

    def has_own_commands(self) -> bool:
        """Whether a script's class says itself with which commands of tc it is shaped."""
        return type(self).bwCmds is not TCIntf.bwCmds or type(self).delayCmds is not TCIntf.delayCmds

    def config(  # type: ignore[override]
        self, mac: str | None = None, ip: str | None = None, up: bool = True, **params: Any
    ) -> dict[str, object] | None:
        """Change its addresses, and what it sends: bw, delay, jitter, loss, max_queue_size.

        Returns:
            What `Intf.config` does, with ``tcoutputs``, what commands of tc have printed, and ``parent``, below which a
            further qdisc goes. None where nothing is said of what it sends.
        """
        if self.link is not None and self.link.by_kernel:
            results = super().config(mac=mac, ip=ip, up=up, **params)
            made = self.node.is_made()
            return {**results, "tcoutputs": apply(self, self.shaped)} if made else results
        by_commands = self.has_own_commands() and self.node.network().is_here()
        rest = {name: value for name, value in params.items() if not by_commands or name not in SHAPING}
        results = super().config(mac=mac, ip=ip, up=up, **rest)
        if not _says_how_to_send(params):
            return None
        commands, parent = self.bwCmds(**{name: params.get(name, none) for name, none in _OF_RATES.items()})
        of_netem = {name: params.get(name) for name in OF_NETEM}
        more, parent = self.delayCmds(parent=parent, **of_netem)
        said = []
        if by_commands:
            self.tc("%s qdisc del dev %s root")
            said = [self.tc(command) for command in (*commands, *more)]
            for text in filter(None, said):
                error(f"*** Error: {text}")
        return {**results, "tcoutputs": said, "parent": parent}


def _says_how_to_send(params: Mapping[str, Any]) -> bool:
    """Whether Mininet's `TCIntf.config` does anything for these parameters, of which jitter alone is none."""
    counts = any(params.get(name) is not None for name in ("bw", "max_queue_size"))
    return counts or any(params.get(name) for name in ("delay", "loss"))


class TCLink(Link):
    """Mininet's link with shaping."""

    def __init__(self, node1: Any, node2: Any, *args: Any, **kwargs: Any) -> None:
        if len(args) < _PLACE_OF_INTF:
            kwargs.setdefault("intf", TCIntf)
        super().__init__(node1, node2, *args, **kwargs)


class TCULink(TCLink):
    """The same: Mininet's differs in offloads, which hybridnet chooses."""


class OVSIntf(Intf):
    """An end of a patch between switches."""

    def ifconfig(self, *args: str) -> str:
        """Nothing for ``"up"``, as a patch is; raises Exception for anything else, as Mininet's does."""
        if args == ("up",):
            self._is_up = True
            return ""
        raise Exception(f"OVSIntf cannot do ifconfig {' '.join(map(str, args))}")


class OVSLink(Link):
    """A patch between switches, unless it is simulated: its ends are no devices, and nothing is copied there."""

    def __init__(self, node1: Any, node2: Any, *args: Any, **kwargs: Any) -> None:
        if len(args) < _PLACE_OF_INTF and node1.is_bridge and node2.is_bridge:
            kwargs.setdefault("intf", OVSIntf)
        super().__init__(node1, node2, *args, **kwargs)
