# SPDX-License-Identifier: MIT
"""Runs command lines of simulations one after the other, each in a process that is forked from this one.

    sweep ── {"words": ["simulate", …], "log": "…"} ──▶ this process, which has imported all that they import
          ◀─ {"status": 0} ── fork ── the command line

Most of a short simulation's time is that of its imports. This process never runs a command line itself, so each begins
with the state that a new process has.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import socket
import sys

from hybridnet.cli.main import main
from hybridnet.system.parent import die_with_parent


def serve(line: socket.socket) -> list[str] | None:
    """Fork for each request, and answer with the status of what ended: negative for a signal.

    SIGTERM is passed on to what runs, and ends this process once that has ended; so does the end of whoever asks.

    Returns:
        In a forked process the words that it shall run; in this one, at the end of the requests, None.
    """
    running: int | None = None  # a pidfd: its number is nobody else's
    told = False

    def end(*_: object) -> None:
        nonlocal told
        told = True
        if running is None:
            raise SystemExit(128 + signal.SIGTERM)
        with contextlib.suppress(ProcessLookupError):  # it has just ended
            signal.pidfd_send_signal(running, signal.SIGTERM)

    signal.signal(signal.SIGTERM, end)
    gc.freeze()
    for asked in line.makefile("rb"):
        request = json.loads(asked)
        parent = os.getpid()
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        child = os.fork()
        if child == 0:
            _become(request["log"], parent)
            return list(request["words"])
        running = os.pidfd_open(child)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
        _, status = os.waitpid(child, 0)
        answer = json.dumps({"status": os.waitstatus_to_exitcode(status)})
        with contextlib.suppress(BrokenPipeError):  # whoever asked has ended
            line.sendall(answer.encode() + b"\n")
        if told:
            break
        done, running = running, None
        os.close(done)
    return None


def _become(log: str, parent: int) -> None:
    """What the forked process does first: it has an output of its own, and ends with the one that forked it."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    die_with_parent(signal.SIGTERM)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
    if os.getppid() != parent:  # it ended before the kernel knew
        raise SystemExit(128 + signal.SIGTERM)
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
    for standard in (1, 2):
        os.dup2(output, standard)
    os.close(output)


def _import_all() -> None:
    """Import what simulations import as they go on."""
    import rich.progress  # noqa: F401

    import hybridnet._simcore
    import hybridnet.cli.simulate
    import hybridnet.observe.recording.capsule
    import hybridnet.observe.recording.run_record
    import hybridnet.observe.recording.trace_files
    import hybridnet.observe.results.console
    import hybridnet.run.net.dry_run
    import hybridnet.simulate.offline  # noqa: F401


def _serve_descriptor(descriptor: int) -> int:
    _import_all()
    with socket.socket(fileno=descriptor) as line:
        words = serve(line)
    if words is None:
        return 0
    sys.argv = ["hybridnet", *words]
    return main(words)


if __name__ == "__main__":
    sys.exit(_serve_descriptor(int(sys.argv[1])))
