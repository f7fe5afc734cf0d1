# SPDX-License-Identifier: MIT
"""Captures of what crosses an end of a link: tcpdump on its machine, into a file that goes with the run."""

from __future__ import annotations

import itertools
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from typing import Any

from hybridnet.errors import HybridnetError, MachineError, UsageError
from hybridnet.live.network import Live, UnknownNameError
from hybridnet.node.popen import Popen
from hybridnet.system.ending import Endings

__all__ = ["Captures"]

MOST_CAPTURES = 32
MOST_PACKETS = 100_000
MOST_BYTES_OF_PACKET = 2048  # so that a file stays below what is fetched at once
READY_SECONDS = 5.0
END_SECONDS = 5.0


@dataclass
class Capture:
    """One capture: `running` until it is stopped, or has so many packets."""

    number: int
    link: str
    node: str
    interface: str
    filter: str
    file: str
    program: Popen
    running: bool = True

    def to_json(self) -> dict[str, Any]:
        return {
            name: getattr(self, name) for name in ("number", "link", "node", "interface", "filter", "running")
        }


class Captures:
    """The captures that the page has begun."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._captures: dict[int, Capture] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def start(self, link: str, end: str, filter: str) -> dict[str, Any]:
        """Begin one.

        Args:
            end: ``"a"`` or ``"b"``: at which end of the link.
            filter: what to capture, in pcap-filter(7); empty: everything.

        Raises:
            UnknownNameError: there is no such link.
            UsageError: there is no device at that end.
            MachineError: tcpdump refuses; the message quotes it.
        """
        plan = self._live.link(link)
        side = plan.a if end == "a" else plan.b
        if side.node in self._live.plan.simulated or plan.kind == "patch":
            raise UsageError(
                f"capture at link {link}: {side.interface} is no device of a computer; capture at a link of a host, "
                "or from the beginning with captures= of Net"
            )
        with self._lock:
            if len(self._captures) >= MOST_CAPTURES:
                raise UsageError(f"capture at link {link}: a run has at most {MOST_CAPTURES} captures")
            number = next(self._numbers)
        node = self._live.node(side.node)
        file = f"{self._live.call(side.node, 'scratch_directory')}/live-{number}.pcap"
        argv = ["tcpdump", "-n", "-U", "-Z", "root", "-s", str(MOST_BYTES_OF_PACKET), "-c", str(MOST_PACKETS)]
        program = node.popen(
            [*argv, "-i", side.interface, "-w", file, *(["--", filter] if filter else [])],
            stderr=subprocess.STDOUT,
        )
        said = _said(program, "listening on")
        if "listening on" not in said:
            program.close()
            raise UsageError(
                f"capture at link {link}: tcpdump refuses: {said.strip().splitlines()[-1:] or said!r}"
            )
        capture = Capture(number, link, side.node, side.interface, filter, file, program)
        with self._lock:
            self._captures[number] = capture
        return capture.to_json()

    def list(self) -> list[dict[str, Any]]:
        """All of them, also those that have ended."""
        with self._lock:
            captures = list(self._captures.values())
        for capture in captures:
            self._end_if_done(capture)
        return [capture.to_json() for capture in captures]

    def stop(self, number: int) -> dict[str, Any]:
        """End one; its file can be fetched then. Raises UnknownNameError."""
        capture = self._capture(number)
        if capture.running:
            capture.program.send_signal(signal.SIGINT)
            try:
                capture.program.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                capture.program.kill()
            capture.running = False
            capture.program.close()
        return capture.to_json()

    def file(self, number: int) -> bytes:
        """What was captured so far, as a pcap file. Raises UnknownNameError, MachineError."""
        capture = self._capture(number)
        data = self._live.call(capture.node, "download", path=capture.file)
        if not isinstance(data, bytes):
            raise MachineError(f"capture {number}: its file is gone")
        return data

    def close(self) -> None:
        """End all."""
        with self._lock:
            running = [capture.program for capture in self._captures.values() if capture.running]
        Endings(*(program.close for program in running)).close()

    def _capture(self, number: int) -> Capture:
        with self._lock:
            if number not in self._captures:
                raise UnknownNameError(f"capture {number}: there is no such capture")
            return self._captures[number]

    def _end_if_done(self, capture: Capture) -> None:
        try:
            if capture.running and capture.program.poll() is not None:
                capture.running = False
                capture.program.close()
        except HybridnetError:  # its machine, or its node, is gone
            capture.running = False


def _said(program: Popen, wanted: str) -> str:
    """What a program prints until some words come, or its end, or the time is up."""
    assert program.stdout is not None
    said, deadline = "", time.monotonic() + READY_SECONDS
    while wanted not in said and (left := deadline - time.monotonic()) > 0:
        piece = program.stdout.read_available(left)
        if piece is None:
            break
        said += piece.decode(errors="replace")
    return said
