# SPDX-License-Identifier: MIT
"""`hybridnet generate` between two namespaces: what it sends is counted there, frame by frame."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

GENERATE = (sys.executable, "-m", "hybridnet.cli", "generate", "eth0")
LENIENT = ("--lateness-limit", "10s", "--patience", "10s")  # the computer may do something else, too


class Place:
    """Namespaces a and b, each with eth0."""

    def __init__(self) -> None:
        self.names = {key: f"hngen{os.getpid()}{key}" for key in "ab"}
        for name in self.names.values():
            ip("netns", "add", name)
            ip(
                "netns", "exec", name, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1"
            )  # it sends by itself
        ip(
            "link",
            "add",
            "eth0",
            "netns",
            self.names["a"],
            "type",
            "veth",
            "peer",
            "name",
            "eth0",
            "netns",
            self.names["b"],
        )
        for name in self.names.values():
            ip("-n", name, "link", "set", "dev", "eth0", "up")

    def inside(self, key: str, *command: str) -> list[str]:
        return ["ip", "netns", "exec", self.names[key], *command]

    def receive(self, *options: str) -> subprocess.Popen[str]:
        """A receiver that counts already."""
        process = subprocess.Popen(
            self.inside("b", *GENERATE, "--receive", "--json", *options),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr is not None
        line = process.stderr.readline()
        assert line.startswith("counting at eth0"), line + process.stderr.read()
        return process

    def send(self, *options: str) -> tuple[int, dict[str, Any]]:
        done = subprocess.run(
            self.inside("a", *GENERATE, "--json", *options), capture_output=True, text=True, timeout=60
        )
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, timeout=60)


def lasted_s(recorded: Path) -> float:
    """From the first to the last frame of a pcap file of microseconds."""
    data, at, times = recorded.read_bytes(), 24, []
    while at < len(data):
        seconds, micros, length, _ = struct.unpack_from("=4I", data, at)
        times.append(seconds + micros / 1e6)
        at += 16 + length
    return float(times[-1] - times[0])


def checksum(data: bytes) -> int:
    """The Internet checksum (RFC 1071) of an even number of bytes."""
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def numbered_frame(number: int) -> bytes:
    """As a generator sends it at the beginning of 1970, from port 9 to port 5300, with complete checksums."""
    data = struct.pack("!QQ", number, 0)
    ends = bytes([10, 0, 0, 1, 10, 0, 0, 2])
    length = 8 + len(data)
    covered = ends + struct.pack("!HHHHHH", socket.IPPROTO_UDP, length, 9, 5300, length, 0) + data
    udp = struct.pack("!HHHH", 9, 5300, length, checksum(covered)) + data
    start = struct.pack("!BBHHHBB", 0x45, 0, 20 + length, 0, 0, 64, socket.IPPROTO_UDP)
    header = start + struct.pack("!H", checksum(start + b"\0\0" + ends)) + ends
    return b"\xff" * 6 + b"\2" + b"\0" * 5 + b"\x08\0" + header + udp


def write_pcap(path: Path, frames: Sequence[bytes]) -> None:
    """One frame a millisecond."""
    blocks = [struct.pack("=IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)]
    for index, frame in enumerate(frames):
        blocks.append(struct.pack("=4I", 0, 1000 * index, len(frame), len(frame)) + frame)
    path.write_bytes(b"".join(blocks))


def counted(receiver: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = receiver.communicate(timeout=30)
    assert out, err
    figures: dict[str, Any] = json.loads(out)
    assert receiver.returncode == (4 if figures["verdict"]["word"] == "broken" else 0)
    return figures


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    made = Place()
    yield made
    for name in made.names.values():
        ip("netns", "del", name)


@pytest.mark.parametrize("portal", ["packet", "pcap"])
@pytest.mark.parametrize("gaps", [(), ("--gaps", "poisson"), ("--gaps", "on-off")])
def test_every_frame_of_a_schedule_arrives_once(place: Place, portal: str, gaps: tuple[str, ...]) -> None:
    receiver = place.receive("--count", "2000", "--portal", portal)
    code, sent = place.send(
        *("--rate", "4000pps", "--count", "2000", "--size", "300", "--portal", portal), *gaps, *LENIENT
    )
    came = counted(receiver)
    assert code == 0, sent["verdict"]
    assert sent["due_packets"] == sent["sent_packets"] == came["received_packets"] == 2000
    assert sent["dropped"] == came["dropped"] == {}
    assert came["missing_packets"] == came["duplicate_packets"] == came["reordered_packets"] == 0
    assert came["bytes"] == 2000 * 300
    assert -10_000 < came["delay_least_ns"] < 1_000_000_000  # two clocks are compared, twice


def test_a_schedule_of_steps_takes_its_time_and_its_frames(place: Place) -> None:
    receiver = place.receive("--silence", "1s")
    _, sent = place.send(
        "--schedule", "1000pps for 400ms, 0pps for 300ms, 1 Mbit/s for 200ms", "--size", "125", *LENIENT
    )
    came = counted(receiver)
    # 1 Mbit/s of 125 bytes are 1,000 frames a second too; the first is due at 0, the last at 899 ms.
    assert came["received_packets"] == sent["sent_packets"] == 400 + 200
    assert sent["seconds"] > 0.899 - sent["lateness_max_ns"] / 1e9


def test_a_damaged_frame_counts_as_damaged_and_not_by_what_it_says(place: Place, tmp_path: Path) -> None:
    frames = [bytearray(numbered_frame(number)) for number in range(1, 7)]
    frames[1][42] ^= 1  # the first byte of its number
    frames[2][50] ^= 1  # of its time
    frames[3][29] ^= 1  # of its source address, under both checksums
    file = tmp_path / "damaged.pcap"
    write_pcap(file, frames)
    receiver = place.receive("--silence", "1s")
    place.send("--pcap", str(file), *LENIENT)
    came = counted(receiver)
    assert (came["received_packets"], came["damaged_packets"], came["missing_packets"]) == (3, 3, 3)
    assert (came["senders"], came["too_late_packets"]) == (1, 0)
    assert came["verdict"]["word"] == "trusted"


def test_trains_arrive_as_the_numbers_in_them(place: Place) -> None:
    receiver = place.receive("--count", "5000")
    code, sent = place.send(
        "--rate", "500 Mbit/s", "--count", "5000", "--size", "1400", "--trains", "--gather", "500us", *LENIENT
    )
    came = counted(receiver)
    assert code == 0, sent["verdict"]
    assert came["received_packets"] == 5000
    assert came["reordered_packets"] == came["missing_packets"] == 0


def test_a_recorded_file_is_sent_as_often_as_asked_and_to_whom(place: Place, tmp_path: Path) -> None:
    file = tmp_path / "recorded.pcap"
    capture = subprocess.Popen(
        place.inside("b", "tcpdump", "-i", "eth0", "-w", str(file), "-U", "-c", "300", "udp"),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert capture.stderr is not None
    while "listening on" not in (line := capture.stderr.readline()):
        assert line, "tcpdump ended"
    place.send("--rate", "3000pps", "--count", "300", "--size", "200", *LENIENT)
    capture.communicate(timeout=30)

    receiver = place.receive("--silence", "1s")
    code, sent = place.send(
        *("--pcap", str(file), "--loop", "3", "--rate", "6000pps", "--destination-mac", "02:00:00:00:00:99"),
        *LENIENT,
    )
    came = counted(receiver)
    assert code == 0, sent["verdict"]
    assert sent["sent_packets"] == 900
    assert sent["sent_bytes"] == 900 * 200
    # The same 300 numbers three times.
    assert (came["received_packets"], came["duplicate_packets"], came["missing_packets"]) == (300, 600, 0)

    receiver = place.receive("--count", "300")
    _, slower = place.send("--pcap", str(file), "--speed", "0.5", *LENIENT)
    counted(receiver)
    # A busy computer sends what is late in one go, so the file says how long it took.
    assert slower["seconds"] > 2 * lasted_s(file) - slower["lateness_max_ns"] / 1e9 - 0.001


def test_a_schedule_that_cannot_be_kept_is_said_with_code_four(place: Place) -> None:
    code, sent = place.send("--rate", "50 Mpps", "--duration", "100ms", "--patience", "200ms")
    assert code == 4
    assert sent["due_packets"] == 5_000_000
    assert sent["unsent_packets"] > 0
    assert sent["due_packets"] == (
        sent["sent_packets"]
        + sent["unsent_packets"]
        + sent["waiting_packets"]
        + sum(sent["dropped"].values())
    )
    assert any("were due and never left" in reason for reason in sent["verdict"]["reasons"])


def test_frames_that_the_interface_refuses_are_dropped_with_their_reason(place: Place) -> None:
    code, sent = place.send("--rate", "1000pps", "--count", "50", "--size", "3000")
    assert code == 4
    assert (sent["sent_packets"], sent["dropped"]) == (0, {"device_refused": 50})


def test_it_ends_on_a_signal_with_its_report(place: Place) -> None:
    receiver = place.receive()
    sender = subprocess.Popen(
        place.inside("a", *GENERATE, "--rate", "2000pps", "--duration", "1000s", "--json", *LENIENT),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert sender.stderr is not None
    assert sender.stderr.readline().startswith("sending at eth0: 100-byte frames, 2,000 frames/s for 1000 s")
    sender.send_signal(signal.SIGINT)
    out, err = sender.communicate(timeout=30)
    assert sender.returncode in (0, 4), err
    sent = json.loads(out)
    receiver.send_signal(signal.SIGTERM)
    assert counted(receiver)["received_packets"] == sent["sent_packets"]


def test_it_is_a_class_in_python(place: Place) -> None:
    program = """
import hybridnet
with hybridnet.Receiver("eth0", port=7) as receiver:
    pass
print(receiver.figures(5)["missing_packets"], receiver.verdict.word)
sender = hybridnet.Generator("eth0", rate="1000pps", count=20, lateness_limit="10 s")
print(sender.run()["sent_packets"], sender.verdict.word)
"""
    done = subprocess.run(
        place.inside("a", sys.executable, "-c", program), capture_output=True, text=True, timeout=30
    )
    assert done.stdout.splitlines() == ["5 trusted", "20 trusted"], done.stderr


def test_an_interface_that_is_not_there_is_said_with_the_cure(place: Place) -> None:
    for options in (("--rate", "1pps", "--count", "1"), ("--receive",)):
        command = place.inside("a", *GENERATE[:-1], "ethx", *options)
        done = subprocess.run(command, capture_output=True, text=True, timeout=30)
        assert done.returncode == 3
        assert "there is no interface ethx in this network namespace; `ip link` lists" in done.stderr
