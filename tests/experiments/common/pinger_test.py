# SPDX-License-Identifier: MIT
from __future__ import annotations

import struct
import time
from typing import Any

from hybridnet.experiments.common import pinger
from hybridnet.experiments.common.pinger import checksum, collect, request


def test_an_echo_request_has_a_checksum_that_adds_up() -> None:
    packet = request(0x1234, 7)
    assert packet[:2] == b"\x08\x00"
    assert len(packet) == 8 + 56
    assert checksum(packet) == 0


def test_the_checksum_is_that_of_rfc_1071() -> None:
    assert checksum(bytes.fromhex("0001f203f4f5f6f7")) == ~0xDDF2 & 0xFFFF


class Answers:
    """A socket in which these echo replies, (identifier, sequence, nanoseconds of their stamp), wait already."""

    def __init__(self, *replies: tuple[int, int, int]) -> None:
        self.replies = list(replies)

    def recvmsg(self, _size: int, _control: int) -> tuple[bytes, list[tuple[int, int, bytes]], int, None]:
        identifier, sequence, stamp_ns = self.replies.pop(0)
        packet = b"\x45" + bytes(19) + struct.pack("!BBHHH", pinger.ECHO_REPLY, 0, 0, identifier, sequence)
        return packet, [(1, pinger.SO_TIMESTAMPNS, struct.pack("@qq", 0, stamp_ns))], 0, None


def collected(monkeypatch: Any, answers: Answers, sent_ns: dict[int, int], until: float) -> dict[int, int]:
    monkeypatch.setattr(
        pinger.select, "select", lambda read, _w, _x, _left: ([read[0]] if read[0].replies else [], [], [])
    )
    return collect(answers, 7, sent_ns, until)  # type: ignore[arg-type]


def test_answers_are_told_apart_by_identifier_and_sequence_in_whatever_order(monkeypatch: Any) -> None:
    sent_ns = {1: 1000, 2: 2000, 3: 3000}
    answers = Answers((7, 2, 2500), (8, 1, 1500), (7, 1, 1700), (7, 9, 9999))
    assert collected(monkeypatch, answers, sent_ns, time.monotonic() + 1) == {1: 700, 2: 500}
    assert sent_ns == {3: 3000}


def test_what_has_come_is_taken_even_when_its_time_is_over(monkeypatch: Any) -> None:
    assert collected(monkeypatch, Answers((7, 1, 1700)), {1: 1000}, 0.0) == {1: 700}


def test_nothing_is_waited_for_when_nothing_was_sent(monkeypatch: Any) -> None:
    assert collected(monkeypatch, Answers((7, 1, 1700)), {}, time.monotonic() + 9) == {}
