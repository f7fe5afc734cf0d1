# SPDX-License-Identifier: MIT
"""Reading tar files of strangers: entry by entry, with bounds on what a header may ask for."""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from typing import IO

from hybridnet.errors import MachineError

__all__ = ["MOST_HEADER_BYTES", "BoundedInfo", "for_each_entry"]

MOST_HEADER_BYTES = 1 << 20
"""Of one long name, or of one set of further attributes: tarfile has each in memory."""

_LONG_HEADERS = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)


class BoundedInfo(tarfile.TarInfo):
    """A header that asks for no more than a bound."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> BoundedInfo:
        """Read a header. Raises MachineError: its size makes no sense."""
        made = super().frombuf(buf, encoding, errors)
        if made.size < 0 or (made.type in _LONG_HEADERS and made.size > MOST_HEADER_BYTES):
            raise MachineError(
                f"a header of the tar file asks for {made.size} bytes, and may for {MOST_HEADER_BYTES}; the file is "
                "damaged, or made to harm"
            )
        return made


def for_each_entry(stream: IO[bytes], do: Callable[[tarfile.TarFile, tarfile.TarInfo], None]) -> None:
    """Do something with each entry of an uncompressed tar file, in their order.

    Raises:
        MachineError: it is no tar file, ends early, or a header makes no sense.
    """
    try:
        with tarfile.open(fileobj=stream, mode="r|", tarinfo=BoundedInfo, errorlevel=2) as opened:
            while (entry := opened.next()) is not None:
                opened.members.clear()  # type: ignore[attr-defined]  # else it keeps each
                if entry.size < 0:
                    raise MachineError(
                        f"its entry {entry.name[:200]!r} has {entry.size} bytes; it is damaged"
                    )
                do(opened, entry)
    except (tarfile.TarError, EOFError, ValueError, OverflowError) as error:
        raise MachineError(f"it is no tar file, or damaged: {error}") from None
