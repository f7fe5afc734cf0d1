# SPDX-License-Identifier: MIT
"""A running instance, as a test asks it."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

DIRECTION = {
    "rate_bps": None,
    "delay_ns": 1_000_000,
    "queue_packets": 1000,
    "queue_bytes": None,
    "overhead_bytes": 0,
    "train_limit_ns": 50_000,
}


class Client:
    """The control socket of a running instance."""

    def __init__(self, path: Path) -> None:
        self._connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._connection.settimeout(20.0)
        self._connection.connect(str(path))
        self._lines = self._connection.makefile("rwb")

    def ask(self, **request: Any) -> dict[str, Any]:
        self._lines.write(json.dumps(request).encode() + b"\n")
        self._lines.flush()
        answer: dict[str, Any] = json.loads(self._lines.readline())
        return answer
