# SPDX-License-Identifier: MIT
"""Counters of devices are what /proc/net/dev says."""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from hybridnet.agent.hosts import device_counters
from hybridnet.agent.hosts.device_counters import DeviceCounters, Row
from hybridnet.system.network_namespace import CLONE_NEWNET

_COLUMNS = (0, 1, 2, 3, 8, 9, 10, 11)


def shown(name: str) -> Row:
    """A row of the table in the calling thread's network namespace."""
    for line in Path("/proc/thread-self/net/dev").read_text().splitlines()[2:]:
        device, _, values = line.partition(":")
        if device.strip() == name:
            counters = [int(value) for value in values.split()]
            return Row(*(counters[column] for column in _COLUMNS))
    raise AssertionError(f"no device {name}")


@pytest.mark.parametrize("singly", [16, 0])
def test_a_row_is_what_the_kernel_shows(singly: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_counters, "_SINGLY", singly)
    counters = DeviceCounters()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sending:
        sending.sendto(bytes(1000), ("127.0.0.1", 9))
    before, rows, after = shown("lo"), counters.read(["lo", "none-such"]), shown("lo")
    assert list(rows) == ["lo"]
    assert rows["lo"].tx_bytes >= 1000
    assert all(low <= value <= high for low, value, high in zip(before, rows["lo"], after, strict=True))
    counters.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        counters.read(["lo"])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices")
def test_it_stays_in_its_namespace_and_finds_a_device_that_was_made_anew() -> None:
    def ip(text: str) -> None:
        subprocess.run(["ip", *text.split()], check=True)

    def inside(thread: ThreadPoolExecutor, function: Callable[[], object]) -> object:
        return thread.submit(function).result()

    with ThreadPoolExecutor(1) as thread:
        assert inside(thread, lambda: ctypes.CDLL(None).unshare(CLONE_NEWNET)) == 0
        inside(thread, lambda: ip("link add d0 type veth peer name d1"))
        counters = thread.submit(DeviceCounters).result()
        assert list(counters.read(["d0"])) == ["d0"]
        inside(thread, lambda: ip("link del d0"))
        assert counters.read(["d0"]) == {}
        inside(thread, lambda: ip("link add d0 type veth peer name d1"))
        assert list(counters.read(["d0", "d1"])) == ["d0", "d1"]
        counters.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices")
def test_a_carrier_that_goes_and_comes_has_changed_twice() -> None:
    def ip(text: str) -> None:
        subprocess.run(["ip", *text.split()], check=True)

    with ThreadPoolExecutor(1) as thread:

        def inside(function: Callable[[], object]) -> object:
            return thread.submit(function).result()

        assert inside(lambda: ctypes.CDLL(None).unshare(CLONE_NEWNET)) == 0
        for text in ("link add d0 type veth peer name d1", "link set d1 up", "link set d0 up"):
            inside(partial(ip, text))
        counters = thread.submit(DeviceCounters).result()
        up = counters.carriers(["d0", "none-such"])
        assert list(up) == ["d0"]
        assert up["d0"].there
        inside(lambda: ip("link set d1 down"))
        assert counters.carriers(["d0"]) == {"d0": (False, up["d0"].changes + 1, 1500)}
        inside(lambda: ip("link set d1 up"))
        assert counters.carriers(["d0"]) == {"d0": (True, up["d0"].changes + 2, 1500)}
        assert counters.read(["d0"])["d0"].tx_errors == 0  # the answers of both kinds do not mix
        inside(lambda: ip("link del d0"))
        assert counters.carriers(["d0"]) == {}
        counters.close()
