# SPDX-License-Identifier: MIT
"""Terminals of nodes, for somebody who types into them from elsewhere: a shell on a pseudo-terminal of its own.

Unlike `hybridnet.agent.programs.shell`, which runs one command after the other for a script, this is a person's: it
echoes, it has a prompt, a size and colours. What nobody has fetched waits in the kernel's buffer of the terminal, and
then the program waits.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import threading
from collections.abc import Callable

from hybridnet.agent.programs.handles import handles
from hybridnet.agent.programs.launch import in_own_folder
from hybridnet.errors import MachineError, UsageError
from hybridnet.system.ending import Endings
from hybridnet.system.priority import starting
from hybridnet.system.typing_ahead import prepare, type_into
from hybridnet.system.ways import Way

__all__ = ["MOST_TERMINALS", "Terminal", "Terminals"]

MOST_TERMINALS = 64
MOST_CHARACTERS = 1000
CHUNK = 1 << 16


class Terminal:
    """One terminal, with the shell in it. Usable from any thread."""

    def __init__(
        self,
        node: str,
        way: Way,
        environment: dict[str, str],
        size: tuple[int, int],
        on_start: Callable[[int], None],
    ) -> None:
        """Start the shell.

        Args:
            way: how a program gets into the node.
            size: rows and columns.
            on_start: is given its process, and takes it out of real time.
        """
        self._node = node
        self._master, slave = pty.openpty()
        prepare(self._master)
        self._lock = threading.Lock()  # the descriptor is not closed while somebody uses it
        self.resize(*size)
        prompt = rf"\[\e[1;36m\]{node}\[\e[0m\]:\w# "
        heeding = ["env", "--default-signal=INT,QUIT,HUP"]
        own = {"TERM": "xterm-256color", "PS1": prompt, "HISTFILE": ""}
        folder = [] if way.image else in_own_folder()
        before = [*way.before, *folder, *heeding, "setsid", "--ctty", *way.within(own)]
        try:
            with starting():
                self._process = subprocess.Popen(
                    [*before, *way.shell, "--norc", "--noprofile", "-i"],
                    stdin=slave,
                    stdout=slave,
                    stderr=slave,
                    env={**environment, **own},
                )
        except OSError as error:
            os.close(self._master)
            raise MachineError(f"terminal of {node}: {error}") from None
        finally:
            os.close(slave)
        on_start(self._process.pid)

    def read(self, timeout: float) -> bytes | None:
        """What it prints: b"" if that is nothing within `timeout` seconds, None once its shell has ended."""
        with self._lock:
            if self._master < 0:
                return None
            master = os.dup(self._master)
        try:
            waiting = select.poll()
            waiting.register(master, select.POLLIN)
            if not waiting.poll(timeout * 1000):
                return b""
            return os.read(master, CHUNK) or None
        except BlockingIOError:  # somebody else has read it
            return b""
        except OSError:  # EIO: nobody has the terminal open any more
            return None
        finally:
            os.close(master)

    def write(self, data: bytes) -> None:
        """Type: see `hybridnet.system.typing_ahead.type_into`."""
        with self._lock:
            if self._master >= 0:
                type_into(self._master, data)

    def resize(self, rows: int, columns: int) -> None:
        """Give it another size, in characters. Raises UsageError: there is no such size."""
        if not all(type(each) is int and 1 <= each <= MOST_CHARACTERS for each in (rows, columns)):
            raise UsageError(
                f"terminal of {self._node}: {rows} x {columns} is not a size; both are 1 to {MOST_CHARACTERS}"
            )
        with self._lock:
            if self._master >= 0:
                fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def close(self) -> None:
        """End the shell, as a terminal that is closed does, and what it runs. A second call does nothing."""
        with self._lock:
            if self._master >= 0:
                os.close(self._master)
                self._master = -1
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGHUP)
            try:
                self._process.wait(1)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()


class Terminals:
    """The terminals of one machine, by number."""

    def __init__(self) -> None:
        self._terminals: dict[int, tuple[str, Terminal]] = {}
        self._numbers = handles()
        self._lock = threading.Lock()

    @property
    def nodes(self) -> set[str]:
        """Where there are some."""
        with self._lock:
            return {node for node, _ in self._terminals.values()}

    def open(
        self,
        node: str,
        way: Way,
        environment: dict[str, str],
        size: tuple[int, int],
        on_start: Callable[[int], None],
    ) -> int:
        """Open one; see `Terminal`. Returns its number. Raises MachineError: there are too many."""
        with self._lock:
            if len(self._terminals) >= MOST_TERMINALS:
                raise MachineError(
                    f"terminal of {node}: {MOST_TERMINALS} terminals are open here; close one of them"
                )
            number = next(self._numbers)
            self._terminals[number] = node, Terminal(node, way, environment, size, on_start)
            return number

    def __getitem__(self, number: int) -> Terminal:
        """Raises UsageError: there is none of this number."""
        with self._lock:
            if number not in self._terminals:
                raise UsageError(f"there is no terminal number {number} here; was it closed?")
            return self._terminals[number][1]

    def close(self, number: int) -> None:
        """Close one; does nothing if that is done."""
        with self._lock:
            _, terminal = self._terminals.pop(number, ("", None))
        if terminal is not None:
            terminal.close()

    def close_of(self, nodes: set[str] | None = None) -> None:
        """Close those of these nodes; None: all."""
        with self._lock:
            numbers = [
                number for number, (node, _) in self._terminals.items() if nodes is None or node in nodes
            ]
        Endings(*(lambda number=number: self.close(number) for number in numbers)).close()
