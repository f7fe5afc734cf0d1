# SPDX-License-Identifier: MIT
"""The head's side of `hybridnet.machines.workers.init`: one started machine, wherever it runs.

The head holds the write end of the machine's standard input. It is closed when the head closes the machine, and by the
kernel when the head is killed; either way the machine cleans up and ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

from hybridnet.errors import MachineError
from hybridnet.machines.workers.lines import FirstLine, InitWords, SecondLine
from hybridnet.system.daemon import LOOK_S, Daemon, Vigil, how_ended
from hybridnet.system.journal import MACHINE_VARIABLE, Journal

AGENT_MODULE = "hybridnet.machines.workers.worker"
START_SECONDS = 60.0
ENDING_S = 1.0  # from the end of its namespaces to its own
END_SECONDS = 40.0


class LaunchedMachine:
    """A machine's outer process: `python -m hybridnet.machines.workers.init`, or the `ssh` that runs it elsewhere."""

    def __init__(self, name: str, argv: list[str], first: FirstLine, journal: Journal) -> None:
        """Start it and send it the first line; see `hybridnet.machines.workers.init`."""
        self.name = name
        self._what = "ssh" if Path(argv[0]).name == "ssh" else "outer process"
        self._words: deque[bytes] = deque(maxlen=60)
        self._process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**journal.environment(), MACHINE_VARIABLE: name},
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._collect_words, name=f"words of {name}", daemon=True)
        self._reader.start()
        self._vigil = Vigil([], ends=False)
        self._seen: set[int] = set()
        try:
            journal.process(self._process.pid, f"machine {name}")
            self._send(first)
        except BaseException:
            self.ask_to_end()
            self.await_end()
            raise

    def await_namespaces(self) -> InitWords:
        """Wait until the machine's namespaces are made; return what it says about them.

        Raises:
            MachineError: it ended, and the message quotes it; or one of its processes is stopped.
        """
        assert self._process.stdout is not None
        said = select.poll()
        said.register(self._process.stdout, select.POLLIN)
        deadline = time.monotonic() + START_SECONDS
        while not said.poll(LOOK_S * 1000):
            self.look()
            if time.monotonic() > deadline:
                self._process.kill()
        line = self._process.stdout.readline()  # it is written at once
        if not line:
            self._process.wait()
            self._reader.join(5)
            raise MachineError(
                f"machine {self.name} could not be started: {self.words() or 'it printed nothing'}"
            )
        answer: InitWords = json.loads(line)
        return answer

    def blamed(self, error: MachineError) -> MachineError:
        """What a failure at this machine comes from: its end, or else `error`."""
        try:
            status = self._process.wait(ENDING_S)
        except subprocess.TimeoutExpired:
            return error
        self._reader.join(5)
        return MachineError(f"machine {self.name} could not be started: {self.words() or how_ended(status)}")

    def start_agent(self, second: SecondLine) -> None:
        """Send the second line."""
        self._send(second)

    def look(self) -> None:
        """Whoever waits for it calls this, every `LOOK_S`.

        Raises:
            MachineError: one of its processes is stopped, and does nothing.
        """
        for what, pid in self.processes():
            if pid not in self._seen:
                self._seen.add(pid)
                self._vigil.add(Daemon(f"machine {self.name}: its {what}", pid))
        self._vigil.look()

    def processes(self) -> Iterator[tuple[str, int]]:
        """Those that are here, and what each is: ``outer process``, ``init``, ``agent``; of one elsewhere ``ssh``."""
        yield self._what, self._process.pid
        for init in _children(self._process.pid):
            yield "init", init
            for child in _children(init):
                if AGENT_MODULE in _command_line(child):
                    yield "agent", child

    def watch(self, on_end: Callable[[str], None]) -> None:
        """Call `on_end` with its last words, from a thread, when the machine ends."""

        def wait() -> None:
            self._process.wait()
            self._reader.join(5)
            on_end(self.words())

        threading.Thread(target=wait, name=f"watch {self.name}", daemon=True).start()

    def words(self) -> str:
        """Return the end of its standard error."""
        return b"".join(self._words).decode(errors="replace").strip()

    def ask_to_end(self) -> None:
        """Close its standard input: the agent cleans up, and the machine ends."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    def await_end(self) -> None:
        """Wait for the end; kill what does not end in time, or is stopped. The kernel then removes its namespaces."""
        try:
            self._await_end()
        except (subprocess.TimeoutExpired, MachineError):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._reader.join(5)
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def _await_end(self) -> None:
        deadline = time.monotonic() + END_SECONDS
        while True:
            try:
                self._process.wait(LOOK_S)
                return
            except subprocess.TimeoutExpired:
                if time.monotonic() > deadline:
                    raise
                self.look()

    def kill(self) -> None:
        """End it at once: what it reaches is lost, and does not end by being asked."""
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self.await_end()

    def _send(self, line: FirstLine | SecondLine) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(line).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            self._process.wait()
            self._reader.join(5)
            raise MachineError(
                f"machine {self.name} could not be started: {self.words() or 'it printed nothing'}"
            ) from None

    def _collect_words(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._words.append(line[:2000])


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:  # it has ended, or this kernel does not tell
        return []


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""
