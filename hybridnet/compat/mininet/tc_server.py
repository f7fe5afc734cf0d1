# SPDX-License-Identifier: MIT
"""Answers the program `tc` for the interfaces whose links are simulated, in the process of the script."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridnet.compat.mininet.tc_program import ANYWAY, SOCKET
from hybridnet.compat.mininet.traffic_control import Change, Counters, Refusal, asked_of, change, show
from hybridnet.errors import HybridnetError
from hybridnet.machines.cluster.here import HERE

if TYPE_CHECKING:
    from hybridnet.compat.mininet.making import Making

__all__ = ["TcServer", "counters_of"]

_WORDS_BYTES = 1 << 16


class TcServer:
    """Listens from the beginning until `close`.

    Args:
        network: which runs on this computer.
        folder: of the run.
    """

    def __init__(self, network: Making, folder: Path) -> None:
        self._network = network
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
                connection.sendall(json.dumps(self._answer_to(asked)).encode())

    def _answer_to(self, asked: bytes) -> dict[str, Any] | None:
        """`answer`; a command at which it fails gets its words, and the next one is answered all the same."""
        try:
            return self.answer(json.loads(asked))
        except Exception as problem:
            words = f"{type(problem).__name__}: {problem}"
            return _answer(err=f"Error: hybridnet cannot answer this command of tc: {words}\n", status=1)

    def answer(self, words: Sequence[str]) -> dict[str, Any] | None:
        """What `tc` prints, its status, and whether the kernel's comes first; None where it is all the kernel's.

        Args:
            words: `ANYWAY` before them says that the kernel's has failed.
        """
        anyway = list(words[:1]) == [ANYWAY]
        if (asked := asked_of(words[anyway:])) is None or (intf := self._interface(asked[2])) is None:
            return None
        of, verb, device, rest, statistics = asked
        counters = self._counters(device)
        if counters is None and not anyway:
            is_netem = of == "qdisc" and verb in ("add", "change", "replace") and "netem" in rest
            return _answer(kernel="does it") if is_netem else None
        try:
            if verb == "show":
                told = "" if counters is None else show(of, intf.shaped, counters, statistics)
                return _answer(told, kernel="has its own") if told else None
            changed = change(of, verb, rest, intf.shaped)
            if isinstance(changed, Change):
                intf.link.reshape(intf, changed.params)
                return _answer()
        except (HybridnetError, ValueError) as problem:
            changed = Refusal(f"{problem}\n")
        return None if changed is None else _answer(err=changed.text, status=2)

    def _interface(self, device: str) -> Any:
        return next(
            (
                intf
                for link in self._network.links
                for intf in (link.intf1, link.intf2)
                if intf.name == device and not link.is_loop and not link.by_kernel
            ),
            None,
        )

    def _counters(self, device: str) -> Counters | None:
        live = self._network.live
        if live is None:
            return None
        row = live.cluster.call(HERE, "link_sample", portal=f"p-{device}")
        return None if row is None else counters_of(row)


def _answer(out: str = "", err: str = "", status: int = 0, kernel: str = "") -> dict[str, Any]:
    """`kernel`: the answer counts unless the kernel's tc "has its own" to show, or "does it"."""
    return {"out": out, "err": err, "status": status, "kernel": kernel}


def counters_of(row: Mapping[str, Any]) -> Counters:
    """Of what is sent at a device, by the row of its direction in a snapshot."""
    return Counters(
        sent_bytes=row["accepted_bytes"] - row["queue_bytes"],
        sent_packets=row["accepted_packets"] - row["queue_packets"],
        dropped=sum(row["dropped"].values()),
        queue_bytes=row["queue_bytes"],
        queue_packets=row["queue_packets"],
    )
