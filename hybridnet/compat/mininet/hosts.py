# SPDX-License-Identifier: MIT
"""Mininet's nodes and hosts. They exist as soon as they are described; the first command that needs the network makes
it.

Classes of a script's own that derive from these are honoured: their constructors, `config`, `start`, `stop` and
`terminate` are called when Mininet calls them.
"""

from __future__ import annotations

import os
import select
import time
from types import MethodType
from typing import Any

from hybridnet.compat.mininet.host_description import described_host
from hybridnet.compat.mininet.lenient_options import tolerate, truth, whole_address
from hybridnet.compat.mininet.link import Intf, Link, is_overridden, set_param
from hybridnet.compat.mininet.log import LEVELS, debug, info, lg
from hybridnet.compat.mininet.network import Network, is_constructing, network_of_loose_nodes
from hybridnet.compat.mininet.util import numCores
from hybridnet.describe.schema.plans import HostLimit
from hybridnet.describe.topo.host_options import MOST_CORES
from hybridnet.describe.values import number
from hybridnet.errors import EnvironmentLackError, HybridnetError, MachineError, UsageError
from hybridnet.run.node import node as live
from hybridnet.run.node.popen import Popen
from hybridnet.system.devices import state_of

__all__ = ["CPULimitedHost", "Host", "Node"]

# Options of `subprocess.Popen` that say how the script's own process would start a program.
_OF_SUBPROCESS = {
    "bufsize",
    "close_fds",
    "errors",
    "executable",
    "preexec_fn",
    "restore_signals",
    "start_new_session",
}
COMMAND_END = chr(127)
"""What Mininet's shells print when a command has ended, for scripts that read their output themselves."""
_OPTIONS_OF = {"memory_bytes": "memory=", "processes": "pids="}
ENDING_S = 0.5  # how long a command may take to end after its output was read, when another follows


class NoInterfaceError(UsageError, KeyError):
    """A node has no interface of a name: a KeyError for scripts, as in Mininet."""


class Program(Popen):
    """A program that `popen` has started. At the end of a ``with``, it is waited for, as with `subprocess.Popen`."""

    def __exit__(self, *_: object) -> None:
        self.wait_at_end()


class TerminalEnd:
    """The end of a shell's terminal at which its output is read, and its input written."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = os.dup(descriptor)

    def fileno(self) -> int:
        """Its descriptor."""
        return self._descriptor

    def read(self, most: int = 1024) -> str:
        """At most `most` bytes of output, as text."""
        return os.read(self._descriptor, most).decode(errors="replace")

    def write(self, data: str) -> None:
        """Type."""
        os.write(self._descriptor, data.encode())

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        """Close this end."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class Node(live.Node):
    """A node: a host or a switch.

    Args:
        name: unique in the network.
        inNamespace: False: its commands run, and its links end, in its machine's own namespace.
        **params: ip, mac, defaultRoute, privateDirs; others are kept in `params` for the node's own class.
    """

    portBase = 0  # number of the first port
    execed = False  # whether a program has taken the place of its shell
    waitExited = True
    is_bridge = False  # whether hybridnet makes a bridge of it, beside which its commands run
    _options_described: tuple[str, ...] = ("ip", "mac", "defaultRoute", "devices", "privateDirs")
    inToNode: dict[Any, Any] = {}
    outToNode: dict[Any, Any] = {}

    def __init__(self, name: str, inNamespace: bool = True, **params: Any) -> None:
        super().__init__(name, **params)
        if isinstance(params.get("ip"), str):
            self.params["ip"] = whole_address(params["ip"])
        self.inNamespace = truth(params.get("inNamespace", inNamespace))
        self.ports: dict[Intf, int] = {}
        self.nameToIntf: dict[str, Intf] = {}
        self.net: Network | None = None
        self._waiting_commands: list[str] = []
        self._terminal: TerminalEnd | None = None
        self.readbuf = ""  # what `read` and `readline` have left of what came
        self._unfetched = False  # whether a command was started whose end nobody has seen
        self.shell: Node | None = self
        self.privateDirs = params.get("privateDirs", [])
        self.checkSetup()
        if not is_constructing():  # by a network: the script makes it, and it belongs to no network yet
            self.network()
        for method in ("startShell", "mountPrivateDirs"):  # which a class of the script's may have of its own
            if is_overridden(self, method):
                getattr(self, method)()

    # The network it belongs to

    def network(self) -> Network:
        """Its network; a node that was made without one belongs to the one that all such nodes share."""
        if self.net is None:
            network_of_loose_nodes().adopt_loose(self)
        assert self.net is not None
        return self.net

    def _is_loose(self) -> bool:
        """Whether the script has made it without a network."""
        return self.net is None or self.net.is_of_loose_nodes

    def make(self) -> None:
        """Make the network, if that is not done."""
        self.network().make()

    def is_made(self) -> bool:
        """Whether the network is made, so that commands can run."""
        return self._agent is not None

    def topo_options(self, taken: set[Any]) -> dict[str, object]:
        """It as `hybridnet.Topo` takes it; `taken` are the others' addresses, and of bridges the datapath ids."""
        options = set(self._options_described)
        if is_overridden(self, "mountPrivateDirs"):
            options.remove("privateDirs")
        return described_host(self, options, taken)

    def joined_by(self, intf: Intf) -> None:
        """Take an interface that a link has brought to the network that is made; the first one gets its address and its
        default route.
        """
        if intf is not self.defaultIntf():
            return
        if "ip" in self._options_described and self.params.get("ip") is not None and intf.ip is None:
            self.setIP(self.params["ip"], intf=intf)  # an address that the network does not give by itself
        if route := self.params.get("defaultRoute"):
            self.setDefaultRoute(route)

    def _call(self, verb: str, **arguments: Any) -> Any:
        self._need_network()
        return super()._call(verb, **arguments)

    def begin_command(self, command: str) -> str:
        """Note what is about to run in the node's shell; makes the network, if that is not done."""
        self._need_network()
        self.readbuf = ""
        return super().begin_command(command)

    def _need_network(self) -> None:
        if self._agent is not None:
            return
        if is_constructing():
            raise UsageError(f"node {self.name}: its constructor can run commands with cmd() only")
        self.make()

    def run_waiting(self) -> None:
        """Run the commands of its constructor: the network is made."""
        while self._waiting_commands:
            self.cmd(self._waiting_commands.pop(0))

    # Interfaces

    def end_of_link(self) -> Node:
        """The node that its links end in: itself."""
        return self

    def interface_name(self, number: int) -> str:
        """The name of its interface of that number, where a link gives no other."""
        return f"{self.name}-eth{number}"

    def newPort(self) -> int:
        """The next number of a port."""
        return max(self.intfs, default=self.portBase - 1) + 1

    def addIntf(self, intf: Intf, port: int | None = None, moveIntfFn: Any = None) -> None:
        """Add an interface, which a link makes."""
        number = self.newPort() if port is None else port
        self.nameToIntf[intf.name] = intf
        self.intfs[number] = intf
        self.ports[intf] = number

    def borrow(self, device: str) -> None:
        """Take a device of this computer, until the network ends: now, or when the network is made."""
        if not self.is_made():
            self.params.setdefault("devices", []).append(device)
        elif self._may_borrow(device):
            self._call("take_device", device=device, node=self.name)

    def borrowed(self) -> list[str]:
        """The devices that it borrows and can have; the others are told of."""
        return [device for device in self.params.get("devices", ()) if self._may_borrow(device)]

    def _may_borrow(self, device: str) -> bool:
        if not self.network().is_here():
            return True  # its machine judges
        try:
            state_of(device)
        except MachineError as problem:
            tolerate(f"interface {device} of {self.name}", f"{problem}; the network goes on without it")
            return False
        return True

    def delIntf(self, intf: Intf) -> None:
        """Forget an interface."""
        number = self.ports.pop(intf, None)
        if number is not None:
            self.intfs.pop(number, None)
            self.nameToIntf.pop(intf.name, None)

    def linkTo(self, node: Node, link: type[Link] = Link) -> Link:
        """Link it to another node."""
        return link(self, node)

    def intfIsUp(self, intf: Any = None) -> bool:
        """Whether an interface (the default one) is administratively up."""
        return self._required(intf).isUp()

    def intf(self, intf: Any = None) -> Any:
        """The interface of that name, the default one without argument; an interface itself.

        Raises:
            NoInterfaceError: no interface has the name.
        """
        if isinstance(intf, str) and intf and intf not in self.nameToIntf:
            raise NoInterfaceError(
                f"node {self.name} has no interface {intf}; it has {', '.join(self.intfNames()) or 'none'}"
            )
        return self.nameToIntf[intf] if isinstance(intf, str) and intf else super().intf(intf)

    def setIP(  # type: ignore[override]
        self, ip: str, prefixLen: int = 8, intf: Any = None, **kwargs: Any
    ) -> str:
        """Replace an interface's address. Returns what is said of it."""
        found: Any = self._required(intf)
        return str(found.setIP(ip, prefixLen))

    def setMAC(self, mac: str, intf: Any = None) -> str:  # type: ignore[override]
        """Replace an interface's MAC address. Returns what is said of it."""
        found: Any = self._required(intf)
        return str(found.setMAC(mac))

    def setARP(self, ip: str, mac: str) -> str:  # type: ignore[override]
        """Add a permanent neighbour entry, as arp reads it; what arp refuses has no effect, and that is said."""
        address = ":".join(byte.zfill(2) for byte in str(mac).split(":"))  # arp takes bytes of one digit
        try:
            super().setARP(whole_address(str(ip)), address)
        except HybridnetError as problem:
            tolerate(f"host {self.name}: its neighbour {ip} at {mac}", f"it has no effect: {problem}")
        return ""

    def setHostRoute(self, ip: str, intf: Any) -> str:  # type: ignore[override]
        """Add a route to one address out of an interface; what route refuses has no effect, and that is said."""
        try:
            super().setHostRoute(whole_address(str(ip)), intf)
        except HybridnetError as problem:
            tolerate(f"host {self.name}: its route to {ip}", f"it has no effect: {problem}")
        return ""

    def setDefaultRoute(self, intf: Any = None) -> None:
        """Replace the default route: now, or when the network is made."""
        if self.is_made() or self._is_loose():
            try:
                super().setDefaultRoute(intf)
            except HybridnetError as problem:
                tolerate(f"host {self.name}: its default route {intf} cannot be set", str(problem))
        else:
            self.params["defaultRoute"] = str(intf)

    # Configuring

    def setParam(self, results: dict[str, object], method: str, **param: Any) -> Any:
        """Call a method with one parameter, unless that is None or there is no such method."""
        return set_param(self, results, method, **param)

    def config(  # type: ignore[override]
        self,
        mac: str | None = None,
        ip: str | None = None,
        defaultRoute: str | None = None,
        lo: str = "up",
        **_params: Any,
    ) -> dict[str, object]:
        """Set what differs from what is there; called once the network is made, with the node's parameters.

        A class of a script's own overrides it, and calls this one.
        """
        results: dict[str, object] = {}
        told = {
            "setMAC": {"mac": mac},
            "setIP": {"ip": ip},
            "setDefaultRoute": {"defaultRoute": defaultRoute},
        }
        own = any(is_overridden(self, method) for method in ("setParam", *told))
        if own and self.defaultIntf() is not None:
            for method, param in told.items():
                self.setParam(results, method, **param)
            if lo != "up":
                self.cmd("ip link set dev lo", lo)
            return results
        intf, has_moved = self.defaultIntf(), False
        if isinstance(intf, Intf):
            if mac is not None and mac.lower() != (intf.mac or "").lower():
                intf.setMAC(mac)
            if ip is not None and ip.partition("/")[0] != intf.ip:
                self.setIP(ip, intf=intf)
                has_moved = True  # and its routes are gone
        results |= {name: "" for name, value in (("mac", mac), ("ip", ip)) if value is not None}
        if defaultRoute is not None and (has_moved or defaultRoute != self.params.get("defaultRoute")):
            self.setDefaultRoute(defaultRoute)
        if defaultRoute is not None:
            results["defaultRoute"] = None
        if lo != "up":
            self.cmd("ip link set dev lo", lo)
        return results

    def configDefault(self, **moreParams: Any) -> None:
        """`config` with its own parameters, and more: now, or when the network that it was added to is made."""
        if self._is_loose():
            self.make()
        self.params.update(moreParams)
        if self.is_made():
            self.config(**self.params)

    # Commands

    def cmd(self, *args: Any, **kwargs: Any) -> str:
        """Run a command in the node's shell and return what it printed: nothing yet, in the node's constructor."""
        args = joined(args)
        if self._agent is None and is_constructing():
            self._waiting_commands.append(live.command_text(args))
            return ""
        self._wait_for_unfetched()
        show = info if kwargs.get("verbose") else debug
        show(f"*** {self.name} : {args}\n")
        said = super().cmd(*args, timeout=kwargs.get("timeout"))
        show(said)
        return said

    def sendCmd(self, *args: Any, **kwargs: Any) -> None:
        """Start a command in the node's shell; `printPid` is accepted. One that has ended is forgotten."""
        self._wait_for_unfetched()
        deadline = time.monotonic() + ENDING_S
        while self.waiting and (left := deadline - time.monotonic()) > 0:
            self.monitor(1000 * left)
        super().sendCmd(*joined(args))
        self._unfetched = True

    def _wait_for_unfetched(self) -> None:
        """A script that sets `waiting` to False itself fetches no more: the shell takes the next command once the
        started one has ended, as Mininet's does.
        """
        if self._unfetched and not self.waiting:
            self.waiting = True
            super().waitOutput()

    def monitor(self, timeoutms: float | None = None, findPid: bool = True) -> str:
        """What the command has printed since; between commands, what programs in the background have."""
        if self.readbuf:
            said, self.readbuf = self.readbuf.replace(COMMAND_END, ""), ""
            return said
        if self.waiting:
            said = super().monitor(timeoutms)
            self._unfetched = self.waiting
            return said
        while True:
            said = self._call(
                "read_idle", node=self.name, timeout=5.0 if timeoutms is None else timeoutms / 1000
            )
            if said or timeoutms is not None:
                return str(said)

    @property
    def stdout(self) -> TerminalEnd:
        """The terminal of its shell, to poll: a network on this computer only. `outToNode` knows its descriptor."""
        if self._terminal is None:
            if not self.network().is_here():
                raise UsageError(
                    f"node {self.name}: the terminal of its shell is on another machine; use monitor(), or run the "
                    "script on this computer alone"
                )
            self._terminal = TerminalEnd(self._call("terminal", node=self.name))
            self.inToNode[self._terminal.fileno()] = self
            self.outToNode[self._terminal.fileno()] = self
        return self._terminal

    stdin = stdout

    @property
    def pollOut(self) -> select.poll:
        """A poll of `stdout`."""
        poll = select.poll()
        poll.register(self.stdout.fileno(), select.POLLIN)
        return poll

    def waitReadable(self, timeoutms: float | None = None) -> list[tuple[int, int]]:
        """Wait for output; empty when none came in time."""
        return self.pollOut.poll(timeoutms)

    def read(self, size: int = 1024, maxbytes: int | None = None) -> str:
        """Output of its shell, as it comes: at most `size` characters, which older Mininets call `maxbytes`. Where a
        command has ended, there is a character of number 127.
        """
        most = size if maxbytes is None else maxbytes
        if not self.readbuf:
            self.readbuf = self._next_output()
        taken, self.readbuf = self.readbuf[:most], self.readbuf[most:]
        return taken

    def readline(self) -> str | None:
        """A line of its shell's output, without its end; None where what has come has none."""
        if "\n" not in self.readbuf and COMMAND_END not in self.readbuf:
            kept, self.readbuf = self.readbuf, ""
            self.readbuf = kept + self._next_output()
        if "\n" not in self.readbuf:
            return None
        line, _, self.readbuf = self.readbuf.partition("\n")
        return line

    def _next_output(self) -> str:
        began = self.waiting
        said = self.monitor()
        return said + COMMAND_END if began and not self.waiting else said

    @classmethod
    def fdToNode(cls, fd: int) -> Any:
        """The node of whose shell this is the terminal; None if it is none's."""
        return cls.outToNode.get(fd) or cls.inToNode.get(fd)

    def write(self, data: str) -> None:
        """Type into its shell: into the program that runs there."""
        self.stdout.write(data)

    def waitOutput(self, verbose: bool = False, findPid: bool = True) -> str:
        """Wait for the started command to end, and return what it printed, without what was read already."""
        kept = self.monitor() if self.readbuf else ""
        return kept + super().waitOutput(verbose and lg.isEnabledFor(LEVELS["info"]))

    def sendInt(self, intr: str = chr(3)) -> None:
        """Press ^C in the node's shell."""
        super().sendInt()

    program_class = Program

    def popen(self, *args: Any, **options: Any) -> Popen:
        """Start a program in the node; its output is bytes unless text is asked for, as with `subprocess.Popen`, whose
        other options have no effect, with a warning.
        """
        options.pop("mncmd", None)
        for option in _OF_SUBPROCESS & options.keys():
            if options.pop(option):
                tolerate(f"popen({option}=)", "it has no effect: nodes start their programs themselves")
        if not ({"text", "universal_newlines", "encoding"} & options.keys()):
            options["text"] = False
        return super().popen(*args, **options)

    def pexec(self, *args: Any, **options: Any) -> tuple[str, str, int]:
        """Run a program beside the shell to its end. Returns (stdout, stderr, exit status), as text."""
        program = self.popen(*args, **{**options, "text": True})
        out, err = program.communicate()
        return out or "", err or "", program.wait()

    # Ending

    def unbind(self) -> None:
        """Forget the network: it is stopped."""
        super().unbind()
        if self._terminal is not None:
            for known in (self.inToNode, self.outToNode):
                known.pop(self._terminal.fileno(), None)
            self._terminal.close()
            self._terminal = None

    def terminate(self) -> None:
        """Called before the network is stopped; subclasses end what they began."""
        for method in ("unmountPrivateDirs", "cleanup"):
            if is_overridden(self, method):
                getattr(self, method)()

    def stop(self, deleteIntfs: bool = False) -> None:
        """`terminate`; of nodes that the script made without a network, the last one's takes theirs along."""
        self.terminate()
        if self.net is not None:
            self.net.release(self)

    def deleteIntfs(self, checkName: bool = True) -> None:
        """Remove its interfaces: those that have its name in theirs, or all."""
        for intf in list(self.intfs.values()):
            if isinstance(intf, Intf) and intf.name != "lo" and (self.name in intf.name or not checkName):
                intf.delete()
                info(".")

    def cleanup(self) -> None:
        """The node goes with the network."""

    def __repr__(self) -> str:
        pid = self.pid if self.is_made() else None
        return f"<{type(self).__name__} {self.name}: {self._shown_intfs()} pid={pid}> "

    def _shown_intfs(self) -> str:
        return ",".join(f"{intf.name}:{intf.ip}" for intf in self.intfList())

    def startShell(self, mnopts: str | None = None) -> None:
        """Nothing: a node's shell starts with the network. A class of a script's may say more, in the constructor."""

    def mountPrivateDirs(self) -> None:
        """Mount its private directories, in its shell. The network has done so, unless a class of a script's overrides
        this: then it is called in the constructor, as in Mininet, and the network mounts none.
        """
        for each in self.privateDirs:
            if isinstance(each, str):
                self.cmd(f"mkdir -p {each}; mount -n -t tmpfs tmpfs {each}")
            else:
                at, source = each[0], each[1] % vars(self)
                self.cmd(f"mkdir -p {source} {at}; mount --bind {source} {at}")

    def unmountPrivateDirs(self) -> None:
        """Unmount its private directories. They go with the network; a class of a script's may end more here."""
        for each in self.privateDirs:
            self.cmd("umount", each if isinstance(each, str) else each[0])

    @classmethod
    def setup(cls) -> None:
        """Called before the first node of a class is made; nothing is needed."""

    isSetup = False

    @classmethod
    def checkSetup(cls) -> None:
        """Call `setup`, if this is the first node of the class."""
        if not cls.__dict__.get("isSetup"):
            cls.isSetup = True
            cls.setup()


def joined(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The words of a command: those of one list are joined by spaces as all others, and the shell reads them. A method,
    as ``h2.IP`` without parentheses, stands for its own text.
    """
    words = tuple(args[0]) if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
    for word in words:
        if isinstance(word, MethodType):
            tolerate(f"command: {word.__name__} without ()", "the shell gets the text of the method itself")
    return tuple(str(word) if isinstance(word, MethodType) else word for word in words)


class Host(Node, live.Host):
    """A host: a network namespace with a shell."""

    _options_of_its_class: tuple[str, ...] = ("inNamespace", "ipv6")

    def topo_options(self, taken: set[Any]) -> dict[str, object]:
        """See `Node`; parameters that nobody reads are told: a class of the script's may read any."""
        read = {*self._options_described, *self._options_of_its_class}
        if type(self) in (Host, CPULimitedHost) and (unknown := self.params.keys() - read):
            tolerate(f"hosts: {min(unknown)}=", "no class of the script's takes it; it has no effect")
        return super().topo_options(taken)


def _part_of_processors(value: Any, host: Host) -> float:
    """What `CPULimitedHost` takes, where nothing or less is no limit. Raises UsageError for what is no number."""
    return number(value, f"host {host.name}: cpu", -MOST_CORES, MOST_CORES, error=UsageError)


class CPULimitedHost(Host):
    """A host that may take a share of the computer's processors.

    Args:
        name, **params: as of `Host`; cpu, cores: as of `setCPUFrac` and `setCPUs`.
        sched: "cfs", or "rt" for real time.
        period_us: in so many microseconds it gets its share once.
    """

    inited = True  # as `init` does nothing
    _options_of_its_class = (*Host._options_of_its_class, "cpu", "cores", "period_us")

    def __init__(self, name: str, sched: str = "cfs", **params: Any) -> None:
        super().__init__(name, **params)
        self.sched = sched
        self.period_us = params.get("period_us", 100000)

    def config(  # type: ignore[override]
        self, cpu: float = -1, cores: Any = None, **params: Any
    ) -> dict[str, object]:
        """`Host.config`, and its limits."""
        results = super().config(**params)
        if cpu is not None and _part_of_processors(cpu, self) > 0:
            self.setCPUFrac(cpu, self.sched)
            results["cpu"] = None
        if cores is not None:
            self.setCPUs(cores)
            results["cores"] = None
        return results

    def setCPUFrac(self, f: float, sched: str | None = None) -> None:
        """Give it a part of the time of all processors, 0 to 1; in real time, of each. -1: no limit."""
        in_real_time = (sched or self.sched) == "rt"
        part = _part_of_processors(f, self)
        share = None if part < 0 else part if in_real_time else part * numCores()
        self._limit({"share": share, "sched": "rt" if in_real_time else "cfs", "period_us": self.period_us})

    def _limit(self, limit: HostLimit) -> None:
        try:
            super()._limit(limit)
        except EnvironmentLackError as problem:
            tolerate(
                f"{_OPTIONS_OF.get(min(limit), 'cpu= and cores=')} of hosts", f"it has no effect: {problem}"
            )

    @classmethod
    def init(cls) -> None:
        """Nothing is needed."""
