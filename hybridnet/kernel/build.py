# SPDX-License-Identifier: MIT
"""Makes the kernel in whose simulated time runs take place, once for each computer.

The source is a distribution's: the newest package ``linux-source-*`` that apt knows, or a tarball that the user names.
hybridnet's recipe (``recipe/``) is a configuration, six files and some changed lines: random numbers come from a seed
and from nothing else, the processor's own clock reads the kernel's, and programs read clocks without a system call.
What is made is kept by the recipe's fingerprint, in ``/var/lib/hybridnet`` for root, else in the user's data folder.
The source is removed again.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from hybridnet.errors import EnvironmentLackError, MachineError, UsageError
from hybridnet.kernel.watch import CLOCK, symbols
from hybridnet.system.folders import OF_THE_COMPUTER, data_folder
from hybridnet.system.locks import locked_file

__all__ = ["VARIABLE", "find_kernel", "keep_binary", "kernel_folder", "make_kernel"]

VARIABLE = "HYBRIDNET_KERNEL"
"""The environment variable that names another kernel."""

RECIPE = Path(__file__).with_name("recipe")
CURE = "run `hybridnet setup-kernel`"
TOOLS = {"gcc": "gcc", "make": "make", "flex": "flex", "bison": "bison", "bc": "bc", "xz": "xz-utils"}
"""Programs that the build needs, and Debian's packages of them."""

LEAST = (6, 1)
STEPS = 1150  # files that are compiled, about
QUOTED_LINES = 12
LOG_LINES = 1000
# Of a kernel's source, only what ARCH=um needs: half a gigabyte less to unpack.
LEFT_OUT = ("*/drivers/gpu/*.[ch]", "*/Documentation/*", "*/tools/testing/*", "*/sound/*.[ch]")
# Equal sources give equal kernels, whoever builds them, and when.
BUILT_BY = {
    "KBUILD_BUILD_TIMESTAMP": "2026-01-01",
    "KBUILD_BUILD_USER": "hybridnet",
    "KBUILD_BUILD_HOST": "hybridnet",
}

Progress = Callable[[str, int], object]
"""Is told what is done now, and how far it is, in percent."""


def find_kernel() -> Path:
    """The kernel's file: the one that `VARIABLE` names, else the one that this user has made, or root.

    Raises:
        EnvironmentLackError: there is none.
    """
    if named := os.environ.get(VARIABLE):
        if not os.access(named, os.X_OK):
            raise EnvironmentLackError(f"{VARIABLE} names {named}, which cannot be run; {CURE}, and unset it")
        return Path(named)
    own = kernel_folder()
    for folder in (own, OF_THE_COMPUTER / own.name):
        if (folder / "linux").is_file():
            return folder / "linux"
    raise EnvironmentLackError(
        f"simulated time needs a kernel of its own, and there is none in {own}; {CURE}, which builds it once (about "
        "ten minutes of processor time)"
    )


def kernel_folder() -> Path:
    """Where the kernel of this recipe is kept."""
    content = b"".join(path.read_bytes() for path in sorted(RECIPE.iterdir()) if path.is_file())
    return data_folder() / f"kernel-{hashlib.sha256(content).hexdigest()[:12]}"


def make_kernel(tell: Progress, source: Path | None = None) -> Path:
    """Build it, unless it is there. One process builds at a time; a second one waits for the first.

    Args:
        source: a tarball of a kernel's source; None: the newest that apt knows.

    Returns:
        The kernel's file.

    Raises:
        EnvironmentLackError: a program or a source is missing, or Linux cannot be a program on this processor.
        MachineError: the build fails; quotes its errors, or its last lines.
        UsageError: the tarball is no kernel's source.
    """
    folder = kernel_folder()
    with _alone(folder):
        if not (folder / "linux").is_file():
            _require_tools()
            work = folder.with_suffix(".building")
            shutil.rmtree(work, ignore_errors=True)  # of one that was killed
            work.mkdir()
            try:
                _make(work, folder, tell, source)
            finally:
                shutil.rmtree(work, ignore_errors=True)
    return folder / "linux"


def keep_binary(file: Path) -> Path:
    """Take a kernel that was built elsewhere, by this recipe. Raises UsageError: it is none."""
    try:
        symbols(file, {CLOCK, "host_files_init"})
    except (OSError, KeyError, ValueError) as error:
        raise UsageError(
            f"{file} is no kernel that hybridnet's recipe made ({error}); bring the file that `hybridnet setup-kernel` "
            "printed on another computer"
        ) from None
    folder = kernel_folder()
    with _alone(folder):
        _put(file, folder, {"binary": file.name})
    return folder / "linux"


def _make(work: Path, folder: Path, tell: Progress, source: Path | None) -> None:
    if source is None:
        package = _newest_package()
        tell(f"downloading {package}, 150 MB", 0)
        _run(["apt-get", "download", package], work, f"{package} cannot be downloaded")
        [deb] = work.glob("*.deb")
        named = deb.name.rpartition("_")[0]
        tell(f"unpacking {named}", 2)
        unpack = f"dpkg-deb --fsys-tarfile {deb.name} | tar xO --wildcards './usr/src/linux-source-*.tar.xz' | xz -dc"
    else:
        named = source.name
        tell(f"unpacking {named}", 2)
        unpack = f"xz -dcf {shlex.quote(str(source.absolute()))}"
    left_out = " ".join(f"--exclude='{each}'" for each in LEFT_OUT)
    unpacked = work / "source"
    unpacked.mkdir()
    _run(
        ["sh", "-c", f"{unpack} | tar x --strip-components=1 --wildcards {left_out} -C source"],
        work,
        f"{named} cannot be unpacked",
    )
    if not (unpacked / "arch" / "um" / "Kconfig").is_file():
        raise UsageError(f"{named} is no source of Linux: it has no arch/um; give the tarball of a kernel")
    _change(unpacked)
    tell(f"configuring {named}", 5)
    missing = _configure(unpacked)
    tell(f"compiling {named}", 6)
    _compile(unpacked, named, tell)
    _put(unpacked / "linux", folder, {"source": named, "not_in_this_source": missing})


def _change(source: Path) -> None:
    """Add what is ours to a kernel's source."""
    (source / "Documentation").mkdir(exist_ok=True)
    (source / "Documentation" / "Kconfig").touch()
    _change_lines(source, json.loads((RECIPE / "changes.json").read_text()))
    um = source / "arch" / "um"
    shutil.copy(RECIPE / "host_files.c", um / "drivers")
    for name in ("processor_clock.c", "programs_clock.c", "neighbour_pages.c"):
        shutil.copy(RECIPE / name, um / "kernel")
    shutil.copy(RECIPE / "programs_clock.h", um / "include" / "shared")
    util = um / "os-Linux" / "util.c"
    begin = "ssize_t os_getrandom("
    body = re.search(re.escape(begin) + r"[^}]*}\n", util.read_text())
    _replace(util, body[0] if body else begin, (RECIPE / "seeded_random.c").read_text())


def _change_lines(source: Path, changes: Sequence[Mapping[str, str]]) -> None:
    for change in changes:
        if change.get("where", "") not in (source / change["file"]).read_text():
            continue  # another Linux, which has nothing to change there
        _replace(source / change["file"], change["old"], change["new"])


def _replace(file: Path, old: str, new: str) -> None:
    """Raises UsageError: what is to be replaced is not there."""
    written = file.read_text()
    if old not in written:
        raise UsageError(
            f"this source of Linux is not one that hybridnet's recipe knows: {file.name} has no {old!r}; take Linux "
            "6.1 or 6.12"
        )
    file.write_text(written.replace(old, new, 1))


def _configure(source: Path) -> list[str]:
    """Returns what the recipe asks for and this source does not have."""
    _run(["make", "ARCH=um", "tinyconfig"], source, "the kernel cannot be configured")
    lines = (RECIPE / "kernel.config").read_text().splitlines()
    words = [f"CONFIG_{word}=y" for line in lines if not line.startswith("#") for word in line.split()]
    with (source / ".config").open("a") as config:
        config.write("".join(f"{word}\n" for word in words))
    _run(["make", "ARCH=um", "olddefconfig"], source, "the kernel cannot be configured")
    there = set((source / ".config").read_text().splitlines())
    return [word for word in words if word not in there]


def _compile(source: Path, named: str, tell: Progress) -> None:
    log: list[str] = []
    command = ["make", "ARCH=um", f"-j{len(os.sched_getaffinity(0))}", "linux"]
    with subprocess.Popen(
        command,
        cwd=source,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, **BUILT_BY},
        start_new_session=True,
    ) as made:
        assert made.stdout is not None
        done = 0
        try:
            for line in made.stdout:
                log = [*log[-LOG_LINES:], line]
                if line.startswith("  CC "):
                    done += 1
                    tell(f"compiling {named}", min(99, 6 + 93 * done // STEPS))
        except BaseException:  # else its compilers would go on
            os.killpg(made.pid, signal.SIGKILL)
            raise
    if made.returncode != 0:
        raise _failed(f"{named} cannot be compiled", "".join(log))


def _put(kernel: Path, folder: Path, facts: dict[str, object]) -> None:
    """Keep a kernel: the file last, so that what is there is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "facts.json").write_text(json.dumps(facts, indent=1) + "\n")
    part = folder / "linux.part"
    shutil.copyfile(kernel, part)
    part.chmod(0o755)
    part.rename(folder / "linux")


def _newest_package() -> str:
    found = (
        subprocess.run(
            ["apt-cache", "pkgnames", "linux-source-"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        if shutil.which("apt-cache")
        else None
    )
    names = re.findall(r"^linux-source-(\d+)\.(\d+)$", found.stdout if found else "", re.MULTILINE)
    versions = sorted((int(major), int(minor)) for major, minor in names)
    if not versions or versions[-1] < LEAST:
        raise EnvironmentLackError(
            "simulated time needs the source of Linux 6.1 or newer, and apt knows no package linux-source-* of it; "
            "download a tarball from kernel.org and run `hybridnet setup-kernel --source FILE`"
        )
    return "linux-source-{}.{}".format(*versions[-1])


def _require_tools() -> None:
    if platform.machine() != "x86_64":
        raise EnvironmentLackError(
            f"simulated time needs a processor of the x86-64 kind, for which Linux can be a program, and this one is "
            f"{platform.machine()}"
        )
    missing = [package for tool, package in TOOLS.items() if shutil.which(tool) is None]
    if missing:
        raise EnvironmentLackError(
            f"the kernel of simulated time cannot be built without {', '.join(missing)}; run: "
            f"apt-get install {' '.join(missing)}"
        )


def _run(command: Sequence[str], directory: Path, failure: str) -> None:
    ended = subprocess.run(
        command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    if ended.returncode != 0:
        raise _failed(failure, ended.stdout)


def _failed(failure: str, log: str) -> MachineError:
    lines = log.strip().splitlines()
    errors = [line for line in lines if "error:" in line]  # others go on compiling, and write the last lines
    quoted = "\n".join((errors or lines)[-QUOTED_LINES:])
    return MachineError(f"{failure}; mend what it reports and {CURE} again. It said:\n{quoted}")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = locked_file(folder.with_suffix(".lock"))
        try:
            yield
        finally:
            os.close(lock)
    except PermissionError as error:
        raise EnvironmentLackError(
            f"the kernel cannot be kept in {folder}: {error.strerror}; run it as a user who may write there, or set "
            f"{VARIABLE} to a kernel"
        ) from error
