# SPDX-License-Identifier: MIT
"""Nodes of the live network: hosts and switches, with Mininet's methods. A node prints as its name.

A node exists as soon as it is described; it can be used once the network is started. Everything it does goes
through the agent of its machine, which `bind` gives it.
"""

from __future__ import annotations

import ipaddress
import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MethodType
from typing import Any, ClassVar, Protocol

from hybridnet.describe.schema.plans import HostLimit
from hybridnet.describe.topo import host_options
from hybridnet.describe.values import flag, number, plain, shown, speakable, text, whole
from hybridnet.errors import MachineError, UsageError
from hybridnet.run.node.link import Intf
from hybridnet.run.node.popen import Popen
from hybridnet.run.node.settings import Settings
from hybridnet.system.log import output, warn

__all__ = [
    "CPULimitedHost",
    "Host",
    "Node",
    "OVSKernelSwitch",
    "OVSSwitch",
    "Switch",
    "command_text",
]

Call = Callable[..., Any]  # call(verb, **arguments)

COMMAND_SECONDS = 120.0
"""The longest that a command of a description may take."""
MOST_PID = 1 << 22
"""The kernel numbers processes below it (PID_MAX_LIMIT, include/linux/threads.h)."""
_MOST_WORDS = 300
_SLICE_S = 5.0
_OF_SWITCHES = ("dpid", "protocols", "failMode")


class Node:
    """What hosts and switches have in common: a place where commands run.

    Args:
        name: as in the description.
        params: its options. What a subclass adds or changes here is what is built: the plan reads it.
    """

    def __init__(self, name: str, **params: Any) -> None:
        self.name = text(name, "node: name")
        self.params: dict[str, Any] = params
        self.machine: str | None = None
        self.waiting = False
        self.lastCmd: str | None = None
        self.lastPid: int | None = None
        self.last_status: int | None = None
        self.intfs: dict[int, Intf] = {}
        self.settings = Settings()
        self._agent: Call | None = None

    def bind(self, agent: Call, machine: str, intfs: Sequence[Intf]) -> None:
        """Connect the node with what was built: the agent of its machine, and its interfaces."""
        self._agent = agent
        self.machine = machine
        self.intfs = {intf.port: intf for intf in intfs}
        self.settings.follow([intf.name for intf in intfs])

    def described(self) -> dict[str, Any]:
        """The options with which it is built."""
        return dict(self.params)

    def unbind(self) -> None:
        """Forget the agent, and what was set: the network is stopped."""
        self._agent = None
        self.waiting = False
        self.settings = Settings()

    # Commands in the node's shell, one at a time

    def cmd(self, *args: Any, verbose: bool = False, timeout: float | None = None) -> str:
        """Run a command in the node's shell and return what it printed.

        Args:
            args: joined by spaces; nodes and interfaces stand for their names. One list is quoted word by
                word.
            verbose: print the command and its output too.
            timeout: seconds after which it is interrupted and MachineError raised; None: none.

        Raises:
            MachineError: the network is not started, another command is running, or the time is up.
        """
        command = command_text(args)
        limit = checked_timeout(timeout, f"{self.name}.cmd")
        if verbose:
            output(f"*** {self.name} : {command}\n")
        self.begin_command(command)
        done = self._call("run_command", node=self.name, text=command, timeout=limit)
        if verbose:
            output(done["output"])
        return self.finish_command(done)[0]

    def begin_command(self, command: str) -> str:
        """Note what is about to run in the node's shell. Returns the machine.

        Raises:
            MachineError: the network is not started, or another command is running.
        """
        self._refuse_while_waiting(command)
        if self.machine is None or self._agent is None:
            raise self._not_there()
        self.lastCmd = command
        return self.machine

    def finish_command(self, done: Mapping[str, Any]) -> tuple[str, int]:
        """Note how it ended. Returns what it printed, and its exit status."""
        self.lastPid, self.last_status = done["last_pid"], done["status"]
        return str(done["output"]), int(done["status"])

    def cmdPrint(self, *args: Any) -> str:
        """`cmd`, printed."""
        return self.cmd(*args, verbose=True)

    def sendCmd(self, *args: Any) -> None:
        """Start a command in the node's shell; `waitOutput` or `monitor` fetch what it prints."""
        command = command_text(args)
        self.begin_command(command)
        self._call("start_command", node=self.name, text=command)
        self.waiting = True

    def monitor(self, timeoutms: float | None = None) -> str:
        """Return what the command has printed since; wait at most `timeoutms` for some. `waiting` is False once
        it ended.
        """
        if timeoutms is not None:
            number(timeoutms, f"{self.name}.monitor: timeoutms", 0, 1e9)
        while True:
            seconds = _SLICE_S if timeoutms is None else timeoutms / 1000
            read = self._call("read_command", node=self.name, timeout=seconds)
            if read["done"]:
                self.waiting = False
                self.lastPid, self.last_status = read["last_pid"], read["status"]
            if read["done"] or read["output"] or timeoutms is not None:
                return str(read["output"])

    def waitOutput(self, verbose: bool = False) -> str:
        """Wait for the started command to end, and return what it printed."""
        return waited_output(self, verbose)

    def sendInt(self) -> None:
        """Press ^C in the node's shell."""
        self._call("interrupt", node=self.name)

    # Programs beside the shell

    program_class: ClassVar[type[Popen]] = Popen
    """What `popen` returns."""

    def popen(self, *args: Any, **options: Any) -> Popen:
        """Start a program in the node, with the interface of `subprocess.Popen`.

        Args:
            args: one list of arguments, one text (divided into words, or for the shell with shell=True), or
                the words.
            options: shell, stdin, stdout, stderr, env, cwd, text or universal_newlines.

        Raises:
            UsageError: an option is not supported.
            MachineError: it cannot be started.
        """
        shell = options.pop("shell", False)
        command = command_text(args) if shell else _argv(args)
        for alias in ("universal_newlines", "encoding"):
            if alias in options:
                options["text"] = bool(options.pop(alias))
        known = {"stdin", "stdout", "stderr", "env", "cwd", "text"}
        if unknown := set(options) - known:
            raise UsageError(
                f"{self.name}.popen: {min(unknown)!r} is not supported; use {', '.join(sorted(known))}"
            )
        return self.program_class(self._call, self.name, command, **options)

    def pexec(self, *args: Any, **options: Any) -> tuple[str, str, int]:
        """Run a program beside the shell to its end. Returns (stdout, stderr, exit status)."""
        program = self.popen(*args, **options)
        out, err = program.communicate()
        return out, err or "", program.wait()

    def execute(self, argv: list[str], timeout: float = 60.0) -> str:
        """Run a short program beside the shell and return its output. It is the computer's, whatever an image has.

        Raises:
            MachineError: it failed; the message quotes it.
        """
        if not isinstance(argv, list | tuple) or not all(isinstance(word, str) for word in argv):
            raise UsageError(
                f"{self.name}.execute: {shown(argv)} is not a list of words; write ['ip', 'route']"
            )
        limit = number(timeout, f"{self.name}.execute: timeout", 0, 1e9)
        words = _argv((list(argv),))
        done = self._call("exec", argv=words, timeout=limit, node=self.name, computers=True)
        if done["status"] != 0:
            said = (done["stderr"] or done["stdout"]).decode(errors="replace").strip()
            raise MachineError(f"node {self.name}: `{shlex.join(argv)}` failed: {said or done['status']}")
        return str(done["stdout"].decode(errors="replace"))

    def watch(self, programs: Mapping[str, int]) -> None:
        """From now on the run needs these programs of the node, and no others of it: the verdict is broken, and
        `Net.check` says so, if one ends or is stopped. A kind of node whose programs are part of the network calls it
        once they run, and with none of them before it ends them.

        Args:
            programs: process numbers, as the node's machine counts them, by the name that people read.

        Raises:
            UsageError: it is no such mapping, or a number is none of a process.
            MachineError: the network is not started.

        Example:
            >>> net["r1"].watch({"my_routing_daemon": int(net["r1"].cmd("cat my.pid"))})  # doctest: +SKIP
        """
        what = f"{self.name}.watch"
        if not isinstance(programs, Mapping):
            raise UsageError(
                f"{what}: programs {shown(programs)} is not a dictionary; write {{'name': pid}}, or {{}} for none"
            )
        known = {
            text(name, f"{what}: name"): whole(pid, f"{what}: {name}", 1, MOST_PID)
            for name, pid in programs.items()
        }
        self._call("watch_programs", node=self.name, programs=known)

    # Interfaces and addresses

    def intfList(self) -> list[Intf]:
        """The interfaces, by port."""
        return [self.intfs[port] for port in sorted(self.intfs)]

    def intfNames(self) -> list[str]:
        """Their names, by port."""
        return [intf.name for intf in self.intfList()]

    def defaultIntf(self) -> Intf | None:
        """The interface with the lowest port; None if there is none."""
        return self.intfs[min(self.intfs)] if self.intfs else None

    def intf(self, intf: str | int | Intf | None = None) -> Intf | None:
        """The interface of that name or port; the default one without argument; None if there is none."""
        if intf is None or intf == "":
            return self.defaultIntf()
        if isinstance(intf, Intf):
            return intf
        if isinstance(intf, int):  # a port
            return self.intfs.get(intf)
        return next((own for own in self.intfs.values() if own.name == intf), None)

    def IP(self, intf: str | int | Intf | None = None) -> str | None:
        """The IPv4 address of an interface (the default one), without prefix length."""
        found = self.intf(intf)
        return None if found is None else found.IP()

    def IP6(self, intf: str | int | Intf | None = None) -> str | None:
        """The IPv6 address of an interface (the default one), without prefix length; None if it has none."""
        found = self.intf(intf)
        return None if found is None else found.IP6()

    def MAC(self, intf: str | int | Intf | None = None) -> str | None:
        """The MAC address of an interface (the default one)."""
        found = self.intf(intf)
        return None if found is None else found.MAC()

    def setIP(self, ip: str, prefixLen: int = 8, intf: str | int | Intf | None = None) -> None:
        """Replace an interface's address: ``"10.0.0.5/8"``, or an address and a prefix length."""
        self._required(intf).setIP(ip, prefixLen)

    def setMAC(self, mac: str, intf: str | int | Intf | None = None) -> None:
        """Replace an interface's MAC address."""
        self._required(intf).setMAC(mac)

    def setARP(self, ip: str, mac: str) -> None:
        """Add a permanent neighbour entry on the default interface."""
        interface = self._required(None).name
        self.execute(["ip", "neighbour", "replace", str(ip), "lladdr", str(mac), "dev", interface])
        self.settings.note(f"neighbour {ip}", partial(self.setARP, ip, mac), interface)

    def setDefaultRoute(self, intf: str | Intf | None = None) -> None:
        """Replace the default route: an interface, or text such as ``"via 10.0.0.254"`` or ``"dev
        h1-eth0"``.
        """
        words = str(intf).split() if isinstance(intf, str) else []
        if len(words) < 2:
            words = ["dev", self._required(intf).name]
        self.execute(["ip", "route", "replace", "default", *words])
        again = partial(self.setDefaultRoute, " ".join(words))
        self.settings.note("route default", again, self._interface_toward(words))

    def setHostRoute(self, ip: str, intf: str | Intf) -> None:
        """Add a route to one address out of an interface."""
        interface = self._required(intf).name
        self.execute(["ip", "route", "replace", str(ip), "dev", interface])
        self.settings.note(f"route {ip}", partial(self.setHostRoute, ip, interface), interface)

    def set_interface(self, name: str, up: bool) -> None:
        """Set an interface up or down."""
        verb = "link_up" if flag(up, f"node {self.name}: up") else "link_down"
        self._call(verb, node=self.name, interface=text(name, f"node {self.name}: interface"))
        if not up:
            self.settings.drop(name, "route", "neighbour")  # the kernel does

    def connectionsTo(self, node: Node) -> list[tuple[Intf, Intf]]:
        """The pairs of interfaces of the links to another node."""
        found = []
        for intf in self.intfList():
            ends = (intf.link.intf1, intf.link.intf2) if intf.link else ()
            found += [
                (intf, end) for end in ends if isinstance(end, Intf) and end is not intf and end.node is node
            ]
        return found

    # The node itself

    @property
    def pid(self) -> int:
        """The process of its shell, in its machine's process numbers."""
        return int(self._call("host_pid", node=self.name))

    def config(self, **params: Any) -> None:
        """Called once the network is started, with the node's options; subclasses set things up here."""

    def terminate(self) -> None:
        """Called before the network is stopped; subclasses end what they began."""

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        intfs = ",".join(f"{intf.name}:{intf.ip}" for intf in self.intfList())
        return f"<{type(self).__name__} {self.name}: {intfs} machine={self.machine}> "

    def _interface_toward(self, words: Sequence[str]) -> str:
        """The interface of a route, ``via`` an address or ``dev`` an interface; empty: none has that network."""
        of = dict(zip(words[::2], words[1::2], strict=False))
        for intf in self.intfList():
            own = f"{intf.ip}/{intf.prefixLen}"
            if intf.name == of.get("dev") or (intf.ip and "via" in of and _is_within(of["via"], own)):
                return intf.name
        return ""

    def _call(self, verb: str, **arguments: Any) -> Any:
        if self._agent is None:
            raise self._not_there()
        return self._agent(verb, **arguments)

    def _not_there(self) -> MachineError:
        return MachineError(
            f"node {self.name} is not there: the network is not running; call net.start() first"
        )

    def _required(self, intf: str | int | Intf | None) -> Intf:
        found = self.intf(intf)
        if found is None:
            raise UsageError(
                f"node {self.name} has no interface {plain(intf)}; it has {', '.join(self.intfNames()) or 'none'}"
                if intf
                else f"node {self.name} has no interface"
            )
        return found

    def _refuse_while_waiting(self, text: str) -> None:
        if self.waiting:
            raise MachineError(
                f"node {self.name}: cannot run `{text}` while `{self.lastCmd}` is running; call waitOutput() first"
            )


class Host(Node):
    """An emulated host: a network namespace with a shell."""

    def setCPUFrac(self, f: float, sched: str | None = None) -> None:
        """Change its share of the processors' time.

        Args:
            f: processors' worth of time, such as 0.2, a fifth of one; -1: no limit.
            sched: ``"cfs"`` or ``"rt"``; None: as it is.

        Raises:
            TopologyError: it makes no sense.
            EnvironmentLackError: its machine gives no control groups.
        """
        limit: HostLimit = {"share": host_options.share(f, f"host {self.name}: cpu")}
        if sched is not None:
            limit["sched"] = host_options.scheduler(sched, f"host {self.name}: sched")
        self._limit(limit)

    def setCPUs(self, cores: Any, mems: int = 0) -> None:
        """Pin it to processors: a number, a list, or text such as ``"0,2-3"``; None: all. `mems` changes nothing."""
        self._limit({"cores": host_options.cores(cores, f"host {self.name}: cores")})

    def set_memory(self, most: Any) -> None:
        """Change the most memory that its programs may take together: ``"256M"``, bytes, or None: no limit. See
        `hybridnet.describe.topo.host_options.memory`.

        Raises:
            TopologyError, UnitError: it makes no sense.
            EnvironmentLackError: its machine gives no control groups.
            MachineError: its programs take more already, and the kernel (control groups of version 1) cannot take it
                from them. Version 2 kills them.
        """
        self._limit({"memory_bytes": host_options.memory(most, f"host {self.name}: memory")})

    def set_pids(self, most: int | None) -> None:
        """Change how many processes it may have, threads counted; None: no limit. Raises as `set_memory`."""
        self._limit({"processes": host_options.pids(most, f"host {self.name}: pids")})

    def run_commands(self) -> None:
        """Run the commands of its description, once all nodes have been configured, and see which addresses they gave
        its interfaces that have none in the description. One that fails is told, and the next one runs.

        Raises:
            MachineError: one does not end within `COMMAND_SECONDS`.
        """
        for command in self.params.get("commands") or []:
            said = self.cmd(command, timeout=COMMAND_SECONDS)
            if self.last_status != 0:
                words = said.strip()[-_MOST_WORDS:] or "it printed nothing"
                warn(
                    f"*** {self.name}: {shown(command[:_MOST_WORDS])} ended with {self.last_status}: {words}\n"
                )
        if self.finds_addresses:
            self._find_addresses()

    @property
    def finds_addresses(self) -> bool:
        """Whether it may give itself addresses, once it has been built."""
        return bool(self.params.get("commands"))

    def _find_addresses(self) -> None:
        rows = json.loads(self.execute(["ip", "-json", "address"]))
        found = {row["ifname"]: row["addr_info"] for row in rows if row}
        for intf in self.intfList():
            for address in found.get(intf.inside, []):
                if address.get("scope") == "global":
                    intf.found(address["local"], address["prefixlen"])

    def _limit(self, limit: HostLimit) -> None:
        self._call("limit_host", node=self.name, limit=limit)
        self.settings.note(f"limit of {min(limit)}", partial(self._limit, limit))


class Switch(Node):
    """An emulated switch: an Open vSwitch bridge. Its commands run on its machine."""

    kind: ClassVar[str | None] = None  # see `hybridnet.describe.kinds`; None: the description says it
    on_start: Callable[[], None] | None = None  # set by the network
    # What it is built with, as in Mininet: a subclass may set them, in the class or on the object.
    dpid: str | None = None  # 16 hexadecimal digits once the network runs
    protocols: str | Sequence[str] | None = None
    spoken: Sequence[str] | None = None  # versions of OpenFlow, once the network runs
    failMode: str | None = None

    def __init__(self, name: str, **params: Any) -> None:
        super().__init__(name, **params)
        for option in _OF_SWITCHES:
            if params.get(option) is not None:
                setattr(self, option, params[option])

    def described(self) -> dict[str, Any]:
        """The options with which it is built."""
        own = {option: getattr(self, option) for option in _OF_SWITCHES}
        return self.params | {option: value for option, value in own.items() if value is not None}

    def start(self, controllers: Sequence[Any] = ()) -> None:
        """As in MiniEdit's scripts, which start each switch themselves: starts the network, once."""
        if self.on_start is not None:
            self.on_start()

    def stop(self, deleteIntfs: bool = True) -> None:
        """Switches end with the network; nothing happens here."""

    def connected(self) -> bool:
        """Return whether it is connected to a controller."""
        return bool(self._call("switches_connected").get(self.name, False))

    def dpctl(self, *args: Any) -> str:
        """Run `ovs-ofctl COMMAND SWITCH ARGUMENTS`."""
        words = _argv(args)
        version = ["-O", ",".join(_protocols(self.protocols or self.spoken))]
        return self.execute(["ovs-ofctl", *version, words[0], self.name, *words[1:]])


OVSSwitch = OVSKernelSwitch = Switch


class CPULimitedHost(Host):
    """A host. Mininet's class of this name limits the processor share; here any host takes `cpu=` and `cores=`."""


def _is_within(address: str, network: str) -> bool:
    try:
        return ipaddress.ip_address(address) in ipaddress.ip_interface(network).network
    except ValueError:  # not an address, which the host refuses
        return False


class Commanded(Protocol):
    """A node whose shell may have a command running."""

    waiting: bool

    def monitor(self) -> str:
        """What the command has printed since; `waiting` is False once it has ended."""


def waited_output(node: Commanded, verbose: bool) -> str:
    """All that a node's command prints until it ends; `verbose`: print it meanwhile."""
    parts = []
    while node.waiting:
        parts.append(node.monitor())
        if verbose:
            output(parts[-1])
    return "".join(parts)


def command_text(args: tuple[Any, ...]) -> str:
    """One list is quoted word by word; everything else is joined by spaces, nodes as their names.

    Raises:
        UsageError: there is no command, or it has a zero byte, which no program can be given, or a method stands where
            what it returns is meant.
    """
    for arg in args:
        if isinstance(arg, MethodType):
            name = arg.__name__
            raise UsageError(f"command: {shown(arg)} is a method, and not what it returns; write {name}()")
    if len(args) == 1 and isinstance(args[0], (list, tuple)):
        command = shlex.join(str(word) for word in args[0])
    else:
        command = " ".join(str(arg) for arg in args)
    return _runnable(command)


def checked_timeout(timeout: Any, what: str) -> float | None:
    """Seconds above 0, or None for no limit. Raises UsageError."""
    return None if timeout is None else number(timeout, f"{what}: timeout", 0, 1e9)


def _protocols(given: str | Sequence[str] | None) -> list[str]:
    return given.split(",") if isinstance(given, str) else list(given or ["OpenFlow13"])


def _argv(args: tuple[Any, ...]) -> list[str]:
    given = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
    words = [_runnable(str(word)) for word in given]
    if given is args and len(words) == 1:
        try:
            words = shlex.split(words[0])
        except ValueError as error:
            raise UsageError(f"command {shown(words[0])} cannot be divided into words: {error}") from None
    if not words:
        raise UsageError("an empty command cannot be run; name a program")
    return words


def _runnable(command: str) -> str:
    if not speakable(command):
        raise UsageError(f"command {shown(command)} has a character that no program can be given")
    return command
