# SPDX-License-Identifier: MIT
"""Harms each daemon of a run, at instants of its start, its life and its end, and tells what was said, after how long,
and what was left.

    sudo python -m tests.system.daemons_harmed                  # the whole table, about half an hour
    sudo python -m tests.system.daemons_harmed ryu stop few     # of one daemon, one harm, a few instants

Harms: ``kill`` (SIGKILL), ``stop`` (SIGSTOP), ``hang`` (its control group is frozen: it is not stopped, and does not
answer). A run that goes on is interrupted after `PATIENCE_S`, as by ^C.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.system.computer import HARMED

GROUPS = next(  # control groups of version 2; beside those of version 1 they have a folder of their own
    (
        path
        for path in map(Path, ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"))
        if (path / "cgroup.controllers").exists()
    ),
    Path("/sys/fs/cgroup"),
)
PATIENCE_S = 20.0
APPEARS_S = 20.0
END_S = 60.0

SCRIPT = """
import time
from hybridnet import Net, Topo

topo = Topo()
for name in ("1", "2"):
    topo.addSwitch("s" + name)
    for host in range(4):
        topo.addLink(topo.addHost(f"h{name}{host}"), "s" + name)
topo.addLink("s1", "s2", bw=50, delay="5ms")
with Net(topo) as net:
    print("up", flush=True)
    for _ in range(3):
        net["h10"].cmd("ping -c 10 -i 0.1 -W 1 " + net["h20"].IP())
    net.snapshot()
    net.check()
    print("down", flush=True)
"""

DAEMONS = {
    "ovsdb-server": ("ovsdb-server", "/conf.db"),
    "ovs-vswitchd": ("ovs-vswitchd", "unix:"),
    "instance": ("hybridnet.simulate.instance",),
    "ryu": ("ryu_manager.py",),
    "init": ("hybridnet.machines.workers.init",),
    "agent": ("hybridnet.machines.workers.worker",),
    "guardian": ("guardian.py",),
}
HARMS = ("kill", "stop", "hang")
INSTANTS = (
    *(("", after_s) for after_s in (0.0, 0.1, 0.4, 0.8, 1.5)),  # after the daemon has begun
    *(("up", after_s) for after_s in (0.0, 1.0, 2.5)),
    *(("down", after_s) for after_s in (0.0, 0.1)),
)
FEW = (("", 0.1), ("", 0.8), ("up", 1.0), ("down", 0.0))


@dataclass(frozen=True)
class Row:
    """One trial."""

    daemon: str
    harm: str
    at: str
    code: int | None
    seconds: float
    """From the harm to the end."""
    interrupted_s: float | None
    """From the interrupt to the end; None: it ended by itself."""
    said: str
    left: list[str]

    def __str__(self) -> str:
        ended = "by itself" if self.interrupted_s is None else f"{self.interrupted_s:.1f} s after ^C"
        left = ", ".join(self.left) or "nothing"
        return (
            f"| {self.daemon} | {self.harm} | {self.at} | {self.seconds:.1f} s | {ended} | {self.code} | "
            f"{self.said} | {left} |"
        )


def trial(daemon: str, harm: str, mark: str, after_s: float) -> Row | None:
    """Harm a daemon at one instant; None: it was not there then."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as after:
        script, output, state = Path(folder) / "script.py", Path(folder) / "output", Path(folder) / "state"
        script.write_text(SCRIPT)
        links = set(os.listdir("/sys/class/net"))
        with output.open("wb") as out:
            head = subprocess.Popen(
                [sys.executable, "-m", "hybridnet.cli", "run", str(script)],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env={**os.environ, "HYBRIDNET_STATE_DIR": str(state)},
                start_new_session=True,
            )
        after.callback(_end, head)
        pid = _appears(head, daemon, output, mark)
        if pid is None:
            return None
        time.sleep(after_s)  # the instant that is tried, and nothing that is waited for
        harmed_at = time.monotonic()
        try:
            after.enter_context(_harmed(pid, harm))
        except OSError:  # it has ended by now
            return None
        interrupted_s = None
        try:
            head.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            interrupted_at = time.monotonic()
            os.killpg(head.pid, signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                head.wait(END_S)
            interrupted_s = time.monotonic() - interrupted_at
        seconds = time.monotonic() - harmed_at
        text = output.read_text(errors="replace")
        errors = [
            line for line in text.splitlines() if "error:" in line or ("***" in line and "erdict" in line)
        ]
        said = " // ".join(line[:160] for line in errors[-2:])
        left = _left(head.pid, state, links)
        return Row(
            daemon, harm, f"{mark or 'begun'}+{after_s:g}", head.poll(), seconds, interrupted_s, said, left
        )


def _appears(head: subprocess.Popen[bytes], daemon: str, output: Path, mark: str) -> int | None:
    deadline = time.monotonic() + APPEARS_S
    while head.poll() is None and time.monotonic() < deadline:
        if not mark or mark in output.read_text(errors="replace").splitlines():
            for pid in _descendants(head.pid):
                command = _command_line(pid)
                inner = daemon != "init" or _parent(pid) != head.pid
                if inner and all(word in command for word in DAEMONS[daemon]) and "nice" not in command[:6]:
                    return pid
        time.sleep(0.01)
    return None


@contextlib.contextmanager
def _harmed(pid: int, harm: str) -> Iterator[None]:
    if harm == "hang":
        with frozen(pid, for_good=True):
            yield
        return
    os.kill(pid, signal.SIGKILL if harm == "kill" else signal.SIGSTOP)
    yield


@contextlib.contextmanager
def frozen(pid: int, *, for_good: bool = False) -> Iterator[None]:
    """A process is frozen by a control group of its own: it is not stopped, and does nothing.

    Args:
        for_good: it is killed in the end, as what froze it goes; if not, it goes on.
    """
    before = next(
        line for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines() if line.startswith("0::")
    )
    group = GROUPS / f"{HARMED}{os.getpid()}-{pid}"
    group.mkdir()
    try:
        (group / "cgroup.procs").write_text(str(pid))
        (group / "cgroup.freeze").write_text("1")
        yield
    finally:
        if for_good:
            (group / "cgroup.kill").write_text("1")
            deadline = time.monotonic() + 5
            while (group / "cgroup.procs").read_text() and time.monotonic() < deadline:
                time.sleep(0.01)
        else:
            (group / "cgroup.freeze").write_text("0")
            (GROUPS / before[3:].strip("/") / "cgroup.procs").write_text(str(pid))
        group.rmdir()


def _end(head: subprocess.Popen[bytes]) -> None:
    """End what is left, by number."""
    family = _descendants(head.pid)
    if head.poll() is None:
        for pid in [head.pid, *family]:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
    head.wait()


def _left(head: int, state: Path, links: set[str]) -> list[str]:
    """What is there that was not, when the head and its guardian have had a moment."""
    deadline = time.monotonic() + 5.0
    while True:
        found = [f"link {name}" for name in set(os.listdir("/sys/class/net")) - links]
        found += [f"file {path.name}" for path in (state.iterdir() if state.exists() else ())]
        found += [f"process {pid}" for pid in _of_state(state)]
        if not found or time.monotonic() > deadline:
            return sorted(found)
        time.sleep(0.05)


def _of_state(state: Path) -> list[int]:
    wanted = f"HYBRIDNET_STATE_DIR={state}".encode()
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if wanted in Path(f"/proc/{entry}/environ").read_bytes().split(b"\0"):
                found.append(int(entry))
    return found


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _descendants(pid: int) -> list[int]:
    parents = {int(entry): _parent(int(entry)) for entry in filter(str.isdigit, os.listdir("/proc"))}
    found, wave = [], [pid]
    while wave:
        wave = [child for child, parent in parents.items() if parent in wave]
        found += wave
    return found


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
    except OSError:
        return ""


def can_freeze() -> bool:
    """Whether processes can be made to hang here: control groups of version 2, and the right to make some."""
    return (GROUPS / "cgroup.controllers").exists() and os.access(GROUPS, os.W_OK)


def main(words: list[str]) -> int:
    """Print the table of those daemons and harms that the words name, or of all."""
    daemons = [name for name in DAEMONS if name in words] or list(DAEMONS)
    harms = [name for name in HARMS if name in words] or list(HARMS)
    instants = [each for each in INSTANTS if "few" not in words or each in FEW]
    print(
        "| daemon | harm | at | ended after | how | exit code | said | left |\n|---|---|---|---|---|---|---|---|"
    )
    bad = 0
    for daemon in daemons:
        for harm in harms:
            if harm == "hang" and not can_freeze():
                continue
            for mark, after_s in instants:
                if (row := trial(daemon, harm, mark, after_s)) is not None:
                    print(row, flush=True)
                    bad += bool(row.left) or row.code is None
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
