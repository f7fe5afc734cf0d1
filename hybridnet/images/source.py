# SPDX-License-Identifier: MIT
"""An image as it is stored: its configuration and its layers, each checked against its digest.

Two forms are read, from a folder or a tar file:

    OCI layout       index.json → manifest → configuration and layers, all in blobs/sha256/
    docker save      manifest.json → configuration and layers, by names of their own

Source: OCI Image Format Specification 1.1 (image-layout.md, image-index.md, manifest.md, config.md); Docker's image
specification 1.2 for `manifest.json`.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import json
import os
import platform
import re
import stat
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

from hybridnet.describe.images import FOLDER, ImageReference
from hybridnet.describe.values import shown, why_unread
from hybridnet.errors import MachineError
from hybridnet.images.tar_files import headers_of_one_file

__all__ = ["MOST_LAYERS", "Image", "Layer", "opened"]

MOST_JSON_BYTES = 4 << 20
MOST_LAYERS = 128
MOST_MANIFESTS = 1000  # of an index
MOST_ARCHIVED = 100_000  # entries of an archive
MOST_DEPTH = 4  # of indexes in indexes, and of links in an archive
MOST_LAYER_BYTES = 64 << 30  # uncompressed: some thousand times as much may come out of a file
_CHUNK = 1 << 20
_DIGEST = re.compile(r"sha256:([0-9a-f]{64})")
_NAME = "org.opencontainers.image.ref.name"
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "armv7l": "arm", "riscv64": "riscv64"}
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"


class _Files(Protocol):
    """Where an image's files are."""

    def open(self, name: str) -> IO[bytes]:
        """Open a file by its name in the image. Raises MachineError."""

    def has(self, name: str) -> bool:
        """Whether there is a file of that name."""


@dataclass(frozen=True)
class Layer:
    """One layer of an image.

    Args:
        name: of its file.
        digest: of the file, as it is stored; None: the image does not say.
        diff_id: of the tar file that it holds.
    """

    name: str
    digest: str | None
    diff_id: str


@dataclass(frozen=True)
class Image:
    """An image whose configuration has been read.

    Args:
        digest: SHA-256 of the configuration, which has those of all layers: it stands for the whole content.
        config: as OCI has it, the part ``config``.
        layers: the lowest first.
    """

    digest: str
    config: Mapping[str, Any]
    layers: tuple[Layer, ...]
    _files: _Files

    @contextlib.contextmanager
    def layer(self, layer: Layer) -> Iterator[IO[bytes]]:
        """The tar file of a layer. At the end of the block all of it has been read, and its digests checked.

        Raises:
            MachineError: it is not what the image says, or compressed in a way that nothing here reads.
        """
        with self._files.open(layer.name) as stored:
            outer = _Hashed(stored)
            head = outer.peek(4)
            if head == _ZSTD:
                raise MachineError(
                    f"layer {layer.name} is compressed with zstd, which is not read here; write the image anew with "
                    "`skopeo copy --dest-compress-format gzip`"
                )
            inner = _Hashed(gzip.GzipFile(fileobj=outer, mode="rb")) if head[:2] == _GZIP else outer
            try:
                yield inner  # type: ignore[misc]
                inner.drain()
                outer.drain()
            except (zlib.error, gzip.BadGzipFile, EOFError) as error:
                raise MachineError(f"layer {layer.name} is damaged: {error}; fetch the image again") from None
            _require(layer.diff_id, inner.digest(), f"layer {layer.name}, uncompressed,")
            if layer.digest is not None:
                _require(layer.digest, outer.digest(), f"layer {layer.name}")


@contextlib.contextmanager
def opened(reference: ImageReference) -> Iterator[Image]:
    """Open an image that is a folder or an archive, while the block runs.

    Raises:
        MachineError: it is not there, is of another processor, or is not what its digests say.
    """
    place = Path(reference.place)
    if reference.form == FOLDER:
        if not place.is_dir():
            raise MachineError(
                f"there is no folder {place}; make one with `skopeo copy docker://NAME oci:FOLDER:TAG`"
            )
        yield _read(_Folder(place), reference.tag)
        return
    if not place.is_file():
        raise MachineError(f"there is no file {place}; make one with `docker save NAME -o FILE.tar`")
    try:
        with tarfile.open(place, tarinfo=headers_of_one_file(kept=True), errorlevel=2) as archive:
            yield _read(_Archive(archive), reference.tag)
    except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
        why = str(error).partition(":\n")[0]  # then comes what each way to open one has said
        raise MachineError(f"{place} is no tar file, or damaged: {why}") from None


def _read(files: _Files, tag: str | None) -> Image:
    if files.has("manifest.json"):
        return _of_docker(files, tag)
    if files.has("index.json"):
        return _of_oci(files, tag)
    raise MachineError("it has neither index.json nor manifest.json, so it is no image")


def _of_oci(files: _Files, tag: str | None) -> Image:
    manifests = _list(_json(files, "index.json"), "manifests", "index.json", MOST_MANIFESTS)
    names = [str(_inner(each, "annotations", "index.json").get(_NAME)) for each in manifests]
    chosen = [each for each, name in zip(manifests, names, strict=True) if tag in (None, name)]
    if len(chosen) != 1:
        there = ", ".join(sorted(name for name in names if name != "None")[:20]) or "none with a name"
        asked = "several images, so say which" if tag is None else f"no single image {shown(tag)}"
        raise MachineError(f"it has {asked}; it has: {there}")
    manifest = _manifest(files, chosen[0], MOST_DEPTH)
    described = manifest.get("config")
    name, digest = _blob(described, "configuration")
    raw = _checked(files, name, digest)
    layers = _list(manifest, "layers", "the manifest", MOST_LAYERS)
    stored = [_blob(each, "layer") for each in layers]
    return _image(files, raw, [(own, own_digest) for own, own_digest in stored])


def _manifest(files: _Files, described: Any, depth: int) -> Mapping[str, Any]:
    """The manifest that a descriptor leads to; of an index, that of this computer's processor."""
    name, digest = _blob(described, "manifest")
    found = _object(_checked(files, name, digest), name)
    if "manifests" not in found:
        return found
    if depth == 0:
        raise MachineError(f"its indexes are nested more than {MOST_DEPTH} deep")
    ours = _architecture()
    inner = _list(found, "manifests", name, MOST_MANIFESTS)
    platforms = [_inner(each, "platform", name) for each in inner]
    for each, its in zip(inner, platforms, strict=True):
        if (its.get("os"), its.get("architecture")) == ("linux", ours):
            return _manifest(files, each, depth - 1)
    there = ", ".join(sorted({str(its.get("architecture")) for its in platforms})[:20])
    raise MachineError(f"it has no image for linux on {ours}, only for: {there}")


def _of_docker(files: _Files, tag: str | None) -> Image:
    images = _parsed(_small(files, "manifest.json"), "manifest.json")
    if not isinstance(images, list) or not all(isinstance(each, dict) for each in images):
        raise MachineError("its manifest.json is no list of images")
    named = [each if each.get("RepoTags") is not None else {"RepoTags": []} for each in images]
    names = [_list(each, "RepoTags", "manifest.json", MOST_MANIFESTS, of=str) for each in named]
    chosen = [each for each, own in zip(images, names, strict=True) if tag is None or _named(tag, own)]
    if len(chosen) != 1:
        there = ", ".join(sorted(name for own in names for name in own)[:20]) or "none with a name"
        asked = "several images, so say which" if tag is None else f"no single image {shown(tag)}"
        raise MachineError(f"it has {asked}; it has: {there}")
    [image] = chosen
    raw = _small(files, str(image.get("Config")))
    layers = _list(image, "Layers", "manifest.json", MOST_LAYERS, of=str)
    return _image(files, raw, [(name, None) for name in layers])


def _named(tag: str, names: list[str]) -> bool:
    return any(name == tag or name.rpartition(":")[2] == tag for name in names)


def _image(files: _Files, raw: bytes, stored: list[tuple[str, str | None]]) -> Image:
    described = _object(raw, "the configuration")
    if (ours := _architecture()) != described.get("architecture", ours):
        raise MachineError(f"it is for {shown(described['architecture'])}, and this computer is {ours}")
    rootfs = _inner(described, "rootfs", "the configuration")
    diff_ids = _list(rootfs, "diff_ids", "the configuration", MOST_LAYERS, of=str)
    if len(diff_ids) != len(stored):
        raise MachineError(f"it has {len(stored)} layers, and the digests of {len(diff_ids)}; it is damaged")
    layers = tuple(
        Layer(name, digest, _sha256(diff_id, "a layer"))
        for (name, digest), diff_id in zip(stored, diff_ids, strict=True)
    )
    config = _inner(described, "config", "the configuration")
    return Image(hashlib.sha256(raw).hexdigest(), config, layers, files)


def _architecture() -> str:
    machine = platform.machine()
    return _ARCHITECTURES.get(machine, machine)


def _blob(described: Any, what: str) -> tuple[str, str]:
    """The name of the file that a descriptor means, and its digest."""
    if not isinstance(described, dict):
        raise MachineError(f"its {what} is not described; it is damaged")
    digest = _sha256(described.get("digest"), what)
    return f"blobs/sha256/{digest}", digest


def _sha256(value: Any, what: str) -> str:
    if not isinstance(value, str) or (found := _DIGEST.fullmatch(value)) is None:
        raise MachineError(f"the digest {shown(value)} of its {what} is not sha256: and 64 digits")
    return found[1]


def _checked(files: _Files, name: str, digest: str) -> bytes:
    raw = _small(files, name)
    _require(digest, hashlib.sha256(raw).hexdigest(), name)
    return raw


def _require(wanted: str, found: str, what: str) -> None:
    if wanted != found:
        raise MachineError(
            f"{what} has the digest {found[:12]}…, and should have {wanted[:12]}…; it is damaged, fetch the image again"
        )


def _json(files: _Files, name: str) -> Mapping[str, Any]:
    return _object(_small(files, name), name)


def _small(files: _Files, name: str) -> bytes:
    with files.open(name) as stream:
        raw = stream.read(MOST_JSON_BYTES + 1)
    if len(raw) > MOST_JSON_BYTES:
        raise MachineError(f"{name} has more than {MOST_JSON_BYTES >> 20} MB, which no description needs")
    return raw


def _parsed(raw: bytes, name: str) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise MachineError(f"{name} is no JSON: {why_unread(error)}") from None


def _object(raw: bytes, name: str) -> Mapping[str, Any]:
    found = _parsed(raw, name)
    if not isinstance(found, dict):
        raise MachineError(f"{name} is no JSON object")
    return found


def _inner(holder: Mapping[str, Any], key: str, what: str) -> Mapping[str, Any]:
    """An object in another one; empty where there is none."""
    found = holder.get(key)
    if found is not None and not isinstance(found, dict):
        raise MachineError(f"{what} has a `{key}` that is no object; it is damaged")
    return found or {}


def _list(holder: Mapping[str, Any], key: str, what: str, most: int, of: type = dict) -> list[Any]:
    found = holder.get(key)
    if not isinstance(found, list) or not all(isinstance(each, of) for each in found):
        raise MachineError(f"{what} has no list `{key}`; it is damaged")
    if len(found) > most:
        raise MachineError(f"{what} has {len(found)} {key}, and may have {most}")
    return found


class _Folder:
    """Files in a folder."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def has(self, name: str) -> bool:
        return (self._root / name).is_file()

    def open(self, name: str) -> IO[bytes]:
        path = self._root / name
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise MachineError(f"{name} cannot be read: {os.strerror(error.errno or 0)}") from None
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise MachineError(f"{name} is no file")
        return os.fdopen(descriptor, "rb")


class _Archive:
    """Files in a tar file."""

    def __init__(self, archive: tarfile.TarFile) -> None:
        self._archive = archive
        self._entries: dict[str, tarfile.TarInfo] = {}
        try:
            for number, entry in enumerate(archive):
                if number >= MOST_ARCHIVED:
                    raise MachineError(
                        f"it has more than {MOST_ARCHIVED} entries, which no archive of images needs"
                    )
                self._entries[os.path.normpath(entry.name)] = entry
        except (ValueError, OverflowError) as error:  # a header with figures that no file can have
            raise MachineError(f"its tar file is damaged, or made to harm: {error}") from None

    def has(self, name: str) -> bool:
        return name in self._entries

    def open(self, name: str) -> IO[bytes]:
        entry, at = self._entries.get(os.path.normpath(name)), name
        for _ in range(MOST_DEPTH):  # Docker has stored equal layers as links
            if entry is None or not (entry.issym() or entry.islnk()):
                break
            folder = os.path.dirname(at) if entry.issym() else ""
            at = os.path.normpath(os.path.join(folder, entry.linkname))
            entry = self._entries.get(at)
        stream = self._archive.extractfile(entry) if entry is not None and entry.isreg() else None
        if stream is None:
            raise MachineError(f"{shown(name)} is not a file of it; it is damaged")
        return stream


class _Hashed:
    """A stream that is read once, with the SHA-256 of what has been read."""

    def __init__(self, stream: IO[bytes] | gzip.GzipFile) -> None:
        self._stream = stream
        self._ahead = b""
        self._hash = hashlib.sha256()
        self._read = 0

    def peek(self, size: int) -> bytes:
        """The first bytes, before anything is read."""
        self._ahead = self._stream.read(size)
        return self._ahead

    def read(self, size: int = -1) -> bytes:
        """As of any stream."""
        size = _CHUNK if size < 0 else size
        if self._ahead:
            data, self._ahead = self._ahead[:size], self._ahead[size:]
        else:
            data = self._stream.read(size)
        self._hash.update(data)
        self._read += len(data)
        if self._read > MOST_LAYER_BYTES:
            raise MachineError(
                f"a layer has more than {MOST_LAYER_BYTES >> 30} GB, which is the most that is read"
            )
        return data

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """It goes forward only. Raises UnsupportedOperation."""
        raise io.UnsupportedOperation("seek")

    def drain(self) -> None:
        """Read what is left."""
        while self.read(_CHUNK):
            pass

    def digest(self) -> str:
        """Of what has been read."""
        return self._hash.hexdigest()
