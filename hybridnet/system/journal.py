# SPDX-License-Identifier: MIT
"""What a run makes, written down before it is made.

A run has a directory of its own under the state directory (``/run/hybridnet``, or ``HYBRIDNET_STATE_DIR``); everything
hybridnet makes outside of it is a line of a journal there, written before the thing exists. So at any instant, even
after ``kill -9``, the journals name everything that can remain, and `hybridnet.system.cleaning` removes exactly that.

Kinds of entries, and what proves that a thing belongs to the run:

=================  ==============================  ==================================================================
kind               fields                          identity
=================  ==============================  ==================================================================
here               alone                           the run is on this computer itself
left               —                               the guardian removes it when the last program in its hosts ends
owner, process     pid, start, what                the process's start time; a recycled pid has another one
link               name, network                   its alias ``hybridnet:<run>`` in the network namespace ``network``
directory, file    path                            the path, which was free when it was recorded; what a living process
                                                   listens at, or has its number in, stays
namespace          path, inode                     the inode of the network namespace that the path names
bridge             name                            the run's name in its external_ids, where Open vSwitch is not ours
vswitch_setting    key, before                     of other_config there
setting            path, before, after, network    it still has the value ``after``, in ``network`` if that is given
device             name, network, state, where     a device of that name in ``network``; ``state`` is what it was like
nat                network, tool, name, rules      the rules have the name, in the network namespace ``network``
cgroup             path                            the path, whose first part under the hierarchy has the run's name
controller         path, name                      it was not enabled there, and nobody else's group uses it
datapath           name, network                   made in ``network``, where none of that name was
ssh_machine        name, clean, host               the command that cleans there; how to get there
=================  ==============================  ==================================================================

Besides, every process of a run has ``HYBRIDNET_RUN=<run>`` in its environment, and every process of a machine with an
init ``HYBRIDNET_MACHINE=<machine>``. This finds a process that was started but not yet recorded when its parent was
killed. Namespaces and mounts of other machines than this computer itself are not listed: they live in a mount and a
PID namespace of that machine, and end with its first process (see `hybridnet.machines.workers.init`).
"""

from __future__ import annotations

import json
import os
import re
import secrets
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Required, TypedDict, Unpack, final

from hybridnet.errors import EnvironmentLackError
from hybridnet.system.standard_streams import occupy_closed_streams


@final
class DeviceState(TypedDict):
    """What a device is like: see `hybridnet.system.devices`."""

    up: bool
    promiscuous: bool
    addresses: list[str]  # with the lengths of their prefixes
    routes: list[str]  # as `ip route` shows them, after -4 or -6
    settings: dict[str, str]


class Fields(TypedDict, total=False):
    """What the journal says of a thing: the table above has which fields each kind has."""

    alone: bool
    pid: int
    start: int | None
    what: str
    name: str
    network: int
    path: str
    inode: int
    key: str
    before: str
    after: str
    state: DeviceState
    where: str
    tool: str
    rules: list[list[str]] | str
    clean: list[str]
    host: dict[str, Any]


class Entry(Fields):
    """What the journal has of a thing that was made."""

    kind: Required[str]


RUN_VARIABLE = "HYBRIDNET_RUN"
MACHINE_VARIABLE = "HYBRIDNET_MACHINE"
STATE_OF_ROOT = Path("/run/hybridnet")
_JOURNAL = "journal.jsonl"
_RUN = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{8}")  # of `new_run_name`


def state_directory() -> Path:
    """The directory that holds one directory per run: the computer's for root, else the user's own."""
    if given := os.environ.get("HYBRIDNET_STATE_DIR"):
        return Path(given)
    if os.geteuid() == 0:
        return STATE_OF_ROOT
    if own := os.environ.get("XDG_RUNTIME_DIR"):
        return Path(own) / "hybridnet"
    return Path(f"/tmp/hybridnet-{os.geteuid()}")


def root_runs_something() -> bool:
    """Whether root has runs, and this user is somebody else, whose `state_directory` does not have them."""
    if os.geteuid() == 0:
        return False
    return any(not os.access(run, os.R_OK | os.X_OK) for run in directories_in(STATE_OF_ROOT))


def make_private(directory: Path) -> None:
    """Make a run's directory, which only its owner can read, and the state directory above it.

    Raises:
        EnvironmentLackError: somebody else could change what is in the state directory, or it cannot be made.
    """
    try:
        directory.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
        require_own(directory.parent)
        directory.mkdir(exist_ok=True, mode=0o700)
    except OSError as error:
        raise EnvironmentLackError(
            f"state directory {directory.parent}: it cannot be made or written to: {error.strerror}; choose another by "
            "HYBRIDNET_STATE_DIR"
        ) from None


def require_own(state: Path) -> None:
    """Raise EnvironmentLackError unless only this user can change the state directory: whoever writes a
    journal there decides what `hybridnet.system.cleaning` removes. Nor may somebody else have made it a link, to
    whatever this user has."""
    there = state.stat()
    if there.st_uid != os.geteuid() or there.st_mode & 0o022:
        raise EnvironmentLackError(
            f"state directory {state}: user {there.st_uid} and mode {there.st_mode & 0o7777:o}, so others can change "
            f"its content; chown {os.geteuid()} and chmod 755, or choose another by HYBRIDNET_STATE_DIR"
        )
    if (owner := state.lstat().st_uid) != os.geteuid():
        raise EnvironmentLackError(
            f"state directory {state}: it is a link that user {owner} has made; remove it, or choose another by "
            "HYBRIDNET_STATE_DIR"
        )


def new_run_name() -> str:
    """A name no other run has, and that sorts by time."""
    return f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(4)}"


def is_run(directory: Path) -> bool:
    """Whether a directory in the state directory is a run's: it is called like one, or it or a machine's in it has a
    journal. `HYBRIDNET_STATE_DIR` may name a directory that has others.
    """
    if _RUN.fullmatch(directory.name):
        return True
    return any((each / _JOURNAL).is_file() for each in (directory, *directories_in(directory)))


def start_time(pid: int) -> int | None:
    """When process `pid` started, in clock ticks since boot; None when there is no such process (or a zombie only)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = stat.rpartition(")")[2].split()  # the name, in parentheses, may hold anything
    return None if fields[0] in "ZX" else int(fields[19])


def network_namespace() -> int:
    """The inode that identifies the network namespace of the calling process."""
    return os.stat("/proc/self/ns/net").st_ino


def alias_of(device: str) -> str | None:
    """The alias of a network device, which says whose it is; None when there is no such device, or it is just going."""
    try:
        return Path(f"/sys/class/net/{device}/ifalias").read_text().strip()
    except OSError:  # ENOENT, and ENODEV when it goes between open() and read()
        return None


class Journal:
    """The journal of one process of a run: the head's, or the agent's of one machine.

    Lines are appended with one write each, so a line is there as a whole or not at all, but for one that a full disk
    has torn; the next one does not continue it. Usable from any thread.
    """

    def __init__(self, directory: Path, run: str) -> None:
        """Open the journal in `directory`, which is made if need be."""
        self.run = run
        self.directory = directory
        directory.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._file = os.open(directory / _JOURNAL, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        size = os.fstat(self._file).st_size
        self._torn = size > 0 and os.pread(self._file, 1, size - 1) != b"\n"  # the last line has no end

    @classmethod
    def create(cls) -> Journal:
        """The journal of a new run, owned by this process."""
        occupy_closed_streams()  # a run opens files, and passes some on
        run = new_run_name()
        make_private(state_directory() / run)
        journal = cls(state_directory() / run, run)
        journal.record("owner", pid=os.getpid(), start=start_time(os.getpid()), what="head")
        return journal

    def record(self, kind: str, **fields: Unpack[Fields]) -> None:
        """Write down a thing that is about to be made."""
        self._append({"make": kind, **fields})

    def gone(self, kind: str, **fields: Unpack[Fields]) -> None:
        """Write down that a recorded thing, named by the same identifying fields, no longer exists."""
        self._append({"gone": kind, **fields})

    def environment(self) -> dict[str, str]:
        """The environment for processes of this run: this process's own, and the run's name."""
        return {**os.environ, RUN_VARIABLE: self.run, "HYBRIDNET_STATE_DIR": str(state_directory())}

    def process(self, pid: int, what: str) -> None:
        """Record a process that was started with `environment`."""
        self.record("process", pid=pid, start=start_time(pid), what=what)

    def alias(self) -> str:
        """Return the alias of the run's links."""
        return f"hybridnet:{self.run}"

    def close(self) -> None:
        """Close the file; the directory stays, for `hybridnet.system.cleaning.remove_run_directory`."""
        with self._lock:
            if self._file >= 0:
                os.close(self._file)
                self._file = -1

    def _append(self, entry: dict[str, object]) -> None:
        line = (json.dumps(entry) + "\n").encode()
        with self._lock:
            text = b"\n" + line if self._torn else line
            written = os.write(self._file, text)
            self._torn = written < len(text)
        if written < len(text):
            raise OSError(
                f"journal {self.directory}: only {written} of {len(text)} bytes were written; is the disk full?"
            )


def read_entries(directory: Path) -> list[Entry]:
    """Return what the journal in `directory` says still exists, oldest first. Skip torn lines, left by a full disk."""
    try:
        lines = (directory / _JOURNAL).read_text(errors="replace").splitlines()
    except FileNotFoundError:
        return []
    alive = _Alive()
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if kind := entry.pop("make", None):
            alive.add(entry | {"kind": kind})
        elif kind := entry.pop("gone", None):
            alive.remove(entry | {"kind": kind})
    return alive.entries()


class _Alive:
    """What has been made and is not gone; it finds at once what an entry names by some of its fields."""

    def __init__(self) -> None:
        self._entries: dict[int, Entry] = {}
        # By the fields that something of the kind was ever named by when it went: their values, and who has them.
        self._by_fields: dict[tuple[str, ...], dict[str, dict[int, None]]] = {}
        self._made = 0

    def entries(self) -> list[Entry]:
        return list(self._entries.values())

    def add(self, entry: Entry) -> None:
        self._entries[self._made] = entry
        for fields, numbers in self._by_fields.items():
            if entry.keys() >= set(fields):
                numbers.setdefault(_values(entry, fields), {})[self._made] = None
        self._made += 1

    def remove(self, named: Entry) -> None:
        fields = tuple(sorted(named))
        if fields not in self._by_fields:
            numbers = self._by_fields[fields] = {}
            for number, entry in self._entries.items():
                if entry.keys() >= named.keys():
                    numbers.setdefault(_values(entry, fields), {})[number] = None
        # Those that left by other fields are still in this list.
        for number in self._by_fields[fields].pop(_values(named, fields), {}):
            self._entries.pop(number, None)


def _values(entry: Mapping[str, object], fields: tuple[str, ...]) -> str:
    return json.dumps([entry[field] for field in fields], sort_keys=True)


def directories_in(directory: Path) -> list[Path]:
    """The directories in one, in order; none where that does not exist, is a file, or has just gone."""
    try:
        return sorted(path for path in directory.iterdir() if path.is_dir())
    except (FileNotFoundError, NotADirectoryError):
        return []


def setting_of_another_run(run: str, path: str) -> Entry | None:
    """Return the entry by which a run other than `run` has changed the setting at `path`. While there is one, nobody
    puts it back.
    """
    for directory in directories_in(state_directory()):
        if directory.name == run:
            continue
        for journal in (directory, *directories_in(directory)):
            for entry in read_entries(journal):
                if entry["kind"] == "setting" and entry["path"] == path:
                    return entry
    return None
