# SPDX-License-Identifier: MIT
"""Lines of `ip` and `ethtool` without a process do what these programs do, in the calling thread's namespace."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest

from hybridnet.errors import MachineError
from hybridnet.system.command import ip_batch
from hybridnet.system.netlink import ip_lines, set_features

CLONE_NEWNET = 0x40000000
LINES = [
    "link set dev lo up",
    "link set dev a up",
    "addr add 10.0.0.1/8 dev a",
    "addr add 10.1.0.1/24 dev a brd +",
    "addr add 10.2.0.1/31 dev a brd +",
    "addr add 10.3.0.1/32 dev a brd +",
    "addr add fd00::1/64 dev a nodad",
    "route add 192.168.0.0/16 via 10.0.0.7",
    "route add default via 10.0.0.254 dev a",
    "route add 172.16.0.0/12 dev a",
    "route add fd01::/16 via fd00::9",
    "route add ::/0 via fd00::8 dev a",
    "neigh replace 10.0.0.9 lladdr 02:00:00:00:00:09 dev a",
    "neigh replace fd00::7 lladdr 02:00:00:00:00:07 dev a",
]
Result = TypeVar("Result")
Inside = Callable[[Callable[[], Result]], Result]


@pytest.fixture
def inside() -> Iterator[Inside[str]]:
    """Runs a function in a network namespace that has a veth pair, a and b."""

    def enter() -> None:
        assert ctypes.CDLL(None).unshare(CLONE_NEWNET) == 0
        make()

    with ThreadPoolExecutor(1, initializer=enter) as thread:
        yield lambda function: thread.submit(function).result()


def make() -> None:
    pair = "link add name a address 02:00:00:00:00:01 type veth peer name b address 02:00:00:00:00:02"
    ip_batch([pair, "link set dev b up"])


def said(*commands: str) -> str:
    return "".join(subprocess.run(each.split(), capture_output=True, text=True).stdout for each in commands)


def addressing() -> str:
    """Of devices only which are set up: whether the other end of a pair has heard of it takes the kernel a while."""
    up = [line.split()[0] for line in said("ip -br link show up").splitlines()]
    return f"up: {up}\n" + said(
        "ip -o -4 addr", "ip -o -6 addr show scope global", "ip route", "ip -6 route", "ip neigh"
    )


def test_addresses_routes_and_neighbours_are_those_that_ip_would_give(inside: Inside[str]) -> None:
    def by_both() -> list[str]:
        ip_lines(LINES)
        ours = addressing()
        ip_batch(["link del dev a"])
        make()
        ip_batch(LINES)
        return [ours, addressing()]

    ours, theirs = inside(by_both)  # type: ignore[arg-type, misc]
    assert without_indices(ours) == without_indices(theirs)
    assert "192.168.0.0/16 via 10.0.0.7 dev a" in ours


def without_indices(text: str) -> list[str]:
    """Lines of `ip -o` begin with the device's number, which is another each time."""
    return sorted(line.partition(": ")[2] or line for line in text.splitlines() if "fe80" not in line)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("route add 1.0.0.0/8 via 99.0.0.1", "`ip route add 1.0.0.0/8 via 99.0.0.1` failed: "),
        ("addr add 10.0.0.1/8 dev none", "there is no device none"),
        ("route add nonsense dev a", "nonsense is not a network"),
        ("link set dev a down", "run it with `ip`"),
    ],
)
def test_what_the_kernel_refuses_is_an_error_that_quotes_the_line(
    inside: Inside[None], line: str, words: str
) -> None:
    with pytest.raises(MachineError, match=words):
        inside(lambda: ip_lines(["link set dev a up", line]))


def test_the_line_that_fails_is_named_among_many(inside: Inside[None]) -> None:
    lines = ["link set dev a up", *(f"addr add 10.0.{n}.1/24 dev a" for n in range(100))]
    lines.insert(70, "addr add 10.0.5.1/24 dev a")
    with pytest.raises(MachineError, match=r"`ip addr add 10.0.5.1/24 dev a` failed: "):
        inside(lambda: ip_lines(lines))


@pytest.mark.parametrize(
    "wanted", [["tx", "off"], ["tso", "off"], ["tx-udp-segmentation", "off"], ["tx", "off", "tx-vlan-hw-insert", "off"]]
)  # fmt: skip
def test_offloads_are_those_that_ethtool_would_set(inside: Inside[str], wanted: list[str]) -> None:
    def by_both() -> list[str]:
        before = said("ethtool -k a")
        set_features("a", wanted)
        ours = said("ethtool -k a")
        ip_batch(["link del dev a"])
        make()
        subprocess.run(["ethtool", "-K", "a", *wanted], check=True, capture_output=True)
        return [before, ours, said("ethtool -k a")]

    before, ours, theirs = inside(by_both)  # type: ignore[arg-type, misc]
    assert ours == theirs != before


def test_an_offload_that_does_not_exist_is_an_error(inside: Inside[None]) -> None:
    with pytest.raises(
        MachineError, match="`ethtool -K a flying off` failed: this kernel has no offload flying"
    ):
        inside(lambda: set_features("a", ["flying", "off"]))
    with pytest.raises(MachineError, match="there is no such device"):
        inside(lambda: set_features("none", ["tx", "off"]))
