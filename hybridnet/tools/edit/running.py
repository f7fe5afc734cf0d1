# SPDX-License-Identifier: MIT
"""The network that was drawn, running: `hybridnet run --live` in a process of its own.

Its prompt reads a pipe of ours. When the pipe ends, because somebody stops the network or because the editor itself has
ended in whatever way, the prompt ends, and the network with it.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import tempfile
import threading
from collections import deque
from pathlib import Path

from hybridnet.errors import EnvironmentLackError, MachineError
from hybridnet.system.python_command import python_module

__all__ = ["Running"]

LINES = 200
STOP_S = 120.0
_PAGE = re.compile(r"\*\*\* Live page: (http://\S+)")


class Running:
    """At most one network at a time. Usable from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._reader: threading.Thread | None = None
        self._url: str | None = None
        self._stopping = False
        self._said: deque[str] = deque(maxlen=LINES)

    def start(self, text: str, name: str) -> None:
        """Start the network of a YAML file with this text.

        Args:
            name: of the file.

        Raises:
            EnvironmentLackError: this is not root.
            MachineError: the one before still runs.
        """
        if os.geteuid() != 0:
            raise EnvironmentLackError(
                "start: networks need root; open the editor by `sudo hybridnet edit`, or save and run "
                f"`hybridnet run --rootless {name}`"
            )
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                raise MachineError("start: the network runs already; stop it first")
            self._url, self._stopping = None, False
            self._said.clear()
            folder = tempfile.TemporaryDirectory(prefix="hybridnet-edit-")
            file = Path(folder.name, name)
            file.write_text(text, encoding="utf-8")
            self._process = subprocess.Popen(
                [*python_module("hybridnet.cli"), "run", str(file), "--live"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
                start_new_session=True,  # a ^C at the editor is the editor's: it stops the network then
            )
            self._reader = threading.Thread(
                target=self._read, args=(self._process, folder), name="editor's network", daemon=True
            )
            self._reader.start()

    def state(self) -> dict[str, object]:
        """``state``: none, starting, running, stopping or ended; the ``url`` of its page; whether it ``failed``: ended
        otherwise than well, without being stopped; and the last lines that it ``said``.
        """
        process = self._process
        code = None if process is None else process.poll()
        if process is None:
            state = "none"
        elif code is not None:
            state = "ended"
        elif self._stopping:
            state = "stopping"
        else:
            state = "starting" if self._url is None else "running"
        url = self._url if state == "running" else None
        failed = code not in (None, 0) and not self._stopping
        return {"state": state, "url": url, "failed": failed, "said": list(self._said)}

    def stop(self) -> None:
        """Tell the network to end; `state` says when it has. Without one, nothing."""
        with self._lock:
            process = self._process
            if process is None or process.poll() is not None or self._stopping:
                return
            self._stopping = True
            assert process.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()  # the prompt reads to here
            if self._url is None:
                process.terminate()  # there is no prompt yet; this is heeded as ^C is

    def close(self) -> None:
        """End the network, and wait for that. Raises MachineError: it does not end."""
        self.stop()
        if self._process is None or self._reader is None:
            return
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            raise MachineError(
                f"the network that the editor started (process {self._process.pid}) does not end; see `hybridnet "
                "status`, and remove it by `hybridnet clean`"
            ) from None
        self._reader.join()

    def _read(self, process: subprocess.Popen[str], folder: tempfile.TemporaryDirectory[str]) -> None:
        assert process.stdout is not None
        with folder, process.stdout as lines:
            for line in lines:
                if (found := _PAGE.search(line)) is not None:
                    self._url = found[1]
                    folder.cleanup()  # it has been read; so it is not left behind, however we end
                elif "page: http://" not in line:  # who has the other link may look, too
                    self._said.append(line.rstrip("\n"))
            process.wait()
