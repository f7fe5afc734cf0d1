# SPDX-License-Identifier: MIT
"""Reading tar files of strangers: entry by entry, with bounds on what a header may ask for."""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from typing import IO, NoReturn

from hybridnet.errors import MachineError

__all__ = ["MOST_HEADER_BYTES", "for_each_entry", "headers_of_one_file"]

MOST_HEADER_BYTES = 1 << 20
"""Of one long name, or of one set of further attributes, or of all those that hold for the whole file: tarfile has each
in memory."""

MOST_BEFORE_ONE = 16
"""Such headers before one entry, each of which tarfile reads within the one before; three make sense."""

MOST_KEPT_BYTES = 64 << 20
"""Of all of them, where tarfile keeps the entries."""

_LONG_HEADERS = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)


def headers_of_one_file(*, kept: bool) -> type[tarfile.TarInfo]:
    """The class by which `tarfile.open` reads the headers of a file, so that they ask for no more than a bound.

    Args:
        kept: whether the entries are.
    """

    class Headers(_Headers):
        before_one = global_bytes = all_bytes = 0
        keeps = kept

    return Headers


class _Headers(tarfile.TarInfo):
    before_one: int  # long headers since the last entry
    global_bytes: int
    all_bytes: int
    keeps: bool

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Headers:
        """Read a header. Raises MachineError: its size makes no sense, or it is one too many."""
        made = super().frombuf(buf, encoding, errors)
        if made.type == tarfile.GNUTYPE_SPARSE:
            made._refuse_holes()
        if made.size < 0 or (made.type in _LONG_HEADERS and made.size > MOST_HEADER_BYTES):
            raise MachineError(
                f"a header of the tar file asks for {made.size} bytes, and may for {MOST_HEADER_BYTES}; the file is "
                "damaged, or made to harm"
            )
        if made.type in _LONG_HEADERS:
            made._count()
        else:
            cls.before_one = 0
        return made

    def _count(self) -> None:
        own = type(self)
        own.before_one += 1
        own.all_bytes += self.size
        own.global_bytes += self.size if self.type == tarfile.XGLTYPE else 0
        if (
            own.before_one > MOST_BEFORE_ONE
            or own.global_bytes > MOST_HEADER_BYTES
            or (own.keeps and own.all_bytes > MOST_KEPT_BYTES)
        ):
            raise MachineError(
                f"the tar file has long headers without an end: {own.before_one} before one entry, {own.global_bytes} "
                f"bytes for the whole file, {own.all_bytes} bytes in all; it is damaged, or made to harm"
            )

    def _proc_gnusparse_10(self, *unused: object) -> NoReturn:
        """Where tarfile would read the list of holes."""
        self._refuse_holes()

    def _refuse_holes(self) -> NoReturn:
        """A list of holes has no bound, and tarfile has it in memory."""
        raise MachineError(
            "the tar file has files with holes (GNU tar's --sparse); write it anew without that option"
        )


def for_each_entry(stream: IO[bytes], do: Callable[[tarfile.TarFile, tarfile.TarInfo], None]) -> None:
    """Do something with each entry of an uncompressed tar file, in their order.

    Raises:
        MachineError: it is no tar file, ends early, or a header makes no sense.
    """
    try:
        with tarfile.open(
            fileobj=stream, mode="r|", tarinfo=headers_of_one_file(kept=False), errorlevel=2
        ) as opened:
            while (entry := opened.next()) is not None:
                opened.members.clear()  # type: ignore[attr-defined]  # else it keeps each
                if entry.size < 0:
                    raise MachineError(
                        f"its entry {entry.name[:200]!r} has {entry.size} bytes; it is damaged"
                    )
                do(opened, entry)
    except (tarfile.TarError, EOFError, ValueError, OverflowError) as error:
        raise MachineError(f"it is no tar file, or damaged: {error}") from None
