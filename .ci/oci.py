# SPDX-License-Identifier: MIT
"""Packs a root as a container image of one layer, in an archive of which each tool reads what it knows.

::

    .ci/oci.py LAYER.tar FOLDER EPOCH

Writes ``FOLDER/hybridnet-VERSION.tar``: an OCI image layout, and the ``manifest.json`` that ``docker load`` looks for.

Source: OCI image specification 1.0: image-layout.md, manifest.md, config.md.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import platform
import re
import sys
import tarfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
OCI = "application/vnd.oci.image"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
CONFIG = {
    "Env": [
        "PATH=/opt/hybridnet/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "LANG=C.UTF-8",
    ],
    "Entrypoint": ["hybridnet"],
    "Cmd": ["--help"],
    "WorkingDir": "/work",
    "Labels": {"org.opencontainers.image.licenses": "MIT"},
}


def main() -> int:
    layer, folder, epoch = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    print(pack(layer, folder, epoch))
    return 0


def pack(layer: Path, folder: Path, epoch: int) -> Path:
    """The archive of an image whose only layer is a tar file."""
    found = re.search(r"project\(hybridnet VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert found is not None
    name, version = "hybridnet", found[1]
    plain = layer.read_bytes()
    packed = gzip.compress(plain, 6, mtime=epoch)
    architecture = ARCHITECTURES[platform.machine()]
    config = _json(
        {
            "created": datetime.fromtimestamp(epoch, UTC).isoformat(),
            "architecture": architecture,
            "os": "linux",
            "config": CONFIG,
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(plain).hexdigest()}"]},
        }
    )
    manifest = _json(
        {
            "schemaVersion": 2,
            "mediaType": f"{OCI}.manifest.v1+json",
            "config": _described(config, f"{OCI}.config.v1+json"),
            "layers": [_described(packed, f"{OCI}.layer.v1.tar+gzip")],
        }
    )
    reference = {
        "org.opencontainers.image.ref.name": version,
        "io.containerd.image.name": f"{name}:{version}",
    }
    index = {
        "schemaVersion": 2,
        "manifests": [{**_described(manifest, f"{OCI}.manifest.v1+json"), "annotations": reference}],
    }
    for_docker = {"Config": _blob(config), "RepoTags": [f"{name}:{version}"], "Layers": [_blob(packed)]}
    files = {
        "oci-layout": _json({"imageLayoutVersion": "1.0.0"}),
        "index.json": _json(index),
        "manifest.json": _json([for_docker]),
        **{_blob(content): content for content in (manifest, config, packed)},
    }
    archive = folder / f"{name}-{version}.tar"
    with tarfile.open(archive, "w", format=tarfile.PAX_FORMAT) as packing:
        for path, content in files.items():
            entry = tarfile.TarInfo(path)
            entry.size, entry.mtime, entry.mode = len(content), epoch, 0o644
            packing.addfile(entry, io.BytesIO(content))
    return archive


def _json(value: Any) -> bytes:
    return json.dumps(value, indent=1).encode()


def _described(content: bytes, kind: str) -> dict[str, Any]:
    digest = hashlib.sha256(content).hexdigest()
    return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(content)}


def _blob(content: bytes) -> str:
    return f"blobs/sha256/{hashlib.sha256(content).hexdigest()}"


if __name__ == "__main__":
    sys.exit(main())
