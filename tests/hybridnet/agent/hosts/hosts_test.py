# SPDX-License-Identifier: MIT
"""Hosts keep what asks for counters open as long as they exist."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hybridnet.agent.hosts import hosts as tested
from hybridnet.agent.hosts.device_counters import Row
from hybridnet.agent.hosts.hosts import Hosts
from hybridnet.agent.hosts.namespace_thread import NamespaceThread
from hybridnet.system.journal import Journal

ROW = Row(*range(8))


class Counters:
    """Of a namespace; says that it has each device, until it is closed."""

    made = 0
    closed = 0

    def __init__(self) -> None:
        Counters.made += 1

    def read(self, devices: list[str]) -> dict[str, Row]:
        return dict.fromkeys(devices, ROW)

    def close(self) -> None:
        Counters.closed += 1


class Here(NamespaceThread):
    """Enters no namespace."""

    def run(self, host: str, function: Callable[[], Any]) -> Any:
        return function()


class TwoHosts(Hosts):
    """That were made elsewhere."""

    def __init__(self, journal: Journal, inside: NamespaceThread) -> None:
        super().__init__(journal, inside, own_files=True)
        for name in ("h1", "h2"):
            self._plans[name] = {"name": name}
            self._mounts[name] = os.open("/proc/self/ns/mnt", os.O_RDONLY)
            self._take_name(name, 0)


@pytest.fixture
def hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hosts]:
    monkeypatch.setattr(tested, "DeviceCounters", Counters)
    monkeypatch.setattr(Counters, "made", 0)
    monkeypatch.setattr(Counters, "closed", 0)
    inside = Here()
    yield TwoHosts(Journal(tmp_path, "a-run"), inside)
    inside.close()


def test_they_are_opened_once_and_closed_with_their_host(hosts: Hosts) -> None:
    wanted = {"": ["s1"], "h1": ["h1-eth0"], "h2": ["h2-eth0"], "h3": ["h3-eth0"]}
    for _ in range(2):
        assert hosts.counters(wanted) == {"": {"s1": ROW}, "h1": {"h1-eth0": ROW}, "h2": {"h2-eth0": ROW}}
    assert (Counters.made, Counters.closed) == (3, 0)
    hosts.remove(["h1"])
    assert Counters.closed == 1
    assert list(hosts.counters(wanted)) == ["", "h2"]
    hosts.destroy()
    assert (Counters.made, Counters.closed) == (3, 3)
