# SPDX-License-Identifier: MIT
"""The commands of images: of each host with one, the program that the image is for, with a log in the run's directory.

    DIRECTORY/logs/HOST.log

What it prints beyond `MOST_LOGGED` bytes is not kept, and a last line of the log says so.
"""

from __future__ import annotations

import contextlib
import os
import signal as signals
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from hybridnet.agent.hosts.images import HostImage, HostImages
from hybridnet.agent.hosts.limits import HostLimits
from hybridnet.agent.programs import launch
from hybridnet.agent.verbs import verb, waiting_verb
from hybridnet.errors import MachineError, UsageError
from hybridnet.system.ending import Endings
from hybridnet.system.priority import Priority, raise_thread
from hybridnet.system.ways import Way

__all__ = ["MOST_LOGGED", "ImageCommands"]

MOST_LOGGED = 64 << 20
_PIECE = 1 << 16
_GRACE_SECONDS = 2.0
_LOG_SECONDS = 0.2


class _Command:
    """One that has been started."""

    def __init__(self, argv: list[str], environment: Mapping[str, str], log: Path, stop: int) -> None:
        self.stop = stop
        self._popen = launch.start(argv, [], environment, stderr=subprocess.STDOUT)
        self._log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._logging = threading.Thread(target=self._write_log, daemon=True)
        self._logging.start()

    def wait(self, timeout: float) -> int | None:
        """Its exit status; None: it still runs."""
        try:
            return self._popen.wait(timeout)
        except subprocess.TimeoutExpired:
            return None

    def signal(self, number: int) -> None:
        """Send a signal to it."""
        self._popen.send_signal(number)

    def end(self, timeout: float) -> int:
        """End it, with all of its process group, after at most `timeout` seconds. Returns its exit status."""
        self.signal(self.stop)
        if self.wait(timeout) is None:
            self.signal(signals.SIGKILL)
        status = self._popen.wait()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._popen.pid, signals.SIGKILL)
        self._logging.join(_LOG_SECONDS)  # a program in a session of its own may still have the streams
        return status

    def _write_log(self) -> None:
        raise_thread(Priority.AGENT)
        assert self._popen.stdout is not None
        left = MOST_LOGGED
        with self._popen.stdout as printed:
            while came := printed.read(_PIECE):
                if left > 0:
                    os.write(self._log, came[:left])
                    left -= len(came)
                    if left <= 0:
                        os.write(self._log, b"\n(hybridnet keeps no more of this log)\n")
        os.close(self._log)


def _end_by(command: _Command, deadline: float) -> None:
    """End one that has its signal already, at an instant at the latest."""
    command.wait(max(0.0, deadline - time.monotonic()))
    command.end(0.0)


class ImageCommands:
    """Some of the agent's verbs.

    Args:
        way_of: how a program gets into a node.
        environment: of the programs on its way.
        directory: of the run on this machine.
        limits: which the command is put under.
    """

    def __init__(
        self,
        way_of: Callable[[str], Way],
        environment: Mapping[str, str],
        directory: Path,
        images: HostImages,
        limits: HostLimits,
    ) -> None:
        self._way_of, self._environment = way_of, dict(environment)
        self._logs, self._images, self._limits = directory / "logs", images, limits
        self._commands: dict[str, _Command] = {}
        self._lock = threading.Lock()

    @waiting_verb
    def start_image_command(self, node: str) -> None:
        """Starts the command of a host's image; one that runs ends first."""
        image = self._image(node)
        if not image.argv:
            return
        self.end_image_command(node)
        way, (uid, gid) = self._way_of(node), image.user
        if (uid, gid) != (0, 0):
            *entering, end_of_options = way.image
            way = replace(way, image=[*entering, f"--setgid={gid}", f"--setuid={uid}", end_of_options])
        self._logs.mkdir(mode=0o700, exist_ok=True)
        argv = [*self._limits.within(node), *way.within({}), *image.argv]
        command = _Command(argv, self._environment, self._logs / f"{node}.log", image.stop)
        with self._lock:
            self._commands[node] = command

    @waiting_verb
    def end_image_command(self, node: str, timeout: float = 10.0) -> int | None:
        """Ends the command of a host's image, if there is one. Returns its exit status."""
        command = self._commands.get(node)
        return None if command is None else command.end(timeout)

    @verb
    def signal_image_command(self, node: str, signal: int) -> None:
        """Sends it a signal."""
        if signal not in {int(each) for each in signals.valid_signals()}:
            raise UsageError(f"host {node}: there is no signal {signal}")
        if (command := self._commands.get(node)) is None:
            raise MachineError(f"host {node}: the command of its image was not started")
        command.signal(signal)

    @waiting_verb
    def wait_image_command(self, node: str, timeout: float = 0.0) -> int | None:
        """Its exit status, waited for at most `timeout` seconds; None: it runs, or was not started."""
        command = self._commands.get(node)
        return None if command is None else command.wait(timeout)

    @verb
    def image_log(self, node: str, most: int) -> bytes:
        """The last `most` bytes of what it has printed."""
        self._image(node)
        try:
            with open(self._logs / f"{node}.log", "rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - most))
                return file.read(most)
        except FileNotFoundError:
            return b""

    def close_of(self, nodes: Iterable[str]) -> None:
        """End those of some hosts: each gets its signal, and all together two seconds. Whatever one raises, all end."""
        with self._lock:
            ending = [self._commands.pop(node) for node in set(nodes) & set(self._commands)]
        for command in ending:
            command.signal(command.stop)
        deadline = time.monotonic() + _GRACE_SECONDS
        Endings(*(partial(_end_by, command, deadline) for command in ending)).close()

    def close(self) -> None:
        """End all."""
        self.close_of(list(self._commands))

    def _image(self, node: str) -> HostImage:
        if node not in self._images:
            raise UsageError(f"there is no host {node} with an image here")
        return self._images[node]
