# SPDX-License-Identifier: MIT
"""Ryu's Python environment: where it is, and how one is made.

Ryu cannot share hybridnet's environment: it builds only with an old setuptools. In a clone of the repository
``setup/install`` makes ``.venv-ryu``. An installed hybridnet makes one itself when a controller is first needed, or
when ``hybridnet setup-ryu`` is run: in ``/var/lib/hybridnet`` for root, else in the user's data folder.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hybridnet.errors import EnvironmentLackError

PACKAGE = Path(__file__).resolve().parents[2]
REQUIREMENTS = ("ryu-build.txt", "ryu.txt")  # what builds Ryu comes first
NAMED = "HYBRIDNET_RYU_PYTHON"
QUOTED_LINES = 8  # of pip's last words, in an error


def find_ryu_python() -> Path:
    """The Python that has Ryu: ``HYBRIDNET_RYU_PYTHON``, else the repository's, else the one that hybridnet made.

    Raises:
        EnvironmentLackError: there is none.
    """
    if named := os.environ.get(NAMED):
        if not os.access(named, os.X_OK):
            raise EnvironmentLackError(
                f"{NAMED} names {named}, which cannot be run; set it to a Python that has Ryu, "
                "or unset it and run `hybridnet setup-ryu`"
            )
        return Path(named)
    places = [environment_folder()]
    if (PACKAGE.parent / "setup" / "python").is_file():  # a clone of the repository
        places.insert(0, PACKAGE.parent / ".venv-ryu")
    for place in places:
        if _is_complete(place):
            return place / "bin" / "python"
    raise EnvironmentLackError(
        f"Ryu has no environment: there is none in {' or in '.join(map(str, places))}; run `hybridnet setup-ryu`, "
        f"or set {NAMED} to a Python that has Ryu"
    )


def ryu_python(say: Callable[[str], None] | None = None) -> Path:
    """`find_ryu_python`; where there is none, it is made, and ``say`` is told so first.

    Args:
        say: takes one line of progress at a time. None: lines go to standard error.

    Raises:
        EnvironmentLackError: there is none and it cannot be made, or ``HYBRIDNET_RYU_PYTHON`` is wrong.
    """
    try:
        return find_ryu_python()
    except EnvironmentLackError:
        if os.environ.get(NAMED):
            raise
    return make_ryu_environment(say)


def make_ryu_environment(say: Callable[[str], None] | None = None) -> Path:
    """Make the environment in `environment_folder` with pip, and return its Python.

    What is there and complete stays. One process makes it at a time; a second one waits for the first.

    Raises:
        EnvironmentLackError: the folder cannot be written, or pip fails; quotes pip's last lines.
    """
    say = say or _to_stderr
    folder = environment_folder()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _locked(folder.with_suffix(".lock")):
            if not _is_complete(folder):
                _make(folder, say)
    except OSError as error:
        raise EnvironmentLackError(
            f"Ryu's environment cannot be made in {folder}: {error.strerror}; run `hybridnet setup-ryu` as a user who "
            f"may write there, or set {NAMED} to a Python that has Ryu"
        ) from error
    return folder / "bin" / "python"


def environment_folder() -> Path:
    """Where an environment is made: root's is the computer's, so that no user's files run as root."""
    if os.geteuid() == 0:
        data = Path("/var/lib")
    else:
        data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return data / "hybridnet" / f"ryu-{_fingerprint()}"


def _make(folder: Path, say: Callable[[str], None]) -> None:
    lists = [PACKAGE / "requirements" / name for name in REQUIREMENTS]
    say(
        f"Ryu gets a Python environment of its own, once, in {folder}: pip downloads it from the package index"
    )
    shutil.rmtree(folder, ignore_errors=True)
    _run([sys.executable, "-m", "venv", str(folder)], folder)
    for packages in lists:
        pinned = [line for line in packages.read_text().splitlines() if "==" in line]
        say(f"Ryu: {len(pinned)} packages of {packages.name}: {', '.join(pinned)}")
        # The lists are complete, and what must be built is built with what the first list brought.
        options = (
            "--quiet",
            "--no-deps",
            "--no-build-isolation",
            "--use-pep517",
            "--disable-pip-version-check",
        )
        _run([str(folder / "bin" / "pip"), "install", *options, "-r", str(packages)], folder)
    _stamp(folder).write_text("complete\n")
    say("Ryu: installed")


def _run(command: list[str], folder: Path) -> None:
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    ended = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", env=clean
    )
    if ended.returncode != 0:
        last = "\n".join(ended.stdout.strip().splitlines()[-QUOTED_LINES:])
        raise EnvironmentLackError(
            f"Ryu's environment cannot be made in {folder}: {' '.join(command[:4])} ended with status "
            f"{ended.returncode}; fix what it reports and run `hybridnet setup-ryu`, or set {NAMED} to a Python that "
            f"has Ryu. Its last lines:\n{last}"
        )


def _is_complete(folder: Path) -> bool:
    return os.access(folder / "bin" / "python", os.X_OK) and _stamp(folder).is_file()


def _stamp(folder: Path) -> Path:
    return folder / "stamp"  # written last, by setup/python too


def _fingerprint() -> str:
    """Of the lists and of this Python: another release of either gets an environment of its own."""
    content = b"".join((PACKAGE / "requirements" / name).read_bytes() for name in REQUIREMENTS)
    return hashlib.sha256(sys.version.encode() + content).hexdigest()[:12]


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
