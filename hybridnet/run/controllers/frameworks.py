# SPDX-License-Identifier: MIT
"""The frameworks under which controllers' apps run, each in a Python environment of its own.

Ryu builds only with an old setuptools, Faucet pins its os-ken, and hybridnet must not depend on what either needs. In a
clone of the repository `setup/install` makes Ryu's environment, ``.venv-ryu``. Every other one is made when a
controller is first started, or when ``hybridnet setup-ryu`` is run: in ``/var/lib/hybridnet`` for root, else in the
user's data folder.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hybridnet.errors import EnvironmentLackError
from hybridnet.system.folders import data_folder
from hybridnet.system.locks import locked_file

__all__ = [
    "FRAMEWORKS",
    "OSKEN",
    "RYU",
    "Framework",
    "add_packages",
    "environment_folder",
    "find_python",
    "make_environment",
    "python_of",
]

PACKAGE = Path(__file__).resolve().parents[2]
QUOTED_LINES = 8  # of pip's last words, in an error


@dataclass(frozen=True)
class Framework:
    """One of them.

    Args:
        name: in names of folders and on the command line.
        title: what people call it.
        package: Python's name of it.
        lists: of its packages, in ``requirements/``; what builds the others comes first.
        app: the name of an app, for errors.
        has_rest: whether its apps may have a REST interface of the framework's.
    """

    name: str
    title: str
    package: str
    lists: tuple[str, ...]
    app: str
    has_rest: bool

    @property
    def variable(self) -> str:
        """The environment variable that names another Python that has it."""
        return f"HYBRIDNET_{self.name.upper()}_PYTHON"

    @property
    def command(self) -> str:
        """What makes its environment."""
        return f"hybridnet setup-ryu{'' if self.name == 'ryu' else f' --framework {self.name}'}"


RYU = Framework("ryu", "Ryu", "ryu", ("ryu-build.txt", "ryu.txt"), "ryu.app.simple_switch_13", True)
OSKEN = Framework(
    "osken", "os-ken", "os_ken", ("ryu-build.txt", "osken.txt"), "os_ken.app.ofctl.service", False
)
FRAMEWORKS = {framework.name: framework for framework in (RYU, OSKEN)}
"""By name."""


def find_python(of: Framework) -> Path:
    """The Python that has a framework: the one that its variable names, else the repository's, else one that hybridnet
    made.

    Raises:
        EnvironmentLackError: there is none.
    """
    if named := os.environ.get(of.variable):
        if not os.access(named, os.X_OK):
            raise EnvironmentLackError(
                f"{of.variable} names {named}, which cannot be run; set it to a Python that has {of.title}, "
                f"or unset it and run `{of.command}`"
            )
        return Path(named)
    places = [environment_folder(of)]
    if (PACKAGE.parent / "setup" / "python").is_file():  # a clone of the repository
        places.insert(0, PACKAGE.parent / f".venv-{of.name}")
    for place in places:
        if _is_complete(place):
            return place / "bin" / "python"
    raise EnvironmentLackError(
        f"{of.title} has no environment: there is none in {' or in '.join(map(str, places))}; run `{of.command}`, "
        f"or set {of.variable} to a Python that has {of.title}"
    )


def python_of(of: Framework, say: Callable[[str], None] | None = None) -> Path:
    """`find_python`; where there is none, it is made, and ``say`` is told so first.

    Args:
        say: takes one line of progress at a time. None: lines go to standard error.

    Raises:
        EnvironmentLackError: there is none and it cannot be made, or the variable names none.
    """
    try:
        return find_python(of)
    except EnvironmentLackError:
        if os.environ.get(of.variable):
            raise
    return make_environment(of, say)


def make_environment(of: Framework, say: Callable[[str], None] | None = None) -> Path:
    """Make the environment in `environment_folder` with pip, and return its Python.

    What is there and complete stays. One process makes it at a time; a second one waits for the first.

    Raises:
        EnvironmentLackError: the folder cannot be written, or pip fails; quotes pip's last lines.
    """
    say = say or _to_stderr
    folder = environment_folder(of)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _locked(folder.with_suffix(".lock")):
            if not _is_complete(folder):
                _make(of, folder, say)
    except OSError as error:
        raise EnvironmentLackError(
            f"{of.title}'s environment cannot be made in {folder}: {error.strerror}; run `{of.command}` as a user who "
            f"may write there, or set {of.variable} to a Python that has {of.title}"
        ) from error
    return folder / "bin" / "python"


def add_packages(of: Framework, packages: Sequence[str], say: Callable[[str], None] | None = None) -> Path:
    """Install packages that apps import into a framework's environment, which is made if need be. Those that the
    framework needs keep their versions. Returns its Python.

    Raises:
        EnvironmentLackError: as `python_of`; or pip fails, and its last lines are quoted.
    """
    say = say or _to_stderr
    python = python_of(of, say)
    say(f"{of.title}: installing {', '.join(packages)} in {python.parent.parent}")
    kept = [word for name in of.lists for word in ("--constraint", str(PACKAGE / "requirements" / name))]
    command = [
        str(python),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        *kept,
        "--",
        *packages,
    ]
    _run(command, f"{', '.join(packages)} cannot be added to {of.title}'s environment", "mend the names")
    return python


def environment_folder(of: Framework) -> Path:
    """Where an environment is made."""
    return data_folder() / f"{of.name}-{_fingerprint(of)}"


def _make(of: Framework, folder: Path, say: Callable[[str], None]) -> None:
    lists = [PACKAGE / "requirements" / name for name in of.lists]
    say(
        f"{of.title} gets a Python environment of its own, once, in {folder}: pip downloads it from the package index"
    )
    failure = f"{of.title}'s environment cannot be made in {folder}"
    cure = f"run `{of.command}`, or set {of.variable} to a Python that has {of.title}"
    shutil.rmtree(folder, ignore_errors=True)
    _run([sys.executable, "-m", "venv", str(folder)], failure, cure)
    for packages in lists:
        pinned = [line for line in packages.read_text().splitlines() if "==" in line]
        say(f"{of.title}: {len(pinned)} packages of {packages.name}: {', '.join(pinned)}")
        # The lists are complete, and what must be built is built with what the first list brought.
        options = (
            "--quiet",
            "--no-deps",
            "--no-build-isolation",
            "--use-pep517",
            "--disable-pip-version-check",
        )
        _run([str(folder / "bin" / "pip"), "install", *options, "-r", str(packages)], failure, cure)
    _run([str(folder / "bin" / "pip"), "check", "--disable-pip-version-check"], failure, cure)
    _stamp(folder).write_text("complete\n")
    say(f"{of.title}: installed")


def _run(command: list[str], failure: str, cure: str) -> None:
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    ended = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", env=clean
    )
    if ended.returncode != 0:
        last = "\n".join(ended.stdout.strip().splitlines()[-QUOTED_LINES:])
        raise EnvironmentLackError(
            f"{failure}: {' '.join(command[:4])} ended with status {ended.returncode}; fix what it reports and {cure}. "
            f"Its last lines:\n{last}"
        )


def _is_complete(folder: Path) -> bool:
    return os.access(folder / "bin" / "python", os.X_OK) and _stamp(folder).is_file()


def _stamp(folder: Path) -> Path:
    return folder / "stamp"  # written last, by setup/python too


def _fingerprint(of: Framework) -> str:
    """Of the lists and of this Python: another release of either gets an environment of its own."""
    content = b"".join((PACKAGE / "requirements" / name).read_bytes() for name in of.lists)
    return hashlib.sha256(sys.version.encode() + content).hexdigest()[:12]


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    lock = locked_file(path)
    try:
        yield
    finally:
        os.close(lock)


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
