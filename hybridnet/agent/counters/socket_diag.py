# SPDX-License-Identifier: MIT
"""The TCP connections of a network namespace with what the kernel knows of each: what `ss -tin` prints, without `ss`.

A netlink socket stays in the namespace in which it was opened, so that one that is kept needs no entering.

Source: linux/sock_diag.h, linux/inet_diag.h, and `struct tcp_info` of linux/tcp.h.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from ipaddress import IPv6Address

__all__ = ["SocketDiagnosis"]

_NETLINK_SOCK_DIAG = 4
_SOCK_DIAG_BY_FAMILY = 20
_NLMSG_ERROR, _NLMSG_DONE = 2, 3
_REQUEST_DUMP = 0x301  # NLM_F_REQUEST | NLM_F_DUMP
_INET_DIAG_INFO = 2
_STATES = {1: "ESTABLISHED", 4: "FIN_WAIT_1", 5: "FIN_WAIT_2", 8: "CLOSE_WAIT"}  # those that move data
_HEADER = struct.Struct("=IHHII")
_REQUEST = struct.Struct("=BBBxI48x")
_ENDS = struct.Struct("!HH16s16s")
_MESSAGE_BYTES = 72  # struct inet_diag_msg
_ATTRIBUTE = struct.Struct("=HH")
_INFO = struct.Struct("=8x 2I I I IIII 28x I 4x I I 16x I 16x QQ")
"""Of struct tcp_info: rto, ato; snd_mss; rcv_mss; unacked, sacked, lost, retrans; rtt; snd_ssthresh; snd_cwnd;
total_retrans; bytes_acked, bytes_received."""
_NO_SSTHRESH = 0x7FFFFFFF
_RECEIVE_BYTES = 1 << 16


class SocketDiagnosis:
    """Asks in the network namespace of the thread that makes it. Raises OSError where the kernel has no such socket."""

    def __init__(self) -> None:
        self._socket = socket.socket(
            socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, _NETLINK_SOCK_DIAG
        )
        self._socket.settimeout(1.0)

    def connections(self, most: int) -> Iterator[tuple[str, dict[str, float]]]:
        """Of at most so many connections: the ends as ``10.0.0.1:5001>10.0.0.2:40000``, and the figures.

        Raises:
            OSError: the kernel refuses, or does not answer.
        """
        left = most
        for family in (socket.AF_INET, socket.AF_INET6):
            for message in self._dump(family):
                ends = _ends_of(message)
                figures = _figures_of(message)
                if figures is not None and left > 0:
                    left -= 1
                    yield ends, figures

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()

    def _dump(self, family: int) -> Iterator[bytes]:
        states = sum(1 << number for number in _STATES)
        request = _REQUEST.pack(family, socket.IPPROTO_TCP, 1 << (_INET_DIAG_INFO - 1), states)
        header = _HEADER.pack(_HEADER.size + len(request), _SOCK_DIAG_BY_FAMILY, _REQUEST_DUMP, 1, 0)
        self._socket.send(header + request)
        while True:
            data = self._socket.recv(_RECEIVE_BYTES)
            while data:
                length, kind, _, _, _ = _HEADER.unpack_from(data)
                body, data = data[_HEADER.size : length], data[(length + 3) & ~3 :]
                if kind == _NLMSG_DONE:
                    return
                if kind == _NLMSG_ERROR:
                    (code,) = struct.unpack_from("=i", body)
                    raise OSError(-code, "the kernel does not report its sockets")
                yield body


def _ends_of(message: bytes) -> str:
    sport, dport, source, destination = _ENDS.unpack_from(message, 4)
    family = message[0]
    return f"{_address(family, source)}:{sport}>{_address(family, destination)}:{dport}"


def _address(family: int, packed: bytes) -> str:
    if family == socket.AF_INET:
        return socket.inet_ntop(socket.AF_INET, packed[:4])
    address = IPv6Address(packed)
    return str(address.ipv4_mapped or address)


def _figures_of(message: bytes) -> dict[str, float] | None:
    """Named as those of simulated connections are. None: the kernel told nothing of this one."""
    at = _MESSAGE_BYTES
    while at + _ATTRIBUTE.size <= len(message):
        length, kind = _ATTRIBUTE.unpack_from(message, at)
        if kind == _INET_DIAG_INFO and length >= _ATTRIBUTE.size + _INFO.size:
            return _figures(_INFO.unpack_from(message, at + _ATTRIBUTE.size))
        if length < _ATTRIBUTE.size:
            return None
        at += (length + 3) & ~3
    return None


def _figures(info: tuple[int, ...]) -> dict[str, float]:
    _, _, mss, _, unacked, sacked, lost, again, rtt_us, ssthresh, cwnd, retransmitted, acked, received = info
    figures: dict[str, float] = {
        "cwnd_bytes": cwnd * mss,
        "in_flight_bytes": max(0, unacked - sacked - lost + again) * mss,
        "acknowledged_bytes": acked,
        "delivered_bytes": acked + sacked * mss,  # SACK counts in segments
        "received_bytes": received,
        "retransmitted_segments": retransmitted,
        "srtt_ns": rtt_us * 1000,
    }
    if ssthresh < _NO_SSTHRESH:  # before the first loss there is none
        figures["ssthresh_bytes"] = ssthresh * mss
    return figures
