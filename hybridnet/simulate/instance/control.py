# SPDX-License-Identifier: MIT
"""The control socket of an instance: one JSON object per line, each answered by one line."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hybridnet.describe.schema.plans import InstancePlan
from hybridnet.errors import HybridnetError
from hybridnet.simulate.instance.verbs import Verbs

REQUEST_LIMIT = 64 << 20
"""Bytes of a request: a change may add thousands of nodes."""


class Control:
    """The control socket: its clients are the agent, and programs of the same user such as `hybridnet extcap`."""

    def __init__(self, path: Path, instance: Any, plan: InstancePlan) -> None:
        self._instance = instance
        self._verbs = Verbs(instance, plan, path.parent)
        self._access = threading.Lock()
        self._ended = False
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        path.unlink(missing_ok=True)
        before = os.umask(0o177)  # for its owner alone, from the first moment
        try:
            self._server.bind(str(path))
        finally:
            os.umask(before)
        self._server.listen(4)
        self._path = path
        self._stopper: socket.socket | None = None

    def start(self) -> None:
        """Serves in a thread of its own."""
        threading.Thread(target=self._serve, name="control", daemon=True).start()

    def end(self) -> None:
        """From now on the instance is asked nothing more."""
        with self._access:
            self._ended = True

    def finish(self, final: Mapping[str, object]) -> None:
        """Answers whoever asked for the stop, and removes the socket."""
        if self._stopper is not None:
            with contextlib.suppress(OSError):
                self._stopper.sendall(json.dumps(final).encode() + b"\n")
        self._server.close()
        self._path.unlink(missing_ok=True)

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return  # closed: the instance has ended
            threading.Thread(target=self._serve_client, args=(client,), daemon=True).start()

    def _serve_client(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError), client.makefile("rb") as lines:
            while line := lines.readline(REQUEST_LIMIT):
                answer = self._answer(line, client)
                if answer is None:
                    return
                client.sendall(json.dumps(answer).encode() + b"\n")

    def _answer(self, line: bytes, client: socket.socket) -> Mapping[str, object] | None:
        try:
            request = json.loads(line)
            verb = request["verb"]
        except (ValueError, KeyError, TypeError):
            return {"error": 'a request is one line like {"verb": "snapshot"}'}
        if verb == "stop":
            self._stopper = client
            self._instance.stop()
            return None  # `finish` answers, when the loop has ended
        with self._access:
            if self._ended:
                return {"error": "the instance has ended"}
            try:
                return self._verbs.perform(verb, request)
            except (HybridnetError, RuntimeError) as error:
                return {"error": str(error)}
            except Exception as error:  # a defect of ours; the instance runs on, and who asked is answered
                return {"error": f"{type(error).__name__}: {error}"}
