# SPDX-License-Identifier: MIT
"""Every portal backend under real traffic: ping and TCP both ways, jumbo frames, VLAN tags, and what it leaves."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.system.wire_test import Place

ARMS = ("packet", "pcap", "tap", "xdp", "packet thread", "pcap thread", "tap thread")
TRAINS = ("packet", "tap")  # super-packets pass them whole

# A wire between wa and wb until its input ends; then it prints what its portals counted.
WIRE = """
import hybridnet, json, sys
backend, options = sys.argv[1], json.loads(sys.argv[2])
with hybridnet.Wire("wa", "wb", delay="1 ms", backend=backend, portal_options=options) as wire:
    print("ready", flush=True)
    sys.stdin.read()
print(json.dumps(wire.snapshot()["portals"]))
"""

# What a host of a VLAN would send and receive, on a kernel that need not have 802.1Q.
SEND_TAGGED = """
import socket
frame = bytes.fromhex("020000000002" "020000000001" "81002005" "88b5") + b"tagged" * 10
with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as connection:
    connection.bind(("eth0", 0))
    connection.send(frame)
"""
RECEIVE_TAGGED = """
import socket, struct
SOL_PACKET, PACKET_AUXDATA = 263, 8
with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as connection:
    connection.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    connection.bind(("eth0", 3))
    connection.settimeout(20)
    print("ready", flush=True)
    while True:
        frame, control, _, _ = connection.recvmsg(2000, 100)
        if frame[12:14] == b"\\x88\\xb5":
            tag = next(struct.unpack("IIIHHHH", data)[5] for _, kind, data in control if kind == PACKET_AUXDATA)
            print(hex(tag), frame[14:] == b"tagged" * 10, flush=True)
            break
"""


@pytest.fixture
def place(arm: str) -> Iterator[Place]:
    """Namespaces a and b; where the portals are TAPs, these are eth0 there, moved once they exist."""
    with tempfile.TemporaryDirectory(prefix="hn") as short:
        made = Place(Path(short) / "state")
        if arm.split()[0] == "tap":
            for key in "ab":
                made.run("w", "ip", "link", "del", "dev", f"w{key}")
        yield made
        for name in made.names.values():
            subprocess.run(["ip", "netns", "del", name], check=True)


@contextlib.contextmanager
def wire(place: Place, arm: str, counted: list[Mapping[str, Any]], **options: object) -> Iterator[None]:
    """A wire with portals of that kind. Afterwards ``counted`` has the portals' rows."""
    backend, *thread = arm.split()
    if thread:
        options["capture_thread"] = True
    process = subprocess.Popen(
        place.inside("w", sys.executable, "-c", WIRE, backend, json.dumps(options)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=place.environment,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        assert process.stdout.readline() == "ready\n", process.stderr.read()
        if backend == "tap":
            for key, address in (("a", "10.9.0.1/24"), ("b", "10.9.0.2/24")):
                place.run(
                    "w", "ip", "link", "set", "dev", f"w{key}", "netns", place.names[key], "name", "eth0"
                )
                place.run(key, "ip", "addr", "add", address, "dev", "eth0")
                place.run(key, "ip", "link", "set", "dev", "eth0", "up")
        if backend in ("pcap", "xdp"):  # the portal cannot set it there, and says so
            for key in "ab":
                place.run(key, "ethtool", "-K", "eth0", "tx", "off")
        yield
    finally:
        out, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    counted.extend(json.loads(out))


def tcp_bytes(place: Place, *options: str) -> int:
    """What one flow of 20 MB from a to b (with -R: back) brings to its receiver.

    Not how fast, which is for benchmarks: faster than what gets through when each segment is sent again.
    """
    server = subprocess.Popen(
        place.inside("b", "iperf3", "-s", "-1", "--forceflush"), stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    while "listening" not in server.stdout.readline():
        assert server.poll() is None, "iperf3 -s ended"
    report = json.loads(
        place.run("a", "iperf3", "-c", "10.9.0.2", "-C", "cubic", "-n", "20M", "-J", *options)
    )
    server.communicate(timeout=20)
    received = report["end"]["sum_received"]
    assert received["bits_per_second"] > 8e6
    return int(received["bytes"])


@pytest.mark.parametrize("arm", ARMS)
def test_ping_and_tcp_pass_both_ways(place: Place, arm: str) -> None:
    rows: list[Mapping[str, Any]] = []
    with wire(place, arm, rows):
        assert 2.0 <= place.rtt_ms() < 20.0
        there, back = tcp_bytes(place), tcp_bytes(place, "-R")
        for key in "ab":
            tcp = [
                line.split()
                for line in place.run(key, "cat", "/proc/net/snmp").splitlines()
                if line[:4] == "Tcp:"
            ]
            assert dict(zip(*tcp, strict=True))["InCsumErrors"] == "0"
    for row, sent, got in zip(rows, (there, back), (back, there), strict=True):
        assert row["captured_bytes"] > sent
        assert row["written_bytes"] > got
        assert row["captured_dropped"] == 0
        assert set(row["dropped"]) <= {"portal_backlog"}
        assert row["written_segments"] + row["written_dropped"] + row["in_flight"] == row["accepted_segments"]
        single = (
            row["captured_frames"] == row["captured_segments"],
            row["written_frames"] == row["written_segments"],
        )
        assert single == ((False, False) if arm.split()[0] in TRAINS else (True, True))


@pytest.mark.parametrize("arm", [arm for arm in ARMS if arm != "xdp"])
def test_jumbo_frames_pass(place: Place, arm: str) -> None:
    if not arm.startswith("tap"):
        for key in "ab":
            place.run("w", "ip", "link", "set", "dev", f"w{key}", "mtu", "9000")
            place.run(key, "ip", "link", "set", "dev", "eth0", "mtu", "9000")
    rows: list[Mapping[str, Any]] = []
    with wire(place, arm, rows, **({"mtu": 9000} if arm.startswith("tap") else {})):
        place.run("a", "ping", "-n", "-q", "-c", "3", "-i", "0.05", "-M", "do", "-s", "8972", "10.9.0.2")
        tcp_bytes(place)
    assert all(row["captured_dropped"] == 0 for row in rows)


@pytest.mark.parametrize("arm", ["xdp"])
def test_a_device_whose_frames_af_xdp_cannot_hold_is_refused_with_the_cure(place: Place, arm: str) -> None:
    place.run("w", "ip", "link", "set", "dev", "wa", "mtu", "9000")
    done = subprocess.run(
        place.inside("w", sys.executable, "-c", WIRE, arm, "{}"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=place.environment,
    )
    assert done.returncode != 0
    assert "ip link set dev wa mtu 3818" in done.stderr


@pytest.mark.parametrize("arm", ARMS)
def test_a_vlan_tag_passes(place: Place, arm: str) -> None:
    with wire(place, arm, []):
        receiver = subprocess.Popen(
            place.inside("b", sys.executable, "-c", RECEIVE_TAGGED), stdout=subprocess.PIPE, text=True
        )
        assert receiver.stdout is not None
        assert receiver.stdout.readline() == "ready\n"
        place.run("a", sys.executable, "-c", SEND_TAGGED)
        assert receiver.communicate(timeout=30)[0] == "0x2005 True\n"


@pytest.mark.parametrize("arm", ["tap"])
def test_a_tap_is_gone_when_its_wire_ends(place: Place, arm: str) -> None:
    with wire(place, arm, []):
        assert "eth0" in place.run("a", "ip", "link")
    assert "eth0" not in place.run("a", "ip", "link")
