# SPDX-License-Identifier: MIT
"""The process of a machine's instance, as the agent sees it: its start, its control socket, its end."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from hybridnet.errors import MachineError
from hybridnet.system.journal import Journal
from hybridnet.system.priority import Priority, prefix, raise_session

READY_SECONDS = 60.0
STOP_SECONDS = 15.0
ANSWER_LIMIT = 64 << 20


class InstanceProcess:
    """One running `python -m hybridnet.instance`."""

    def __init__(self, plan: dict[str, Any], journal: Journal, directory: Path, sockets: Path) -> None:
        """Starts it and waits until it is ready.

        Args:
            directory: where the plan and the log go.
            sockets: a short path, for the control socket.

        Raises:
            MachineError: it ended, or was not ready in time; the message has its own words.
        """
        self.name = plan["name"]
        directory.mkdir(parents=True, exist_ok=True)
        self._log = directory / "instance.log"
        plan_file = directory / "instance.json"
        plan_file.write_text(json.dumps(plan))  # with an indent it would take ten times as long
        self._socket_path = sockets / "instance.sock"
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [
                    *(*prefix(Priority.INSTANCE), sys.executable, "-m", "hybridnet.instance"),
                    *(str(plan_file), "--control", str(self._socket_path)),
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                env=journal.environment(),
                start_new_session=True,
            )
        journal.process(self._process.pid, f"instance {self.name}")
        raise_session(self._process.pid, Priority.INSTANCE)
        self._await_ready()

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid

    def check(self) -> None:
        """Raises MachineError if the process has ended."""
        status = self._process.poll()
        if status is not None:
            how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
            raise MachineError(f"instance {self.name} {how}: {self._words() or 'it said nothing'}")

    def ask(self, verb: str, **arguments: Any) -> dict[str, Any]:
        """Sends one verb, with its arguments, over the control socket and returns the answer."""
        with self._lock:
            self.check()
            try:
                if self._socket is None:
                    self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                    self._socket.settimeout(20.0)
                    self._socket.connect(str(self._socket_path))
                self._socket.sendall(json.dumps({"verb": verb, **arguments}).encode() + b"\n")
                line = self._receive_line()
            except OSError as error:
                # A broken connection most often is the beginning of its end, which says more.
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(2.0)
                self.check()
                raise MachineError(f"instance {self.name} does not answer {verb}: {error}") from None
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise MachineError(f"instance {self.name}: {verb}: {answer['error']}")
        return answer

    def stop(self) -> dict[str, Any] | None:
        """Ends it and returns its final counters; None if it had ended by itself or had to be killed."""
        final = None
        try:
            final = self.ask("stop")
        except MachineError:
            if self._process.poll() is None:
                self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        with self._lock:
            if self._socket is not None:
                self._socket.close()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._socket_path.unlink(missing_ok=True)
        return final

    def _receive_line(self) -> bytes:
        assert self._socket is not None
        data = bytearray()
        while not data.endswith(b"\n"):
            chunk = self._socket.recv(1 << 20)
            if not chunk:
                raise OSError("it closed the control socket")
            data += chunk
            if len(data) > ANSWER_LIMIT:
                raise OSError(f"its answer is longer than {ANSWER_LIMIT} bytes")
        return bytes(data)

    def _await_ready(self) -> None:
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        said = b""
        while b"ready\n" not in said:
            readable, _, _ = select.select([descriptor], [], [], READY_SECONDS)
            chunk = os.read(descriptor, 4096) if readable else b""
            if not chunk:
                if not readable:
                    self._process.kill()
                self._process.wait()
                state = f"was not ready within {READY_SECONDS:g} s" if not readable else "could not be built"
                raise MachineError(
                    f"instance {self.name} {state}: {self._words() or said.decode() or 'it said nothing'}"
                )
            said += chunk

    def _words(self) -> str:
        return self._log.read_bytes()[-1000:].decode(errors="replace").strip() if self._log.exists() else ""
