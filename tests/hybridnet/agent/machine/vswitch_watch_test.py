# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from hybridnet.agent.machine import vswitch_watch
from hybridnet.agent.machine.vswitch_watch import VSwitchWatch

SILENT_S = 0.05


@pytest.fixture
def silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[VSwitchWatch]:
    """A watch of two daemons that take connections and have not answered the watch's question for `SILENT_S`."""
    monkeypatch.setattr(vswitch_watch, "SILENT_SECONDS", SILENT_S)
    with ExitStack() as listening:
        for name in ("control", "database"):
            daemon = listening.enter_context(socket.socket(socket.AF_UNIX))
            daemon.bind(str(tmp_path / name))
            daemon.listen()
        with closing(VSwitchWatch(tmp_path / "control", tmp_path / "database")) as watch:
            watch.ask()
            assert watch.silent({}) == {}
            time.sleep(2 * SILENT_S)
            yield watch


def test_a_daemon_that_does_not_answer_is_silent_since_it_was_asked(silent: VSwitchWatch):
    found = silent.silent({})
    assert set(found) == {"ovsdb-server", "ovs-vswitchd"}
    assert all(time.monotonic_ns() - since_ns >= 2 * SILENT_S * 1e9 for since_ns in found.values())


def test_one_that_cannot_answer_for_a_reason_that_is_known_is_not(silent: VSwitchWatch):
    assert set(silent.silent({"ovs-vswitchd": None})) == {"ovsdb-server"}


def test_one_that_could_not_has_its_time_to_answer_afterwards(silent: VSwitchWatch):
    until_ns = time.monotonic_ns()
    excused = {"ovs-vswitchd": until_ns, "ovsdb-server": until_ns}
    assert silent.silent(excused) == {}
    time.sleep(2 * SILENT_S)
    assert silent.silent(excused) == dict.fromkeys(excused, until_ns)


PARTS = {
    ("Bridge", "s1"): "bridge s1",
    ("Port", "s1-eth1"): "port s1-eth1 of s1",
    ("Bridge", "s2"): "bridge s2",
}


class Database:
    """What the database of Open vSwitch says to who monitors it (RFC 7047, sections 4.1.5 and 4.1.6)."""

    def __init__(self, connection: socket.socket, watch: VSwitchWatch) -> None:
        self._connection, self._watch = connection, watch
        self.rows = {"s1": {"s1", "s1-eth1"}, "s2": {"s2"}}
        [self.asked, _] = json.JSONDecoder().raw_decode(connection.recv(1 << 16).decode())

    def begin(self) -> list[tuple[str, str, bool]]:
        tables = {
            "Bridge": {name: {"new": self._row(name)} for name in self.rows},
            "Port": {f"u-{port}": {"new": {"name": port}} for ports in self.rows.values() for port in ports},
        }
        return self._say({"id": "monitor", "error": None, "result": tables})

    def add(self, bridge: str, *ports: str) -> list[tuple[str, str, bool]]:
        self.rows[bridge] |= set(ports)
        return self._changed(bridge, {f"u-{port}": {"new": {"name": port}} for port in ports})

    def remove(self, bridge: str, port: str) -> list[tuple[str, str, bool]]:
        self.rows[bridge].remove(port)
        return self._changed(bridge, {f"u-{port}": {"old": {"name": port}}})

    def remove_bridge(self, bridge: str) -> list[tuple[str, str, bool]]:
        gone = {f"u-{port}": {"old": {"name": port}} for port in self.rows.pop(bridge)}
        return self._update({"Bridge": {bridge: {"old": {}}}, "Port": gone})

    def _row(self, bridge: str) -> dict[str, object]:
        references = [["uuid", f"u-{port}"] for port in sorted(self.rows[bridge])]
        one = len(references) == 1  # a set of one is written without "set" (section 5.1)
        return {"name": bridge, "ports": references[0] if one else ["set", references]}

    def _changed(self, bridge: str, ports: Mapping[str, object]) -> list[tuple[str, str, bool]]:
        return self._update({"Bridge": {bridge: {"old": {}, "new": self._row(bridge)}}, "Port": ports})

    def _update(self, tables: Mapping[str, object]) -> list[tuple[str, str, bool]]:
        return self._say({"id": None, "method": "update", "params": [None, tables]})

    def _say(self, message: Mapping[str, object]) -> list[tuple[str, str, bool]]:
        self._connection.sendall(json.dumps(message).encode())
        return list(self._watch.heard())


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with ExitStack() as open_ones:
        listening = {name: open_ones.enter_context(socket.socket(socket.AF_UNIX)) for name in ("c", "d")}
        for name, daemon in listening.items():
            daemon.bind(str(tmp_path / name))
            daemon.listen()
        watch = open_ones.enter_context(closing(VSwitchWatch(tmp_path / "c", tmp_path / "d")))
        watch.expect(PARTS)
        yield Database(open_ones.enter_context(listening["d"].accept()[0]), watch)


def test_the_ports_that_bridges_have_at_first_are_theirs(database: Database):
    assert database.asked["params"][2]["Bridge"] == {"columns": ["name", "ports"]}
    assert not [news for news in database.begin() if news[2]]


def test_a_port_that_a_bridge_is_given_is_told_and_again_when_it_goes(database: Database):
    database.begin()
    assert database.add("s1", "foreign") == [("bridge s1", "was given the port foreign", True)]
    assert database.add("s2", "p", "q") == [
        ("bridge s2", "was given the port p", True),
        ("bridge s2", "was given the port q", True),
    ]
    assert database.remove("s1", "foreign") == [("bridge s1", "was given the port foreign", False)]


def test_a_port_of_the_plan_that_comes_back_is_no_new_one(database: Database):
    database.begin()
    removed = ("port s1-eth1 of s1", "was removed from Open vSwitch")
    assert database.remove("s1", "s1-eth1") == [(*removed, True)]
    assert database.add("s1", "s1-eth1") == [(*removed, False)]


def test_one_that_comes_to_another_bridge_is_new_there(database: Database):
    database.begin()
    database.remove("s1", "s1-eth1")
    assert ("bridge s2", "was given the port s1-eth1", True) in database.add("s2", "s1-eth1")


def test_bridges_that_are_not_of_the_plan_are_given_what_one_likes(database: Database):
    database.begin()
    database.rows["other"] = set()
    assert database.add("other", "other", "p") == []


def test_a_bridge_that_goes_takes_what_it_was_given_with_it(database: Database):
    database.begin()
    database.add("s1", "foreign")
    told = database.remove_bridge("s1")
    assert ("bridge s1", "was removed from Open vSwitch", True) in told
    assert ("bridge s1", "was given the port foreign", False) in told
