# SPDX-License-Identifier: MIT
"""Mininet's helpers: commands on this computer, addresses, parameters in text, lists of connections."""

from __future__ import annotations

import codecs
import itertools
import os
import re
import resource
import shlex
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial, total_ordering, wraps
from typing import Any
from weakref import WeakKeyDictionary

from hybridnet.compat.mininet.log import debug, error, info, output
from hybridnet.errors import EnvironmentLackError, HybridnetError, UsageError

__all__ = [
    "BaseString",
    "Encoding",
    "NullCodec",
    "Python3",
    "StrictVersion",
    "buildTopo",
    "checkFloat",
    "checkInt",
    "checkRun",
    "custom",
    "customClass",
    "decode",
    "dumpNetConnections",
    "dumpNodeConnections",
    "dumpPorts",
    "encode",
    "ensureRoot",
    "errFail",
    "errRun",
    "fixLimits",
    "getincrementaldecoder",
    "ipAdd",
    "ipNum",
    "ipParse",
    "ipStr",
    "irange",
    "isShellBuiltin",
    "macColonHex",
    "makeIntfPair",
    "makeNumeric",
    "mountCgroups",
    "moveIntf",
    "moveIntfNoRetry",
    "natural",
    "naturalSeq",
    "netParse",
    "numCores",
    "oldQuietRun",
    "pexpect",
    "pmonitor",
    "quietRun",
    "retry",
    "rlimitTestAndSet",
    "run",
    "specialClass",
    "splitArgs",
    "sysctlTestAndSet",
    "waitListening",
    "which",
]  # fmt: skip

Python3 = True
BaseString = str
Encoding = "utf-8"


def decode(buf: bytes | str) -> str:
    """Bytes as text; text stays as it is."""
    return buf.decode(Encoding, errors="replace") if isinstance(buf, bytes) else buf


def encode(buf: str | bytes) -> bytes:
    """Text as bytes; bytes stay as they are."""
    return buf.encode(Encoding) if isinstance(buf, str) else buf


class NullCodec:
    """Leaves everything as it is."""

    @staticmethod
    def decode(buf: Any) -> Any:
        """What is given."""
        return buf

    @staticmethod
    def encode(buf: Any) -> Any:
        """What is given."""
        return buf


def getincrementaldecoder() -> codecs.IncrementalDecoder:
    """A decoder for text that comes in pieces."""
    return codecs.getincrementaldecoder(Encoding)(errors="replace")


# Commands on this computer


def _words(command: tuple[Any, ...]) -> list[str] | str:
    """What `subprocess` is to run: one list, one text divided at each space, as Mininet does it, or the arguments."""
    if len(command) == 1 and isinstance(command[0], list):
        return [str(word) for word in command[0]]
    if len(command) == 1 and isinstance(command[0], str):
        return command[0].split(" ")
    return [str(word) for word in command]


def run(cmd: str) -> int:
    """Run a command and show its output. Returns its exit status."""
    return subprocess.call(cmd.split(" "))


def checkRun(cmd: str) -> int:
    """`run`; raises CalledProcessError if the command fails."""
    return subprocess.check_call(cmd.split(" "))


def errRun(*cmd: Any, **kwargs: Any) -> tuple[str, str, int]:
    """Run a command on this computer.

    Args:
        cmd: a list, a text, or the words.
        shell: give the text to a shell. echo: show what is run. stderr: PIPE (default) or STDOUT.

    Returns:
        (standard output, standard error, exit status). A command that does not exist gives 127.
    """
    shell, echo = kwargs.pop("shell", False), kwargs.pop("echo", False)
    kwargs.setdefault("stderr", subprocess.PIPE)
    words = cmd[0] if isinstance(cmd[0], list) else cmd
    command = " ".join(map(str, words)) if shell else _words(cmd)
    if echo:
        info(cmd, "\n")
    if not shell and isinstance(command, list) and command[0] in _ONLY_BUILT_IN:
        command, shell = shlex.join(command), True
    debug(f"*** errRun: {command}\n")
    try:
        done = subprocess.run(command, shell=shell, stdout=subprocess.PIPE, check=False, **kwargs)
    except FileNotFoundError as problem:
        return "", f"{problem.filename}: command not found\n", 127
    said, complained = decode(done.stdout or b""), decode(done.stderr or b"")
    if echo:
        output(said + complained)
    return said, complained, done.returncode


def errFail(*cmd: Any, **kwargs: Any) -> tuple[str, str, int]:
    """`errRun`; raises Exception where the command fails, as Mininet does."""
    out, err, status = errRun(*cmd, **kwargs)
    if status:
        raise Exception(f"errFail: {cmd} failed with return code {status}: {err}")
    return out, err, status


def quietRun(cmd: Any, **kwargs: Any) -> str:
    """Run a command on this computer; its output and its errors together, shown nowhere."""
    return errRun(cmd, stderr=subprocess.STDOUT, **kwargs)[0]


def oldQuietRun(*cmd: Any) -> str:
    """`quietRun` by another name."""
    return quietRun(list(cmd) if len(cmd) > 1 else cmd[0])


def which(cmd: str, **kwargs: Any) -> str | None:
    """Where a program is; None when it is nowhere."""
    out, _, status = errRun(["which", cmd], **kwargs)
    return None if status else out.strip()


_ONLY_BUILT_IN = frozenset(
    {
        ".", ":", "alias", "bg", "break", "builtin", "cd", "command", "compgen", "complete", "continue", "declare",
        "dirs", "disown", "enable", "eval", "exec", "exit", "export", "fc", "fg", "getopts", "hash", "help", "history",
        "jobs", "let", "local", "logout", "popd", "pushd", "read", "readonly", "return", "set", "shift", "shopt",
        "source", "suspend", "times", "trap", "type", "typeset", "ulimit", "umask", "unalias", "unset", "wait",
    }
)  # fmt: skip
"""What bash has built in where there is no program of that name."""
_ALSO_PROGRAMS = frozenset(
    {"[", "caller", "echo", "false", "kill", "mapfile", "printf", "pwd", "readarray", "test", "true"}
)


def isShellBuiltin(cmd: str) -> bool:
    """Whether bash has it built in."""
    return cmd.partition(" ")[0] in _ONLY_BUILT_IN | _ALSO_PROGRAMS


def retry(retries: int, delaySecs: float, fn: Callable[..., Any], *args: Any, **keywords: Any) -> None:
    """Call `fn` until it returns something true, at most `retries` times, so many seconds apart."""
    for _ in range(retries):
        if fn(*args, **keywords):
            return
        time.sleep(delaySecs)
    error(f"*** gave up after {retries} retries\n")
    sys.exit(1)


def ensureRoot() -> None:
    """Raise EnvironmentLackError unless this is root."""
    if os.getuid() != 0:
        raise EnvironmentLackError("Mininet's scripts make networks and need root; run with sudo")


def mountCgroups() -> None:
    """Nothing to mount: a network finds the control groups where the system has them."""


def fixLimits() -> None:
    """Nothing to raise: each machine of a network sets the limits that it needs, and puts them back."""


def numCores() -> int:
    """Cores of this computer."""
    return os.cpu_count() or 1


class _Pexpect:
    """pexpect with text instead of bytes, imported when it is first used."""

    def spawn(self, *args: Any, **kwargs: Any) -> Any:
        """`pexpect.spawn`, with UTF-8 as its encoding."""
        kwargs.setdefault("encoding", Encoding)
        return self._module().spawn(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module(), name)

    @staticmethod
    def _module() -> Any:
        try:
            import pexpect as module  # type: ignore[import-untyped]
        except ImportError:
            raise EnvironmentLackError(
                "the script uses pexpect, which is not installed; pip install pexpect"
            ) from None
        return module


pexpect = _Pexpect()


# Addresses


def macColonHex(mac: int) -> str:
    """A number as a MAC address.

    Example:
        >>> macColonHex(258)
        '00:00:00:00:01:02'
    """
    return ":".join(f"{byte:02x}" for byte in (mac % (1 << 48)).to_bytes(6, "big"))


def ipStr(ip: int) -> str:
    """A number as an IPv4 address.

    Example:
        >>> ipStr(0x0a000001)
        '10.0.0.1'
    """
    return ".".join(str(byte) for byte in (ip & 0xFFFFFFFF).to_bytes(4, "big"))


def ipNum(w: int, x: int, y: int, z: int) -> int:
    """The four bytes of an IPv4 address as a number."""
    return (w << 24) + (x << 16) + (y << 8) + z


def ipAdd(i: int, prefixLen: int = 8, ipBaseNum: int = 0x0A000000) -> str:
    """Address number `i` of a network. Raises UsageError if the network has not so many.

    Example:
        >>> ipAdd(257, 8)
        '10.0.1.1'
    """
    size = 1 << (32 - prefixLen)
    if not 0 <= i < size:
        raise UsageError(
            f"ipAdd: a network with prefix length {prefixLen} has no address number {i}; it has {size}"
        )
    return ipStr((ipBaseNum & ~(size - 1)) + i)


def ipParse(ip: str) -> int:
    """An IPv4 address as a number; missing bytes before the last are 0, as inet_aton takes them.

    Example:
        >>> ipParse("10.1") == ipParse("10.0.0.1") == 0x0a000001
        True
    """
    parts = [int(part) for part in ip.split(".")]
    while len(parts) < 4:
        parts.insert(len(parts) - 1, 0)
    return ipNum(*parts)


def netParse(ipstr: str) -> tuple[int, int]:
    """A network such as ``"10.0.0.0/8"`` as (number, prefix length); without /, the bytes given count.

    Example:
        >>> netParse("10.0.0.0/8")
        (167772160, 8)
    """
    ip, _, length = ipstr.partition("/")
    prefix = int(length) if length else 0
    parts = [*(int(part) for part in ip.split(".") if part), 0, 0, 0, 0][:4]
    if not length:
        prefix = 24 if ip.count(".") == 3 else 8 * (ip.rstrip(".").count(".") + 1)
    return ipNum(*parts), prefix


# Parameters


def checkInt(s: str) -> bool:
    """Whether a text is a whole number."""
    try:
        int(s)
    except ValueError:
        return False
    return True


def checkFloat(s: str) -> bool:
    """Whether a text is a number."""
    try:
        float(s)
    except ValueError:
        return False
    return True


def makeNumeric(s: str) -> int | float | str:
    """A text as the number it is; text that is none stays as it is."""
    return int(s) if checkInt(s) else float(s) if checkFloat(s) else s


def natural(text: Any) -> list[int | str]:
    """The parts of a name by which names with numbers are sorted.

    Example:
        >>> natural("h12s3")
        ['h', 12, 's', 3, '']
    """
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", str(text))]


def naturalSeq(t: Iterable[str]) -> list[list[int | str]]:
    """The natural keys of several names."""
    return [natural(text) for text in t]


@total_ordering
class StrictVersion:
    """A version such as "1.12.0", to be compared with others: part by part, as numbers."""

    def __init__(self, vstring: str) -> None:
        self._parts = [int(number) for number in re.findall(r"\d+", vstring)]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StrictVersion) and self._parts == other._parts

    def __lt__(self, other: StrictVersion) -> bool:
        return self._parts < other._parts

    def __hash__(self) -> int:
        return hash(tuple(self._parts))


def irange(start: int, end: int) -> range:
    """The whole numbers from `start` to `end`, both included."""
    return range(start, end + 1)


def custom(cls: Callable[..., Any], **params: Any) -> Callable[..., Any]:
    """A class (or function) with some of its parameters given."""
    made = partial(cls, **params)
    made.__name__ = f"custom({cls},{params})"  # type: ignore[attr-defined]
    return made


def splitArgs(argstr: str) -> tuple[str, list[Any], dict[str, object]]:
    """``"tree,2,fanout=3"`` as a name, values and named values.

    Example:
        >>> splitArgs("tree,2,fanout=3")
        ('tree', [2], {'fanout': 3})
    """
    name, *parts = argstr.split(",")
    named = dict(part.split("=", 1) for part in parts if "=" in part)
    return (
        name,
        [makeNumeric(part) for part in parts if "=" not in part],
        {key: makeNumeric(value) for key, value in named.items()},
    )


def customClass(classes: Mapping[str, Callable[..., Any]], argStr: str) -> Callable[..., Any]:
    """The class that a command line names, with the parameters that it gives. Raises UsageError for another name."""
    name, positional, named = splitArgs(argStr)
    if name not in classes:
        raise UsageError(f"{name} is unknown; write one of {', '.join(sorted(classes))}")
    return preset(classes[name], positional, named)


def preset(
    make: Callable[..., Any], positional: Sequence[Any], named: Mapping[str, Any]
) -> Callable[..., Any]:
    """A class with parameters given; those without a name come after the name of the node that it makes."""
    if not positional:
        return partial(make, **named) if named else make

    @wraps(make)
    def made(*args: Any, **params: Any) -> Any:
        return make(*args, *positional, **{**named, **params})

    return made


def specialClass(
    cls: type,
    prepend: list[Any] | None = None,
    append: list[Any] | None = None,
    defaults: dict[str, object] | None = None,
    override: dict[str, object] | None = None,
) -> type:
    """A subclass of `cls` whose constructor gets arguments before and after those given, defaults and overrides."""
    before, after, weak, strong = prepend or [], append or [], defaults or {}, override or {}

    class Special(cls):  # type: ignore[misc]  # whichever a script has
        """A class with parameters given."""

        def __init__(self, *args: Any, **params: Any) -> None:
            super().__init__(*before, *args, *after, **{**weak, **params, **strong})

    Special.__name__ = f"{cls.__name__}{weak}"
    return Special


def buildTopo(topos: Mapping[str, Callable[..., Any]], topoStr: str) -> Any:
    """The topology that a command line names, made. Raises UsageError for another name."""
    name, positional, named = splitArgs(topoStr)
    if name not in topos:
        raise UsageError(f"there is no topology {name!r}; there are {', '.join(sorted(topos))}")
    return topos[name](*positional, **named)


# Looking at a network


def dumpNodeConnections(nodes: Iterable[Any]) -> None:
    """Show each node's interfaces and what they are connected to."""
    for node in nodes:
        output(f"{connections(node)}\n")


def dumpNetConnections(net: Any) -> None:
    """Show the connections of every node of a network."""
    dumpNodeConnections([*net.controllers, *net.switches, *net.hosts])


def dumpPorts(switches: Iterable[Any]) -> None:
    """Show each switch's interfaces and their port numbers."""
    for switch in switches:
        output(f"{switch.name} {' '.join(f'{intf}:{switch.ports[intf]}' for intf in switch.intfList())}\n")


def connections(node: Any) -> str:
    """A node's name, its interfaces, and what these are connected to: "s1 lo:  s1-eth1:h1-eth0"."""
    shown = [node.name]
    for intf in node.intfList():
        ends = () if intf.link is None else (intf.link.intf1, intf.link.intf2)
        shown.append(f"{intf}:{next((end for end in ends if end is not intf), ' ')}")
    return " ".join(shown)


def pmonitor(
    popens: dict[Any, Any], timeoutms: float = 500, readline: bool = True, readmax: int = 1024
) -> Iterator[tuple[Any, str]]:
    """Lines of several programs, as they come: (key, line) until all have ended, (None, "") when none came in time.

    Args:
        popens: of each key, a program started with stdout=PIPE; those that end are taken out.
        timeoutms: how long to wait for a line of any of them.
        readline: give whole lines; False: at most `readmax` characters at once. What the first call says of a program
            holds for later ones, which go on where it ended.
    """
    while popens:
        outputs = {key: _output_of(program, readline, readmax) for key, program in popens.items()}
        found = _next_piece(outputs, timeoutms / 1000)
        if found is None:
            yield None, ""
            continue
        key, piece = found
        if piece is None:
            popens.pop(key).wait()
        else:
            yield key, piece


def waitListening(
    client: Any = None, server: Any = "127.0.0.1", port: int = 80, timeout: float | None = None
) -> bool:
    """Wait until `server` (a node or an address) listens on a TCP port, as `client` sees it.

    Returns:
        False when it did not within `timeout` seconds.
    """
    address = server if isinstance(server, str) else server.IP()
    probe = f"exec 3<>/dev/tcp/{address}/{port}"
    deadline = None if timeout is None else time.monotonic() + timeout
    while True:
        command = ["bash", "-c", probe]
        status = errRun(command)[2] if client is None else client.pexec(command)[2]
        if status == 0:
            return True
        if deadline is not None and time.monotonic() > deadline:
            error(f"could not connect to {server} on port {port}\n")
            return False
        time.sleep(0.1)


_MOST_PIECES = 10_000  # of one program, that wait for who asks
_printed = threading.Condition()
_numbers = itertools.count()


class _Output:
    """What a program prints, read by one thread for all calls of `pmonitor`: (number, piece), None at its end."""

    def __init__(self, stdout: Any, readline: bool, readmax: int) -> None:
        self.pieces: deque[tuple[int, str | None]] = deque()
        self._read = stdout.readline if readline else partial(stdout.read, readmax)
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        piece: Any = True
        while piece:
            try:
                piece = self._read()
            except (HybridnetError, ValueError):  # its network is stopped, or somebody has closed it
                piece = None
            with _printed:
                _printed.wait_for(lambda: len(self.pieces) < _MOST_PIECES)
                self.pieces.append((next(_numbers), decode(piece) if piece else None))
                _printed.notify_all()


def _next_piece(outputs: Mapping[Any, _Output], timeout_s: float) -> tuple[Any, str | None] | None:
    """Take what was printed first, with its program's key; None if nothing comes in time."""
    with _printed:
        _printed.wait_for(lambda: any(output.pieces for output in outputs.values()), timeout_s)
        having = [key for key, output in outputs.items() if output.pieces]
        if not having:
            return None
        key = min(having, key=lambda each: outputs[each].pieces[0][0])
        piece = outputs[key].pieces.popleft()[1]
        _printed.notify_all()
    return key, piece


_outputs: WeakKeyDictionary[Any, _Output] = WeakKeyDictionary()


def _output_of(program: Any, readline: bool, readmax: int) -> _Output:
    if program not in _outputs:
        _outputs[program] = _Output(program.stdout, readline, readmax)
    return _outputs[program]


# Interfaces by hand


def makeIntfPair(
    intf1: str,
    intf2: str,
    addr1: str | None = None,
    addr2: str | None = None,
    node1: Any = None,
    node2: Any = None,
    deleteIntfs: bool = True,
    runCmd: Any = None,
) -> None:
    """Make a veth pair, an end of it in each node; None: in this computer's own namespace.

    Args:
        addr1, addr2: MAC addresses.
        deleteIntfs: remove devices of these names before.
        runCmd: what runs the commands at the first end; None: a command in `node1`.

    Raises:
        UsageError: a node is on another machine.
        Exception: it cannot be made, as in Mininet.
    """
    run_at_1, run_at_2 = (quietRun if node is None else node.cmd for node in (node1, node2))
    run_at_1 = runCmd or run_at_1
    if deleteIntfs:
        run_at_1(f"ip link del {intf1}")
        run_at_2(f"ip link del {intf2}")
    own, others = (f" address {addr}" if addr else "" for addr in (addr1, addr2))
    where = os.getpid() if node2 is None else _pid_here(node2)
    said = run_at_1(f"ip link add name {intf1}{own} type veth peer name {intf2}{others} netns {where}")
    if said:
        raise Exception(f"Error creating interface pair ({intf1},{intf2}): {said} ")


def moveIntfNoRetry(intf: Any, dstNode: Any, printError: bool = False) -> bool:
    """Move a device of this computer's own namespace into a node. Returns whether it is there.

    Raises:
        UsageError: the node is on another machine.
    """
    said = quietRun(f"ip link set {intf} netns {_pid_here(dstNode)}")
    if said and printError:
        error(f"*** Error: moveIntf: {intf} not successfully moved to {dstNode}:\n {said}")
    return not said


def moveIntf(
    intf: Any, dstNode: Any, printError: bool = True, retries: int = 3, delaySecs: float = 0.001
) -> None:
    """`moveIntfNoRetry`, tried several times, so many seconds apart."""
    retry(retries, delaySecs, moveIntfNoRetry, intf, dstNode, printError=printError)


def _pid_here(node: Any) -> int:
    if not node.network().is_here():
        raise UsageError(f"node {node} is on another machine, and has no devices of this computer; use Link")
    return int(node.pid)


# Limits of this computer


def sysctlTestAndSet(name: str, limit: int | str) -> None:
    """Raise a setting of the kernel to a number, where it is below that; set another one to a text.

    Args:
        name: such as "net.core.somaxconn", or its file.
    """
    path = name if "/" in name else f"/proc/sys/{name.replace('.', '/')}"
    with open(path) as setting:
        before = setting.readline()
    if isinstance(limit, str) or int(before) < limit:
        with open(path, "w") as setting:
            setting.write(str(limit))


def rlimitTestAndSet(name: int, limit: int) -> None:
    """Raise a limit of this process, a constant of `resource`, where it is below that."""
    soft, hard = resource.getrlimit(name)
    unlimited = resource.RLIM_INFINITY  # a number below all others
    if soft != unlimited and soft < limit:
        resource.setrlimit(name, (limit, hard if hard == unlimited else max(hard, limit)))
