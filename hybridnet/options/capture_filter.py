# SPDX-License-Identifier: MIT
"""Filters of captures, in the language of pcap-filter(7): libpcap itself judges them, before anything is made."""

from __future__ import annotations

import ctypes
import functools

from hybridnet.errors import HybridnetError
from hybridnet.values import shown, text

__all__ = ["capture_filter"]

_ETHERNET = 1  # DLT_EN10MB
_WHOLE_FRAME = 262_144
_NO_NETMASK = 0xFFFFFFFF


def capture_filter(value: object, what: str, *, error: type[HybridnetError]) -> str:
    """The text of a filter that libpcap compiles, as the simulator will."""
    written = text(value, what, error=error)
    if problem := _problem(written):
        raise error(f"{what} {shown(written)}: {problem}; the language is that of pcap-filter(7)")
    return written


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint), ("instructions", ctypes.c_void_p))


@functools.lru_cache(maxsize=64)
def _problem(written: str) -> str:
    """What libpcap says against a filter; nothing where it takes it, or is not on this computer."""
    try:
        libpcap = ctypes.CDLL("libpcap.so.0.8")
    except OSError:
        return ""  # this computer plans only: the machine's simulator judges
    libpcap.pcap_open_dead.restype = ctypes.c_void_p
    libpcap.pcap_geterr.restype = ctypes.c_char_p
    handle = ctypes.c_void_p(libpcap.pcap_open_dead(_ETHERNET, _WHOLE_FRAME))
    program = _Program()
    try:
        if libpcap.pcap_compile(handle, ctypes.byref(program), written.encode(), 1, _NO_NETMASK) != 0:
            return str(libpcap.pcap_geterr(handle).decode(errors="replace"))
        libpcap.pcap_freecode(ctypes.byref(program))
        return ""
    finally:
        libpcap.pcap_close(handle)
