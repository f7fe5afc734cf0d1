# SPDX-License-Identifier: MIT
"""A small process that outlives its head, and then removes what the head could not, because it was killed.

The head starts it as a file, at once and without waiting, and gives it a descriptor that stands for the head's own
process: it becomes readable when that ends, however it ends, and whatever children of it live on. A run that ended
well has no directory any more, and nothing is left to do. One that its head has left to the programs in its hosts is
removed when the last of them has ended.

What notices the head's end by itself, as a machine does whose standard input closes, ends at the same time; the
guardian waits for that, as `hybridnet clean` does, and removes what is left.

It uses the standard library only until then, and is in a session of its own: ^C and the end of a terminal do not
reach it.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

__all__ = ["Guardian"]

POLL_S = 0.2  # of the programs to which a network is left


class Guardian:
    """The guardian of a run of this process.

    Args:
        directory: of the run, in its state directory.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory.absolute()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, without waiting."""
        head = os.pidfd_open(os.getpid())
        run, state, package = self._directory.name, self._directory.parent, Path(__file__).parents[2]
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", __file__, str(head), run, str(state), str(package)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[head],
                start_new_session=True,
                cwd="/",
            )
        finally:
            os.close(head)

    @property
    def pid(self) -> int | None:
        """The process; None: it has not started, or was ended."""
        return None if self._process is None else self._process.pid

    def end(self) -> None:
        """End it: there is nothing left to guard. Does nothing where it has not started."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def _is_left_running(directory: str) -> bool:
    """Whether the head has left its network to programs in it, and one of them lives."""
    networks, is_left = set(), False
    with contextlib.suppress(OSError), open(os.path.join(directory, "journal.jsonl")) as journal:
        for line in journal:
            with contextlib.suppress(ValueError):
                entry = json.loads(line)
                is_left = is_left or entry.get("make") == "left"
                if entry.get("make") == "namespace":
                    networks.add(entry["inode"])
    return is_left and any(_network_of(pid) in networks for pid in os.listdir("/proc") if pid.isdigit())


def _network_of(pid: str) -> int | None:
    try:
        return os.stat(f"/proc/{pid}/ns/net").st_ino
    except OSError:
        return None


def _guard(head: int, run: str, state: str, package: str) -> None:
    """Wait for the head's end; then become the program that cleans the run, if it has left something."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    ended = select.poll()
    ended.register(head, select.POLLIN)
    ended.poll()
    while os.path.isdir(os.path.join(state, run)) and _is_left_running(os.path.join(state, run)):
        time.sleep(POLL_S)
    if not os.path.isdir(os.path.join(state, run)):
        return
    program = (
        f"import sys; sys.path.insert(0, {package!r}); "
        "from hybridnet.system.cleaning import main; sys.exit(main())"
    )
    environment = {**os.environ, "HYBRIDNET_STATE_DIR": state}
    os.execve(sys.executable, [sys.executable, "-P", "-c", program, run], environment)


if __name__ == "__main__":
    _guard(int(sys.argv[1]), *sys.argv[2:])
