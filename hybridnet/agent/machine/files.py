# SPDX-License-Identifier: MIT
"""The files of one machine: those that the head sends and fetches, and a directory that vanishes with the run."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from hybridnet.agent.verbs import verb
from hybridnet.errors import MachineError, UsageError
from hybridnet.system.journal import Journal

__all__ = ["Files"]

TRANSFER_LIMIT = 256 << 20
PIECE_LIMIT = 4 << 20


class Files:
    """Some of the agent's verbs.

    Args:
        journal: beside which the scratch directory is.
    """

    def __init__(self, journal: Journal) -> None:
        self._scratch = journal.directory / "scratch"

    @verb
    def upload(self, path: str, data: bytes, mode: int = 0o644) -> None:
        """Writes a file; a missing directory is an error. The run does not remove it: it is the caller's."""
        try:
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:
                file.write(data)
        except OSError as error:
            raise MachineError(f"cannot write {path}: {error.strerror}") from None

    @verb
    def download(self, path: str) -> bytes:
        """The content of a file of at most `TRANSFER_LIMIT` bytes."""
        try:
            if (size := os.stat(path).st_size) > TRANSFER_LIMIT:
                raise MachineError(
                    f"{path} has {size} bytes, more than the {TRANSFER_LIMIT} that are fetched at once"
                )
            return Path(path).read_bytes()
        except OSError as error:
            raise MachineError(f"cannot read {path}: {error.strerror}") from None

    @verb
    def read_piece(self, path: str, offset: int, size: int) -> bytes:
        """So many bytes of a file from an offset on, at most `PIECE_LIMIT`; fewer at its end, and none behind it."""
        if not 0 < size <= PIECE_LIMIT:
            raise UsageError(f"read_piece {path}: size {size}; a piece has 1 to {PIECE_LIMIT} bytes")
        try:
            with open(path, "rb") as file:
                file.seek(offset)
                return file.read(size)
        except (OSError, ValueError) as error:
            raise MachineError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None

    @verb
    def scratch_directory(self) -> str:
        """A directory on this machine that vanishes with the run: for captures and the like."""
        self._scratch.mkdir(exist_ok=True)
        return str(self._scratch)

    def close(self) -> None:
        """Remove the scratch directory."""
        shutil.rmtree(self._scratch, ignore_errors=True)
