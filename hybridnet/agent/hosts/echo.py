# SPDX-License-Identifier: MIT
"""Echo requests between many pairs of hosts, from one thread: a program for each of 16,256 pairs would take minutes.

Each host gets one raw socket, opened in its network namespace, so the hosts' own stacks send, resolve addresses and
answer. A round trip begins when the request is handed to the kernel and ends with the kernel's stamp on the reply.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import selectors
import socket
import struct
import time
from collections.abc import Iterator, Sequence

from hybridnet.agent.hosts.namespace_thread import NamespaceThread
from hybridnet.errors import UsageError

__all__ = ["MOST_REQUESTS", "echo_pairs"]

MOST_REQUESTS = 65_536  # of one call: a request's number has 16 bits
WINDOW = 256  # requests that may be unanswered at one time
BURST, BURST_NS = 32, 5_000_000  # and that may be sent within such a time before their answers come
TAKE_EVERY = 16  # requests sent between two looks for answers
PAYLOAD_BYTES = 56  # as ping's
_ECHO_REPLY, _ECHO_REQUEST = 0, 8
_SOL_RAW, _ICMP_FILTER = 255, 1  # linux/icmp.h
_SO_TIMESTAMPNS = 35  # asm-generic/socket.h
_STAMP = struct.Struct("qq")


def echo_pairs(
    inside: NamespaceThread,
    pairs: Sequence[tuple[str, str]],
    *,
    count: int = 1,
    interval_s: float = 0.0,
    wait_s: float = 1.0,
) -> list[list[float]]:
    """Ping many (host, address) pairs side by side. Returns each one's round trips in milliseconds, lost ones left out.

    Args:
        pairs: names of hosts, and IPv4 addresses.
        count: echo requests of each pair; the pairs take turns.
        interval_s: between two requests of a pair, at least.
        wait_s: how long an answer may take.

    Raises:
        UsageError: more than `MOST_REQUESTS` in all.
        MachineError: a host does not exist.
    """
    if len(pairs) * count > MOST_REQUESTS:
        raise UsageError(
            f"echo: {len(pairs) * count} requests are more than {MOST_REQUESTS}; divide the pairs"
        )
    hosts = list(dict.fromkeys(host for host, _ in pairs))
    with contextlib.ExitStack() as closing:
        opened = inside.run_each(hosts, lambda _: closing.enter_context(_open_socket()))
        senders = dict(zip(hosts, opened, strict=True))
        asking = _Asking([(senders[host], address) for host, address in pairs], wait_s)
        closing.callback(asking.ready.close)
        for turn in range(count):
            until = time.monotonic() + interval_s
            asking.ask_all(turn)
            while turn + 1 < count and (left_s := until - time.monotonic()) > 0:
                asking.take(left_s)
        while asking.unanswered:
            asking.take(wait_s)
    return asking.rtts_ms


class _Asking:
    """Requests that were sent, and what has come back."""

    def __init__(self, pairs: Sequence[tuple[socket.socket, str]], wait_s: float) -> None:
        self.rtts_ms: list[list[float]] = [[] for _ in pairs]
        self.unanswered: dict[int, int] = {}  # request -> when it was sent, CLOCK_REALTIME ns; oldest first
        self.ready = selectors.DefaultSelector()
        self._pairs = pairs
        self._wait_ns = int(wait_s * 1e9)
        self._identifier = int.from_bytes(os.urandom(2), "big")
        for sender in {sender for sender, _ in pairs}:
            self.ready.register(sender, selectors.EVENT_READ)

    def ask_all(self, turn: int) -> None:
        """Send a request for each pair, as fast as answers leave room for."""
        for index, (sender, address) in enumerate(self._pairs):
            while (wait_s := self._full_for_s()) > 0:
                self.take(wait_s)
            request = turn * len(self._pairs) + index
            self.unanswered[request] = time.time_ns()
            try:
                sender.sendto(_request(self._identifier, request), (address, 0))
            except OSError:  # no route, as with its interface down: nothing was sent that could be answered
                del self.unanswered[request]
            if index % TAKE_EVERY == 0:
                self.take(0.0)

    def _full_for_s(self) -> float:
        """How long there is no room for another request, unless an answer comes."""
        if len(self.unanswered) >= WINDOW:
            return self._wait_ns / 1e9
        sent_ns = next(itertools.islice(reversed(self.unanswered.values()), BURST - 1, None), None)
        return 0.0 if sent_ns is None else (sent_ns + BURST_NS - time.time_ns()) / 1e9

    def take(self, patience_s: float) -> None:
        """Take in the answers that are there; wait for some, but not beyond the time at which a request is lost."""
        now = time.time_ns()
        while (oldest := next(iter(self.unanswered), None)) is not None:
            left_ns = self.unanswered[oldest] + self._wait_ns - now
            if left_ns > 0:
                patience_s = min(patience_s, left_ns / 1e9)
                break
            del self.unanswered[oldest]
            patience_s = 0.0
        for key, _ in self.ready.select(patience_s):
            assert isinstance(key.fileobj, socket.socket)
            for address, request, arrived_ns in _replies(key.fileobj, self._identifier):
                index = request % len(self._pairs)
                if request in self.unanswered and self._pairs[index][1] == address:
                    took_ns = max(arrived_ns - self.unanswered.pop(request), 0)
                    if took_ns <= self._wait_ns:
                        self.rtts_ms[index].append(took_ns / 1e6)


def _open_socket() -> socket.socket:
    """A socket of the namespace that this thread is in, which hears echo replies only."""
    opened = socket.socket(socket.AF_INET, socket.SOCK_RAW | socket.SOCK_NONBLOCK, socket.IPPROTO_ICMP)
    opened.setsockopt(_SOL_RAW, _ICMP_FILTER, struct.pack("I", 0xFFFFFFFF & ~(1 << _ECHO_REPLY)))
    opened.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
    return opened


def _replies(sender: socket.socket, identifier: int) -> Iterator[tuple[str, int, int]]:
    """Address, number and time of arrival of the replies that are there to requests of ours."""
    while True:
        try:
            packet, ancillary, _, (address, *_) = sender.recvmsg(2048, 64)
        except BlockingIOError:
            return
        except OSError:  # an error that the kernel kept for this socket, such as "host unreachable"
            continue
        header = 4 * (packet[0] & 0xF)
        kind, _, _, answered, request = struct.unpack_from("!BBHHH", packet, header)
        if kind == _ECHO_REPLY and answered == identifier:
            yield address, request, _arrival_ns(ancillary)


def _arrival_ns(ancillary: list[tuple[int, int, bytes]]) -> int:
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == _SO_TIMESTAMPNS:
            seconds, nanoseconds = _STAMP.unpack_from(data)
            return int(seconds * 10**9 + nanoseconds)
    return time.time_ns()


def _request(identifier: int, number: int) -> bytes:
    payload = bytes(PAYLOAD_BYTES)
    # The payload is zeros, so the checksum (RFC 1071) is of the header alone.
    total = (_ECHO_REQUEST << 8) + identifier + number
    total = (total & 0xFFFF) + (total >> 16)
    total = (total & 0xFFFF) + (total >> 16)
    return struct.pack("!BBHHH", _ECHO_REQUEST, 0, ~total & 0xFFFF, identifier, number) + payload
