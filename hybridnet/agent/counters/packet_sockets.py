# SPDX-License-Identifier: MIT
"""What packet sockets did not take: the kernel counts frames that find a socket's buffer full, and tells who asks.

Open vSwitch reads its ports by such sockets (`afpacket`) and does not look at that count itself. The question is
sock_diag(7), with the structures of linux/packet_diag.h.
"""

from __future__ import annotations

import os
import socket
import struct
from pathlib import Path

_NETLINK_SOCK_DIAG = 4
_SOCK_DIAG_BY_FAMILY = 20
_REQUEST_DUMP = 0x301  # NLM_F_REQUEST | NLM_F_DUMP
_ERROR, _DONE = 2, 3
_SHOW_INFO, _SHOW_MEMORY = 1 << 0, 1 << 4
_INFO, _MEMORY = 0, 6  # attributes
_DROPS = 8  # of the numbers in _MEMORY: SK_MEMINFO_DROPS
_HEADER = struct.Struct("=IHHII")
_MESSAGE = struct.Struct("=BBHIII")  # family, type, protocol, inode, cookie
_ATTRIBUTE = struct.Struct("=HH")


def dropped_at_sockets_of(pid: int) -> dict[str, int]:
    """Frames that packet sockets of a process in this network namespace did not take, by device, where there are any.

    Empty where the kernel does not tell (packet_diag is missing).
    """
    rows = [row for row in _ask() if row[2]]
    if not rows:
        return {}
    own = _sockets_of(pid)
    found: dict[str, int] = {}
    for inode, index, drops in rows:
        if inode in own and (device := _device(index)) is not None:
            found[device] = found.get(device, 0) + drops
    return found


def _ask() -> list[tuple[int, int, int]]:
    """Of each packet socket of this network namespace: its inode, the number of its device, and its drops."""
    # struct packet_diag_req: family, protocol, pad, inode, what to show, cookie
    request = struct.pack("=BBHIIII", socket.AF_PACKET, 0, 0, 0, _SHOW_INFO | _SHOW_MEMORY, 0, 0)
    header = _HEADER.pack(_HEADER.size + len(request), _SOCK_DIAG_BY_FAMILY, _REQUEST_DUMP, 1, 0)
    rows: list[tuple[int, int, int]] = []
    try:
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _NETLINK_SOCK_DIAG) as asking:
            asking.settimeout(5.0)
            asking.send(header + request)
            while True:
                more, found = parse_answer(asking.recv(1 << 16))
                rows += found
                if not more:
                    return rows
    except OSError:
        return []


def parse_answer(data: bytes) -> tuple[bool, list[tuple[int, int, int]]]:
    """Parse what the kernel answers at once: whether more comes, and (inode, device, drops) of each socket."""
    rows: list[tuple[int, int, int]] = []
    at = 0
    while at + _HEADER.size <= len(data):
        length, kind, *_ = _HEADER.unpack_from(data, at)
        if kind in (_ERROR, _DONE):
            return False, rows
        inode = _MESSAGE.unpack_from(data, at + _HEADER.size)[3]
        attributes = _attributes(data[at + _HEADER.size + _MESSAGE.size : at + length])
        if _INFO in attributes and len(attributes.get(_MEMORY, b"")) >= 4 * (_DROPS + 1):
            (index,) = struct.unpack_from("=I", attributes[_INFO])
            (drops,) = struct.unpack_from("=I", attributes[_MEMORY], 4 * _DROPS)
            rows.append((inode, index, drops))
        at += -(-length // 4) * 4
    return True, rows


def _attributes(data: bytes) -> dict[int, bytes]:
    found = {}
    at = 0
    while at + _ATTRIBUTE.size <= len(data):
        length, kind = _ATTRIBUTE.unpack_from(data, at)
        found[kind] = data[at + _ATTRIBUTE.size : at + length]
        at += max(_ATTRIBUTE.size, -(-length // 4) * 4)
    return found


def _sockets_of(pid: int) -> set[int]:
    inodes = set()
    for link in Path(f"/proc/{pid}/fd").glob("*"):
        try:
            target = os.readlink(link)
        except OSError:  # closed meanwhile
            continue
        if target.startswith("socket:["):
            inodes.add(int(target[8:-1]))
    return inodes


def _device(index: int) -> str | None:
    try:
        return socket.if_indextoname(index)
    except OSError:  # it is gone
        return None
