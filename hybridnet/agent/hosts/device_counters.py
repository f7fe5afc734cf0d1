# SPDX-License-Identifier: MIT
"""The counters of network devices, asked of the kernel over a socket that stays in one network namespace.

The text of /proc/net/dev takes twice as long to make and to read; entering a namespace to open it, ten times as long.
The message is RTM_GETSTATS with IFLA_STATS_LINK_64 (linux/if_link.h). The kernel answers before the request returns,
so nothing is waited for. What the carrier did is not in that answer, but in that of RTM_GETLINK.
"""

from __future__ import annotations

import fcntl
import socket
import struct
import threading
from collections.abc import Collection, Iterator
from typing import NamedTuple

__all__ = ["Carrier", "DeviceCounters", "Row"]

_ERROR, _DONE, _NEW_STATS, _GET_STATS = 2, 3, 92, 94
_REQUEST, _REQUEST_DUMP = 0x001, 0x301
_LINK_64 = 1
_NEW_LINK, _GET_LINK = 16, 18
_MTU, _CARRIER, _CARRIER_CHANGES = 4, 33, 35
_EXTENT_MASK, _WITHOUT_STATISTICS = 29, 8
_ASK_LINK = struct.Struct("=IHHII4xi8xHHI")  # struct nlmsghdr, struct ifinfomsg, IFLA_EXT_MASK
_LINK_HEADER_BYTES = 32
_SIOCGIFINDEX = 0x8933
_ASK = struct.Struct("=IHHIIBxHiI")  # struct nlmsghdr, struct if_stats_msg
_HEADER = struct.Struct("=IH")
_INDEX = struct.Struct("=i")
_INDEX_AT = 20
_ATTRIBUTE = struct.Struct("=HH")
_STATS = struct.Struct("=8Q56xQ")  # of struct rtnl_link_stats64: the first eight, and rx_missed_errors
_INTERFACE = struct.Struct("16si20x")  # struct ifreq
_ANSWER_BYTES, _LINK_BYTES, _PART_BYTES = 1 << 9, 1 << 13, 1 << 15
_SINGLY = 16  # so many devices; of more, all of the namespace are asked for at once


class Row(NamedTuple):
    """What a device has counted, as /proc/net/dev shows it."""

    rx_bytes: int
    rx_packets: int
    rx_errors: int
    rx_dropped: int
    tx_bytes: int
    tx_packets: int
    tx_errors: int
    tx_dropped: int


class Carrier(NamedTuple):
    """Whether a device has a carrier, how often it has got or lost it, and the largest packet it takes, in bytes."""

    there: bool
    changes: int
    mtu: int = 0


class DeviceCounters:
    """Asks in the network namespace of the thread that makes it, from any thread. The namespace lasts until this is
    closed.
    """

    def __init__(self) -> None:
        self._socket = socket.socket(
            socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, socket.NETLINK_ROUTE
        )
        self._socket.setblocking(False)
        self._answer = bytearray(_ANSWER_BYTES)
        self._numbers: dict[str, int] = {}  # of devices
        self._lock = threading.Lock()

    def read(self, devices: Collection[str]) -> dict[str, Row]:
        """The rows of those of the devices that are there. Raises OSError: it is closed, or the kernel refuses."""
        with self._lock:
            found = self._read(devices)
            if len(found) < len(devices):  # what is missing may have been made anew
                missing = [device for device in devices if device not in found]
                for device in missing:
                    self._numbers.pop(device, None)
                found |= self._read(missing)
            return found

    def carriers(self, devices: Collection[str]) -> dict[str, Carrier]:
        """The carriers of those of the devices that are there. Raises OSError as `read`."""
        with self._lock:
            numbers = {device: number for device in devices if (number := self._number(device)) is not None}
            asked = {device: self._carrier(number) for device, number in numbers.items()}
            return {device: carrier for device, carrier in asked.items() if carrier is not None}

    def close(self) -> None:
        """Close the socket."""
        with self._lock:
            self._socket.close()

    def _read(self, devices: Collection[str]) -> dict[str, Row]:
        numbers = {device: number for device in devices if (number := self._number(device)) is not None}
        if len(numbers) <= _SINGLY:
            rows = {number: row for number in numbers.values() if (row := self._row(number)) is not None}
        else:
            rows = dict(self._rows())
        return {device: rows[number] for device, number in numbers.items() if number in rows}

    def _number(self, device: str) -> int | None:
        if device not in self._numbers:
            try:
                told = fcntl.ioctl(self._socket, _SIOCGIFINDEX, _INTERFACE.pack(device.encode(), 0))
            except OSError:  # there is none
                return None
            self._numbers[device] = _INTERFACE.unpack(told)[1]
        return self._numbers[device]

    def _row(self, number: int) -> Row | None:
        """None: the device is gone."""
        self._socket.send(_ASK.pack(_ASK.size, _GET_STATS, _REQUEST, 0, 0, 0, 0, number, _LINK_64))
        self._socket.recv_into(self._answer)
        return _row_at(self._answer, 0) if _HEADER.unpack_from(self._answer)[1] == _NEW_STATS else None

    def _carrier(self, number: int) -> Carrier | None:
        """None: the device is gone."""
        ask = _ASK_LINK.pack(
            _ASK_LINK.size, _GET_LINK, _REQUEST, 0, 0, number, 8, _EXTENT_MASK, _WITHOUT_STATISTICS
        )
        self._socket.send(ask)
        answer = self._socket.recv(_LINK_BYTES)
        if _HEADER.unpack_from(answer)[1] != _NEW_LINK:
            return None
        there, changes, mtu, at = True, 0, 0, _LINK_HEADER_BYTES
        while at < len(answer):
            length, kind = _ATTRIBUTE.unpack_from(answer, at)
            if kind == _CARRIER:
                there = bool(answer[at + _ATTRIBUTE.size])
            elif kind == _CARRIER_CHANGES:
                [changes] = _INDEX.unpack_from(answer, at + _ATTRIBUTE.size)
            elif kind == _MTU:
                [mtu] = _INDEX.unpack_from(answer, at + _ATTRIBUTE.size)
            at += (length + 3) & ~3
        return Carrier(there, changes, mtu)

    def _rows(self) -> Iterator[tuple[int, Row]]:
        """Of all devices, by number."""
        self._socket.send(_ASK.pack(_ASK.size, _GET_STATS, _REQUEST_DUMP, 0, 0, 0, 0, 0, _LINK_64))
        while True:
            part = self._socket.recv(_PART_BYTES)
            at = 0
            while at < len(part):
                length, kind = _HEADER.unpack_from(part, at)
                if kind in (_ERROR, _DONE):
                    return
                yield _INDEX.unpack_from(part, at + _INDEX_AT)[0], _row_at(part, at)
                at += (length + 3) & ~3


def _row_at(data: bytes | bytearray, at: int) -> Row:
    """The row of an answer that begins there."""
    at += _ASK.size
    if _ATTRIBUTE.unpack_from(data, at)[1] != _LINK_64:  # padding, where 64 bits must be aligned
        at += _ATTRIBUTE.size
    rx, tx, rx_bytes, tx_bytes, rx_errors, tx_errors, rx_dropped, tx_dropped, missed = _STATS.unpack_from(
        data, at + _ATTRIBUTE.size
    )
    return Row(rx_bytes, rx, rx_errors, rx_dropped + missed, tx_bytes, tx, tx_errors, tx_dropped)
