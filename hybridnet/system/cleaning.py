# SPDX-License-Identifier: MIT
"""Removing what runs have left behind: exactly what their journals name, and nothing else. The guardian of a run does
it when its head is killed (`hybridnet.system.guardian`), `hybridnet clean` when that was killed, too.

A run whose head still lives is left alone unless it is named. Machines reached over SSH are cleaned over
SSH; they have usually cleaned up by themselves when the connection ended.

Run as ``python -m hybridnet.system.cleaning [RUN [MACHINE]]`` it cleans this computer, of one run or of one machine of
it, and prints what it removed as JSON.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from hybridnet.errors import HybridnetError, MachineError
from hybridnet.system import devices, nat
from hybridnet.system.cgroups import remove_abandoned, remove_group
from hybridnet.system.command import run as run_command
from hybridnet.system.journal import (
    MACHINE_VARIABLE,
    RUN_VARIABLE,
    Entry,
    alias_of,
    directories_in,
    is_run,
    network_namespace,
    read_entries,
    require_own,
    setting_of_another_run,
    start_time,
    state_directory,
)
from hybridnet.system.process_state import is_frozen
from hybridnet.system.vswitch import put_setting_back, remove_bridges

END_SECONDS = 40.0
FROZEN_SECONDS = 2.0  # for the others of a machine, one of whose processes hears nothing
SSH_SECONDS = 90.0
DEVICE_SECONDS = 3.0

Progress = Callable[[str], object]


def clean_all(progress: Progress = lambda text: None, *, runs: list[str] | None = None) -> list[str]:
    """Remove what dead runs have left on this computer and on the machines they reached by SSH.

    Args:
        progress: called with each thing when it has been removed.
        runs: remove only these, even if they still run; default: all whose head is dead.

    Returns:
        What was removed, one line each.

    Raises:
        MachineError: something could not be removed; everything else has been.
        EnvironmentLackError: somebody else could have written the journals.
    """
    removed: list[str] = []
    failed: list[str] = []

    def tell(text: str) -> None:
        removed.append(text)
        progress(text)

    state = state_directory()
    if state.is_dir():
        require_own(state)
    for directory in filter(is_run, directories_in(state)):
        if is_alive(directory) if runs is None else directory.name not in runs:
            continue
        try:
            clean_run(directory, tell)
        except (HybridnetError, OSError) as error:
            failed.append(f"run {directory.name}: {error}")
    if runs is None:
        for path in remove_abandoned():
            tell(f"control group {path} of a run that ended with its journal")
    if failed:
        raise MachineError(f"{len(removed)} things were removed, but not all: {'; '.join(failed)}")
    return removed


def clean_run(directory: Path, tell: Progress) -> None:
    """Remove one run: its processes first, then what outlives them, its directory last.

    One process does this at a time; another waits, and then finds nothing.
    """
    try:
        lock = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if directory.is_dir():
            _clean_run(directory, tell)
    finally:
        os.close(lock)


def _clean_run(directory: Path, tell: Progress) -> None:
    run = directory.name
    _end_processes(run, lambda: _processes(run, _all_entries(directory)), tell)
    for entry in _all_entries(directory):  # no process of the run writes any more
        if entry["kind"] == "ssh_machine":
            clean_remote(entry["name"], entry["clean"], tell)
        else:
            _remove(run, entry, tell)
    remove_run_directory(directory)
    tell(f"run {run}: directory {directory}")


def _all_entries(directory: Path) -> list[Entry]:
    """What is left of a run by its journals, the head's and those of its machines, each with the latest first."""
    journals = [read_entries(path) for path in (directory, *directories_in(directory))]
    return [entry for journal in journals for entry in reversed(journal)]


def clean_machine(directory: Path, tell: Progress = lambda text: None) -> None:
    """End what is left of one machine of a run on this computer, and remove what it leaves. The rest of the run stays.

    When it returns, no process of the machine lives: a machine's first process takes all others with it.

    Args:
        directory: the machine's, in that of its run; it may be gone.

    Raises:
        MachineError: a process does not end, or something could not be removed.
        EnvironmentLackError: somebody else could have written the journals.
    """
    run, state = directory.parent.name, directory.parent.parent
    if state.is_dir():
        require_own(state)
    _end_processes(run, partial(_processes_of_machine, run, directory.name), tell)
    for entry in reversed(read_entries(directory)):
        _remove(run, entry, tell)
    shutil.rmtree(directory, ignore_errors=True)
    with contextlib.suppress(OSError):  # others are there
        directory.parent.rmdir()
        state.rmdir()


def _remove(run: str, entry: Entry, tell: Progress) -> None:
    if entry["kind"] in _REMOVERS and (what := _REMOVERS[entry["kind"]](run, entry)):
        tell(f"run {run}: {what}")


def remove_run_directory(directory: Path) -> None:
    """Remove a run's directory, and the state directory if it was the last."""
    shutil.rmtree(directory, ignore_errors=True)
    with contextlib.suppress(OSError):  # other runs are there
        directory.parent.rmdir()


def is_alive(directory: Path) -> bool:
    """Return whether the head of a run lives; if the head is elsewhere, whether any process of the run does."""
    entries = [entry for path in (directory, *directories_in(directory)) for entry in read_entries(path)]
    owners = [entry for entry in entries if entry["kind"] == "owner"]
    if not owners:
        return any(_belongs(int(name), directory.name) for name in os.listdir("/proc") if name.isdigit())
    return any(start_time(owner["pid"]) == owner["start"] for owner in owners)


def _end_processes(run: str, find: Callable[[], dict[int, int]], tell: Progress) -> None:
    """End processes of the run on this computer: those that `find` finds, each with a descriptor that stands for it.

    It asks first: a machine's init lets its agent put settings back. It kills what remains.
    """
    for number, patience in ((signal.SIGTERM, END_SECONDS), (signal.SIGKILL, END_SECONDS)):
        found = find()
        if not found:  # nor will there be any
            return
        # One that its control group has frozen hears nothing but SIGKILL, and an init would wait for its agent.
        if number == signal.SIGTERM and any(map(is_frozen, found)):
            patience = min(patience, FROZEN_SECONDS)
        deadline = time.monotonic() + patience
        for descriptor in found.values():
            with contextlib.suppress(ProcessLookupError):  # one that is stopped hears nothing else
                signal.pidfd_send_signal(descriptor, signal.SIGCONT)
        for pid, descriptor in found.items():
            name = _name(pid)
            try:
                signal.pidfd_send_signal(descriptor, number)
                poll = select.poll()
                poll.register(descriptor, select.POLLIN)
                if poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
                    tell(f"run {run}: process {pid} ({name})")
            except ProcessLookupError:
                pass
            finally:
                os.close(descriptor)
    if left := find():
        for descriptor in left.values():
            os.close(descriptor)
        raise MachineError(f"processes {', '.join(map(str, left))} do not end, even after SIGKILL")


def _processes(run: str, entries: list[Entry]) -> dict[int, int]:
    """The run's processes: those recorded, those with its name in their environment, and those in a network namespace
    of its.
    """
    networks = {e["inode"] for e in entries if e["kind"] == "namespace"}
    recorded = {
        (e["pid"], e["start"])
        for e in entries
        if e["kind"] in ("process", "owner") and e.get("start") is not None
    }
    return _found(
        lambda pid: (pid, start_time(pid)) in recorded or _belongs(pid, run) or _network_of(pid) in networks
    )


def _processes_of_machine(run: str, machine: str) -> dict[int, int]:
    """Those with both names in their environment: its first process is among them."""
    return _found(lambda pid: _belongs(pid, run) and _has(pid, MACHINE_VARIABLE, machine))


def _found(own: Callable[[int], bool]) -> dict[int, int]:
    """The living processes that are `own`, outermost first, each with a descriptor that stands for it alone."""
    found = {}
    for entry in sorted((name for name in os.listdir("/proc") if name.isdigit()), key=int):
        pid = int(entry)
        if pid == os.getpid():
            continue
        try:
            descriptor = os.pidfd_open(pid)
        except (ProcessLookupError, PermissionError):
            continue
        # We look after opening the descriptor, so what we see belongs to its process, or to none.
        if own(pid) and start_time(pid) is not None:
            found[pid] = descriptor
        else:
            os.close(descriptor)
    return found


def _network_of(pid: int) -> int | None:
    try:
        return os.stat(f"/proc/{pid}/ns/net").st_ino
    except OSError:
        return None


def _belongs(pid: int, run: str) -> bool:
    return _has(pid, RUN_VARIABLE, run)


def _has(pid: int, variable: str, value: str) -> bool:
    try:
        return f"{variable}={value}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return "ended"


def _remove_link(run: str, entry: Entry) -> str | None:
    ours = f"hybridnet:{run}"
    if entry["network"] != network_namespace() or alias_of(entry["name"]) != ours:
        return None
    try:
        run_command(["ip", "link", "del", "dev", entry["name"]])
    except MachineError:
        # It may go meanwhile, with its other end's namespace; it only has to be gone.
        if alias_of(entry["name"]) == ours:
            raise
    return f"link {entry['name']}"


def _remove_datapath(run: str, entry: Entry) -> str | None:
    if entry["network"] != network_namespace() or not Path(f"/sys/class/net/{entry['name']}").exists():
        return None
    run_command(["ovs-dpctl", "del-dp", f"system@{entry['name']}"])
    return f"datapath {entry['name']}"


def _put_back(run: str, entry: Entry) -> str | None:
    path = Path(entry["path"])
    if entry.get("network", network_namespace()) != network_namespace():
        return None
    if not path.exists() or path.read_text().strip() != entry["after"]:
        return None
    if setting_of_another_run(run, entry["path"]) is not None:
        return None
    path.write_text(entry["before"])
    return f"setting {path} back to {entry['before']}"


def _remove_directory(run: str, entry: Entry) -> str | None:
    try:
        os.rmdir(entry["path"])
    except OSError:  # it does not exist, or somebody keeps something in it
        return None
    return f"directory {entry['path']}"


def _remove_file(run: str, entry: Entry) -> str | None:
    if _in_use(Path(entry["path"])):
        return None
    try:
        os.unlink(entry["path"])
    except FileNotFoundError:
        return None
    return f"file {entry['path']}"


def _in_use(path: Path) -> bool:
    """Whether a socket or a pid file belongs to a process that lives: the run's have ended by now."""
    with contextlib.suppress(OSError, ValueError):
        if path.suffix == ".pid":
            return start_time(int(path.read_text())) is not None
        if path.is_socket():
            with socket.socket(socket.AF_UNIX) as probe:
                probe.connect(str(path))
            return True
    return False


def _remove_namespace(run: str, entry: Entry) -> str | None:
    path = Path(entry["path"])
    try:
        if path.stat().st_ino != entry["inode"]:
            return None
    except FileNotFoundError:
        return None
    run_command(["umount", "--lazy", str(path)])
    path.unlink()
    return f"network namespace {path.name}"


def _remove_bridge(run: str, entry: Entry) -> str | None:
    return f"bridge {entry['name']}" if _vswitch_answers() and remove_bridges([entry["name"]], run) else None


def _put_vswitch_setting_back(run: str, entry: Entry) -> str | None:
    if not _vswitch_answers():
        return None
    put_setting_back(entry["key"], entry["before"])
    return f"setting {entry['key']} of Open vSwitch back to {entry['before'] or 'none'}"


def _vswitch_answers() -> bool:
    return _in_use(Path("/run/openvswitch/db.sock"))


def _remove_nat(run: str, entry: Entry) -> str | None:
    if entry["network"] != network_namespace() or not nat.remove(_translation(entry)):
        return None
    return f"rules of address translation {entry['name']}"


def _translation(entry: Entry) -> nat.Translation:
    return {"tool": entry["tool"], "name": entry["name"], "rules": entry["rules"]}


def _give_device_back(run: str, entry: Entry) -> str | None:
    if entry["network"] != network_namespace():
        return None
    name, where = entry["name"], entry["where"]
    inside = ["nsenter", f"--net={where}", "--"]
    if where.startswith("/run/netns/") and Path(where).exists() and devices.exists(name, inside):
        run_command([*inside, "ip", "link", "set", "dev", name, "netns", f"/proc/{os.getpid()}/ns/net"])
    deadline = time.monotonic() + DEVICE_SECONDS
    while not devices.exists(name):  # the kernel returns a physical one soon after its namespace is gone
        if time.monotonic() > deadline:
            return None
        time.sleep(0.05)
    devices.restore(name, entry["state"])
    return f"device {name} back"


def _remove_cgroup(run: str, entry: Entry) -> str | None:
    return f"control group {entry['path']}" if remove_group(Path(entry["path"])) else None


def _take_back_controller(run: str, entry: Entry) -> str | None:
    file = Path(entry["path"], "cgroup.subtree_control")
    if not file.exists() or entry["name"] not in file.read_text().split():
        return None
    try:
        file.write_text(f"-{entry['name']}")
    except OSError:  # somebody else's group uses it by now
        return None
    return f"controller {entry['name']} of {entry['path']}"


_REMOVERS = {
    "link": _remove_link,
    "datapath": _remove_datapath,
    "setting": _put_back,
    "directory": _remove_directory,
    "file": _remove_file,
    "namespace": _remove_namespace,
    "bridge": _remove_bridge,
    "vswitch_setting": _put_vswitch_setting_back,
    "nat": _remove_nat,
    "device": _give_device_back,
    "cgroup": _remove_cgroup,
    "controller": _take_back_controller,
}


def clean_remote(machine: str, command: list[str], tell: Progress, patience_s: float = SSH_SECONDS) -> None:
    """Remove what a run has left on a machine on another computer, by the command in the journal of the head.

    Raises:
        MachineError: it cannot be reached within `patience_s` seconds, or something could not be removed.
    """
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=patience_s, check=False)
    except (subprocess.TimeoutExpired, FileNotFoundError) as error:
        raise MachineError(f"machine {machine} cannot be reached to clean it: {error}") from None
    if done.returncode != 0:
        raise MachineError(f"machine {machine} could not be cleaned: {done.stderr.strip()[-500:]}")
    for line in json.loads(done.stdout):
        tell(f"machine {machine}: {line}")


def main() -> int:
    """Clean this computer of one run, of one machine of it, or of all dead runs."""
    removed: list[str] = []
    try:
        if len(sys.argv) == 3:
            clean_machine(state_directory() / sys.argv[1] / sys.argv[2], removed.append)
        else:
            removed = clean_all(runs=sys.argv[1:] or None)
        print(json.dumps(removed))
    except HybridnetError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
