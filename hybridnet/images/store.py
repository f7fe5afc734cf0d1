# SPDX-License-Identifier: MIT
"""The images that this computer has unpacked: each once, under the digest of its configuration.

    DATA/images/DIGEST/root         its files, which hosts see below their own
    DATA/images/DIGEST/image.json   what it is
    DATA/images/.DIGEST.lock        whoever unpacks or removes it holds this

Whoever uses an image holds a lock on its image.json, which ends with the process. The file's time is when the image
was last taken into use. An unpacking that was interrupted leaves a folder ``.DIGEST.new``, which the next one of that
image, or `prune`, removes.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hybridnet.describe.images import REGISTRY, ImageReference
from hybridnet.errors import MachineError
from hybridnet.images import source
from hybridnet.images.layers import Unpacking
from hybridnet.images.registry import fetched
from hybridnet.system.daemon import LOOK_S
from hybridnet.system.folders import data_folder
from hybridnet.system.interruption import heed
from hybridnet.system.rootless import is_rootless

__all__ = ["Kept", "Removed", "Stored", "Unpacked", "images_folder", "kept", "prune", "stored", "unpacked"]

_ABOUT = "image.json"
_BLOCK_BYTES = 512  # of st_blocks, whatever the file system has


@dataclass(frozen=True)
class Stored:
    """An image that has been unpacked.

    Args:
        digest: SHA-256 of its configuration.
        names: how descriptions have named it, the last one last.
        config: as OCI has it: Entrypoint, Cmd, Env, User, WorkingDir, StopSignal.
        entries, bytes: what its layers have.
        unpacked: when, in seconds since 1970.
    """

    digest: str
    names: list[str]
    config: Mapping[str, Any]
    entries: int
    bytes: int
    unpacked: float


@dataclass(frozen=True)
class Kept:
    """An image on this computer's disk.

    Args:
        about: what it is.
        disk_bytes: what it takes there.
        last_used: when a network last began to use it, in seconds since 1970.
        in_use: whether a network uses it now.
    """

    about: Stored
    disk_bytes: int
    last_used: float
    in_use: bool


@dataclass(frozen=True)
class Removed:
    """What `prune` has removed.

    Args:
        digest: of the image.
        names: how descriptions have named it; empty: it was not whole.
        disk_bytes: what it took on the disk.
    """

    digest: str
    names: list[str]
    disk_bytes: int


@dataclass(frozen=True)
class Unpacked:
    """An image in use.

    Args:
        root: the folder of its files, which nobody changes.
        about: what it is.
        hold: a descriptor; as long as it is open, nobody removes the image.
    """

    root: Path
    about: Stored
    hold: int


def images_folder() -> Path:
    """Where images are."""
    return data_folder() / "images"


def unpacked(reference: ImageReference, on_progress: Callable[[str], object] = lambda text: None) -> Unpacked:
    """Have an image unpacked, which is done once for each content. The caller closes `Unpacked.hold`.

    Raises:
        MachineError: it is not there, damaged, or made to harm; the message names the image and the part. Or the work
            was interrupted.
        EnvironmentLackError: it is in a registry, and what fetches it is missing.
    """
    try:
        if reference.form == REGISTRY:
            with fetched(reference, on_progress) as folder, source.opened(folder) as image:
                return _unpacked(image, str(reference), on_progress)
        with source.opened(reference) as image:
            return _unpacked(image, str(reference), on_progress)
    except MachineError as error:
        raise MachineError(f"image {reference}: {error}") from None
    except OSError as error:
        raise MachineError(
            f"image {reference}: {error.filename or images_folder()}: {error.strerror}"
        ) from None


def stored() -> list[Stored]:
    """The images that have been unpacked, by digest."""
    folder = images_folder()
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    return [about for path in found if not path.name.startswith(".") and (about := _about(path)) is not None]


def kept() -> list[Kept]:
    """The images that have been unpacked, the one that was used last first."""
    found = []
    for about in stored():
        place = images_folder() / about.digest
        try:
            last_used, in_use = (place / _ABOUT).stat().st_mtime, not _is_unused(place)
        except FileNotFoundError:  # somebody prunes
            continue
        found.append(Kept(about, _disk_bytes(place), last_used, in_use))
    return sorted(found, key=lambda each: (-each.last_used, each.about.digest))


def prune() -> list[Removed]:
    """Remove images that no network uses, and what interrupted unpackings have left. Returns what was removed."""
    folder, removed = images_folder(), []
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        digest = path.name.strip(".").partition(".")[0]
        if path.name.startswith(".") and not path.name.endswith(".new"):
            continue
        with _changing(digest, wait=False) as ours:
            about = _about(path)
            if not ours or not _is_unused(path):
                continue
            removed.append(Removed(digest, [] if about is None else about.names, _disk_bytes(path)))
            _remove(path)
            (folder / f".{digest}.lock").unlink(missing_ok=True)
    return removed


def _unpacked(image: source.Image, name: str, on_progress: Callable[[str], object]) -> Unpacked:
    folder = images_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    place = folder / image.digest
    with _changing(image.digest):
        about = _about(place)
        if about is None:
            unfinished = folder / f".{image.digest}.new"
            _remove(unfinished)
            _remove_damaged(place)
            about = _unpack(image, unfinished, name, on_progress)
            os.rename(unfinished, place)
        elif name not in about.names:
            about = Stored(**{**asdict(about), "names": [*about.names, name][-20:]})
            _write_about(place, about)
        hold = os.open(place / _ABOUT, os.O_RDONLY | os.O_CLOEXEC)
        fcntl.flock(hold, fcntl.LOCK_SH)
        os.utime(hold)
    return Unpacked(place / "root", about, hold)


def _unpack(image: source.Image, place: Path, name: str, on_progress: Callable[[str], object]) -> Stored:
    (place / "root").mkdir(parents=True)
    (place / "root").chmod(0o755)
    unpacking = Unpacking(place / "root", on_progress, owned=os.geteuid() == 0 and not is_rootless())
    try:
        for layer in image.layers:
            with image.layer(layer) as stream:
                unpacking.apply(stream)
    except BaseException:
        _remove(place)
        raise
    finally:
        unpacking.close()
    about = Stored(image.digest, [name], dict(image.config), unpacking.entries, unpacking.bytes, time.time())
    _write_about(place, about)
    return about


def _write_about(place: Path, about: Stored) -> None:
    # In place: whoever uses the image has its lock on this very file.
    with open(place / _ABOUT, "r+" if (place / _ABOUT).exists() else "w") as file:
        file.write(json.dumps(asdict(about)))
        file.truncate()


def _about(place: Path) -> Stored | None:
    try:
        return Stored(**json.loads((place / _ABOUT).read_text()))
    except (OSError, ValueError, TypeError):
        return None


def _remove_damaged(place: Path) -> None:
    """Remove an image whose description is damaged (the disk was full, or the computer lost its power). Raises
    MachineError: a network uses it.
    """
    if place.is_dir() and not _is_unused(place):
        raise MachineError(
            f"{place / _ABOUT} is damaged, and a network uses that image; end the network, and start this one again"
        )
    _remove(place)


def _is_unused(place: Path) -> bool:
    try:
        with open(place / _ABOUT) as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (FileNotFoundError, NotADirectoryError):  # it is not whole
        return True
    return True


@contextlib.contextmanager
def _changing(digest: str, *, wait: bool = True) -> Iterator[bool]:
    """While the block runs nobody else unpacks or removes an image. False: somebody else does, and `wait` is False.

    Raises:
        MachineError: the waiting was interrupted.
    """
    path = images_folder() / f".{digest}.lock"
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if not wait:
                    yield False
                    return
                heed()  # who unpacks a large image, or is stopped, may hold it for long
                time.sleep(LOOK_S)
                continue
            if path.exists() and os.path.samestat(os.fstat(descriptor), path.stat()):
                yield True
                return
        finally:
            os.close(descriptor)


def _remove(path: Path) -> None:
    if not path.is_dir():
        return
    if os.geteuid() != 0:  # only root removes files of folders that are read-only
        path.chmod(0o700)
        for folder, names, _ in os.walk(path):
            for inner in (os.path.join(folder, name) for name in names):
                if not os.path.islink(inner):
                    os.chmod(inner, 0o700)
    shutil.rmtree(path)


def _disk_bytes(path: Path) -> int:
    """What a folder takes on the disk; a file with several names counts once."""
    found = {}
    for folder, folders, files in os.walk(path):
        for name in (".", *folders, *files):
            state = os.lstat(os.path.join(folder, name))
            found[state.st_dev, state.st_ino] = state.st_blocks * _BLOCK_BYTES
    return sum(found.values())
