# SPDX-License-Identifier: MIT
"""A run directory as one file to publish, and back.

Secrets stay at home: files that are keys, certificates or tokens by their name or content are left out, and said.
The same directory gives the same file, byte for byte: owners and times of the files are not in it.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from hybridnet.describe.values import shown
from hybridnet.errors import UsageError
from hybridnet.observe.recording.figures import manifest_of

__all__ = ["PACKED", "SUFFIX", "Packed", "pack", "unpack"]

SUFFIX = ".hybridnet.tar.gz"
PACKED = "packed.json"  # every packed run has one
UNPACKED_LIMIT = 16 << 30
MEMBERS_LIMIT = 1_000_000
DEEPEST = 100  # folders around a file
LONGEST_NAME = 4096  # PATH_MAX
_SECRET_NAMES = re.compile(
    r"(?i)(^|[._-])(token|tokens|secret|secrets|password|passwords|credentials)($|[._-])|\.(pem|key|crt|cer|p12|pfx|jks)$"
    r"|^id_(rsa|dsa|ecdsa|ed25519)(\.pub)?$|^\.(netrc|env|npmrc|pypirc)$|^authorized_keys$"
)
_SECRET_TEXT = re.compile(
    rb"-----BEGIN [A-Z0-9 ]*(PRIVATE KEY|CERTIFICATE)[A-Z0-9 ]*-----"
    rb"|\b(token|password|passwd|secret|api_?key)\b[\"']?\s*[:=]\s*([\"'][^\"'\s]{8,}[\"']|[0-9a-f]{16,})",
    re.IGNORECASE,
)
_SCANNED_BYTES = 4 << 20  # the first of a file, and the last


@dataclass(frozen=True)
class Packed:
    """What was packed.

    Args:
        path: of the file.
        files: how many are in it.
        left_out: the names of those that may be secrets.
    """

    path: Path
    files: int
    left_out: list[str]


def pack(run: Path, target: Path | None = None) -> Packed:
    """Make one file of a run directory.

    Args:
        target: new; None: beside the directory, with its name.

    Raises:
        UsageError: it is not a run directory, or still changes; the target is there, or cannot be written.
    """
    manifest_of(run)
    run = run.resolve()
    target = run.with_name(run.name + SUFFIX) if target is None else target
    if target.exists():
        raise UsageError(f"pack {run}: {target} is there already; remove it, or give another name with --to")
    left_out: list[str] = []
    count = 0
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise UsageError(
            f"pack {run}: there is no folder {target.parent} that you may write to; give another name with --to"
        )
    files = sorted(path for path in run.rglob("*") if path.is_file() and not path.is_symlink())
    unfinished = target.with_name(target.name + ".tmp")
    try:
        with (
            unfinished.open("wb") as raw,
            gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0) as compressed,
            tarfile.open(fileobj=compressed, mode="w") as archive,
        ):
            for file in files:
                name = str(file.relative_to(run))
                if is_secret(file):
                    left_out.append(name)
                    continue
                _add(archive, file, name)
                count += 1
            note = json.dumps({"left_out": left_out}, indent=2).encode() + b"\n"
            archive.addfile(_member(PACKED, len(note)), io.BytesIO(note))
        os.replace(unfinished, target)
    except OSError as error:
        raise UsageError(f"pack {run}: {target} cannot be written: {error.strerror or error}") from None
    finally:
        unfinished.unlink(missing_ok=True)
    return Packed(target, count, left_out)


def unpack(file: Path, folder: Path) -> None:
    """Unpack into an empty folder. What would land outside it, or is neither file nor folder, is refused.

    Raises:
        UsageError: the file is no packed run, or is larger than anything that `pack` makes of a run.
    """
    try:
        with tarfile.open(file, mode="r:gz") as archive:
            total = 0
            for number, member in enumerate(archive):
                total += member.size
                if total > UNPACKED_LIMIT or number >= MEMBERS_LIMIT:
                    raise UsageError(f"{file}: it is larger than {UNPACKED_LIMIT >> 30} GiB when unpacked")
                content = archive.extractfile(member) if member.isreg() else None
                name = PurePosixPath(member.name)
                too_deep = len(name.parts) > DEEPEST or len(member.name) > LONGEST_NAME
                if content is None or name.is_absolute() or ".." in name.parts or too_deep:
                    raise UsageError(
                        f"{file}: {shown(member.name)} is not a regular file inside it; it was not made by "
                        "hybridnet pack"
                    )
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                with content, target.open("xb") as unpacked:
                    shutil.copyfileobj(content, unpacked)
    except (OSError, EOFError, tarfile.TarError) as error:
        raise UsageError(
            f"{file}: it cannot be unpacked: {error}; name a run's folder, or a file that `hybridnet pack` has made"
        ) from None
    manifest_of(folder)


def is_secret(file: Path) -> bool:
    """Whether a file may be a key, a certificate or a token, by its name or by what stands in it."""
    if _SECRET_NAMES.search(file.name):
        return True
    with file.open("rb") as content:
        first = content.read(_SCANNED_BYTES)
        content.seek(max(len(first), file.stat().st_size - _SCANNED_BYTES))
        return bool(_SECRET_TEXT.search(first) or _SECRET_TEXT.search(content.read()))


def _add(archive: tarfile.TarFile, file: Path, name: str) -> None:
    with file.open("rb") as content:
        size = os.fstat(content.fileno()).st_size
        try:
            archive.addfile(_member(name, size), content)
        except OSError as error:
            if error.errno is not None:  # of the disk; what is too short has none
                raise
            raise UsageError(
                f"pack: {file} changed while it was read; pack the run when it has ended"
            ) from None


def _member(name: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size = size
    member.mode = 0o644
    return member
