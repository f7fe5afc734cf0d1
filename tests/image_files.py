# SPDX-License-Identifier: MIT
"""Images for tests, made here: layers from entries, and both forms in which images are stored."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import platform
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Entry = tuple[str, str | bytes | None]
"""A name and what it is: bytes of a file, a link's target as text, None: a folder."""

ARCHITECTURE = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
BUSYBOX = Path("/bin/busybox")
APPLETS = (
    "sh",
    "cat",
    "echo",
    "env",
    "id",
    "ls",
    "mkdir",
    "nc",
    "ping",
    "pwd",
    "sleep",
    "test",
    "touch",
    "true",
    "wget",
)


def layer(*entries: Entry | tarfile.TarInfo) -> bytes:
    """A layer with these entries, uncompressed; files may be executed."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for each in entries:
            if isinstance(each, tarfile.TarInfo):
                archive.addfile(each)
                continue
            name, what = each
            info = tarfile.TarInfo(name)
            info.mode = 0o755
            if what is None:
                info.type = tarfile.DIRTYPE
            elif isinstance(what, str):
                info.type, info.linkname = tarfile.SYMTYPE, what
            else:
                info.size = len(what)
            archive.addfile(info, io.BytesIO(what) if isinstance(what, bytes) else None)
    return made.getvalue()


def busybox_layer() -> bytes:
    """A layer with busybox and its users, in which programs run."""
    links: list[Entry] = [(f"bin/{name}", "busybox") for name in APPLETS]
    users = b"root:x:0:0:root:/root:/bin/sh\nweb:x:33:34:web:/var/www:/bin/sh\n"
    return layer(
        ("bin", None),
        ("bin/busybox", BUSYBOX.read_bytes()),
        *links,
        ("etc", None),
        ("etc/passwd", users),
        ("etc/group", b"root:x:0:\nweb:x:34:\n"),
        _world_writable("tmp"),
        ("root", None),
    )


def _world_writable(name: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.mode = tarfile.DIRTYPE, 0o1777
    return info


def configuration(layers: Sequence[bytes], config: Mapping[str, Any], **more: Any) -> bytes:
    """What an image says of itself."""
    diff_ids = [f"sha256:{hashlib.sha256(each).hexdigest()}" for each in layers]
    described = {"architecture": ARCHITECTURE, "os": "linux", "config": config}
    return json.dumps({**described, "rootfs": {"type": "layers", "diff_ids": diff_ids}, **more}).encode()


def oci_folder(
    at: Path,
    layers: Sequence[bytes],
    config: Mapping[str, Any] | None = None,
    tag: str = "latest",
    **more: Any,
) -> Path:
    """A folder in the OCI layout with one image; its layers are compressed."""
    (at / "blobs/sha256").mkdir(parents=True, exist_ok=True)

    def blob(data: bytes) -> dict[str, Any]:
        digest = hashlib.sha256(data).hexdigest()
        (at / "blobs/sha256" / digest).write_bytes(data)
        return {"digest": f"sha256:{digest}", "size": len(data), "mediaType": "application/octet-stream"}

    manifest = {
        "schemaVersion": 2,
        "config": blob(configuration(layers, config or {}, **more)),
        "layers": [blob(gzip.compress(each, mtime=0)) for each in layers],
    }
    index = at / "index.json"
    before = json.loads(index.read_text())["manifests"] if index.exists() else []
    named = {**blob(json.dumps(manifest).encode()), "annotations": {"org.opencontainers.image.ref.name": tag}}
    index.write_text(json.dumps({"schemaVersion": 2, "manifests": [*before, named]}))
    (at / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
    return at


def docker_archive(
    at: Path, layers: Sequence[bytes], config: Mapping[str, Any] | None = None, name: str = "test:latest"
) -> Path:
    """A file as `docker save` writes it."""
    raw = configuration(layers, config or {})
    names = [f"{number}/layer.tar" for number in range(len(layers))]
    manifest = [{"Config": "config.json", "RepoTags": [name], "Layers": names}]
    files = {"manifest.json": json.dumps(manifest).encode(), "config.json": raw}
    with tarfile.open(at, "w") as archive:
        for path, data in {**files, **dict(zip(names, layers, strict=True))}.items():
            info = tarfile.TarInfo(path)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return at
