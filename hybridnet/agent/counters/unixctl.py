# SPDX-License-Identifier: MIT
"""Open vSwitch's control socket, as ovs-appctl(8) speaks to it, without a process for each question: JSON-RPC 1.0."""

from __future__ import annotations

import json
import select
import socket
import time
from pathlib import Path

from hybridnet.errors import MachineError
from hybridnet.system.daemon import LOOK_S, Daemon, Vigil

ANSWER_LIMIT = 16 << 20
PATIENCE_SECONDS = 5.0


def ask(path: Path, command: str, *arguments: str) -> str:
    """Have a daemon run a command, and return what it says.

    Args:
        path: its socket.

    Raises:
        MachineError: it refuses, does not answer, or is stopped.
    """
    request = {"id": 0, "method": command, "params": list(arguments)}
    data = bytearray()
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
            asking.settimeout(PATIENCE_SECONDS)
            vigil = Vigil(_owner(path), ask=False, ends=False)
            deadline = time.monotonic() + PATIENCE_SECONDS
            heard = select.poll()
            heard.register(asking, select.POLLIN)
            asking.connect(str(path))
            asking.sendall(json.dumps(request).encode())
            while (answer := _whole(data)) is None:
                while not heard.poll(LOOK_S * 1000):
                    vigil.look()
                    if time.monotonic() > deadline:
                        raise TimeoutError("timed out")
                chunk = asking.recv(1 << 16)
                if not chunk or len(data) > ANSWER_LIMIT:
                    raise OSError("it does not answer in full")
                data += chunk
    except OSError as error:
        raise MachineError(f"Open vSwitch: {command}: {error} ({path})") from None
    if answer["error"] is not None:
        raise MachineError(f"Open vSwitch: {command}: {str(answer['error']).strip()}")
    return str(answer["result"])


def _owner(path: Path) -> list[Daemon]:
    """Whose socket it is, if that is in its name, as Open vSwitch has it: ``ovs-vswitchd.1234.ctl``."""
    name, _, pid = path.stem.rpartition(".")
    return [Daemon(name, int(pid))] if name and pid.isdecimal() else []


def _whole(data: bytearray) -> dict[str, object] | None:
    """The answer, once all of it is there: it has no mark at its end."""
    if not data.endswith(b"}"):
        return None
    try:
        answer: dict[str, object] = json.loads(data)
    except ValueError:
        return None
    return answer
