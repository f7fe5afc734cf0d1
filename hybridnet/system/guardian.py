# SPDX-License-Identifier: MIT
"""A small process that outlives its head, and then removes what the head could not, because it was killed.

The head starts it as a file, at once and without waiting, and gives it a descriptor that stands for the head's own
process: it becomes readable when that ends, however it ends, and whatever children of it live on. A run that ended
well has no directory any more, and nothing is left to do.

It uses the standard library only until then, and is in a session of its own: ^C and the end of a terminal do not
reach it.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

__all__ = ["start"]


def start(run: str, state: Path) -> subprocess.Popen[bytes]:
    """Start the guardian of a run of this process.

    Args:
        run: the run's name.
        state: the state directory.
    """
    head = os.pidfd_open(os.getpid())
    try:
        return subprocess.Popen(
            [
                sys.executable,
                "-I",
                "-S",
                __file__,
                str(head),
                run,
                str(state),
                str(Path(__file__).parents[2]),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[head],
            start_new_session=True,
            cwd="/",
        )
    finally:
        os.close(head)


def _guard(head: int, run: str, state: str, package: str) -> None:
    """Wait for the head's end; then become the program that cleans the run, if it has left something."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    ended = select.poll()
    ended.register(head, select.POLLIN)
    ended.poll()
    if not os.path.isdir(os.path.join(state, run)):
        return
    program = (
        f"import sys; sys.path.insert(0, {package!r}); "
        "from hybridnet.system.cleaning import main; sys.exit(main())"
    )
    environment = {**os.environ, "HYBRIDNET_STATE_DIR": state}
    os.execve(sys.executable, [sys.executable, "-c", program, run], environment)


if __name__ == "__main__":
    _guard(int(sys.argv[1]), *sys.argv[2:])
