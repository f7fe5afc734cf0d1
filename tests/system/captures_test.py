# SPDX-License-Identifier: MIT
"""Captures at simulated interfaces while a network runs, beside tcpdump at an emulated one.

h1 (namespace) -- veth -- portal ---- 5 ms ---- v1 (simulated)
"""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hybridnet import MachineError, Net, Topo, UsageError
from hybridnet.run.live import Client
from tests.system.port_type import PORT_TYPE

pytestmark = pytest.mark.system

DELAY_S = 0.005
PINGS = 5
Frame = tuple[float, bytes]
NANOSECONDS, MICROSECONDS = 0xA1B23C4D, 0xA1B2C3D4


class Pair(Topo):
    def build(self) -> None:  # type: ignore[override]
        self.addHost("h1")
        self.addSimHost("v1")
        self.addLink("h1", "v1", delay=f"{DELAY_S}s")


@pytest.fixture(scope="module")
def net() -> Iterator[Net]:
    with Net(Pair(), controller=None, port_type=PORT_TYPE) as running:
        assert running["h1"].cmd("ping -c 1 -W 5", address(running)).count("1 received") == 1
        yield running


def address(net: Net) -> str:
    assert net.plan is not None
    [instance] = net.plan.instances.values()
    given: str = instance["nodes"][0]["interfaces"][0]["address"]
    return given.partition("/")[0]


def ping(net: Net) -> None:
    said = net["h1"].cmd(f"ping -c {PINGS} -i 0.1 -W 5", address(net))
    assert f"{PINGS} received" in said


def frames(data: bytes) -> list[Frame]:
    """Of a pcap file of this computer's byte order: the time of each frame, and its bytes."""
    (magic,) = struct.unpack_from("=I", data)
    unit_s = {NANOSECONDS: 1e-9, MICROSECONDS: 1e-6}[magic]
    found, at = [], 24
    while at < len(data):
        seconds, fraction, size, length = struct.unpack_from("=IIII", data, at)
        assert size == length
        found.append((seconds + fraction * unit_s, data[at + 16 : at + 16 + size]))
        at += 16 + size
    return found


class Tcpdump:
    """At h1's interface, from the moment it listens until it has the frames of the pings."""

    def __init__(self, net: Net, file: Path) -> None:
        argv = ["tcpdump", "-n", "-Z", "root", "-c", str(2 * PINGS), "-i", "h1-eth0", "-w", str(file), "icmp"]
        self._file = file
        self._program = net["h1"].popen(argv, stderr=subprocess.STDOUT)
        while "listening on" not in (line := self._program.stdout.readline()):
            assert line, "tcpdump has ended"

    def frames(self) -> list[Frame]:
        self._program.communicate()
        return frames(self._file.read_bytes())


def check_same(simulated: list[Frame], emulated: list[Frame]) -> None:
    """What h1 sends arrives at v1 after the delay of the link, and what v1 sends is there as much earlier."""
    assert [data for _, data in simulated] == [data for _, data in emulated]
    assert len(simulated) == 2 * PINGS
    for number, ((at_v1_s, _), (at_h1_s, _)) in enumerate(zip(simulated, emulated, strict=True)):
        way_s = at_v1_s - at_h1_s if number % 2 == 0 else at_h1_s - at_v1_s
        assert DELAY_S - 0.001 < way_s < 1


def test_a_capture_has_the_frames_that_tcpdump_sees_at_the_other_end(net: Net, tmp_path: Path) -> None:
    other = Tcpdump(net, tmp_path / "h1.pcap")
    with net.capture("v1-eth0", tmp_path / "v1.pcap", "icmp") as capture:
        ping(net)
        assert capture.state().running
    ended = capture.state()
    check_same(frames((tmp_path / "v1.pcap").read_bytes()), other.frames())
    assert (ended.running, ended.frames, ended.lost, ended.error) == (False, 2 * PINGS, 0, "")
    ping(net)
    assert len(frames((tmp_path / "v1.pcap").read_bytes())) == 2 * PINGS, "it has ended"


def test_a_client_captures_at_the_simulated_end_and_fetches_the_file(net: Net, tmp_path: Path) -> None:
    other = Tcpdump(net, tmp_path / "h1.pcap")
    with net.live() as page:
        client = Client(page.url)
        number = client.start_capture("h1-v1", "b", "icmp")
        with pytest.raises(MachineError, match="runs there; end that before"):
            client.start_capture("h1-v1", "b")
        ping(net)
        [row] = client.captures()
        assert (row["number"], row["interface"], row["running"], row["lost"]) == (number, "v1-eth0", True, 0)
        check_same(frames(client.stop_capture(number)), other.frames())
        assert client.captures()[0]["running"] is False


def test_a_capture_at_the_emulated_end_has_what_came_just_before_its_end(net: Net) -> None:
    with net.live() as page:
        client = Client(page.url)
        number = client.start_capture("h1-v1", "a", "icmp")
        ping(net)
        assert len(frames(client.stop_capture(number))) >= PINGS  # the last one may be on its way to tcpdump


def test_a_file_takes_no_more_than_it_may_and_what_is_missing_is_counted(net: Net, tmp_path: Path) -> None:
    with net.capture("v1-eth0", tmp_path / "v1.pcap", "icmp", most="300 B") as capture:
        ping(net)
    ended = capture.stop()
    kept = len(frames((tmp_path / "v1.pcap").read_bytes()))
    assert 0 < kept < 2 * PINGS
    assert (ended.frames, ended.lost_by["file_full"]) == (kept, 2 * PINGS - kept)


def test_what_cannot_be_captured_is_refused_with_the_cure(net: Net, tmp_path: Path) -> None:
    cases: list[tuple[dict[str, Any], type[Exception], str]] = [
        (
            {"interface": "v9-eth0"},
            UsageError,
            "no simulated interface of that name; the interfaces are v1-eth0",
        ),
        ({"interface": "h1-eth0"}, UsageError, "it is emulated; run tcpdump in h1"),
        ({"file": "v1.pcap"}, UsageError, "not an absolute path"),
        ({"filter": "no such words"}, UsageError, "filter"),
        ({"file": tmp_path / "none" / "v1.pcap"}, MachineError, "its folder must exist and be writable"),
        ({"file": "/dev/full"}, MachineError, "write the capture file /dev/full: No space left on device"),
    ]
    for changes, kind, says in cases:
        with pytest.raises(kind, match=says):
            net.capture(**{"interface": "v1-eth0", "file": tmp_path / "v1.pcap", **changes})
    net.capture("v1-eth0", tmp_path / "v1.pcap").stop()


def test_a_capture_ends_with_its_instance_and_keeps_what_came_before(net: Net, tmp_path: Path) -> None:
    assert net.plan is not None
    capture = net.capture("v1-eth0", tmp_path / "v1.pcap", "icmp")
    ping(net)
    net.restart_instance(next(iter(net.plan.instances)))
    ended = capture.stop()
    assert not ended.running
    assert "the instance was started again; its file has what came before" in ended.error
    assert len(frames((tmp_path / "v1.pcap").read_bytes())) == 2 * PINGS


def test_a_capture_ends_with_its_node_and_its_network(net: Net, tmp_path: Path) -> None:
    with net.changes():
        net.addSimHost("v2")
        net.addLink("h1", "v2")
    capture = net.capture("v2-eth0", tmp_path / "v2.pcap")
    net.delNode("v2")
    ended = capture.stop()
    assert (ended.running, "its link is gone" in ended.error) == (False, True)
    last = net.capture("v1-eth0", tmp_path / "last.pcap", "icmp")
    ping(net)
    net.stop()
    assert not last.state().running
    assert len(frames((tmp_path / "last.pcap").read_bytes())) == 2 * PINGS


def test_captures_of_a_restarted_instance_are_kept_in_the_run_directory(tmp_path: Path) -> None:
    files = {"v1-eth0": str(tmp_path / "v1.pcap")}
    with Net(Pair(), controller=None, port_type=PORT_TYPE, captures=files, out=tmp_path / "run") as net:
        assert net.plan is not None
        ping(net)
        with net.capture("v1-eth0", tmp_path / "late.pcap", "icmp"):
            ping(net)
        net.restart_instance(next(iter(net.plan.instances)))
        ping(net)
    kept = tmp_path / "run" / "network-1" / "captures"
    assert {file.name: file.read_text().count("ICMP echo request") for file in kept.glob("*.txt")} == {
        "m1-v1.txt": 2 * PINGS, "m1-v1-2.txt": PINGS, "m1-late.txt": PINGS
    }  # fmt: skip
