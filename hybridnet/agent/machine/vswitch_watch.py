# SPDX-License-Identifier: MIT
"""Hears of what happens in Open vSwitch: its bridges and ports, and whether its two daemons answer.

The database tells of each row that comes or goes (RFC 7047, section 4.1.5: monitor), and which ports a bridge has. So
a port is seen that somebody else gives it, of which a loop can come. Both daemons are asked twice a second for
something that costs them nothing; one that does not answer for `SILENT_SECONDS` is silent.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hybridnet.describe.schema.plans import MachinePlan

__all__ = ["SILENT_SECONDS", "VSwitchWatch", "parts_of"]

SILENT_SECONDS = 2.0
_ANSWER_LIMIT = 64 << 20
_DECODER = json.JSONDecoder()


class VSwitchWatch:
    """Watches one Open vSwitch.

    Args:
        control: the control socket of ovs-vswitchd.
        database: the socket of ovsdb-server.

    Raises:
        OSError: one of them does not take a connection.
    """

    def __init__(self, control: Path, database: Path) -> None:
        self._parts: dict[tuple[str, str], str] = {}
        self._there: dict[str, tuple[str, str]] = {}  # by row, its table and name
        self._references: dict[str, list[str]] = {}  # by row of a bridge, the rows of its ports
        self._attached: set[tuple[str, str]] = set()  # bridge, port
        self._lines = {
            "ovsdb-server": _Line(database, "echo"),
            "ovs-vswitchd": _Line(control, "version"),
        }
        columns = {"Bridge": {"columns": ["name", "ports"]}, "Port": {"columns": ["name"]}}
        self._lines["ovsdb-server"].send("monitor", ["Open_vSwitch", None, columns])

    def filenos(self) -> list[int]:
        """The sockets that are open."""
        return [line.fileno() for line in self._lines.values() if line.open]

    def expect(self, parts: Mapping[tuple[str, str], str]) -> None:
        """These (table, name) are there from now on, with what each is called, and no others are watched."""
        for _ in self.heard():
            pass
        self._parts = dict(parts)

    def heard(self) -> Iterator[tuple[str, str, bool]]:
        """What has happened since the last call: the part, how it is, and whether it is so or no longer."""
        for answer in self._lines["ovsdb-server"].answers():
            tables: Mapping[str, Any] = {}
            if answer.get("method") == "update":
                tables = answer["params"][1]
            elif isinstance(answer.get("result"), dict):
                tables = answer["result"]
            for table, rows in tables.items():
                for row, change in rows.items():
                    yield from self._changed(table, row, change.get("new"))
            if tables:
                yield from self._given(first=answer.get("id") == "monitor")
        for _ in self._lines["ovs-vswitchd"].answers():
            pass

    def ask(self) -> None:
        """Ask both daemons whether they are there, unless a question is open."""
        for line in self._lines.values():
            line.ask()

    def silent(self, excused: Mapping[str, int | None]) -> dict[str, int]:
        """The daemons that have not answered for `SILENT_SECONDS`, and since when: CLOCK_MONOTONIC, in nanoseconds.

        Args:
            excused: daemons that could not answer until then, which is known otherwise; None: they still cannot.
        """
        now_ns = time.monotonic_ns()
        before_ns = now_ns - int(SILENT_SECONDS * 1e9)
        found = {}
        for name, line in self._lines.items():
            if line.open and line.asked_ns is not None:
                until_ns = excused.get(name, 0)
                since_ns = max(line.asked_ns, now_ns if until_ns is None else until_ns)
                if since_ns < before_ns:
                    found[name] = since_ns
        return found

    def close(self) -> None:
        """Watch no longer."""
        for line in self._lines.values():
            line.close()

    def _changed(
        self, table: str, row: str, new: Mapping[str, Any] | None
    ) -> Iterator[tuple[str, str, bool]]:
        before = self._there.pop(row, None)
        now = None if new is None else (table, str(new["name"]))
        if now is not None:
            self._there[row] = now
        if before is not None and before != now and before in self._parts:
            yield self._parts[before], "was removed from Open vSwitch", True
        if now is not None and now != before and now in self._parts:
            yield self._parts[now], "was removed from Open vSwitch", False
        if table == "Bridge":
            self._references.pop(row, None)
            if new is not None:
                self._references[row] = _rows_of(new["ports"])

    def _given(self, *, first: bool) -> Iterator[tuple[str, str, bool]]:
        """The ports that bridges have now and have not in the plan, and had not when the watch began; or no longer."""
        before = self._attached
        self._attached = {
            (self._there[bridge][1], self._there[port][1])
            for bridge, ports in self._references.items()
            for port in ports
            if port in self._there
        }
        if first:
            return
        for bridge, port in sorted(self._attached ^ before):
            own = port == bridge or self._parts.get(("Port", port)) == _port_name(port, bridge)
            if ("Bridge", bridge) in self._parts and not own:
                yield (
                    self._parts["Bridge", bridge],
                    f"was given the port {port}",
                    (bridge, port) in self._attached,
                )


class _Line:
    """A connection over which JSON-RPC 1.0 goes both ways."""

    def __init__(self, path: Path, question: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.settimeout(SILENT_SECONDS)
            self._socket.connect(str(path))
        except OSError:
            self._socket.close()
            raise
        self._socket.setblocking(False)
        self._question = question
        self._buffer = ""
        self._pending = b""
        self.asked_ns: int | None = None
        self.open = True

    def fileno(self) -> int:
        return self._socket.fileno()

    def ask(self) -> None:
        if self.open and self.asked_ns is None:
            self.asked_ns = time.monotonic_ns()
            self.send(self._question, [], question=self._question)

    def send(self, method: str, params: list[Any], question: str = "") -> None:
        self._send({"id": question or method, "method": method, "params": params})

    def answers(self) -> Iterator[dict[str, Any]]:
        """The messages that have come whole."""
        if not self.open:
            return
        try:
            while data := self._socket.recv(1 << 16):
                self._buffer += data.decode(errors="replace")
                if len(self._buffer) > _ANSWER_LIMIT:
                    break
            self.close()  # it has ended, which its process says better
        except BlockingIOError:
            pass
        except OSError:
            self.close()
        while self._buffer:
            try:
                message, end = _DECODER.raw_decode(self._buffer)
            except ValueError:
                return
            self._buffer = self._buffer[end:].lstrip()
            if message.get("method") == "echo":
                self._send({"id": message["id"], "result": message["params"], "error": None})
                continue
            if message.get("id") == self._question:
                self.asked_ns = None
            yield message

    def close(self) -> None:
        self._socket.close()
        self.open = False

    def _send(self, message: Mapping[str, object]) -> None:
        self._pending += json.dumps(message).encode()
        try:
            sent = self._socket.send(self._pending)
        except BlockingIOError:
            return
        except OSError:
            self.close()
            return
        self._pending = self._pending[sent:]


def parts_of(plan: MachinePlan) -> dict[tuple[str, str], str]:
    """The rows that a machine plan has in Open vSwitch's database, and what each is called."""
    rows = {}
    for switch in plan["switches"]:
        rows["Bridge", switch["name"]] = f"bridge {switch['name']}"
        for port in switch["ports"]:
            rows["Port", port["name"]] = _port_name(port["name"], switch["name"])
    return rows


def _port_name(port: str, bridge: str) -> str:
    return f"port {port} of {bridge}"


def _rows_of(references: list[Any]) -> list[str]:
    """The rows of a column that refers to several (RFC 7047, section 5.1): one alone stands there without "set"."""
    kind, value = references
    return [row for _, row in value] if kind == "set" else [value]
