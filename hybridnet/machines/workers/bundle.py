# SPDX-License-Identifier: MIT
"""What `hybridnet deploy` sends to a host: this hybridnet as a wheel, its lists of packages, and the script that
installs them.

The wheel is packed from the package as it runs here, be it a clone or installed: a host then has the same edition, and
needs neither a compiler nor the repository.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import stat
import sys
import tarfile
import zipfile
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path

from hybridnet.errors import EnvironmentLackError
from hybridnet.machines.workers.edition import PACKAGE

__all__ = ["host_packages", "pack_bundle", "pack_wheel"]

SCRIPT = "deploy.sh"
_SOURCED = "debian.sh"  # by SCRIPT
_SECTIONS = ("hybridnet itself", "emulated networks", "applications run in the hosts", "machines over SSH")
LIBRARIES = PACKAGE.with_name(
    "hybridnet.libs"
)  # of others, which a published wheel brings; elsewhere there are none
_EPOCH = (2020, 1, 1, 0, 0, 0)  # of every file, so that the same files are the same wheel


def pack_bundle() -> bytes:
    """A compressed tar archive with `SCRIPT` and what it needs.

    Raises:
        EnvironmentLackError: this hybridnet has no extension, or was not installed.
    """
    name, wheel = pack_wheel()
    lists = PACKAGE / "requirements"
    files = {
        **{script: Path(__file__).with_name(script).read_bytes() for script in (SCRIPT, _SOURCED)},
        name: wheel,
        "python-packages": b"".join((lists / name).read_bytes() for name in ("build.txt", "runtime.txt")),
        "debian-packages": "".join(f"{package}\n" for package in host_packages()).encode(),
        "python": _python_tag().encode(),
    }
    digest = hashlib.sha256()
    for what, content in sorted(files.items()):
        digest.update(what.encode() + b"\0" + content)
    files["fingerprint"] = digest.hexdigest().encode()
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz", compresslevel=6) as tar:
        for what, content in files.items():
            entry = tarfile.TarInfo(what)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return archive.getvalue()


def host_packages(text: str | None = None) -> list[str]:
    """The Debian packages that a host needs: those of some sections of ``setup/debian-packages.txt``, line by line.

    A line is what ``debian.sh`` reads: a package, or its names in several releases with ``|`` between.

    Example:
        >>> host_packages("# machines over SSH\\nsudo | doas  # why\\n\\n# building simcore\\ng++\\n")
        ['sudo | doas']
    """
    if text is None:
        text = (PACKAGE / "requirements" / "debian-packages.txt").read_text(encoding="utf-8")
    found, section = [], ""
    for line in text.splitlines():
        if line.startswith("#"):
            section = line.removeprefix("#").strip()
        elif section in _SECTIONS and (package := line.partition("#")[0].strip()):
            found.append(package)
    return found


def pack_wheel() -> tuple[str, bytes]:
    """This package as a wheel: its file name, and its content."""
    try:
        distribution = Distribution.from_name("hybridnet")
    except PackageNotFoundError:
        raise EnvironmentLackError(
            "deploy: this hybridnet is not installed; run setup/install, or pip install -e ."
        ) from None
    if not any(PACKAGE.glob("_simcore*.so")):
        raise EnvironmentLackError(
            "deploy: the extension is not built; run setup/install, or pip install -e ."
        )
    stem = f"hybridnet-{distribution.version}"
    tag = f"{_python_tag()}-{_python_tag()}-linux_{os.uname().machine}"
    own = {f"hybridnet/{path}": PACKAGE / path for path in _files()}
    brought = {f"{LIBRARIES.name}/{file.name}": file for file in sorted(LIBRARIES.glob("*.so*"))}
    programs = {name for name, file in {**own, **brought}.items() if os.access(file, os.X_OK)}
    files = {name: file.read_bytes() for name, file in {**own, **brought}.items()}
    information = f"{stem}.dist-info"
    text = (
        distribution.read_text("METADATA") or distribution.read_text("PKG-INFO") or ""
    )  # of a wheel, of a source tree
    files[f"{information}/METADATA"] = text.encode()
    files[f"{information}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: hybridnet\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    )
    files[f"{information}/entry_points.txt"] = b"[console_scripts]\nhybridnet = hybridnet.cli:main\n"
    record = "".join(f"{name},sha256={_hash(content)},{len(content)}\n" for name, content in files.items())
    files[f"{information}/RECORD"] = (record + f"{information}/RECORD,,\n").encode()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as wheel:  # the bundle is compressed as a whole
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.external_attr = (stat.S_IFREG | (0o755 if name in programs else 0o644)) << 16
            wheel.writestr(entry, content)
    return f"{stem}-{tag}.whl", archive.getvalue()


def _files() -> list[str]:
    found = []
    # In a clone some folders are symbolic links; in a wheel they are folders.
    for folder, folders, names in os.walk(PACKAGE, followlinks=True):
        folders[:] = [name for name in folders if name != "__pycache__"]
        found += [os.path.relpath(os.path.join(folder, name), PACKAGE) for name in names]
    return sorted(found)


def _hash(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def _python_tag() -> str:
    return f"cp{sys.version_info.major}{sys.version_info.minor}"
