# SPDX-License-Identifier: MIT
"""The file that an editor has open, which others may change meanwhile."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
from pathlib import Path

from hybridnet.describe.values import shown
from hybridnet.errors import UsageError
from hybridnet.plan.files.files import read_text
from hybridnet.system.asking_user import asking_user

__all__ = ["ENDS", "OpenFile"]

ENDS = (".yaml", ".yml")


class OpenFile:
    """One file of a folder.

    Args:
        path: where it is, or will be.

    Raises:
        UsageError: its name has another end, it cannot be read, or is in no folder.
        TopologyError: it is no text.
    """

    def __init__(self, path: Path) -> None:
        self._folder = path.parent
        if not self._folder.is_dir():
            raise UsageError(f"{path}: there is no folder {self._folder}; make it")
        self.name = self._checked(path.name)
        self.text = read_text(path) if path.exists() else None
        """What it had when it was opened or saved last; None: it has not been there."""

    @property
    def stamp(self) -> str:
        """Names that text; empty: there is none."""
        return _stamp(self.text)

    def save(self, name: str, text: str, stamp: str, *, over: bool = False) -> str | None:
        """Write it, whole or not at all.

        Args:
            name: in the same folder.
            stamp: of the text that whoever saves has seen there.
            over: also over what they have not seen.

        Returns:
            None: it has been written. Else why something would be lost, and it was not.

        Raises:
            UsageError: it cannot be written, or may not be named so.
        """
        path = self._folder / self._checked(name)
        there = self._there(path)
        if not over and there not in (None, text) and _stamp(there) != stamp:
            return (
                f"{name} has been changed by somebody else since it was opened here"
                if stamp
                else f"there is a file {name} already"
            )
        try:
            _replace(Path(os.path.realpath(path)), text)
        except OSError as error:
            raise UsageError(
                f"{path}: it cannot be written: {error.strerror}; choose another folder"
            ) from None
        self.name, self.text = name, text
        return None

    @staticmethod
    def _there(path: Path) -> str | None:
        """What is there now; what is no text of ours is there as well."""
        try:
            return path.read_bytes().decode(errors="replace")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UsageError(f"{path}: it cannot be read: {error.strerror}; choose another name") from None

    @staticmethod
    def _checked(name: str) -> str:
        if not name.endswith(ENDS) or name in ENDS or Path(name).name != name or not name.isprintable():
            raise UsageError(
                f"{shown(name)} is no name for a file of the editor; write one without a folder that ends with "
                f"{' or '.join(ENDS)}, such as net.yaml"
            )
        return name


def _stamp(text: str | None) -> str:
    return "" if text is None else hashlib.sha256(text.encode()).hexdigest()


def _replace(path: Path, text: str) -> None:
    """Put a file with this text in the place of what is there, with the same owner and rights. Raises OSError."""
    try:
        before = path.stat()
        user, group, mode = before.st_uid, before.st_gid, stat.S_IMODE(before.st_mode)
    except FileNotFoundError:
        (user, group), mode = asking_user(), 0o644
    descriptor, new = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            if os.geteuid() == 0:
                os.fchown(descriptor, user, group)
            os.fchmod(descriptor, mode)
            os.fsync(descriptor)
        os.replace(new, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(new)
        raise
