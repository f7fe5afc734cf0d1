# SPDX-License-Identifier: MIT
"""The process of an instance, as the agent sees it: its start, its control socket, its end."""

from __future__ import annotations

import contextlib
import json
import re
import select
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hybridnet.describe.schema.plans import InstancePlan
from hybridnet.errors import (
    EnvironmentLackError,
    HybridnetError,
    MachineError,
    PlanError,
    TopologyError,
    UnitError,
    UsageError,
)
from hybridnet.observe.series.snapshot import Snapshot
from hybridnet.system.daemon import LOOK_S, Daemon, Vigil, how_ended
from hybridnet.system.ending import Endings
from hybridnet.system.huge_pages import HUGE_PAGES
from hybridnet.system.interruption import heed
from hybridnet.system.journal import Journal
from hybridnet.system.priority import Priority, prefix, raise_session
from hybridnet.system.python_command import python_module

READY_SECONDS = 60.0
STOP_SECONDS = 15.0
ANSWER_SECONDS = 20.0
ANSWER_LIMIT = 64 << 20
WORDS_LIMIT = 1000  # bytes of its log that an error quotes
CRASH = b"crash: signal "
"""How a report of a crash begins; see ``simcore/sys/crash_report.h``."""

_ERRORS: dict[str, type[HybridnetError]] = {
    each.__name__: each
    for each in (UsageError, TopologyError, UnitError, PlanError, EnvironmentLackError, MachineError)
}
_ERROR = re.compile(rf"^({'|'.join(_ERRORS)}): ", re.MULTILINE)


class InstanceProcess:
    """One running `python -m hybridnet.simulate.instance`; `await_ready` comes before everything else."""

    def __init__(
        self,
        plan: InstancePlan,
        journal: Journal,
        directory: Path,
        socket_path: Path,
        on_end: Callable[[str], object] = lambda how: None,
        outside: int | None = None,
    ) -> None:
        """Start it.

        Args:
            directory: where the plan and the log go.
            socket_path: a short path for the control socket.
            on_end: told how it ended, if nobody here ended it; in another thread.
            outside: a descriptor of the network namespace where it awaits guests; None: that of this process.
        """
        self.name = plan["name"]
        directory.mkdir(parents=True, exist_ok=True)
        self._log = directory / "instance.log"
        plan_file = directory / "instance.json"
        plan_file.touch(0o600)  # it may have a key
        plan_file.write_text(json.dumps(plan))  # with an indent it would take ten times as long
        self._socket_path = socket_path
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [
                    *(*prefix(Priority.INSTANCE), *python_module("hybridnet.simulate.instance")),
                    *(str(plan_file), "--control", str(self._socket_path)),
                    *(() if outside is None else ("--outside", str(outside))),
                ],
                pass_fds=() if outside is None else (outside,),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                env={**journal.environment(), **HUGE_PAGES},
                start_new_session=True,
            )
        self._daemon = Daemon(
            f"instance {self.name}", self._process.pid, [self._log], status=self._process.poll
        )
        self._on_end = on_end
        self._wanted = True  # nobody has ended it here
        self._output = _Output(self._process, self._ended_by_itself)
        try:
            journal.process(self._process.pid, f"instance {self.name}")
            raise_session(self._process.pid, Priority.INSTANCE)
        except BaseException:
            self.kill()
            raise

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid

    def await_ready(self) -> None:
        """Wait until it runs.

        Raises:
            UsageError, PlanError, EnvironmentLackError, MachineError: it ended, and said so; the message quotes it.
            MachineError: it was not ready in time, or ended with other words.
        """
        vigil = Vigil([self._daemon], ask=False, ends=False)
        deadline = time.monotonic() + READY_SECONDS
        while not (in_time := self._output.answered.wait(LOOK_S)) and time.monotonic() < deadline:
            heed()
            vigil.look()
        if not self._output.is_ready:
            self.kill()  # where it has ended, its status stays
            how = f"it {how_ended(self._process.returncode)} and " if in_time else "it "
            state = "could not be built" if in_time else f"was not ready within {READY_SECONDS:g} s"
            said = self._words() or self._output.last.decode(errors="replace") or f"{how}printed nothing"
            error, words = _said(said)
            raise error(f"instance {self.name} {state}: {words}")

    def kill(self) -> None:
        """End it at once. A second call does nothing."""
        self._wanted = False
        self._process.kill()
        self._end()

    @property
    def ended(self) -> bool:
        """Whether the process has ended."""
        return self._process.poll() is not None

    def check(self) -> None:
        """Raise MachineError if the process has ended."""
        status = self._process.poll()
        if status is not None:
            raise MachineError(
                f"instance {self.name} {how_ended(status)}: {self._words() or 'it printed nothing'}"
            )

    def ask(self, verb: str, **arguments: object) -> Any:
        """Send one verb, with its arguments, over the control socket and return the answer.

        Raises:
            MachineError: it refuses, does not answer, or has ended.
        """
        with self._lock:
            self.check()
            try:
                if self._socket is None:
                    self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                    self._socket.settimeout(ANSWER_SECONDS)
                    self._socket.connect(str(self._socket_path))
                self._socket.sendall(json.dumps({"verb": verb, **arguments}).encode() + b"\n")
                line = self._receive_line()
            except MachineError:
                self._hang_up()
                raise
            except OSError as error:
                self._hang_up()  # a late answer would be taken for the next one
                # A broken connection usually means that the process is ending, and its end says more.
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(2.0)
                self.check()
                raise MachineError(f"instance {self.name} does not answer {verb}: {error}") from None
        answer = json.loads(line)
        if "error" in answer:
            raise MachineError(f"instance {self.name}: {verb}: {answer['error']}")
        return answer

    def stop(self) -> Snapshot | None:
        """End it and return its final counters; None if it had ended by itself or had to be killed."""
        final: Snapshot | None = None
        self._wanted = False
        try:
            final = self.ask("stop")
        except MachineError:
            if self._daemon.stopped:
                self._process.kill()
            elif self._process.poll() is None:
                self._process.send_signal(signal.SIGTERM)
        finally:
            self._end()
        return self._output.final() if final is None else final

    def _end(self) -> None:
        """Wait for the end, or kill, and remove what is left of it. A second call does nothing."""
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        Endings(lambda: self._socket_path.unlink(missing_ok=True), self._hang_up, self._output.close).close()

    def _ended_by_itself(self) -> None:
        if self._wanted:
            self._on_end(how_ended(self._process.wait()))

    def _hang_up(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _receive_line(self) -> bytes:
        assert self._socket is not None
        data = bytearray()
        vigil = Vigil([self._daemon], ask=False, ends=False)
        deadline = time.monotonic() + ANSWER_SECONDS
        answered = select.poll()
        answered.register(self._socket, select.POLLIN)
        while not data.endswith(b"\n"):
            while not answered.poll(LOOK_S * 1000):
                vigil.look()
                if time.monotonic() > deadline:
                    raise TimeoutError(f"timed out after {ANSWER_SECONDS:g} s")
            chunk = self._socket.recv(1 << 20)
            if not chunk:
                raise OSError("it closed the control socket")
            data += chunk
            if len(data) > ANSWER_LIMIT:
                raise OSError(f"its answer is longer than {ANSWER_LIMIT} bytes")
        return bytes(data)

    def _words(self) -> str:
        """The end of what it has printed, or, of a crash, its innermost calls."""
        said = self._log.read_bytes() if self._log.exists() else b""
        crash = said.rfind(CRASH)
        part = said[-WORDS_LIMIT:] if crash < 0 else said[crash : crash + WORDS_LIMIT]
        return part.decode(errors="replace").strip()


class _Output:
    """Reads what the process prints until it ends, so that it never waits for a reader: ``ready``, and its final
    counters, which can be longer than a pipe holds."""

    def __init__(self, process: subprocess.Popen[bytes], on_end: Callable[[], object]) -> None:
        assert process.stdout is not None
        self._pipe = process.stdout
        self._on_end = on_end
        self.is_ready = False
        self.answered = threading.Event()  # it is ready, or has ended
        self.last = b""
        self._thread = threading.Thread(target=self._read, name="instance's output", daemon=True)
        self._thread.start()

    def final(self) -> Snapshot | None:
        """Its last counters; None if it could not print them."""
        with contextlib.suppress(ValueError):
            counters: Snapshot = json.loads(self.last)
            return counters if isinstance(counters, dict) else None
        return None

    def close(self) -> None:
        """Once the process has ended: waits for the last of its output."""
        self._thread.join()

    def _read(self) -> None:
        with self._pipe:
            while line := self._pipe.readline(ANSWER_LIMIT):
                if line == b"ready\n":
                    self.is_ready = True
                    self.answered.set()
                else:
                    self.last = line
        self.answered.set()
        if self.is_ready:
            self._on_end()


def _said(words: str) -> tuple[type[HybridnetError], str]:
    """The error that an instance has ended with, by what it printed: its class and its text."""
    if (found := _ERROR.search(words)) is None:
        return MachineError, words
    return _ERRORS[found[1]], words[found.end() :]
