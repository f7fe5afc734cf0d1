# SPDX-License-Identifier: MIT
"""A way for datagrams between two instances that does what real ones do: it loses, doubles, delays, and is down."""

from __future__ import annotations

import heapq
import itertools
import random
import select
import socket
import threading
from collections import deque
from dataclasses import dataclass, field
from time import monotonic, sleep
from types import TracebackType

from hybridnet.system.priority import run_in_real_time

Address = tuple[str, int]
DATAGRAM_BYTES = 1 << 16
BATCH_NUMBER = slice(24, 32)  # simcore/portal/peering_wire.h
BURST = 20
KEPT = 256
BUFFER_BYTES = 4 << 20


@dataclass
class Way:
    """What becomes of datagrams; may be changed at any time.

    Args:
        down: none passes.
        loss, doubled, held: shares that are lost, come twice, or are overtaken by what follows.
        held_s: for how long.
    """

    down: bool = False
    loss: float = 0.0
    doubled: float = 0.0
    held: float = 0.0
    held_s: float = 0.002


@dataclass
class Passed:
    """What became of them so far."""

    datagrams: int = 0
    lost: int = 0
    doubled: int = 0
    held: int = 0


@dataclass
class Relay:
    """Between two ends, each of which sees it at an address of its own, until the block ends.

    Args:
        near: where each end sends to.
        ends: where each end hears.
    """

    near: tuple[Address, Address]
    ends: tuple[Address, Address]
    way: Way = field(default_factory=Way)
    passed: Passed = field(default_factory=Passed)
    latest: deque[tuple[int, bytes]] = field(default_factory=lambda: deque(maxlen=KEPT))

    def __enter__(self) -> Relay:
        self._sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in self.near]
        for each, address in zip(self._sockets, self.near, strict=True):
            each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
            each.setblocking(False)
            each.bind(address)
        self._held: list[tuple[float, int, int, bytes]] = []
        self._numbers = itertools.count()
        self._random = random.Random(1)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="relay")
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()
        for each in self._sockets:
            each.close()

    def forge(self, count: int, random: random.Random) -> None:
        """Send so many datagrams that nobody of the two has sent, from the address of the other end: random ones, those
        that have just passed with some bytes changed, or with a huge batch number, and those again as they were.
        """
        for number in range(count):
            if number % BURST == 0:
                sleep(0.0005)
                recent = list(self.latest)
            to, datagram = random.choice(recent)
            forged = bytearray(datagram)
            match number % 4:
                case 0:
                    forged = bytearray(random.randbytes(random.randint(1, 1400)))
                case 1:
                    for _ in range(random.randint(1, 8)):
                        forged[random.randrange(len(forged))] = random.randrange(256)
                case 2 if len(forged) >= BATCH_NUMBER.stop:
                    forged[BATCH_NUMBER] = random.randbytes(8)
            self._give(to, bytes(forged))

    def _run(self) -> None:
        run_in_real_time()  # a network does not wait for processors
        while not self._ended.is_set():
            wait_s = max(0.0, self._held[0][0] - monotonic()) if self._held else 0.05
            ready, _, _ = select.select(self._sockets, [], [], wait_s)
            for each in ready:
                self._take(self._sockets.index(each))
            while self._held and self._held[0][0] <= monotonic():
                _, _, to, datagram = heapq.heappop(self._held)
                self._give(to, datagram)

    def _take(self, end: int) -> None:
        to, way, passed = 1 - end, self.way, self.passed
        while True:
            try:
                datagram = self._sockets[end].recv(DATAGRAM_BYTES)
            except BlockingIOError:
                return
            except ConnectionRefusedError:  # that end is gone for now
                continue
            passed.datagrams += 1
            self.latest.append((to, datagram))
            if way.down or self._random.random() < way.loss:
                passed.lost += 1
                continue
            if self._random.random() < way.doubled:
                passed.doubled += 1
                self._give(to, datagram)
            if self._random.random() < way.held:
                passed.held += 1
                heapq.heappush(self._held, (monotonic() + way.held_s, next(self._numbers), to, datagram))
            else:
                self._give(to, datagram)

    def _give(self, to: int, datagram: bytes) -> None:
        try:
            self._sockets[to].sendto(datagram, self.ends[to])
        except (BlockingIOError, ConnectionRefusedError):  # as a queue that is full, or an end that is gone
            self.passed.lost += 1
