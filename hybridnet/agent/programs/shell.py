# SPDX-License-Identifier: MIT
"""A persistent shell in a host, as behind Mininet's `node.cmd`: variables, directory and jobs stay from one command to
the next.

The shell is bash on a terminal of its own, so that programs write line by line and ^C reaches them. A command's text
comes in a file that the shell sources: it may have any length and any number of lines, and an unfinished quote is an
error of that command alone. What bash says of a command's faults begins with the file and a line; here it begins with
"bash: ", as in an interactive shell. When it is ready and after each command the shell prints a mark with a random
secret, the exit status and the last background process, which no output can imitate by accident.

A shell starts in real time, however busy the hosts are, and is one of the hosts' programs from its first mark on.
"""

from __future__ import annotations

import contextlib
import os
import pty
import re
import secrets
import select
import shlex
import signal
import subprocess
import termios
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hybridnet.agent.programs.launch import own_folder
from hybridnet.errors import MachineError
from hybridnet.system.priority import leave_real_time, starting
from hybridnet.system.typing_ahead import press_interrupt
from hybridnet.system.ways import Way

READY_SECONDS = 30.0
OUTPUT_LIMIT = 64 << 20  # bytes of one command
_DIGITS = 10  # of the number of a line, at most, and the colon behind it

# ^C ends the whole command and not the shell, as in an interactive one: a trap that only notes it would go on with what
# follows, and with the next turn of a loop. Between commands there is nothing to return from. A background job does not
# get it. A command finds in $? how the one before has ended. A trap that has returned from a file counts as still
# running in bash, and `read` would not heed the next ^C: the trap is set anew. What is typed while a command runs is
# for that command: the shell reads no further than the zero byte behind the name of the commands' file, which bash does
# byte by byte. What no command has read by then is forgotten, also if there is a zero byte in it.
_LOOP = """trap 'return 130 2>/dev/null' INT
hybridnet_status() { return "$HYBRIDNET_STATUS"; }
HYBRIDNET_STATUS=0
printf '{mark}0,;'
while IFS= read -r -d '' HYBRIDNET_COMMAND; do
  case "$HYBRIDNET_COMMAND" in *{file}) ;; *) continue ;; esac
  hybridnet_status
  . {file}
  HYBRIDNET_STATUS=$?
  [ "$HYBRIDNET_STATUS" != 130 ] || { trap '' INT; trap 'return 130 2>/dev/null' INT; }
  {tell}
  printf '{mark}%d,%s;' "$HYBRIDNET_STATUS" "$!"
done"""

# An interactive shell's line for a job that begins, such as "[1] 1234", comes before what follows the job. A process
# substitution changes $!, too, and is no job.
_TELLING = """hybridnet_tell() {
  HYBRIDNET_JOB=$!
  local job
  job=$(jobs -l %% 2>/dev/null)
  case "$job" in *" $! "*) printf '%s] %s\\n' "${job%%]*}" "$!" ;; esac
}
"""
_TELL = '[ "$!" = "$HYBRIDNET_JOB" ] || hybridnet_tell'
# Whoever reads a file takes its trap back at its end.
_BEFORE_EACH = f"trap '{_TELL}' DEBUG; hybridnet_status; "


_BY_SIGNAL = (
    rb"\d+: *\d+ ("
    + b"|".join(
        re.escape(words.encode())
        for number in sorted(signal.valid_signals())
        if (words := signal.strsignal(number)) is not None
    )
    + rb")((?: \(core dumped\))?) +[^\r\n]*(\r?\n)"
)
"""What bash says behind the file and the line of a program that a signal has ended: its process, how, and the command.
Source: bash 5.2, jobs.c, pretty_print_job."""


@dataclass
class Output:
    """What a command has printed since the last look, and how it ended if it has."""

    text: str
    done: bool
    status: int | None = None
    last_pid: int | None = None


class Shell:
    """One host's shell. One command at a time; calls may come from any thread."""

    def __init__(
        self,
        name: str,
        way: Way,
        environment: dict[str, str],
        directory: Path,
        on_ready: Callable[[int], None] = leave_real_time,
        *,
        as_mininet: bool = False,
    ) -> None:
        """Start the shell of node `name`; command files go to `directory`.

        Args:
            way: how a program gets into the node.
            on_ready: is given the shell's process once it is ready, and takes it out of real time.
            as_mininet: as Mininet's, its command line ends with ``mininet:NAME``, by which it is found among all
                processes, it tells the jobs that begin, and its terminal has a CR before each LF.
        """
        self._name = name
        self._on_ready = on_ready
        self._mark = f"\x1d{secrets.token_hex(8)}:".encode()
        self._file = directory / f"{name}.command"
        # As the shell sees it, though a private directory of its host may hide the folder.
        self._seen_file = f"/proc/{os.getpid()}/root{self._file.resolve()}"
        self._fault = f"{self._seen_file}: line ".encode()
        self._buffer = bytearray()
        self._lock = threading.Lock()
        # ^C comes while a reader has the other lock; the descriptor is not closed, nor its number another's, meanwhile.
        self._descriptor_lock = threading.Lock()
        self.waiting = False
        self._ready = False
        self._master, slave = pty.openpty()
        _make_raw(slave, carriage_returns=as_mininet)
        loop = _LOOP.replace("{mark}", f"\\x1d{self._mark[1:].decode()}")
        loop = loop.replace("{file}", shlex.quote(self._seen_file))
        loop = _TELLING + loop.replace("{tell}", _TELL) if as_mininet else loop.replace("{tell}", ":")
        self._before_each = _BEFORE_EACH if as_mininet else ""
        if not way.image:
            # Whoever enters a mount namespace is in its root folder; this one may be hidden there.
            loop = f"cd -- {shlex.quote(own_folder())} 2>/dev/null\n{loop}"
        # setsid with the terminal as its own: ^C then means this shell's processes. Who was started in the background
        # by a script ignores ^C, and by nohup the end of a terminal; bash cannot take back what was ignored when it
        # began.
        heeding = ["env", "--default-signal=INT,QUIT,HUP"]
        named = ["bash", f"mininet:{name}"] if as_mininet else []
        # Debian 13's ip writes in colours to a terminal, and scripts read what it prints.
        own = {"HISTFILE": "", "TERM": "dumb", "NO_COLOR": "1"}
        before = [*way.before, *heeding, "setsid", "--ctty", *way.within(own)]
        with starting():
            self.process = subprocess.Popen(
                [*before, *way.shell, "--norc", "--noprofile", "-c", loop, *named],
                stdin=slave,
                stdout=slave,
                stderr=slave,
                env={**environment, **own},
            )
        os.close(slave)

    def await_ready(self) -> None:
        """Wait until it is ready for commands. Raises MachineError: it ended, or is not ready in time."""
        with self._lock:
            self._await_ready()

    def start(self, text: str) -> None:
        """Start a command.

        Raises:
            MachineError: the one before has not been waited for; or the shell cannot be started.
        """
        with self._lock:
            self._await_ready()
            if self.waiting:
                raise MachineError(
                    f"node {self._name}: a command is still running; wait for its output, or interrupt it"
                )
            self._file.write_text(f"{self._before_each}{text}\n")
            self._buffer.clear()
            self.waiting = True
            os.write(self._master, f"{self._seen_file}\0".encode())

    def read(self, timeout: float) -> Output:
        """Return the output so far; wait at most `timeout` seconds for some."""
        with self._lock:
            return self._read(timeout)

    def read_idle(self, timeout: float) -> str:
        """Return what programs in the background have printed between commands; wait at most `timeout` seconds for
        some.
        """
        with self._lock:
            self._await_ready()
            if self.waiting or not self._readable(timeout):
                return ""
            with contextlib.suppress(OSError):  # EIO: nobody has the terminal open any more
                self._buffer += os.read(self._master, 65536)
            return self._take().text

    def terminal(self) -> int:
        """The descriptor at which the shell's output is to be read, once it is ready for commands."""
        with self._lock:
            self._await_ready()
        return self._master

    def run(self, text: str, timeout: float | None) -> Output:
        """Start a command and wait for its end.

        Raises:
            MachineError: it did not end within `timeout` seconds; it is then interrupted. Or it printed too much.
        """
        self.start(text)
        deadline = None if timeout is None else time.monotonic() + timeout
        parts: list[str] = []
        printed = 0
        while True:
            output = self.read(0.5 if deadline is None else max(0.0, min(0.5, deadline - time.monotonic())))
            parts.append(output.text)
            printed += len(output.text)
            if output.done:
                return Output("".join(parts), True, output.status, output.last_pid)
            if deadline is not None and time.monotonic() >= deadline:
                self._abandon()
                tail = "".join(parts)[-300:]
                raise MachineError(
                    f"node {self._name}: `{_shown(text)}` did not end within {timeout:g} s and was interrupted; "
                    f"its last output: {tail!r}"
                )
            if printed > OUTPUT_LIMIT:
                self._abandon()
                raise MachineError(
                    f"node {self._name}: `{_shown(text)}` printed more than {OUTPUT_LIMIT >> 20} MB and was "
                    "interrupted; send its output to a file"
                )

    def interrupt(self) -> None:
        """Press ^C."""
        if not self._ready:
            with self._lock:
                self._await_ready()
        with self._descriptor_lock:
            if self._master >= 0:
                press_interrupt(self._master)

    def hang_up(self) -> None:
        """Have the shell end, with all that runs in its session; `close` waits for that."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGHUP)

    def close(self) -> None:
        """End the shell with all that runs in its session."""
        self.hang_up()
        if self.process.poll() is None:
            try:
                self.process.wait(1)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        with self._lock, self._descriptor_lock:
            if self._master >= 0:
                os.close(self._master)
                self._master = -1
        self._file.unlink(missing_ok=True)

    def _await_ready(self) -> None:
        """Wait for the first mark, and take the shell out of real time before it gets its first command."""
        if self._ready:
            return
        self.waiting = True
        deadline = time.monotonic() + READY_SECONDS
        output, words = Output("", False), ""
        while not output.done and (left := deadline - time.monotonic()) > 0:
            output = self._read(left)
            words += output.text
        if output.status != 0:
            state = "is not ready" if output.status is None else f"ended with status {output.status}"
            raise MachineError(
                f"node {self._name}: its shell {state}: {words.strip()[-300:] or 'it printed nothing'}"
            )
        self._on_ready(self.process.pid)
        self._ready = True

    def _abandon(self) -> None:
        """Interrupts, and if the mark does not come, ends the shell; the next command gets a new one.

        A ^C that comes before the shell has begun the command means nothing to it, so there are several.
        """
        for _ in range(4):
            self.interrupt()
            deadline = time.monotonic() + 0.5
            while (left := deadline - time.monotonic()) > 0:
                if self.read(left).done:
                    return
        self.close()

    def _read(self, timeout: float) -> Output:
        if not self.waiting:
            return Output("", True)
        if timeout > 0 and not self._readable(timeout):
            return self._take()
        ended = False
        while self._readable(0) and len(self._buffer) < (1 << 20):
            try:
                chunk = os.read(self._master, 65536)
            except OSError:  # EIO: nobody has the terminal open any more
                chunk = b""
            if not chunk:
                ended = True
                break
            self._buffer += chunk
        output = self._take()
        if ended and not output.done:
            self.waiting = False
            self.process.wait()
            return Output(output.text, True, self.process.returncode)
        return output

    def _readable(self, timeout: float) -> bool:
        waiting = select.poll()
        waiting.register(self._master, select.POLLIN)
        return bool(waiting.poll(timeout * 1000))

    def _take(self) -> Output:
        """Cut from the buffer what is certainly output: up to the mark, or all but a possible beginning of the mark."""
        at = self._buffer.find(self._mark)
        if at >= 0:
            end = self._buffer.find(b";", at)
            if end >= 0:
                status, _, pid = bytes(self._buffer[at + len(self._mark) : end]).decode().partition(",")
                text = self._as_shown(self._buffer[:at])
                self._buffer.clear()
                self.waiting = False
                return Output(text, True, int(status), int(pid) if pid else None)
        cut = at if at >= 0 else self._buffer.rfind(b"\x1d")
        if cut < 0 or (at < 0 and len(self._buffer) - cut > len(self._mark)):
            cut = len(self._buffer)
        cut = _utf8_boundary(self._buffer, self._before_half_a_fault(cut))
        text = self._as_shown(self._buffer[:cut])
        del self._buffer[:cut]
        return Output(text, False)

    def _as_shown(self, printed: bytearray) -> str:
        """Output as an interactive shell's: of a program that a signal has ended, it says only how."""
        ended = re.sub(re.escape(self._fault) + _BY_SIGNAL, rb"\1\2\3", printed)
        return re.sub(re.escape(self._fault) + rb"\d+: ", b"bash: ", ended).decode(errors="replace")

    def _before_half_a_fault(self, end: int) -> int:
        """The largest cut at most `end` that does not divide the line in which bash tells a fault."""
        told = self._buffer.rfind(self._fault, 0, end)
        if told >= 0 and self._buffer.find(b"\n", told, end) < 0:
            return told
        begins = self._buffer.rfind(b"/proc/", max(0, end - len(self._fault) - _DIGITS), end)
        tail = bytes(self._buffer[begins:end]) if begins >= 0 else b"\n"
        begun = self._fault.startswith(tail) or re.fullmatch(re.escape(self._fault) + rb"\d*:?", tail)
        return begins if begun else end


def _make_raw(terminal: int, *, carriage_returns: bool) -> None:
    """No echo, no CR before LF unless asked for, no limit on a line's length; ^C works, and keeps a command that is not
    read yet.
    """
    settings = termios.tcgetattr(terminal)
    settings[0] &= ~(termios.ICRNL | termios.IXON)
    settings[1] = termios.OPOST | termios.ONLCR if carriage_returns else settings[1] & ~termios.OPOST
    settings[3] &= ~(termios.ECHO | termios.ICANON)
    settings[3] |= termios.NOFLSH
    settings[6][termios.VMIN], settings[6][termios.VTIME] = 1, 0
    termios.tcsetattr(terminal, termios.TCSANOW, settings)


def _utf8_boundary(data: bytearray, end: int) -> int:
    """The largest cut at most `end` that does not divide a character."""
    for back in range(1, min(4, end) + 1):
        byte = data[end - back]
        if byte & 0xC0 == 0x80:
            continue
        width = 2 if byte >> 5 == 0b110 else 3 if byte >> 4 == 0b1110 else 4 if byte >> 3 == 0b11110 else 1
        return end - back if width > back else end
    return end


def _shown(text: str) -> str:
    return text if len(text) <= 80 else text[:80] + " …"
