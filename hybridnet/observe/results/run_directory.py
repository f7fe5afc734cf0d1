# SPDX-License-Identifier: MIT
"""The run directory: the folder that holds everything about one run."""

from __future__ import annotations

import contextlib
import csv
import errno
import fcntl
import json
import os
import platform
import shutil
import subprocess
import sys
import time
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, cast

from hybridnet.describe.values import parse_json, why_unread
from hybridnet.errors import UsageError
from hybridnet.system.log import warn
from hybridnet.system.processor import processor_model
from hybridnet.system.simulated_time import SIMULATED, time_is_simulated

__all__ = [
    "FLOWS", "PINGS", "PLAN", "Hold", "RunDirectory", "check_run_directory", "hold", "naming", "read_array",
    "read_object",
]  # fmt: skip

FLOWS = "flows.parquet"
"""What the run directory of a simulation has of its flows: a row for each (`hybridnet.simulate.flows.table`)."""
PINGS = "pings.json"
"""What the folder of a network has of its streams of pings (`hybridnet.observe.recording.network_record`)."""
PLAN = "plan.json"
"""What the folder of a network, or the run directory of a simulation, has of its description."""
_TOOLS = {
    "open vswitch": ["ovs-vswitchd", "--version"],
    "iperf3": ["iperf3", "--version"],
    "iproute2": ["ip", "-Version"],
}
_SYSCTLS = ("net/ipv4/tcp_congestion_control", "net/ipv4/tcp_rmem", "net/ipv4/tcp_wmem")


def check_run_directory(path: str | os.PathLike[str]) -> Path:
    """Raise the UsageError that `RunDirectory` would; make and remove nothing."""
    folder = Path(path)
    try:
        if folder.is_dir():
            entries = [entry.name for entry in folder.iterdir()]
            if entries and "manifest.json" not in entries:
                raise UsageError(
                    f"make run directory {folder}: it holds {entries[0]!r} and no manifest.json, so it is not an "
                    "earlier run; give an empty folder or a new name"
                )
        above = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    except OSError as error:
        raise UsageError(f"make run directory {folder}: {error.strerror}; give another folder") from None
    if not above.is_dir():
        is_file = "it is a file" if above == folder else f"{above} is a file"
        raise UsageError(f"make run directory {folder}: {is_file}; give the name of a folder")
    if not os.access(above, os.W_OK | os.X_OK):
        raise UsageError(f"make run directory {folder}: {above} cannot be written to; give another folder")
    return folder


class Hold:
    """A folder into which no other process writes a run, until this object is closed or gone. See `hold`."""

    def __init__(self, descriptor: int) -> None:
        self.close = weakref.finalize(self, os.close, descriptor)


# A program that is killed while it starts another has left its lock to that one, until the kernel has executed it.
_LETS_GO_S = 1.0

_holds: weakref.WeakValueDictionary[tuple[int, int], Hold] = weakref.WeakValueDictionary()
"""Of this process, by device and inode: one network may replace what another one of the same script has written."""


def hold(folder: Path) -> Hold:
    """Keep other processes from writing a run into a folder that exists. The kernel lets go of it when this one ends.

    Raises:
        UsageError: one does.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    status = os.fstat(descriptor)
    if (held := _holds.get((status.st_dev, status.st_ino))) is not None:
        os.close(descriptor)
        return held
    until = time.monotonic() + _LETS_GO_S
    while not _locked(descriptor):
        if time.monotonic() > until:
            os.close(descriptor)
            raise UsageError(
                f"{folder}: another command is writing into it; wait for its end, or give another name"
            )
        time.sleep(_LETS_GO_S / 100)
    _holds[status.st_dev, status.st_ino] = made = Hold(descriptor)
    return made


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass  # a file system without locks
    return True


def read_object(file: Path) -> dict[str, Any]:
    """The JSON object that a file of a run directory holds.

    Raises:
        UsageError: it cannot be read, or holds something else.
    """
    return cast(dict[str, Any], _read_json(file, dict, "object"))


def read_array(file: Path) -> list[Any]:
    """As `read_object`, for a file that holds a JSON array."""
    return cast(list[Any], _read_json(file, list, "array"))


def _read_json(file: Path, kind: type, called: str) -> object:
    try:
        content = parse_json(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{file}: it cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{file}: it is damaged: {why_unread(error)}; repeat the run") from None
    if not isinstance(content, kind):
        raise UsageError(f"{file}: it is damaged: it holds no JSON {called}; repeat the run")
    return content


@contextlib.contextmanager
def naming(file: Path) -> Iterator[None]:
    """An error of writing, as on a full disk, knows no file by itself."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno or errno.EIO, os.strerror(error.errno or errno.EIO), str(file)) from None


class RunDirectory:
    """Where a run writes, and what it writes first: the manifest.

    Args:
        path: the folder; made with its parents. It must be empty or new, or hold an earlier run
            (a ``manifest.json``), which is then replaced.

    Raises:
        UsageError: the path is a file, a folder that holds something other than a run, one that cannot be made or
            written to, or one into which another process is writing a run.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     run = RunDirectory(Path(folder) / "demo")
        ...     run.write_json("verdict.json", {"ok": True}).name
        'verdict.json'
    """

    def __init__(self, path: str | os.PathLike[str]):
        self.path = check_run_directory(path)
        _tools()  # it takes long enough for a ^C, after which there would be an empty folder
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:  # such as /proc, which takes no folder, whatever its mode says
            raise UsageError(
                f"make run directory {self.path}: no folder can be made there ({error.strerror}); give another folder"
            ) from None
        self._hold = hold(self.path)
        if (earlier := self.path / "manifest.json").is_file():
            at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(earlier.stat().st_mtime))
            warn(f"*** {self.path}: the run of {at} that was there is replaced\n")
        for entry in self.path.iterdir():
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()

    def write_json(self, name: str, content: Any) -> Path:
        """Write ``content`` as indented JSON; make the folders in ``name``."""
        target = self._target(name)
        with naming(target):
            target.write_text(json.dumps(content, indent=2, sort_keys=False) + "\n", encoding="utf-8")
        return target

    def write_csv(self, name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
        """Write ``rows`` as CSV under the names of ``columns``."""
        target = self._target(name)
        with naming(target), target.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(rows)
        return target

    def write_parquet(self, name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
        """Write ``rows`` as Parquet under the names of ``columns``; each column has one type, or is null.

        Raises:
            UsageError: a column mixes types, such as numbers and text.
        """
        # Only writing Parquet waits for this import.
        import pyarrow
        from pyarrow import parquet

        target = self._target(name)
        by_column = list(zip(*rows, strict=True)) or [()] * len(columns)
        try:
            table = pyarrow.table(dict(zip(columns, map(pyarrow.array, by_column), strict=True)))
        except pyarrow.ArrowException as error:
            raise UsageError(f"write {target}: {error}; give every column values of one type") from None
        with naming(target):
            parquet.write_table(table, target)
        return target

    def write_manifest(self, seed: int, facts: Mapping[str, Any]) -> Path:
        """Write ``manifest.json``: command line, versions, kernel, machine, seed, and the caller's ``facts``."""
        return self.write_json(
            "manifest.json",
            {
                "written": datetime.now(UTC).isoformat(timespec="seconds"),
                "command": sys.argv,
                "seed": seed,
                **({"time": SIMULATED, "out": str(self.path.absolute())} if time_is_simulated() else {}),
                "versions": {"hybridnet": metadata.version("hybridnet"), "python": platform.python_version()}
                | _tools(),
                "kernel": platform.release(),
                "cores": os.cpu_count(),
                "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
                "processor": processor_model(),
                "sysctl": {name.replace("/", "."): _read(Path("/proc/sys") / name) for name in _SYSCTLS},
                **facts,
            },
        )

    def _target(self, name: str) -> Path:
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        return target


@cache
def _tools() -> dict[str, str | None]:
    """Which version of each tool is here."""
    return {tool: _first_line(command) for tool, command in _TOOLS.items()}


def _first_line(command: Sequence[str]) -> str | None:
    """Return the first line that ``command`` prints, or None if it is not installed."""
    if shutil.which(command[0]) is None:
        return None
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = (done.stdout or done.stderr).splitlines()
    return lines[0] if lines else None


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8").strip() if path.exists() else None
