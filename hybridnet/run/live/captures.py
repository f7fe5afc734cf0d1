# SPDX-License-Identifier: MIT
"""Captures of what crosses an end of a link, into a file that goes with the run: by tcpdump on its machine, or by the
instance that simulates it.
"""

from __future__ import annotations

import itertools
import re
import signal
import subprocess
import threading
from dataclasses import dataclass
from typing import Any, Protocol

from hybridnet.describe.topo.options import End
from hybridnet.errors import HybridnetError, MachineError, UsageError
from hybridnet.run.live.network import Live, UnknownNameError
from hybridnet.run.live.response_schemas import Answer
from hybridnet.run.node.iperf_server import read_until
from hybridnet.run.node.popen import Popen
from hybridnet.system.ending import Endings

__all__ = ["Captures"]

MOST_CAPTURES = 32
MOST_PACKETS = 100_000
MOST_BYTES_OF_PACKET = 2048  # so that a file stays below what is fetched at once
MOST_SIMULATED = "200 MB"  # the same
READY_SECONDS = 5.0
END_SECONDS = 5.0
_LISTENS = re.compile("listening on")


class Way(Protocol):
    """How it is captured."""

    def look(self) -> Answer:
        """``running``; ``lost``: frames that are missing, None: nobody knows; ``error``: why it ended by itself."""

    def stop(self) -> Answer:
        """End it; the same."""

    def close(self) -> None:
        """The page ends."""


class Tcpdump:
    """By the program, where there is a device."""

    def __init__(self, program: Popen) -> None:
        self._program = program
        self._running = True

    def look(self) -> Answer:
        try:
            if self._running and self._program.poll() is not None:
                self._end()
        except HybridnetError:  # its machine, or its node, is gone
            self._running = False
        return self._seen()

    def stop(self) -> Answer:
        if self._running:
            self._program.send_signal(signal.SIGINT)
            try:
                self._program.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                self._program.kill()
            self._end()
        return self._seen()

    def close(self) -> None:
        if self._running:
            self._program.close()

    def _end(self) -> None:
        self._running = False
        self._program.close()

    def _seen(self) -> Answer:
        return {"running": self._running, "lost": None, "error": ""}


class Simulated:
    """By the instance. Args: begun: a `hybridnet.run.net.captures.Capture`."""

    def __init__(self, begun: Any) -> None:
        self._begun = begun

    def look(self) -> Answer:
        return self._seen(self._begun.state())

    def stop(self) -> Answer:
        return self._seen(self._begun.stop())

    def close(self) -> None:
        self._begun.stop()

    @staticmethod
    def _seen(state: Any) -> Answer:
        lost = None if state.frames is None else state.lost
        return {"running": state.running, "lost": lost, "error": state.error}


@dataclass
class Capture:
    """One capture: it runs until it is stopped, or has so many packets."""

    number: int
    link: str
    node: str
    interface: str
    filter: str
    file: str
    way: Way

    def to_json(self, seen: Answer) -> Answer:
        """Args: seen: what `way` says of it."""
        said = {name: getattr(self, name) for name in ("number", "link", "node", "interface", "filter")}
        return {**said, **seen}


class Captures:
    """The captures that the page has begun."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._captures: dict[int, Capture] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def start(self, link: str, end: str, filter: str) -> Answer:
        """Begin one.

        Args:
            end: ``"a"`` or ``"b"``: at which end of the link.
            filter: what to capture, in pcap-filter(7); empty: everything.

        Raises:
            UnknownNameError: there is no such link.
            UsageError: nothing can be captured at that end, or tcpdump refuses; the message quotes it.
            MachineError: the instance refuses.
        """
        plan = self._live.link(link)
        side = plan.a if end == "a" else plan.b
        simulated = side.node in self._live.plan.simulated or side.node in self._live.plan.guests
        if plan.kind == "patch":
            raise UsageError(
                f"capture at link {link}: {side.interface} is not a device of a computer; capture at a link of a host"
            )
        with self._lock:
            if len(self._captures) >= MOST_CAPTURES:
                raise UsageError(f"capture at link {link}: a run has at most {MOST_CAPTURES} captures")
            number = next(self._numbers)
        file = f"{self._live.call(side.node, 'scratch_directory')}/live-{number}.pcap"
        way: Way
        if simulated:
            way = Simulated(self._live.capture(side.interface, file, filter, MOST_SIMULATED))
        else:
            way = self._tcpdump(link, side, filter, file)
        capture = Capture(number, link, side.node, side.interface, filter, file, way)
        with self._lock:
            self._captures[number] = capture
        return capture.to_json(way.look())

    def _tcpdump(self, link: str, side: End, filter: str, file: str) -> Tcpdump:
        node = self._live.node(side.node)
        argv = ["tcpdump", "-n", "-U", "-Z", "root", "-s", str(MOST_BYTES_OF_PACKET), "-c", str(MOST_PACKETS)]
        # Otherwise the kernel keeps frames for up to a second, and those are lost at the end.
        argv.append("--immediate-mode")
        program = node.popen(
            [*argv, "-i", side.interface, "-w", file, *(["--", filter] if filter else [])],
            stderr=subprocess.STDOUT,
        )
        said = read_until(program, _LISTENS, READY_SECONDS)
        if not _LISTENS.search(said):
            program.close()
            why = said.strip().splitlines() or ["it printed nothing"]
            raise UsageError(f"capture at link {link}: tcpdump refuses: {why[-1]}")
        return Tcpdump(program)

    def list(self) -> list[Answer]:
        """All of them, also those that have ended."""
        with self._lock:
            captures = list(self._captures.values())
        return [capture.to_json(capture.way.look()) for capture in captures]

    def stop(self, number: int) -> Answer:
        """End one; its file can be fetched then. Raises UnknownNameError."""
        capture = self._capture(number)
        return capture.to_json(capture.way.stop())

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
            ways = [capture.way for capture in self._captures.values()]
        Endings(*(way.close for way in ways)).close()

    def _capture(self, number: int) -> Capture:
        with self._lock:
            if number not in self._captures:
                raise UnknownNameError(f"capture {number}: there is no such capture")
            return self._captures[number]
