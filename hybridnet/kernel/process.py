# SPDX-License-Identifier: MIT
"""Runs a command in a kernel in simulated time, as if it ran here: streams, arguments, environment, exit code, signals.

The kernel is one child process with a session of its own. It dies with this process, and whatever is in it dies with
it: its files are in memory. Only what the command writes in the directories that are kept, and in the working
directory, is on this computer afterwards.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import selectors
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from hybridnet.errors import EnvironmentLackError, ExperimentError
from hybridnet.kernel.terminal import Terminal, terminal_of
from hybridnet.kernel.watch import Watch
from hybridnet.system.parent import die_with_parent
from hybridnet.system.process_limits import allow_open_files

__all__ = [
    "MEMORY_MIB",
    "STARTS_AT_NS",
    "Command",
    "Joined",
    "Joint",
    "KernelProcess",
    "await_first",
    "report",
    "run_in_kernel",
]

MEMORY_MIB = 2048
"""What a kernel may take at most; of it, it takes what its programs use."""

STARTS_AT_NS = 1_767_225_600_000_000_000  # 2026-01-01, always
# Open vSwitch counts the processors when it starts, and again ten seconds later at the earliest. A count that it made
# in the first ten seconds after boot it takes for none, and forwards nothing until the next one.
AFTER_S = 11
LOOK_S = 0.25
SPINS_S = 20.0
"""Of processor time without a system call, after which a program is taken for one that never makes another."""
ANSWERS_S = 5.0
END_S = {signal.SIGINT: 1.0, signal.SIGTERM: 1.0, signal.SIGHUP: 1.0, signal.SIGQUIT: 1.0}
"""How long a command may take to end itself after a signal."""
KEEPING_S = 10.0
"""The same where a directory is kept, in which it writes what has been measured so far."""
MOST_SAID_BYTES = 64 << 20
"""Of a line of the first process, which names the files that it has brought."""
ADDR_NO_RANDOMIZE = 0x0040000
CLOCK, CARD = 8, 9
"""The kernel's descriptors of what joins it with others."""
FIRST = Path(__file__).with_name("first.py")

libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Command:
    """What runs in the kernel.

    Args:
        words: the program, an absolute path or a name in its PATH, and its arguments.
        kept: directories in which it may write, by where it finds them: absolute paths, those of this computer exist.
        seed: of everything random in the kernel.
        directory: the one in which it runs.
        brings: whether what it writes there is brought home when it ends.
        files: copies of files on this computer, by where it finds them: absolute paths.
        texts: what is in files that only root reads, by where it finds them: absolute paths.
        environment: its variables.
        cable: how its kernel's card is configured, by which others are reached: ``address`` with a prefix length,
            ``mac`` and ``mtu``; None: it has none.
        after_s: how long after the boot of the kernel it begins.
        host_name: of the kernel.
    """

    words: Sequence[str]
    kept: Mapping[Path, Path] = field(default_factory=dict)
    seed: int = 1
    directory: Path = field(default_factory=Path.cwd)
    brings: bool = True
    files: Mapping[Path, Path] = field(default_factory=dict)
    texts: Mapping[Path, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    cable: Mapping[str, str | int] | None = None
    after_s: int = AFTER_S
    host_name: str = "simulated"

    def request(self) -> bytes:
        """As the first process reads it."""
        return (
            json.dumps(
                {
                    "command": list(self.words),
                    "directory": str(self.directory),
                    "environment": {"PYTHONHASHSEED": "0", **self.environment},
                    "kept": {str(there): str(here) for there, here in self.kept.items()},
                    "files": {str(there): str(here) for there, here in self.files.items()},
                    "texts": {str(there): text for there, text in self.texts.items()},
                    "brings": self.brings,
                    "cable": self.cable,
                    "after_s": self.after_s,
                    "host_name": self.host_name,
                }
            ).encode()
            + b"\n"
        )


@dataclass(frozen=True)
class Joined:
    """What joins a kernel with others.

    Args:
        clock, card: descriptors by which sockets of its clock and its card are reached (`hybridnet.kernel.sockets`).
        number: which of the kernels it is.
    """

    clock: int
    card: int
    number: int


def run_in_kernel(kernel: Path, command: Command, say: Callable[[str], object]) -> int:
    """Run it to its end.

    Args:
        kernel: the kernel's file, as `hybridnet.kernel.build` makes it.
        say: takes a line about what has happened besides.

    Returns:
        The command's exit code: 128 and the signal's number if one ended it.

    Raises:
        EnvironmentLackError: the kernel does not start here, or has failed.
        ExperimentError: a program in it computes and makes no system call, so that time stands still.
    """
    with KernelProcess(kernel, command, streams=(1, 2)) as running:
        answer = await_first([running], say)
    return report(answer, say)


def report(answer: Mapping[str, Any], say: Callable[[str], object]) -> int:
    """Say which files of a command that has ended reached this computer. Returns its exit code."""
    for name in answer["brought"]:
        say(f"{name}: written in simulated time, and brought here")
    for name, why in answer["left"].items():
        say(
            f"Warning: {name}: written in simulated time, and lost: {why}; write into the run directory, --out"
        )
    return int(answer["exit"])


class Joint(Protocol):
    """What joins several kernels."""

    def fileno(self) -> int:
        """Readable once it has ended."""

    def error(self) -> Exception | None:
        """Why it has ended; None: the first kernel has."""


def await_first(
    kernels: Sequence[KernelProcess], say: Callable[[str], object], joint: Joint | None = None
) -> dict[str, Any]:
    """What the first process of the first kernel says at the end. Signals that end a command go there.

    Args:
        kernels: running.
        say: takes a line about what happens meanwhile.
        joint: what joins them; None: there is one.

    Raises:
        EnvironmentLackError: a kernel, or what joins them, has failed.
        ExperimentError: a program in one computes and makes no system call.
    """
    head = kernels[0]
    with selectors.DefaultSelector() as selector, _signals_to(head.tell):
        for each in kernels:
            selector.register(each.control, selectors.EVENT_READ, each)
        if head.terminal is not None:
            selector.register(head.terminal, selectors.EVENT_READ)
        if joint is not None:
            selector.register(joint, selectors.EVENT_READ)
        for each in kernels:
            each.send()
        while True:
            ready = selector.select(LOOK_S)
            for key, _ in ready:
                if isinstance(key.data, KernelProcess) and (answer := key.data.answer()) is not None:
                    if key.data is head:
                        return answer
                    raise EnvironmentLackError(
                        f"{key.data.name}: what runs there has ended with {answer['exit']}"
                    )
            for key, _ in ready:
                if key.fileobj is head.terminal and head.terminal is not None and not head.terminal.forward():
                    selector.unregister(head.terminal)
                if joint is not None and key.fileobj is joint:
                    selector.unregister(joint)
                    if (error := joint.error()) is not None:
                        raise EnvironmentLackError(str(error))
            for each in kernels:
                if (news := each.look()) is not None:
                    if head.terminal is not None:
                        head.terminal.make_way()
                    say(news)


class KernelProcess:
    """A kernel that runs; a context manager, which ends it.

    Args:
        kernel: its file.
        command: what runs in it.
        streams: the standard output and error that the command gets; none: nobody hears it.
        joined: what joins it with others; None: it is alone.
        name: of whose kernel it is, for errors.
    """

    def __init__(
        self,
        kernel: Path,
        command: Command,
        streams: Sequence[int] = (),
        joined: Joined | None = None,
        name: str = "the kernel in simulated time",
    ) -> None:
        self.name = name
        self._keeps = bool(command.kept)
        self.control, theirs = socket.socketpair()
        signals, self._signals = os.pipe()
        self._log_end, log = os.pipe()
        # Nobody reads it while the kernel runs: that would be an interrupt in the kernel, at an instant of real time.
        # What finds no room in the pipe is lost.
        self._lines = b""
        self._told_at: float | None = None  # to end
        self._patience_s = 0.0
        self._was_stopped, self._begins = False, False
        sys.stdout.flush()
        nothing = os.open(os.devnull, os.O_RDWR)
        terminal, outputs = terminal_of(streams) if streams else (None, {4: nothing, 5: nothing})
        inherited = {3: 0 if streams else nothing, **outputs}
        joins = {} if joined is None else {CLOCK: joined.clock, CARD: joined.card}
        self.pid = os.fork()
        if self.pid == 0:
            own = {1: log, 2: log, 6: theirs.fileno(), 7: signals}
            _become(kernel, command.seed, {**own, **inherited, **joins}, joined)
        for descriptor in {signals, log, nothing, *inherited.values()} - {0, 1, 2}:
            os.close(descriptor)
        theirs.close()
        self._watch = Watch(self.pid, kernel)
        self.terminal = None if terminal is None else Terminal(terminal, self._watch.time_s)
        self._request = command.request()

    def __enter__(self) -> KernelProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        os.waitpid(self.pid, 0)
        self.control.close()
        for descriptor in (self._signals, self._log_end):
            os.close(descriptor)
        if self.terminal is not None:
            self.terminal.close()

    def kill(self) -> None:
        """End it, and all that is in it."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def send(self) -> None:
        """Tell its first process what runs."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it has ended: its log says why
            self.control.sendall(self._request)

    def answer(self) -> dict[str, Any] | None:
        """What its first process says, once it is whole. Raises as `await_first`; and ExperimentError where a program
        has written in its place.
        """
        data = self._receive()
        self._lines += data
        while b"\n" in self._lines:
            line, _, self._lines = self._lines.partition(b"\n")
            if (answer := self._read(self._said(line))) is not None:
                return answer
        if len(self._lines) > MOST_SAID_BYTES:
            raise self._disturbed()
        if not data:
            raise self._failed()
        return None

    def _receive(self) -> bytes:
        try:
            return self.control.recv(65536)
        except ConnectionResetError:
            return b""

    def _said(self, line: bytes) -> Mapping[str, Any]:
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            raise self._disturbed() from None
        if not isinstance(said, dict) or not said.keys() & {"begins", "spins", "exit"}:
            raise self._disturbed()
        return said

    def _disturbed(self) -> ExperimentError:
        return ExperimentError(
            f"{self.name}: a program in it has written to /dev/host6, which is its first process's; let it write "
            "elsewhere"
        )

    def _read(self, answer: Mapping[str, Any]) -> dict[str, Any] | None:
        if "begins" in answer:
            self._begins = True
            return None
        if "spins" in answer:
            raise ExperimentError(
                f"{answer['spins']} has computed for {SPINS_S:g} s without a system call, at "
                f"{self._watch.time_s():.6f} s of simulated time, which stands still meanwhile; if it waits by looking "
                "at memory, let it sleep or wait for an event; a long computation runs in real time"
            )
        return dict(answer)

    def look(self) -> str | None:
        """Show how far it is, and see that time does not stand still. Raises as `await_first`, or KeyboardInterrupt.

        Returns:
            What is to be said of it; None: nothing has changed.
        """
        if self.terminal is not None:
            self.terminal.show()
        if self._told_at is not None and time.monotonic() - self._told_at > self._patience_s:
            raise KeyboardInterrupt
        stopped = self._watch.is_stopped()
        if not stopped and self._watch.spins_s() > SPINS_S:
            self._ask_what_spins()
        if stopped == self._was_stopped:
            return None
        self._was_stopped = stopped
        if not stopped:
            return f"{self.name} (process {self.pid}) goes on"
        return (
            f"Warning: somebody has stopped {self.name} (process {self.pid}), and simulated time with it; to let it go "
            f"on: kill -CONT {self.pid}"
        )

    def _ask_what_spins(self) -> None:
        if self._watch.spins_s() > SPINS_S + ANSWERS_S:
            raise ExperimentError(
                f"a program computes for {self._watch.spins_s():.0f} s without a system call, at "
                f"{self._watch.time_s():.6f} s of simulated time, which stands still meanwhile, and the kernel does "
                "not say which; run it in real time"
            )
        self._signal(signal.SIGUSR1)

    def tell(self, number: int) -> None:
        """A signal came: the command gets it. A second one ends the kernel, as one that comes before the command."""
        again = self._told_at is not None
        self._told_at = time.monotonic()
        if again or not self._begins:
            self._patience_s = 0.0
            return
        self._patience_s = KEEPING_S if self._keeps else END_S[signal.Signals(number)]
        self._signal(number)

    def _signal(self, number: int) -> None:
        with contextlib.suppress(BrokenPipeError):  # it has just ended: `answer` says why
            os.write(self._signals, bytes([number]))
        self._watch.interrupt()

    def _failed(self) -> EnvironmentLackError:
        log = b""
        os.set_blocking(
            self._log_end, False
        )  # it has ended, so all is there; who has its streams may live on
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self._log_end, 65536):
                log += data
        lines = map(str.strip, log.decode(errors="replace").splitlines())
        said = [
            line for line in lines if line and not line.startswith("[<")
        ]  # which are addresses on a stack
        return EnvironmentLackError(
            f"{self.name} has ended by itself; it needs ptrace, and memory in /dev/shm or TMPDIR from which programs "
            f"may run. Its last words: {' | '.join(said[-12:]) or 'none'}"
        )


def _become(kernel: Path, seed: int, descriptors: Mapping[int, int], joined: Joined | None) -> None:
    """In the child: be the kernel."""
    try:
        os.setsid()
        _stay_on_one_processor(os.getpid() if joined is None else joined.number)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        die_with_parent()
        allow_open_files()  # it has one open for each that its programs have looked at
        if libc.personality(ADDR_NO_RANDOMIZE) < 0:
            raise OSError(ctypes.get_errno(), "addresses cannot be fixed (personality)")
        high = {number: _dup_above(source) for number, source in descriptors.items()}
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for number, source in high.items():
            os.dup2(source, number)
        os.closerange(max(descriptors) + 1, 256)
        python = os.path.realpath(sys.executable)
        words = {
            "mem": f"{MEMORY_MIB}M",
            "root": "/dev/root",
            "rootfstype": "hostfs",
            "rootflags": "/",
            "init": f'"{python}"',
            "con": "null",
            "con0": "null,fd:1",
            "uml_dir": "/dev/null/",
            "random.trust_cpu": "on",
            **_time_words(joined),
        }
        arguments = [f"{name}={value}" for name, value in words.items()]
        os.execve(
            kernel,
            ["linux", *arguments, "ro", "quiet", "--", "-I", "-S", str(FIRST)],
            {"UML_SEED": str(seed), "PATH": "/usr/bin:/bin", **_where_memory_is()},
        )
    except OSError as error:
        os.write(1, f"{kernel}: {error.strerror or error}\n".encode())
    finally:
        os._exit(127)


def _time_words(joined: Joined | None) -> dict[str, str]:
    """Who keeps the kernel's time: itself, or what joins it with others."""
    if joined is None:
        return {"time-travel": "inf-cpu", "time-travel-start": str(STARTS_AT_NS)}
    return {
        "time-travel": f"ext:{joined.number + 1}:/proc/self/fd/{CLOCK}",
        "virtio_uml.device": f"/proc/self/fd/{CARD}:1",
    }


def _stay_on_one_processor(number: int) -> None:
    """A system call of a program is two switches between its process and the kernel's, of which one runs at a time.
    From one processor to another, each would wake one that sleeps: runs took four times as long.
    """
    mine = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {mine[number % len(mine)]})


def _where_memory_is() -> dict[str, str]:
    return {name: os.environ[name] for name in ("TMPDIR", "TMP", "TEMP") if name in os.environ}


def _dup_above(descriptor: int) -> int:
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD, 16)


@contextlib.contextmanager
def _signals_to(tell: Callable[[int], None]) -> Iterator[None]:
    """Signals that end a command go to the one in the kernel."""
    before = {number: signal.signal(number, lambda number, _: tell(number)) for number in END_S}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
