# SPDX-License-Identifier: MIT
"""Images as strangers may make them: each is read, or refused with words, and nothing outside its folder changes."""

from __future__ import annotations

import copy
import hashlib
import io
import json
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridnet.describe.images import parse_image
from hybridnet.errors import MachineError
from hybridnet.images.layers import Unpacking
from hybridnet.images.source import opened
from tests.image_files import configuration, docker_archive, layer

SECRET = b"of the computer"
CONTENT = b"of the image"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one file, beside which images are unpacked."""
    made = tmp_path_factory.mktemp("hostile")
    (made / "secret").write_bytes(SECRET)
    return made


def read_or_refused(text: str) -> None:
    said = ""
    try:
        with opened(parse_image(text, "image")) as image:
            for each in image.layers:
                with image.layer(each) as stream:
                    while stream.read(1 << 16):
                        pass
    except MachineError as error:
        said = str(error)
    assert said.isprintable()


def unpacked_or_refused(folder: Path, layers: Sequence[bytes]) -> None:
    """Unpack layers over each other; the computer's file must be as it was, and nothing beside it."""
    root = folder / "root"
    root.mkdir()
    said = ""
    unpacking = Unpacking(root, owned=False)
    try:
        for each in layers:
            unpacking.apply(io.BytesIO(each))
    except MachineError as error:
        said = str(error)
    finally:
        unpacking.close()
        remove(root)
    assert said.isprintable()
    assert [each.name for each in folder.iterdir()] == ["secret"]
    assert (folder / "secret").read_bytes() == SECRET


def remove(root: Path) -> None:
    if root.is_dir() and not root.is_symlink():
        root.chmod(0o700)
        for each in root.iterdir():
            remove(each)
        root.rmdir()
    else:
        root.unlink()


_PARTS = st.sampled_from(
    ["a", "b", "..", ".", "", "/", "secret", "\x00", ".wh.a", ".wh..wh..opq", ".wh.", "x" * 300]
)
_NAMES = st.lists(_PARTS, max_size=5).map("/".join) | st.sampled_from(
    ["/etc/passwd", "../secret", "../../secret", "a/../../secret", "a/" * 300 + "b"]
)
_TYPES = st.sampled_from(
    [
        *(
            tarfile.REGTYPE,
            tarfile.DIRTYPE,
            tarfile.SYMTYPE,
            tarfile.LNKTYPE,
            tarfile.CHRTYPE,
            tarfile.FIFOTYPE,
        ),
        b"Z",
    ]
)
_ENTRIES = st.tuples(_NAMES, _TYPES, _NAMES, st.integers(0, 0o777))


def _entry(name: str, kind: bytes, target: str, mode: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode = kind, target, mode
    return info


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(_ENTRIES, max_size=6), min_size=1, max_size=3))
def test_whatever_layers_have_they_change_nothing_outside(
    folder: Path, drawn: list[list[tuple[str, bytes, str, int]]]
) -> None:
    unpacked_or_refused(folder, [layer(*(_entry(*each) for each in entries)) for entries in drawn])


def _long() -> bytes:
    """A layer with every kind of header: long names in both forms, attributes, a sparse file."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in ("a", "é" * 120):
            info = tarfile.TarInfo(name)
            info.size, info.pax_headers = len(CONTENT), {"SCHILY.xattr.user.a": "1", "mtime": "1.5"}
            archive.addfile(info, io.BytesIO(CONTENT))
        sparse = tarfile.TarInfo("sparse")
        sparse.size = len(CONTENT)
        sparse.pax_headers = {
            "GNU.sparse.major": "0",
            "GNU.sparse.minor": "1",
            "GNU.sparse.name": "sparse",
            "GNU.sparse.realsize": "4096",
            "GNU.sparse.map": f"100,{len(CONTENT)}",
        }
        archive.addfile(sparse, io.BytesIO(CONTENT))
    made.seek(0)
    with tarfile.open(fileobj=made, mode="a", format=tarfile.GNU_FORMAT) as archive:
        archive.addfile(tarfile.TarInfo("b" * 300))
    return made.getvalue()


LONG = _long()
_DIGITS = st.sampled_from(
    [b"-1", b"0", b"9" * 11, b"9" * 30, b"nan", b"1e999", b"\x80" + b"\xff" * 7, b"", b"\xff"]
)
_CHANGES = st.lists(
    st.tuples(st.integers(0, len(LONG)), st.integers(0, 40), st.binary(max_size=12) | _DIGITS),
    max_size=4,
)


def changed(raw: bytes, changes: list[tuple[int, int, bytes]]) -> bytes:
    """With some bytes replaced by others, and headers whose sums are right, so that what they say is looked at."""
    made = bytearray(raw)
    for at, length, more in changes:
        made[at : at + length] = more.ljust(length, b"\x00")[: max(length, 1)]
    for block in range(0, len(made) - 511, 512):
        if made[block + 257 : block + 262] == b"ustar":
            made[block + 148 : block + 156] = b" " * 8
            made[block + 148 : block + 156] = b"%06o\x00 " % sum(made[block : block + 512])
    return bytes(made)


@settings(max_examples=200, deadline=None)
@given(_CHANGES)
def test_a_layer_with_any_bytes_is_unpacked_or_refused(
    folder: Path, changes: list[tuple[int, int, bytes]]
) -> None:
    unpacked_or_refused(folder, [changed(LONG, changes)])


@settings(max_examples=100, deadline=None)
@given(_CHANGES, st.sampled_from(["", "gz", "bz2", "xz"]))
def test_an_archive_with_any_bytes_is_read_or_refused(
    folder: Path, changes: list[tuple[int, int, bytes]], packing: str
) -> None:
    archive = docker_archive(folder / "drawn.tar", [LONG], {})
    raw = changed(archive.read_bytes(), changes)
    if packing:
        with tarfile.open(archive, f"w:{packing}") as packed:  # type: ignore[call-overload]
            info = tarfile.TarInfo("manifest.json")
            info.size = len(raw)
            packed.addfile(info, io.BytesIO(raw))
        raw = changed(archive.read_bytes(), [])
    archive.write_bytes(raw[: len(raw) - len(changes)])
    try:
        read_or_refused(str(archive))
    finally:
        archive.unlink()


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-1, 10**18)
    | st.floats()
    | st.sampled_from(["sha256:" + "0" * 64, "a", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=6,
)
_OF_INDEX = st.sampled_from(
    [
        (),
        ("manifests",),
        ("manifests", 0),
        *(("manifests", 0, key) for key in ("digest", "annotations", "platform", "size")),
        ("manifests", 0, "annotations", "org.opencontainers.image.ref.name"),
    ]
)
_OF_MANIFEST = st.sampled_from(
    [
        (),
        ("config",),
        ("config", "digest"),
        ("layers",),
        ("layers", 0),
        ("layers", 0, "digest"),
        ("manifests",),
    ]
)
_OF_CONFIGURATION = st.sampled_from(
    [(), ("architecture",), ("config",), ("rootfs",), ("rootfs", "diff_ids"), ("rootfs", "diff_ids", 0)]
)
_OF_DOCKER = st.sampled_from(
    [(), (0,), *((0, key) for key in ("Config", "Layers", "RepoTags")), (0, "Layers", 0)]
)


def with_value(content: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The content with another value in one place."""
    if not path:
        return value
    made = copy.deepcopy(content)
    inner = made
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return made


def stored(blobs: Path, content: Any) -> dict[str, str]:
    """A blob, and what describes it."""
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    digest = hashlib.sha256(raw).hexdigest()
    (blobs / digest).write_bytes(raw)
    return {"digest": f"sha256:{digest}"}


@pytest.fixture(scope="module")
def blobs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("oci") / "blobs/sha256"
    made.mkdir(parents=True)
    return made


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(["index", "manifest", "configuration", "an index in the index"]),
    st.data(),
    _JSON,
    st.sampled_from(["", ":latest"]),
)
def test_any_description_of_an_image_is_read_or_refused(
    blobs: Path, which: str, data: st.DataObject, value: Any, tag: str
) -> None:
    content: Any = json.loads(configuration([LONG], {}))
    if which == "configuration":
        content = with_value(content, data.draw(_OF_CONFIGURATION), value)
    content = {"config": stored(blobs, content), "layers": [stored(blobs, LONG)]}
    if which == "manifest":
        content = with_value(content, data.draw(_OF_MANIFEST), value)
    if which == "an index in the index":
        own = {"manifests": [{**stored(blobs, content), "platform": {"os": "linux"}, "annotations": {}}]}
        content = with_value(own, data.draw(_OF_INDEX), value)
    content = {"manifests": [{**stored(blobs, content), "platform": {}, "annotations": {}}]}
    if which == "index":
        content = with_value(content, data.draw(_OF_INDEX), value)
    root = blobs.parents[1]
    (root / "index.json").write_text(json.dumps(content))
    read_or_refused(f"oci:{root}{tag}")


@settings(max_examples=100, deadline=None)
@given(st.booleans(), st.data(), _JSON, st.sampled_from(["", ":latest"]))
def test_any_description_of_an_archive_is_read_or_refused(
    blobs: Path, of_configuration: bool, data: st.DataObject, value: Any, tag: str
) -> None:
    root = blobs.parents[1] / "docker"
    root.mkdir(exist_ok=True)
    described: Any = json.loads(configuration([LONG], {}))
    manifest: Any = [{"Config": "config", "Layers": ["layer"], "RepoTags": ["web:latest"]}]
    if of_configuration:
        described = with_value(described, data.draw(_OF_CONFIGURATION), value)
    else:
        manifest = with_value(manifest, data.draw(_OF_DOCKER), value)
    (root / "config").write_text(json.dumps(described))
    (root / "layer").write_bytes(LONG)
    (root / "manifest.json").write_text(json.dumps(manifest))
    read_or_refused(f"oci:{root}{tag}")
