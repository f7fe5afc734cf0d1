# SPDX-License-Identifier: MIT
"""A computer for one test: namespaces of its own, with an empty /run, nothing but a loopback, and processes of its own.

What runs on this computer itself, as Mininet's scripts do, can then be tested beside others that do the same; and
everything that it leaves behind is seen, as nobody else is there. Two kinds: bare, and with the packaged Open vSwitch.

Each process that runs tests takes a computer of its own, too, on which it still sees all processes. So tests beside
each other may use the same names, and none finds another's runs.

Run as ``python -m tests.system.computer REPORT WITH_OVS PATIENCE_S COMMAND…`` within such namespaces, it runs the
command, and writes what is there afterwards and was not before, and the other way round.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hybridnet.machines.workers.init import (
    CLONE_NEWIPC,
    CLONE_NEWNET,
    CLONE_NEWNS,
    CLONE_NEWUTS,
    unshare,
)

ROOT = Path(__file__).parents[2]
NAMESPACES = ("--net", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child", "--mount-proc")
# /sys shows the devices of the namespace that mounted it; the folder of Open vSwitch's own database is the test's, too.
# Named namespaces of the computer below would vanish from /run/netns when they end.
SETUP = """set -e
mount --make-rprivate /
! mountpoint -q /run/netns || umount --recursive --lazy /run/netns
mount -t tmpfs tmpfs /run
mkdir /run/lock /run/cgroup
mount --rbind /sys/fs/cgroup /run/cgroup
mount -t sysfs sysfs /sys
mount --rbind /run/cgroup /sys/fs/cgroup
umount --lazy /run/cgroup
rmdir /run/cgroup
mount -t tmpfs tmpfs /etc/openvswitch
mount -t tmpfs tmpfs /var/log/openvswitch
ip link set lo up
exec "$@"
"""
OVS_CTL = "/usr/share/openvswitch/scripts/ovs-ctl"


@dataclass(frozen=True)
class Ended:
    """A command that has ended on such a computer.

    Attributes:
        left: of each kind of thing, what there is afterwards and was not before, with "+", and the other way round,
            with "-". Empty where the computer is as it was.
    """

    status: int
    out: str
    err: str
    left: dict[str, list[str]]


def on_a_computer(command: list[str]) -> list[str]:
    """The command that runs another one on a computer of its own."""
    return ["unshare", *NAMESPACES, "bash", "-c", SETUP, "computer", *command]


def take_a_computer() -> None:
    """Take this thread, and what it starts from now on, onto a computer of its own; it keeps seeing all processes."""
    unshare(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET)
    subprocess.run(["bash", "-c", SETUP, "computer", "true"], check=True)


def run_on_a_computer(
    command: list[str],
    *,
    with_ovs: bool = False,
    patience_s: float = 0.0,
    timeout_s: float = 120.0,
    env: dict[str, str] | None = None,
    cwd: Path | None = None,
    input: str | None = None,
) -> Ended:
    """Run a command on a computer of its own.

    Args:
        with_ovs: the packaged Open vSwitch runs there.
        patience_s: how long the computer may take, after the command's end, until it is as it was.
    """
    with tempfile.NamedTemporaryFile("r", suffix=".json") as report:
        inside = [
            sys.executable,
            "-m",
            "tests.system.computer",
            report.name,
            str(int(with_ovs)),
            str(patience_s),
        ]
        done = subprocess.run(
            on_a_computer([*inside, *command]),
            capture_output=True,
            text=True,
            timeout=timeout_s,
            input=input,
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
            check=False,
        )
        told = report.read()
    assert told, f"the test's computer did not come up: {done.stderr}"
    return Ended(done.returncode, done.stdout, done.stderr, json.loads(told))


def _inventory() -> dict[str, set[str]]:
    return {name: set(look()) for name, look in _LOOKS.items()}


def _processes() -> list[str]:
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        if int(entry) not in (1, os.getpid()):
            with_arguments = _text(f"/proc/{entry}/cmdline").replace("\0", " ")
            # What has ended and is not waited for yet has no command line, nor does the look itself stay.
            if with_arguments:
                found.append(f"{entry} {with_arguments}")
    return found


def _settings() -> list[str]:
    found = []
    for folder, _, names in os.walk("/proc/sys/net"):  # folders of devices come and go meanwhile
        for name in names:
            if name != "nf_conntrack_count":  # connections, which time out
                found.append(f"{folder}/{name}={_text(Path(folder, name))}")
    return found


def _database() -> list[str]:
    if not Path("/run/openvswitch/db.sock").exists():
        return []
    columns = "--columns=name,external_ids"
    lists = [
        _said(["ovs-vsctl", "--timeout=5", columns, "list", table])
        for table in ("Bridge", "Port", "Interface")
    ]
    return [
        *lists,
        _said(["ovs-vsctl", "--timeout=5", "--columns=other_config,external_ids", "list", "Open_vSwitch"]),
    ]


def _files(*roots: str) -> Callable[[], list[str]]:
    # Sockets and pid files of the packaged Open vSwitch stay as they are, and are looked at as all others.
    def look() -> list[str]:
        # os.walk passes over folders that other runs of the computer remove meanwhile.
        return [
            os.path.join(folder, name)
            for root in roots
            for folder, folders, files in os.walk(root)
            for name in (*folders, *files)
        ]

    return look


HARMED = "harmed-"
"""How the names of groups begin with which a test freezes what a run has."""

_runs: set[str] = set()
"""The names of the runs that this computer has had."""


@contextmanager
def _noting_runs() -> Iterator[None]:
    ended = threading.Event()

    def note() -> None:
        while not ended.wait(0.02):
            with suppress(FileNotFoundError):
                _runs.update(os.listdir("/run/hybridnet"))

    thread = threading.Thread(target=note)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _cgroups() -> list[str]:
    # They are the computer's below: those of others' runs, and of who harms these, come and go meanwhile.
    groups = [path for path in Path("/sys/fs/cgroup").glob("*/*") if path.is_dir()]
    ours = tuple(f"hybridnet-{run}" for run in _runs)
    return [
        str(path)
        for path in groups
        if not path.name.startswith(("hybridnet-", HARMED)) or path.name.startswith(ours)
    ]


_LOOKS: dict[str, Callable[[], list[str]]] = {
    "interfaces": lambda: os.listdir("/sys/class/net"),
    "namespaces": lambda: os.listdir("/run/netns") if Path("/run/netns").is_dir() else [],
    "mounts": lambda: [line.split(" ", 3)[3] for line in _text("/proc/self/mountinfo").splitlines()],
    "processes": _processes,
    "settings": _settings,
    "files": _files("/run", "/dev/shm"),
    "cgroups": _cgroups,
    "database": _database,
    "iptables": lambda: _said(["iptables-save"]).splitlines() if shutil.which("iptables-save") else [],
    "nftables": lambda: _said(["nft", "list", "ruleset"]).splitlines() if shutil.which("nft") else [],
    "routes": lambda: _said(["ip", "route", "show", "table", "all"]).splitlines(),
}


def _text(path: str | Path) -> str:
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return ""


def _said(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def _difference(before: dict[str, set[str]], after: dict[str, set[str]]) -> dict[str, list[str]]:
    changed = {
        name: sorted(
            [*(f"+{each}" for each in after[name] - was), *(f"-{each}" for each in was - after[name])]
        )
        for name, was in before.items()
    }
    return {name: lines for name, lines in changed.items() if lines}


def main(report: str, with_ovs: str, patience_s: str, *command: str) -> int:
    """See the module."""
    if with_ovs == "1":
        subprocess.run(
            [OVS_CTL, "start", "--system-id=test", "--no-monitor", "--no-record-hostname"],
            stdout=subprocess.DEVNULL,
            check=False,
        )
        subprocess.run(["ovs-vsctl", "--timeout=20", "show"], stdout=subprocess.DEVNULL, check=True)
    # A shell that starts tests in the background has them ignore it, and so would the command.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    before = _inventory()
    with _noting_runs():
        status = subprocess.run(command, check=False).returncode
    deadline = time.monotonic() + float(patience_s)
    while (left := _difference(before, _inventory())) and time.monotonic() < deadline:
        time.sleep(0.05)
    told: Any = json.dumps(left)
    Path(report).write_text(told)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
