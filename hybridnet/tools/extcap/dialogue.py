# SPDX-License-Identifier: MIT
"""What Wireshark is told before it captures, as lines of its extcap interface."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hybridnet.tools.extcap.interfaces import Interface

__all__ = ["MOST", "config_lines", "dlt_lines", "interface_lines"]

MOST = "1 GB"
"""After so many bytes a capture at a simulated interface ends, unless the user says otherwise."""

_LINK_TYPE_ETHERNET = 1


def interface_lines(found: Iterable[Interface], version: str) -> Iterator[str]:
    """The program, and its interfaces."""
    yield _sentence("extcap", version=version, display="hybridnet: interfaces of running networks")
    for each in found:
        yield _sentence("interface", value=each.value, display=each.text)


def dlt_lines() -> Iterator[str]:
    """The link type of every interface."""
    yield _sentence("dlt", number=_LINK_TYPE_ETHERNET, name="EN10MB", display="Ethernet")


def config_lines() -> Iterator[str]:
    """What the user may choose."""
    yield _sentence(
        "arg",
        number=0,
        call="--most",
        display="At a simulated interface, end after",
        tooltip="what a capture may take of the disk, such as 500 MB",
        type="string",
        default=MOST,
    )


def _sentence(kind: str, **values: object) -> str:
    """Braces and line breaks would end a value."""
    plain = str.maketrans(dict.fromkeys("{}\r\n", "?"))
    return f"{kind} " + "".join(f"{{{key}={str(value).translate(plain)}}}" for key, value in values.items())
