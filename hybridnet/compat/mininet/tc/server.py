# SPDX-License-Identifier: MIT
"""Answers the program `tc` (tc.cc) for the interfaces whose links are simulated, in the process of the script.

It sends its words, each with a zero after it, and gets one line, ``STATUS KERNEL BYTES``, as many bytes for standard
output, and the rest for standard error; or `PASS`: all of it is the kernel's. KERNEL is ``own`` where the kernel may
have something of its own to show, ``does`` where the kernel comes first, else ``-``.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hybridnet.compat.mininet.tc.commands import Change, Counters, Refusal, asked_of, change, show
from hybridnet.errors import HybridnetError

__all__ = ["ANYWAY", "PASS", "SOCKET", "Answer", "TcServer", "counters_of"]

SOCKET = "sockets/tc"
"""In the folder of a run; tc.cc looks for it there."""

ANYWAY = "--anyway"
"""Before the words: the kernel has not what they ask for."""

PASS = b"pass\n"

_WORDS_BYTES = 1 << 16


@dataclass(frozen=True)
class Answer:
    """What `tc` prints, its status, and what the kernel's part in it is; see above."""

    out: str = ""
    err: str = ""
    status: int = 0
    kernel: str = "-"

    def __bytes__(self) -> bytes:
        out = self.out.encode()
        return f"{self.status} {self.kernel} {len(out)}\n".encode() + out + self.err.encode()


class TcServer:
    """Listens from the beginning until `close`.

    Args:
        interface: the end of a simulated link that has a device's name; None where there is none.
        sample: the row in a snapshot of what is sent at a device; None where no simulated link is there.
        folder: of the run, which is on this computer.
    """

    def __init__(
        self,
        interface: Callable[[str], Any],
        sample: Callable[[str], Mapping[str, Any] | None],
        folder: Path,
    ) -> None:
        self._interface = interface
        self._sample = sample
        self._path = folder / SOCKET
        self._path.parent.mkdir(exist_ok=True)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self._path))
        self._listener.listen(64)
        threading.Thread(target=self._serve, name="tc", daemon=True).start()

    def close(self) -> None:
        """Listen no longer."""
        with contextlib.suppress(OSError):  # ends the thread's wait
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._path.unlink(missing_ok=True)

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:  # closed
                return
            with contextlib.suppress(OSError), connection:
                connection.settimeout(5.0)
                with connection.makefile("rb") as asking:
                    asked = asking.read(_WORDS_BYTES)
                answer = self._answer_to(asked)
                connection.sendall(PASS if answer is None else bytes(answer))

    def _answer_to(self, asked: bytes) -> Answer | None:
        """`answer`; a command at which it fails gets its words, and the next one is answered all the same."""
        try:
            return self.answer(asked.decode().split("\0")[:-1])
        except Exception as problem:
            words = f"{type(problem).__name__}: {problem}"
            return Answer(err=f"Error: hybridnet cannot answer this command of tc: {words}\n", status=1)

    def answer(self, words: Sequence[str]) -> Answer | None:
        """What `tc` prints, its status, and whether the kernel's comes first; None where it is all the kernel's.

        Args:
            words: `ANYWAY` before them says that the kernel's has failed.
        """
        anyway = list(words[:1]) == [ANYWAY]
        if (asked := asked_of(words[anyway:])) is None or (intf := self._interface(asked[2])) is None:
            return None
        of, verb, device, rest, statistics = asked
        row = self._sample(device)
        counters = None if row is None else counters_of(row)
        if counters is None and not anyway:
            is_netem = of == "qdisc" and verb in ("add", "change", "replace") and "netem" in rest
            return Answer(kernel="does") if is_netem else None
        try:
            if verb == "show":
                told = "" if counters is None else show(of, intf.shaped, counters, statistics)
                return Answer(told, kernel="own") if told else None
            changed = change(of, verb, rest, intf.shaped)
            if isinstance(changed, Change):
                intf.link.reshape(intf, changed.params)
                return Answer()
        except (HybridnetError, ValueError) as problem:
            changed = Refusal(f"{problem}\n")
        return None if changed is None else Answer(err=changed.text, status=2)


def counters_of(row: Mapping[str, Any]) -> Counters:
    """Of what is sent at a device, by the row of its direction in a snapshot."""
    return Counters(
        sent_bytes=row["accepted_bytes"] - row["queue_bytes"],
        sent_packets=row["accepted_packets"] - row["queue_packets"],
        dropped=sum(row["dropped"].values()),
        queue_bytes=row["queue_bytes"],
        queue_packets=row["queue_packets"],
    )
