# SPDX-License-Identifier: MIT
"""The program `tc`, for scripts that call it: where the simulator shapes a device, it asks the script's process.

    tc ── words ──▶ the socket of each network that runs on this computer ──▶ an answer, or None: the kernel's tc

Whatever the script itself gave to the device in the kernel is shown as the kernel shows it. This imports little of the
standard library and nothing else: scripts call it a hundred times a second.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Iterator, Sequence
from typing import Any

SOCKET = "sockets/tc"
"""In the folder of a run."""

ANYWAY = "--anyway"
"""Before the words: the kernel has not what they ask for."""

_NOTHING = "qdisc noqueue"
_CANNOT = ("kind is unknown", "Cannot find device")  # no netem; a switch's port that is no device


def main(words: Sequence[str]) -> int:
    """Returns the exit status."""
    program = kernels_tc()
    for path in _sockets():
        answer = _answer(path, words)
        if answer is None:
            continue
        if answer["kernel"] and program is not None:
            import subprocess  # only who needs it waits for this import

            own = subprocess.run([program, *words], capture_output=True, text=True, check=False)
            if answer["kernel"] == "does it":
                cannot = own.returncode != 0 and any(text in own.stderr for text in _CANNOT)
                answer = _answer(path, [ANYWAY, *words]) if cannot else None
            elif own.stdout and not own.stdout.startswith(_NOTHING):
                answer = None
            if answer is None:
                answer = {"out": own.stdout, "err": own.stderr, "status": own.returncode}
        sys.stdout.write(answer["out"])
        sys.stderr.write(answer["err"])
        return int(answer["status"])
    if program is None:
        sys.stderr.write("tc: command not found\n")
        return 127
    os.execv(program, ["tc", *words])


def kernels_tc() -> str | None:
    """The program that this one stands for; None: there is none."""
    folders = os.environ.get("HYBRIDNET_PATH", os.defpath).split(os.pathsep)
    found = (os.path.join(folder, "tc") for folder in (*folders, "/sbin", "/usr/sbin"))
    return next((path for path in found if os.access(path, os.X_OK)), None)


def _sockets() -> Iterator[str]:
    state = os.environ.get("HYBRIDNET_STATE_DIR", "/run/hybridnet")
    try:
        runs = os.listdir(state)
    except OSError:
        return
    for run in runs:
        if os.path.exists(path := os.path.join(state, run, SOCKET)):
            yield path


def _answer(path: str, words: Sequence[str]) -> dict[str, Any] | None:
    try:
        with socket.socket(socket.AF_UNIX) as asking:
            asking.settimeout(10.0)
            asking.connect(path)
            asking.sendall(json.dumps(list(words)).encode())
            asking.shutdown(socket.SHUT_WR)
            with asking.makefile("rb") as answering:
                answer: dict[str, Any] | None = json.loads(answering.read())
                return answer
    except (OSError, ValueError):  # its process has ended, or is ending
        return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
