# SPDX-License-Identifier: MIT
"""A network interface that a program reads and writes frames at, as netdevice(7) tells of it."""

from __future__ import annotations

import fcntl
import os
import socket
import struct

from hybridnet.errors import EnvironmentLackError

__all__ = ["mac_of", "mtu_of", "require_interface", "require_root"]

_SIOCGIFFLAGS, _SIOCGIFHWADDR, _SIOCGIFMTU, _IFF_UP = 0x8913, 0x8927, 0x8921, 1


def require_interface(device: str, what: str) -> None:
    """Refuse an interface of this network namespace that carries no frames.

    Args:
        what: who needs it, for the error.

    Raises:
        EnvironmentLackError: there is none of this name, or it is down.
    """
    try:
        socket.if_nametoindex(device)
    except (OSError, UnicodeError):
        raise EnvironmentLackError(
            f"{what}: there is no interface {device} in this network namespace; `ip link` lists what there is"
        ) from None
    (flags,) = struct.unpack_from("H", _ask(device, _SIOCGIFFLAGS), 16)
    if not flags & _IFF_UP:
        raise EnvironmentLackError(
            f"{what}: interface {device} is down and carries nothing; `ip link set dev {device} up`"
        )


def require_root(what: str) -> None:
    """Raise EnvironmentLackError if this process may not read and write frames."""
    if os.geteuid() != 0:
        raise EnvironmentLackError(f"{what}: reading and writing frames needs root; run it with sudo")


def mtu_of(device: str) -> int:
    """The longest packet that an interface takes, in bytes."""
    mtu: int = struct.unpack_from("i", _ask(device, _SIOCGIFMTU), 16)[0]
    return mtu


def mac_of(device: str) -> str:
    """The MAC address of an interface, such as ``"02:00:00:00:00:01"``."""
    return ":".join(f"{octet:02x}" for octet in _ask(device, _SIOCGIFHWADDR)[18:24])


def _ask(device: str, request: int) -> bytes:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        return fcntl.ioctl(any_socket, request, struct.pack("16s24x", device.encode()))
