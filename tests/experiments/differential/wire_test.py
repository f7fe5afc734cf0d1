# SPDX-License-Identifier: MIT
from __future__ import annotations

import struct
from pathlib import Path

import pytest

from hybridnet.experiments.differential.wire import (
    ACK,
    CWR,
    SYN,
    Segment,
    figures_of,
    first_data_ms,
    first_flight,
    resent_percent,
    response_ms,
    segments_of,
    syns,
    throughput_mbps,
    window_reductions,
)

CLIENT, SERVER = b"\x0a\x00\x00\x01", b"\x0a\x00\x01\x01"


def frame(
    source: bytes, destination: bytes, sequence: int, acknowledges: int, flags: int, size: int
) -> bytes:
    """A frame with a TCP segment whose header has 12 bytes of options, cut off behind it."""
    ip = struct.pack(">BBHIBBH", 0x45, 0, 20 + 32 + size, 0, 64, 6, 0) + source + destination
    tcp = struct.pack(
        ">HHIIBBHI", 1000, 9, sequence & 0xFFFFFFFF, acknowledges & 0xFFFFFFFF, 8 << 4, flags, 0, 0
    )
    return bytes(12) + b"\x08\x00" + ip + tcp + bytes(12)


def capture(*frames: tuple[float, bytes]) -> bytes:
    """A pcap file with nanoseconds."""
    records = [
        struct.pack("<4I", int(at), round(at % 1 * 1e9), len(each), len(each)) + each for at, each in frames
    ]
    return struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 1 << 16, 1) + b"".join(records)


def data(at: float, sequence: int, size: int = 1448, flags: int = ACK) -> Segment:
    return Segment(at, True, flags, sequence, 1, size)


def answer(at: float, acknowledges: int, size: int = 0, sequence: int = 1) -> Segment:
    return Segment(at, False, ACK, sequence, acknowledges, size)


def test_numbers_count_from_each_ends_syn_and_times_from_the_first() -> None:
    arp = bytes(12) + b"\x08\x06" + bytes(28)
    isn, peers = 0xFFFFFFFF, 500  # the first byte of data is number 0: the number wraps
    found = segments_of(
        capture(
            (7.0, arp),
            (8.0, frame(CLIENT, SERVER, isn, 0, SYN, 0)),
            (8.04, frame(SERVER, CLIENT, peers, isn + 1, SYN | ACK, 0)),
            (8.05, frame(CLIENT, SERVER, isn + 1, peers + 1, ACK, 1448)),
            (8.5, frame(SERVER, CLIENT, peers + 1, isn + 1449, ACK, 0)),
            (9.5, frame(SERVER, CLIENT, peers + 1, isn + 2897, ACK, 0)),
        ),
        1.0,
    )
    assert [(each.from_client, each.sequence, each.acknowledges, each.size) for each in found] == [
        (True, 0, 0, 0),
        (False, 0, 1, 0),
        (True, 1, 1, 1448),
        (False, 1, 1449, 0),
    ]
    assert [each.at for each in found] == pytest.approx([0.0, 0.04, 0.05, 0.5])


def test_a_capture_without_a_syn_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "late.pcap"
    path.write_bytes(capture((1.0, frame(CLIENT, SERVER, 5, 5, ACK, 100))))
    with pytest.raises(ValueError, match="no SYN"):
        figures_of(str(path), 1.0, ["syns"])


def test_throughput_is_what_was_acknowledged_in_all_the_time() -> None:
    assert throughput_mbps([data(0.1, 1), answer(0.2, 250_000)], 2.0) == 1.0
    assert throughput_mbps([data(0.1, 1)], 2.0) is None


def test_bytes_sent_before_are_resent_and_a_gap_is_not() -> None:
    # 1000 of 4000 bytes were sent before
    sent = [data(0, 1, 1000), data(0, 2001, 1000), data(0, 2001, 1000), data(0, 3001, 1000)]
    assert resent_percent(sent, 1.0) == 25.0


def test_window_reductions_are_data_with_cwr_and_not_the_syn_that_asks_for_ecn() -> None:
    asking = Segment(0.0, True, SYN | CWR, 0, 0, 0)
    assert window_reductions([asking, data(1, 1, flags=ACK | CWR), data(1, 1449)], 2.0) == 1.0


def test_the_opening_is_told_by_syns_the_first_data_and_the_first_flight() -> None:
    syn = [Segment(at, True, SYN, 0, 0, 0) for at in (0.0, 1.0)]
    opened = [
        Segment(1.04, False, SYN | ACK, 0, 1, 0),
        *(data(1.04, 1 + 1448 * place) for place in range(10)),
    ]
    found = [*syn, *opened, answer(1.08, 1449), data(1.08, 14481)]
    assert syns(found, 2.0) == 2.0
    assert first_data_ms(found, 2.0) == 1040.0
    assert first_flight(found, 2.0) == 10.0
    assert first_flight(found[:12], 2.0) is None


def test_a_response_takes_until_its_last_byte_and_the_first_does_not_count() -> None:
    found = []
    for at, took in ((1.0, 0.9), (3.0, 0.1), (5.0, 0.2), (7.0, 0.4)):
        found += [
            data(at, 1, 100),
            answer(at + 0.01, 101, 1448),
            answer(at + took, 101, 1448),
            data(at + took, 101, 0),
        ]
    assert response_ms(found, 10.0) == pytest.approx(200.0)
    assert response_ms(found[:4], 10.0) is None
