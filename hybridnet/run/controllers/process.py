# SPDX-License-Identifier: MIT
"""Runs apps of Ryu or os-ken, unmodified, in a process and an environment of their own.

::

    with ControllerProcess(["tree_switch"], arguments=["--observe-links"], on_line=print) as ryu:
        ...                     # ryu.check() raises when it has died

The process is a group of its own: a Ctrl-C at the keyboard does not reach it, and `stop` ends it and nothing else. It
also ends by itself as soon as this process is gone, for whatever reason (its standard input is then closed).
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import socket
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO

from hybridnet.describe.user_files import user_file
from hybridnet.describe.values import nearest, shown
from hybridnet.errors import (
    ControllerError,
    ControllerLateError,
    EnvironmentLackError,
    MachineError,
    UsageError,
)
from hybridnet.run.controllers.frameworks import RYU, Framework, find_python, python_of
from hybridnet.run.controllers.rest import SECRET_VARIABLE, Rest
from hybridnet.system.daemon import Daemon, Vigil
from hybridnet.system.ending import Endings
from hybridnet.system.python_command import WITHOUT_MODULES

CONTROLLERS = Path(__file__).parents[2] / "ryu_apps"
LAUNCHER = CONTROLLERS / "ryu_manager.py"
FABRIC_VARIABLE = "HYBRIDNET_FABRIC"
ADDRESSES_VARIABLE = "HYBRIDNET_ADDRESSES"
EVERYWHERE = "0.0.0.0"
PORT_TAKEN, ADDRESS_UNKNOWN = 98, 99  # exit statuses of the launcher
NO_MODULE = 3  # exit status of what looks for one
LOOK_SECONDS = 20.0
_LOOK_FOR_MODULE = f"""
import importlib.util, pkgutil, sys
sys.path[0] = sys.argv[1]
from ryu_manager import whole_name
try:
    found = importlib.util.find_spec(whole_name(sys.argv[2]))
except (ImportError, ValueError):
    found = None
if not found:
    apps = importlib.util.find_spec(whole_name("ryu.app"))
    print(*(each.name for each in pkgutil.iter_modules(apps.submodule_search_locations if apps else ())))
    sys.exit({NO_MODULE})
"""
QUOTED_LINES = 15  # of the log, in an error
POLL_S = 0.02
LOWEST_PORT, PORTS_TRIED = 10000, 20  # of `free_port`


def find_app(app: str | Path) -> str:
    """What Ryu is told to load for ``app``: a file, the name of one of our apps, or a module of Ryu's.

    Raises:
        UsageError: ``app`` names a file that does not exist.

    Example:
        >>> find_app("ryu.app.simple_switch_13")
        'ryu.app.simple_switch_13'
        >>> find_app("tree_switch").endswith("ryu_apps/tree_switch.py")
        True
    """
    name = str(app)
    if "/" in name or name.endswith(".py"):
        path = user_file(name).resolve()
        if not path.is_file():
            raise UsageError(
                f"controller {name}: there is no such file; name a Ryu app's .py file or its module"
            )
        return str(path)
    ours = CONTROLLERS / f"{name}.py"
    return str(ours) if ours.is_file() else name


@cache
def check_module(name: str, of: Framework = RYU) -> None:
    """Refuse a module that a framework's Python does not have, before anything starts. Where it has no environment yet
    nobody knows, and it is refused once that is made.

    Raises:
        UsageError: there is no such module.
    """
    try:
        python = find_python(of)
    except EnvironmentLackError:
        return
    words = [str(python.absolute()), "-c", _LOOK_FOR_MODULE, str(CONTROLLERS), name]
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    try:
        looked = subprocess.run(
            words,
            cwd=WITHOUT_MODULES,
            env=clean,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LOOK_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return  # whoever starts it says what is wrong
    if looked.returncode == NO_MODULE:
        known = [*our_apps(), *looked.stdout.decode().split()]
        near = nearest(name.rpartition(".app.")[2], known)
        beside = f"; did you mean {near}?" if near else ""
        if of is not RYU and _ryu_has(name):
            beside = f"; {RYU.title} has it: run it there"
        if Path(f"{name}.py").is_file():
            beside = f"; {name}.py is here: write ./{name}.py"
        raise UsageError(
            f"controller {name}: it is neither an app of hybridnet's ({', '.join(our_apps())}) nor a module that "
            f"{of.title}'s Python has; name an app's .py file, or its module, such as {of.app}{beside}"
        )


def _ryu_has(name: str) -> bool:
    try:
        check_module(name)
    except UsageError:
        return False
    return True


def our_apps() -> list[str]:
    """The names of the apps that come with hybridnet."""
    return sorted(path.stem for path in CONTROLLERS.glob("*_switch.py"))


def with_files(arguments: Sequence[str]) -> list[str]:
    """Arguments of Ryu, with the files among them where they are: ``--user-flags my.py`` and ``--user-flags=my.py``."""
    found = []
    for word in arguments:
        option, equals, value = word.partition("=") if word.startswith("-") else ("", "", word)
        path = user_file(value)
        found.append(f"{option}{equals}{path}" if value and path.is_file() else word)
    return found


class ControllerProcess:
    """One process of apps. A context manager: started on entry, stopped on exit.

    Args:
        apps: at least one: paths, names of apps of ours, or modules such as ``ryu.app.ofctl_rest``.
        framework: what they run under.
        settings: environment variables of the process.
        address: where it listens for switches; also for REST calls.
        others: further addresses of this computer at which it listens for switches.
        port: TCP port for switches, 1 to 65535.
        rest_port: TCP port for apps that serve REST calls; None leaves it to Ryu (8080). They are answered only with
            the secret in `rest`.
        fabric: the device by which switches come and their network, ``"eth1 10.0.0.0/24"``; nobody else is heard. None:
            whoever reaches the address.
        arguments: more of the framework's own options, such as ``--observe-links``.
        log: file that takes all its output, made anew. None: a file in the temporary directory, removed on stop.
        on_line: called with each line of the log as it appears, from a thread of its own. What it raises, the next
            `check` does, or `stop`, as ControllerError: once, for the first line.
        prefix: command that the process is started through, which must ``exec`` it: ``["ip", "netns", "exec", "c0"]``.
        patience_s: how long it may take until it listens.

    Raises:
        UsageError: no app, an app's file does not exist, or a port is out of range.
        EnvironmentLackError: the framework has no environment, and none can be made.
    """

    def __init__(
        self,
        apps: Sequence[str | Path],
        *,
        framework: Framework = RYU,
        settings: Mapping[str, str] | None = None,
        address: str = "127.0.0.1",
        others: Sequence[str] = (),
        port: int = 6653,
        rest_port: int | None = None,
        fabric: str | None = None,
        arguments: Sequence[str] = (),
        log: Path | None = None,
        on_line: Callable[[str], None] | None = None,
        prefix: Sequence[str] = (),
        patience_s: float = 30.0,
    ) -> None:
        if not apps:
            raise UsageError("controller: no app is named; name at least one, for example tree_switch")
        for number in (port, rest_port):
            if number is not None and not 1 <= number <= 65535:
                raise UsageError(f"controller: {number} is not a TCP port; choose one from 1 to 65535")
        self.address = address
        self.addresses = (address, *others)
        self.port = port
        self.rest_port = rest_port
        self.apps = [find_app(app) for app in apps]
        host = EVERYWHERE if others else address
        options = ["--ofp-listen-host", host, "--ofp-tcp-listen-port", str(port)]
        if framework.has_rest:
            options += ["--wsapi-host", address]
            options += [] if rest_port is None else ["--wsapi-port", str(rest_port)]
        self.framework = framework
        self._settings = settings or {}
        self.rest = Rest(address, rest_port)
        self._fabric = fabric
        self._python = python_of(framework)
        self._command = [*prefix, str(self._python), str(LAUNCHER), *options, *arguments, *self.apps]
        self._log_path = log
        self._on_line = on_line
        self._patience_s = patience_s
        self._process: subprocess.Popen[bytes] | None = None
        self._tail: _Tail | None = None
        self._vigil = Vigil([])
        self._cleanup = contextlib.ExitStack()

    def __enter__(self) -> ControllerProcess:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def pid(self) -> int | None:
        """The process's id while it runs."""
        return self._process.pid if self._process is not None else None

    @property
    def name(self) -> str:
        return f"controller {', '.join(Path(app).name for app in self.apps)} ({self.address}:{self.port})"

    def start(self) -> ControllerProcess:
        """Start it and wait until it listens for switches.

        Raises:
            ControllerError: it died; says which port is taken, or quotes its last lines.
            ControllerLateError: it did not listen in time; quotes its last lines.
        """
        self.launch()
        self.await_listening()
        return self

    def launch(self) -> None:
        """Start it, and do not wait for it: `await_listening` does. Raises ControllerError."""
        if self._process is not None:
            raise UsageError(f"{self.name} is already running")
        log = self._open_log()
        environment = {
            **os.environ,
            **self._settings,
            "PYTHONUNBUFFERED": "1",
            SECRET_VARIABLE: self.rest.secret,
        }
        if self._fabric is not None:
            environment[FABRIC_VARIABLE] = self._fabric
        if len(self.addresses) > 1:
            environment[ADDRESSES_VARIABLE] = " ".join(self.addresses)
        environment.pop("PYTHONPATH", None)  # of our environment, not of the framework's
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=environment,
            )
        except OSError as error:
            self._cleanup.close()
            raise ControllerError(
                f"{self.name} cannot be started: {self._command[0]}: {error.strerror}"
            ) from error
        self._vigil = Vigil([Daemon(self.name, self._process.pid)], ends=False)
        self._tail = _Tail(Path(f"/proc/self/fd/{log.fileno()}"), self._on_line)

    def await_listening(self) -> None:
        """Wait until it listens for switches; stop it if it does not.

        Raises:
            ControllerError: see `start`.
        """
        try:
            self._await_listening()
        except BaseException:
            self.stop()
            raise

    def check(self) -> None:
        """Check that the controller runs.

        Raises:
            ControllerError: it has died, and the message quotes its last lines; or it is stopped, and has been for
                `hybridnet.system.daemon.STOPPED_S` of calls in a row; or `on_line` has raised something.
        """
        if self._process is None:
            raise UsageError(f"{self.name} is not started")
        status = self._process.poll()
        if status is not None:
            raise ControllerError(self._epitaph(status))
        assert self._tail is not None
        self._complain(self._tail)
        try:
            self._vigil.look()
        except MachineError as error:
            raise ControllerError(str(error)) from None

    def stop(self) -> None:
        """End the process, if it still runs, and wait for it. Idempotent; errors are collected, and every part is
        ended; a second call ends what is left.
        """
        Endings(self._cleanup.close, self._end_tail, self._end_process).close()

    def _end_process(self) -> None:
        if self._process is None:
            return
        assert self._process.stdin is not None
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self._process.poll() is None:
                os.killpg(self._process.pid, number)
                os.killpg(self._process.pid, signal.SIGCONT)  # else one that is stopped does not hear it
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(5)
        self._process.stdin.close()
        self._process = None

    def _end_tail(self) -> None:
        tail, self._tail = self._tail, None
        if tail is not None:
            tail.close()
            self._complain(tail)

    def _complain(self, tail: _Tail) -> None:
        """Raise ControllerError if `on_line` has raised something of which nobody has been told."""
        if said := tail.take_failure():
            raise ControllerError(f"{self.name}: {said}")

    def _open_log(self) -> IO[bytes]:
        if self._log_path is None:
            import tempfile

            # Without a name, so that nothing of it remains even if this process is killed.
            return self._cleanup.enter_context(tempfile.TemporaryFile())
        try:
            return self._cleanup.enter_context(self._log_path.open("wb"))
        except OSError as error:
            raise ControllerError(
                f"{self.name}: cannot write its log {self._log_path}: {error.strerror}"
            ) from error

    def _await_listening(self) -> None:
        if self._process is None:
            raise UsageError(f"{self.name} is not started")
        deadline_s = time.monotonic() + self._patience_s
        while not listens(self._process.pid, self.port):
            self.check()
            if time.monotonic() > deadline_s:
                raise ControllerLateError(
                    f"{self.name} does not listen after {self._patience_s:g} s; its last lines:\n{self._last_lines()}"
                )
            time.sleep(POLL_S)

    def _epitaph(self, status: int) -> str:
        if status == PORT_TAKEN:
            ports = f"{self.port}" if self.rest_port is None else f"{self.port} or {self.rest_port}"
            return (
                f"{self.name}: TCP port {ports} is taken ({self._last_lines()}); "
                f"stop what listens there (ss -ltnp shows it), or choose another port"
            )
        if status == ADDRESS_UNKNOWN:
            return f"{self.name}: {self.address} is not an address of this machine; choose one that `ip address` shows"
        ended = (
            f"was killed by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
        )
        lines = self._last_lines()
        if raised := exception_in(lines):
            return f"{self.name} {ended}: {raised}{cure_of(raised, self.framework)}"
        return f"{self.name} {ended}; its last lines:\n{lines}"

    def _last_lines(self) -> str:
        assert self._tail is not None
        return self._tail.last_lines()


class _Tail:
    """Follow a growing file: hand each line on, and keep the last few."""

    def __init__(self, path: Path, on_line: Callable[[str], None] | None) -> None:
        self._file = path.open(errors="replace")
        self._on_line = on_line
        self._recent: deque[str] = deque(maxlen=QUOTED_LINES)
        self._partial = ""
        self._failure: str | None = None  # of on_line; "": it has been told
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="ryu-log", daemon=True)
        self._thread.start()

    def last_lines(self) -> str:
        self._read()
        return "\n".join(self._recent)

    def take_failure(self) -> str:
        """What on_line raised first, in words; empty: nothing, or that has been asked for already."""
        said = self._failure or ""  # without the lock: on_line may ask, too
        if said:
            self._failure = ""
        return said

    def close(self) -> None:
        self._closing.set()
        self._thread.join()
        self._read()
        self._file.close()

    def _follow(self) -> None:
        while not self._closing.wait(0.1):
            self._read()

    def _read(self) -> None:
        with self._lock:
            *lines, self._partial = (self._partial + self._file.read()).split("\n")
            for line in lines:
                self._recent.append(line)
                if self._on_line is not None:
                    self._hand_on(line, self._on_line)

    def _hand_on(self, line: str, on_line: Callable[[str], None]) -> None:
        """The next lines come however on_line takes this one: what it is to know of a controller is in them."""
        try:
            on_line(line)
        except Exception as error:
            if self._failure is None:
                what = f"{type(error).__name__}: {error}, for the line {shown(line)}"
                self._failure = f"on_line raises {what}; correct that function"


_NO_APP = "no app has anything to do:"  # in the launcher's words
_MEANWHILE = "During handling of the above exception, another exception occurred:"


def exception_in(log: str) -> str | None:
    """The exception with which a log ends, and where in the app it was raised; None if it ends otherwise.

    Example:
        >>> exception_in('  File "app.py", line 3, in start\\n    1 / 0\\nZeroDivisionError: division by zero')
        'ZeroDivisionError: division by zero (app.py, line 3)'
    """
    earlier, _, said = log.rstrip().rpartition("\n")
    if said.startswith(_NO_APP):
        return exception_in(earlier) or said  # what an app had begun may have ended by one
    before, _, trace = log.rpartition("Traceback (most recent call last):")
    last = trace.rstrip().rpartition("\n")[2]
    if re.match(r"ModuleNotFoundError: No module named '[^']*/", last) and before.rstrip().endswith(
        _MEANWHILE
    ):
        # the frameworks take a file for a module's name where what it imports is no Python: that is the reason
        return exception_in(before.rstrip().removesuffix(_MEANWHILE))
    frames = re.findall(r'^ +File "([^"<]+)", line (\d+)', trace, re.MULTILINE)
    if not frames or not re.match(r"[A-Za-z_][\w.]*(: |$)", last):
        return None
    own = [(file, line) for file, line in frames if "/lib/python" not in file and Path(file) != LAUNCHER]
    return f"{last} ({own[-1][0]}, line {own[-1][1]})" if own else last


def cure_of(raised: str, framework: Framework) -> str:
    """What helps against an exception with which a controller ended, to be put behind it; empty: nothing known.

    Example:
        >>> from hybridnet.run.controllers.frameworks import RYU
        >>> cure_of("ModuleNotFoundError: No module named 'networkx' (app.py, line 3)", RYU)
        '; if its package has the same name, run: hybridnet setup-ryu --with networkx'
    """
    lacking = re.match(r"ModuleNotFoundError: No module named '([A-Za-z_][\w.]*)'", raised)
    if lacking is None:
        return ""
    if lacking[1].startswith(("ryu", "os_ken")):
        return f"; {framework.title} has no such module: run the app under another framework"
    package = lacking[1].partition(".")[0]
    return f"; if its package has the same name, run: {framework.command} --with {package}"


def listens(pid: int, port: int) -> bool:
    """Whether the process ``pid`` itself listens on TCP ``port``, in whatever network namespace it is."""
    try:
        inodes = {
            fields[9]
            for table in ("tcp", "tcp6")
            for fields in map(str.split, Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:])
            if fields[3] == "0A" and int(fields[1].rsplit(":", 1)[1], 16) == port  # 0A: LISTEN
        }
        descriptors = [os.readlink(entry.path) for entry in os.scandir(f"/proc/{pid}/fd")] if inodes else []
    except OSError:
        return False  # it ended, or closed a descriptor, while we looked
    return any(link == f"socket:[{inode}]" for link in descriptors for inode in inodes)


def free_port(address: str = "127.0.0.1") -> int:
    """A TCP port of ``address`` that is free at this moment.

    It is below those from which the kernel takes one for whoever asks for any: a controller needs a second until it
    binds its port, and the run's own connections come up meanwhile.
    """
    lowest_given_out = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    candidates = range(LOWEST_PORT, lowest_given_out)
    for port in random.sample(candidates, min(PORTS_TRIED, len(candidates))):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind((address, port))
            return port
    with socket.socket() as probe:
        probe.bind((address, 0))
        any_port: int = probe.getsockname()[1]
        return any_port
