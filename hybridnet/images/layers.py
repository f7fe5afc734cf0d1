# SPDX-License-Identifier: MIT
"""Unpacking the layers of an image over each other into one folder.

A layer is a tar file of strangers, so nothing in it is believed. No entry is made or removed outside of the folder:
each name is walked from the folder's own descriptor, component by component, and a link on the way leads where it would
lead in the image, whose root the folder is. What names a place outside is refused, and so is too much of anything.

    name/.wh.FILE     a whiteout: lower layers' FILE is not there
    name/.wh..wh..opq lower layers' files in this folder are not there

Not made: device nodes, as hosts have a /dev of their own; extended attributes other than file capabilities. Without
root's privileges everything belongs to the user.
Source: OCI Image Format Specification 1.1, layer.md.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from hybridnet.describe.values import shown
from hybridnet.errors import MachineError
from hybridnet.images.tar_files import for_each_entry
from hybridnet.system.interruption import heed

__all__ = ["MOST_BYTES", "MOST_ENTRIES", "Unpacking"]

MOST_ENTRIES = 1_000_000
MOST_BYTES = 64 << 30
MOST_LINKS = 40  # on the way to one entry, as in Linux
MOST_NAME = 4095
MOST_DEPTH = 200
_WHITEOUT, _OPAQUE = ".wh.", ".wh..wh..opq"
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_CAPABILITY = "security.capability"
_CHUNK = 1 << 20

_Made = set[tuple[int, str]]
"""Entries: the number of the folder, and the name."""


class Unpacking:
    """The layers of one image on their way into a folder.

    Args:
        root: an empty folder.
        on_progress: is given what is being done, now and then.
        owned: whether entries get the owners that they have in the image, which needs root's privileges.
    """

    def __init__(
        self, root: Path, on_progress: Callable[[str], object] = lambda text: None, *, owned: bool = True
    ) -> None:
        self._root = os.open(root, _FOLDER_FLAGS)
        self._on_progress, self._owned = on_progress, owned
        self.entries = 0
        self.bytes = 0

    def close(self) -> None:
        """Forget the folder, which stays."""
        os.close(self._root)

    def apply(self, layer: IO[bytes]) -> None:
        """Unpack a layer over those that are there.

        Raises:
            MachineError: an entry cannot be, leaves the folder, or is one too many; the message names it. Or the work
                was interrupted. What is in the folder then is of no use.
        """
        made: _Made = set()  # by this layer, which its own whiteouts leave alone
        hiding: _Made = set()  # whiteouts that were done: nothing of lower layers is there any more
        times: list[tuple[str, float]] = []

        def unpack(archive: tarfile.TarFile, entry: tarfile.TarInfo) -> None:
            self._count(entry)
            try:
                self._make(archive, entry, made, hiding)
            except OSError as error:
                raise MachineError(
                    f"entry {shown(entry.name)} cannot be made: {os.strerror(error.errno or 0)}"
                ) from None
            if entry.isdir():
                times.append((entry.name, entry.mtime))

        for_each_entry(layer, unpack)
        for name, when in reversed(times):  # what came later has changed the folder
            with contextlib.suppress(OSError), self._parent(name) as (folder, last):
                os.utime(last, (when, when), dir_fd=folder, follow_symlinks=False)

    def _count(self, entry: tarfile.TarInfo) -> None:
        self.entries += 1
        self.bytes += entry.size if entry.isreg() else 0
        if self.entries > MOST_ENTRIES:
            raise MachineError(f"it has more than {MOST_ENTRIES} entries, which is the most that is unpacked")
        if self.bytes > MOST_BYTES:
            raise MachineError(f"it has more than {MOST_BYTES >> 30} GB, which is the most that is unpacked")
        heed()
        if self.entries % 1000 == 0:
            self._on_progress(f"{self.entries} files, {self.bytes >> 20} MB unpacked")

    def _make(self, archive: tarfile.TarFile, entry: tarfile.TarInfo, made: _Made, hiding: _Made) -> None:
        if entry.name in (".", "./", "/"):
            os.chmod(self._root, entry.mode & 0o7777)
            return
        with self._parent(entry.name, make=True) as (folder, last):
            if last.startswith(_WHITEOUT):
                whiteout = (os.fstat(folder).st_ino, last)
                if whiteout in hiding:
                    return
                hiding.add(whiteout)
            if last == _OPAQUE:
                for name in os.listdir(folder):
                    _remove(folder, name, made)
                return
            if last.startswith(_WHITEOUT):
                hidden = last.removeprefix(_WHITEOUT)
                if hidden in ("", ".", "..") or hidden.startswith(_WHITEOUT):
                    raise MachineError(
                        f"entry {shown(entry.name)} is a whiteout of nothing that could be there"
                    )
                _remove(folder, hidden, made)
                return
            self._make_at(archive, entry, folder, last)
            made.add((os.fstat(folder).st_ino, last))

    def _make_at(self, archive: tarfile.TarFile, entry: tarfile.TarInfo, folder: int, last: str) -> None:
        if entry.isdir():
            self._make_folder(folder, last)
        else:
            _remove(folder, last, set())
            if entry.ischr() or entry.isblk():
                return
            if entry.issym():
                _require_inside(entry)
                os.symlink(entry.linkname, last, dir_fd=folder)
            elif entry.islnk():
                with self._parent(entry.linkname) as (other, name):
                    os.link(name, last, src_dir_fd=other, dst_dir_fd=folder, follow_symlinks=False)
                return
            elif entry.isfifo():
                os.mkfifo(last, 0o600, dir_fd=folder)
            elif entry.isreg():
                self._write(archive, entry, folder, last)
            else:
                raise MachineError(f"entry {shown(entry.name)} is of an unknown kind, {entry.type!r}")
        self._describe(entry, folder, last)

    @staticmethod
    def _make_folder(folder: int, last: str) -> None:
        try:
            os.mkdir(last, 0o755, dir_fd=folder)
        except FileExistsError:
            if not stat.S_ISDIR(os.stat(last, dir_fd=folder, follow_symlinks=False).st_mode):
                os.unlink(last, dir_fd=folder)
                os.mkdir(last, 0o755, dir_fd=folder)

    @staticmethod
    def _write(archive: tarfile.TarFile, entry: tarfile.TarInfo, folder: int, last: str) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        source = archive.extractfile(entry)
        assert source is not None
        with os.fdopen(os.open(last, flags, 0o600, dir_fd=folder), "wb") as target:
            while data := source.read(_CHUNK):
                target.write(data)

    def _describe(self, entry: tarfile.TarInfo, folder: int, last: str) -> None:
        """Give an entry its owner, its mode, its file capabilities and its time."""
        if self._owned:
            os.chown(last, entry.uid, entry.gid, dir_fd=folder, follow_symlinks=False)
        if not entry.issym():
            os.chmod(last, entry.mode & 0o7777, dir_fd=folder)
        if self._owned and entry.isreg() and (value := entry.pax_headers.get(f"SCHILY.xattr.{_CAPABILITY}")):
            os.setxattr(
                f"/proc/self/fd/{folder}/{last}", _CAPABILITY, _bytes_of(value), follow_symlinks=False
            )
        os.utime(last, (entry.mtime, entry.mtime), dir_fd=folder, follow_symlinks=False)

    @contextlib.contextmanager
    def _parent(self, name: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """The descriptor of an entry's folder, and the entry's own name; `make`: with folders that are missing."""
        parts = _parts(name)
        descriptor = self._walk(parts[:-1], name, make=make)
        try:
            yield descriptor, parts[-1]
        finally:
            os.close(descriptor)

    def _walk(self, parts: list[str], name: str, *, make: bool) -> int:
        """A descriptor of the folder to which names lead from the root."""
        left, links = parts[::-1], 0
        way = [os.dup(self._root)]
        try:
            while left:
                part = left.pop()
                if part == "..":  # of a link: at the root it stays there, as in Linux
                    if len(way) > 1:
                        os.close(way.pop())
                    continue
                try:
                    target = os.readlink(part, dir_fd=way[-1])
                except OSError as error:
                    if error.errno not in (errno.EINVAL, errno.ENOENT):
                        raise
                    way.append(_entered(way[-1], part, make=make and error.errno == errno.ENOENT))
                else:
                    links += 1
                    if links > MOST_LINKS:
                        raise MachineError(f"entry {shown(name)} is behind more than {MOST_LINKS} links")
                    if target.startswith("/"):
                        while len(way) > 1:
                            os.close(way.pop())
                    left += [each for each in target.split("/")[::-1] if each not in ("", ".")]
                if len(way) > MOST_DEPTH:
                    raise MachineError(f"entry {shown(name)} is more than {MOST_DEPTH} folders deep")
            return os.dup(way[-1])
        finally:
            for descriptor in way:
                os.close(descriptor)


def _entered(folder: int, name: str, *, make: bool) -> int:
    if make:
        os.mkdir(name, 0o755, dir_fd=folder)
    return os.open(name, _FOLDER_FLAGS, dir_fd=folder)


def _parts(name: str) -> list[str]:
    """The components of an entry's name. Raises MachineError: it leaves the root, or is none."""
    if name.startswith("/") or "\0" in name or len(os.fsencode(name)) > MOST_NAME:
        raise MachineError(f"entry {shown(name)} has no name within the image; the archive is made to harm")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts or not parts:
        raise MachineError(f"entry {shown(name)} leaves the image's root; the archive is made to harm")
    return parts


def _require_inside(entry: tarfile.TarInfo) -> None:
    """Raise MachineError for a relative link that climbs above the root."""
    if not entry.linkname or "\0" in entry.linkname or len(os.fsencode(entry.linkname)) > MOST_NAME:
        raise MachineError(f"link {shown(entry.name)} leads to {shown(entry.linkname)}, which is no name")
    if entry.linkname.startswith("/"):
        return  # of the image's root
    depth = len(_parts(entry.name)) - 1
    for part in entry.linkname.split("/"):
        depth += 0 if part in ("", ".") else -1 if part == ".." else 1
        if depth < 0:
            raise MachineError(
                f"link {shown(entry.name)} leads to {shown(entry.linkname)}, out of the image's root; the archive is "
                "made to harm"
            )


def _remove(folder: int, name: str, kept: _Made) -> None:
    """Remove an entry with all below it, except what is in `kept`."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return
    stays = bool(kept) and (os.fstat(folder).st_ino, name) in kept
    if not stat.S_ISDIR(found.st_mode):
        if not stays:
            os.unlink(name, dir_fd=folder)
    elif not kept:
        shutil.rmtree(name, dir_fd=folder)
    else:
        inner = os.open(name, _FOLDER_FLAGS, dir_fd=folder)
        try:
            for each in os.listdir(inner):
                _remove(inner, each, kept)
            empty = not os.listdir(inner)
        finally:
            os.close(inner)
        if empty and not stays:
            os.rmdir(name, dir_fd=folder)


def _bytes_of(value: str) -> bytes:
    """An attribute's value, which tar has as text: bytes that are no UTF-8 are surrogates there."""
    return value.encode("utf-8", "surrogateescape")
