# SPDX-License-Identifier: MIT
"""Frames as lines of text, and captures that are cut off."""

from __future__ import annotations

import socket
import struct
from pathlib import Path

import pytest

from hybridnet.errors import UsageError
from hybridnet.observe.recording.frames_text import Ends, frames_of, line_of, write_frames_text

ECHO = struct.pack("!BBHHH", 8, 0, 0, 7, 1)
UDP = struct.pack("!HHHH", 1000, 53, 8 + 5, 0) + b"hello"


def ethernet(kind: int, body: bytes) -> bytes:
    return bytes(12) + struct.pack("!H", kind) + body


def ipv4(protocol: int, body: bytes, offset: int = 0) -> bytes:
    ends = socket.inet_aton("10.0.0.1") + socket.inet_aton("10.0.0.2")
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(body), 0, offset, 64, protocol, 0)
    return ethernet(0x0800, head + ends + body)


def ipv6(following: int, body: bytes) -> bytes:
    ends = socket.inet_pton(socket.AF_INET6, "fd00::1") + socket.inet_pton(socket.AF_INET6, "fd00::2")
    return ethernet(0x86DD, struct.pack("!IHBB", 6 << 28, len(body), following, 64) + ends + body)


def tcp(flags: int, sequence: int, acknowledged: int, payload: bytes = b"", *, back: bool = False) -> bytes:
    ports = (9, 40000) if back else (40000, 9)
    return struct.pack("!HHIIBBHHH", *ports, sequence, acknowledged, 5 << 4, flags, 1024, 0, 0) + payload


@pytest.mark.parametrize(
    ("frame", "line"),
    [
        (ipv4(17, UDP), "IP 10.0.0.1.1000 > 10.0.0.2.53: UDP, length 5"),
        (ipv6(17, UDP), "IP6 fd00::1.1000 > fd00::2.53: UDP, length 5"),
        (ipv4(17, bytes(8), offset=185), "IP 10.0.0.1 > 10.0.0.2: fragment, length 8"),
        (ipv4(17, UDP, offset=0x2000), "IP 10.0.0.1.1000 > 10.0.0.2.53: UDP, length 5"),  # the first one has ports
        (ipv4(47, bytes(4)), "IP 10.0.0.1 > 10.0.0.2: protocol 47, length 4"),
        (ipv4(1, ECHO), "IP 10.0.0.1 > 10.0.0.2: ICMP echo request, id 7, seq 1, length 8"),
        (ipv4(1, b"\x05" + bytes(7)), "IP 10.0.0.1 > 10.0.0.2: ICMP type 5, length 8"),
        (ipv6(58, b"\x87" + bytes(23)), "IP6 fd00::1 > fd00::2: ICMP6 neighbour solicitation, length 24"),
        (ethernet(0x88CC, bytes(6)), "ethertype 0x88cc, length 20"),
        (ipv4(17, UDP)[:36], "cut off, length 36"),
        (b"\x00", "cut off, length 1"),
    ],
)  # fmt: skip
def test_a_frame_is_a_line(frame: bytes, line: str) -> None:
    assert line_of(frame, {}) == line


def test_sequence_numbers_count_from_the_first_of_each_direction_and_wrap_around() -> None:
    firsts: dict[Ends, int] = {}
    first = 2**32 - 2
    there = [
        line_of(ipv6(6, tcp(0x02, first, 0)), firsts),
        line_of(ipv6(6, tcp(0x18, first + 1, 0, b"abc")), firsts),
        line_of(ipv6(6, tcp(0x10, (first + 4) % 2**32, 0)), firsts),
    ]
    ends = "IP6 fd00::1.40000 > fd00::2.9"
    assert there == [
        f"{ends}: Flags [S], seq {first}, win 1024, length 0",
        f"{ends}: Flags [P.], seq 1:4, ack 0, win 1024, length 3",
        f"{ends}: Flags [.], ack 0, win 1024, length 0",
    ]


def pcap(*frames: bytes, magic: int = 0xA1B23C4D) -> bytes:
    rows = (struct.pack("=IIII", at, 5, len(frame), len(frame)) + frame for at, frame in enumerate(frames))
    return struct.pack("=IHHiIII", magic, 2, 4, 0, 0, 65535, 1) + b"".join(rows)


@pytest.mark.parametrize(("magic", "unit_ns"), [(0xA1B23C4D, 1), (0xA1B2C3D4, 1000)])
def test_the_first_word_of_a_capture_says_the_unit_of_its_times(
    magic: int, unit_ns: int, tmp_path: Path
) -> None:
    capture = tmp_path / "a.pcap"
    capture.write_bytes(pcap(b"x" * 60, b"y" * 60, magic=magic))
    assert [at for at, _ in frames_of(capture)] == [5 * unit_ns, 1_000_000_000 + 5 * unit_ns]


@pytest.mark.parametrize("lost", [1, 60, 70])
def test_a_frame_that_is_cut_off_at_the_end_is_left_out(lost: int, tmp_path: Path) -> None:
    capture = tmp_path / "a.pcap"
    capture.write_bytes(pcap(ipv4(17, UDP), b"z" * 60)[:-lost])
    assert write_frames_text(capture, tmp_path / "a.txt") == 1
    assert (tmp_path / "a.txt").read_text() == ("0.000000005 IP 10.0.0.1.1000 > 10.0.0.2.53: UDP, length 5\n")


@pytest.mark.parametrize("content", [b"", pcap(magic=0xD4C3B2A1), b"\x0a\x0d\x0d\x0a" + bytes(24)])
def test_other_files_are_refused_by_name(content: bytes, tmp_path: Path) -> None:
    capture = tmp_path / "a.pcap"
    capture.write_bytes(content)
    with pytest.raises(UsageError, match=r"a\.pcap: it is not a pcap file of this computer's byte order"):
        list(frames_of(capture))
