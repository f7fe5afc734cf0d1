# SPDX-License-Identifier: MIT
"""Lines of `ip` and `ethtool` for the calling thread's network namespace, carried out without a process.

A host gets a handful of addresses, routes and settings. Two processes for each of 200 hosts take 3 s; the same requests
from here take a tenth of that. The words are those of `ip -batch`, so that an error says what somebody can try.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import fnmatch
import functools
import os
import socket
import struct
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_interface

from hybridnet.errors import MachineError

__all__ = ["has_family", "ip_lines", "set_features"]

# linux/netlink.h, linux/rtnetlink.h
_ERROR = 2
_REQUEST, _ACK, _REPLACE, _EXCL, _CREATE = 0x1, 0x4, 0x100, 0x200, 0x400
_NEW_LINK, _NEW_ADDRESS, _NEW_ROUTE, _NEW_NEIGHBOUR = 16, 20, 24, 28
_SOL_NETLINK, _CAP_ACK, _EXT_ACK = 270, 10, 11
_ACK_TLVS = 0x200  # flag of an answer that has words
_UP = 1
_NODAD = 0x02
_SHORTEST_WITHOUT_BROADCAST = 31  # RFC 3021
_ADDRESS, _LOCAL, _BROADCAST = 1, 2, 4
_DESTINATION, _OUT, _GATEWAY = 1, 4, 5
_MAIN_TABLE, _BOOT, _UNICAST, _LINK_SCOPE = 254, 3, 1, 253
_PERMANENT = 0x80
_LARGEST_ANSWER = 1 << 16
_REQUESTS_AT_ONCE = 32  # their answers fit into the socket's buffer

# linux/genetlink.h
_NETLINK_GENERIC, _CONTROL, _GET_FAMILY, _FAMILY_NAME = 16, 0x10, 3, 2

# linux/ethtool.h, linux/sockios.h
_SIOCETHTOOL = 0x8946
_SEVERAL = {"tx": "tx-checksum-*", "tso": "tx-tcp*-segmentation"}  # names that stand for several offloads
_GET_STRINGS, _GET_SET_INFO, _GET_FEATURES, _SET_FEATURES = 0x1B, 0x37, 0x3A, 0x3B
_FEATURE_NAMES, _NAME_BYTES = 4, 32


def has_family(name: str) -> bool:
    """Whether the kernel has this family of generic netlink, built in or in a module, which it loads if it may."""
    attribute = _attribute(_FAMILY_NAME, name.encode() + b"\0")
    body = struct.pack("=BBH", _GET_FAMILY, 1, 0) + attribute
    try:
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _NETLINK_GENERIC) as kernel:
            kernel.send(struct.pack("=IHHII", 16 + len(body), _CONTROL, _REQUEST, 1, 0) + body)
            answer = kernel.recv(_LARGEST_ANSWER)
    except OSError:  # a kernel without generic netlink
        return False
    return bool(struct.unpack_from("=IH", answer)[1] != _ERROR)


def ip_lines(lines: Iterable[str]) -> None:
    """Carry out lines of `ip`, in order: ``link set dev X up``, ``addr add A/N dev X [nodad] [brd +]``,
    ``route add P [via V] [dev X]``, ``neigh replace A lladdr M dev X``.

    Raises:
        MachineError: a line failed; the message quotes it, and the kernel. Lines after it may have been carried out.
    """
    wanted = list(lines)
    if not wanted:
        return
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as kernel:
        kernel.setsockopt(_SOL_NETLINK, _EXT_ACK, 1)
        kernel.setsockopt(_SOL_NETLINK, _CAP_ACK, 1)
        for first in range(0, len(wanted), _REQUESTS_AT_ONCE):
            _carry_out(kernel, wanted[first : first + _REQUESTS_AT_ONCE])


def _carry_out(kernel: socket.socket, lines: list[str]) -> None:
    kernel.send(b"".join(_message(line, number) for number, line in enumerate(lines)))
    answered = 0
    while answered < len(lines):
        data = kernel.recv(_LARGEST_ANSWER)
        at = 0
        while at < len(data):
            length, kind, flags, number, _ = struct.unpack_from("=IHHII", data, at)
            if kind == _ERROR:
                answered += 1
                (code,) = struct.unpack_from("=i", data, at + 16)
                if code:
                    words = _words(data[at + 36 : at + length]) if flags & _ACK_TLVS else ""
                    _fail(lines[number], words or os.strerror(-code))
            at += _aligned(length)


def _message(line: str, number: int) -> bytes:
    """The request that a line of `ip` means."""
    kind, body, flags = _request(line)
    header = struct.pack("=IHHII", 16 + len(body), kind, _REQUEST | _ACK | flags, number, 0)
    return header + body + b"\0" * (_aligned(len(body)) - len(body))


def _request(line: str) -> tuple[int, bytes, int]:
    """Of a line the kind of request, its body, and its flags."""
    words = line.split()
    of = dict(zip(words[3::2], words[4::2], strict=False))  # "dev X", "via V"
    match words[:3]:
        case ["link", "set", "dev"]:
            if words[4:] == ["up"]:
                return _NEW_LINK, struct.pack("=BxHiII", 0, 0, _index(words[3], line), _UP, _UP), 0
        case ["addr", "add", text]:
            local = ip_interface(text)
            own = _attribute(_LOCAL, local.ip.packed) + _attribute(_ADDRESS, local.ip.packed)
            flags = _NODAD if "nodad" in words else 0
            if words[-2:] == ["brd", "+"] and local.network.prefixlen < _SHORTEST_WITHOUT_BROADCAST:
                own += _attribute(_BROADCAST, local.network.broadcast_address.packed)
            length, device = local.network.prefixlen, _index(of["dev"], line)
            head = struct.pack("=BBBBI", _family(local.ip), length, flags, 0, device)
            return _NEW_ADDRESS, head + own, _CREATE | _EXCL
        case ["route", "add", prefix]:
            return _NEW_ROUTE, _route(prefix, of, line), _CREATE | _EXCL
        case ["neigh", "replace", text]:
            address = ip_address(text)
            mac = bytes.fromhex(of["lladdr"].replace(":", ""))
            head = struct.pack("=BxxxiHBB", _family(address), _index(of["dev"], line), _PERMANENT, 0, 0)
            body = head + _attribute(_DESTINATION, address.packed) + _attribute(2, mac)
            return _NEW_NEIGHBOUR, body, _CREATE | _REPLACE
    raise MachineError(f"`ip {line}`: hybridnet gives no such line to the kernel by itself; run it with `ip`")


def _route(prefix: str, of: dict[str, str], line: str) -> bytes:
    gateway = ip_address(of["via"]) if "via" in of else None
    try:
        network = None if prefix == "default" else ip_interface(prefix)
    except ValueError:
        raise MachineError(f"`ip {line}` failed: {prefix} is not a network") from None
    family = _family(gateway if gateway is not None else IPv4Address(0) if network is None else network.ip)
    length = 0 if network is None else network.network.prefixlen
    scope = _LINK_SCOPE if gateway is None else 0
    body = struct.pack("=BBBBBBBBI", family, length, 0, 0, _MAIN_TABLE, _BOOT, scope, _UNICAST, 0)
    if network is not None and length:
        body += _attribute(_DESTINATION, network.ip.packed)
    if gateway is not None:
        body += _attribute(_GATEWAY, gateway.packed)
    if "dev" in of:
        body += _attribute(_OUT, struct.pack("=i", _index(of["dev"], line)))
    return body


def _attribute(kind: int, value: bytes) -> bytes:
    length = 4 + len(value)
    return struct.pack("=HH", length, kind) + value + b"\0" * (_aligned(length) - length)


def _words(attributes: bytes) -> str:
    """What the kernel says of an error, in its own words."""
    at = 0
    while at + 4 <= len(attributes):
        length, kind = struct.unpack_from("=HH", attributes, at)
        if kind & 0x3FFF == 1:
            return attributes[at + 4 : at + length].rstrip(b"\0").decode(errors="replace")
        at += max(4, _aligned(length))
    return ""


def _index(device: str, line: str) -> int:
    try:
        return socket.if_nametoindex(device)
    except OSError:
        _fail(line, f"there is no device {device}")
        raise


def _fail(line: str, why: str) -> None:
    raise MachineError(f"`ip {line}` failed: {why}") from None


def _family(address: IPv4Address | IPv6Address) -> int:
    return socket.AF_INET if address.version == 4 else socket.AF_INET6


def _aligned(length: int) -> int:
    return length + 3 & ~3


def set_features(device: str, wanted: Sequence[str]) -> None:
    """Set offloads of a device as `ethtool -K` does: ``["tx", "off", "tx-udp-segmentation", "off"]``.

    Raises:
        MachineError: there is no such device or offload, or it cannot be set.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for name, value in zip(wanted[::2], wanted[1::2], strict=True):
            try:
                _set_feature(control, device, name, value == "on")
            except OSError as problem:
                reason = problem.strerror if problem.errno != errno.ENODEV else "there is no such device"
                raise MachineError(f"`ethtool -K {device} {name} {value}` failed: {reason}") from None


def _set_feature(control: socket.socket, device: str, name: str, on: bool) -> None:
    pattern = _SEVERAL.get(name, name)
    meant = [at for at, known in enumerate(_feature_names()) if fnmatch.fnmatchcase(known, pattern)]
    if not meant:
        raise OSError(errno.EOPNOTSUPP, f"this kernel has no offload {name}")
    blocks = -(-len(_feature_names()) // 32)
    state = bytearray(8 + 16 * blocks)
    struct.pack_into("=II", state, 0, _GET_FEATURES, blocks)
    _ethtool(control, device, state)
    available, never_changed = (
        [struct.unpack_from("=I", state, 8 + 16 * block + at)[0] for block in range(blocks)] for at in (0, 12)
    )
    words = [0] * (2 * blocks)
    for block, bit in (divmod(at, 32) for at in meant):
        if available[block] & ~never_changed[block] & 1 << bit:
            words[2 * block] |= 1 << bit
            words[2 * block + 1] |= on << bit
    if not any(words):
        raise OSError(errno.EOPNOTSUPP, "the device does not let it be changed")
    _ethtool(control, device, bytearray(struct.pack(f"=II{len(words)}I", _SET_FEATURES, blocks, *words)))


@functools.cache
def _feature_names() -> list[str]:
    """The kernel's names of offloads, in its order, which is the same for every device."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        asked = bytearray(struct.pack("=IIQI", _GET_SET_INFO, 0, 1 << _FEATURE_NAMES, 0))
        _ethtool(control, "lo", asked)
        (count,) = struct.unpack_from("=I", asked, 16)
        answer = bytearray(12 + count * _NAME_BYTES)
        struct.pack_into("=III", answer, 0, _GET_STRINGS, _FEATURE_NAMES, count)
        _ethtool(control, "lo", answer)
    names = (answer[12 + _NAME_BYTES * at :][:_NAME_BYTES] for at in range(count))
    return [bytes(name).partition(b"\0")[0].decode() for name in names]


def _ethtool(control: socket.socket, device: str, request: bytearray) -> None:
    """One request of ethtool; the answer is in `request`. Raises OSError."""
    place = (ctypes.c_char * len(request)).from_buffer(request)
    name = device.encode()
    if len(name) > 15:
        raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))
    argument = bytearray(struct.pack("=16sQ16x", name, ctypes.addressof(place)))
    fcntl.ioctl(control, _SIOCETHTOOL, argument, True)
