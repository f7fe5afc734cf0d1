# SPDX-License-Identifier: MIT
"""After `kill -9` of anything, cleaning removes what the run made, and nothing else. (After that of a head alone its
guardian does: `guardian_test`.)
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet.machines.cluster import Cluster
from hybridnet.system import cgroups
from hybridnet.system.cleaning import clean_all
from hybridnet.system.journal import Journal, network_namespace, read_entries, start_time
from tests.system.computer import on_a_computer
from tests.system.machine_plans import tree
from tests.system.traces import groups_of, network_namespaces_of, traces

pytestmark = pytest.mark.thorough

HEAD = """
import json, sys, time
from hybridnet.machines.cluster import Cluster
plans = json.load(sys.stdin)
cluster = Cluster.local(list(plans))
cluster.call_all({machine: ("build", {"plan": plan}) for machine, plan in plans.items()})
cluster.call("m1", "start_process", node="h1", command=["sleep", "1000"])
cluster.call("m1", "run_command", node="h2", text="setsid sleep 1000 &")
print(cluster.journal.run, flush=True)
time.sleep(1000)
"""

LIMITED = """
import time
from hybridnet import Net, Topo
topo = Topo()
topo.addHost("h1", cpu=0.2)
with Net(topo, controller=None) as net:
    print(net.cluster.journal.run, flush=True)
    time.sleep(1000)
"""


def children(pid: int) -> list[int]:
    return [
        int(child)
        for thread in Path(f"/proc/{pid}/task").iterdir()
        for child in (thread / "children").read_text().split()
    ]


def kill_with_all_of(run: str, computer: subprocess.Popen[str]) -> None:
    """Returns once the kernel has ended all processes of a computer's namespaces: it does so one by one, and each gives
    up its memory, by which it is known, before its files.
    """
    computer.kill()
    computer.wait()
    deadline = time.monotonic() + 10
    while traces(run)["processes"] or any(map(is_held, groups_of(run))):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_held(group: Path) -> bool:
    """Whether a process has it locked."""
    descriptor = os.open(group, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def command_of(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def head(state: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A program with two machines, each with a tree of switches, hosts and programs: the process and its run."""
    process = subprocess.Popen(
        [sys.executable, "-c", HEAD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    json.dump(
        {m: tree(m, 2, index=i, port_type="afxdp", portal=True) for i, m in enumerate(["m1", "m2"], 1)},
        process.stdin,
    )
    process.stdin.close()
    run = process.stdout.readline().strip()
    assert run
    yield process, run
    process.kill()
    process.wait()
    process.stdout.close()
    clean_all(runs=[run])


def test_cleaning_beside_the_guardian_of_a_killed_head_waits_until_nothing_is_left(
    head: tuple[subprocess.Popen[str], str], state: Path
) -> None:
    process, run = head
    names = {entry["name"] for entry in read_entries(state / run) if entry["kind"] == "link"}
    assert len(network_namespaces_of(run)) >= 2 + 2  # two machines, and the hosts with a program in them
    assert traces(run)["processes"]
    process.send_signal(signal.SIGKILL)
    process.wait()
    clean_all()
    after = traces(run)
    assert after["processes"] == set()
    assert network_namespaces_of(run) == set()
    assert names.isdisjoint(after["links"])
    assert not state.exists()
    assert clean_all() == []


def test_after_kill_9_of_everything_nothing_is_left(
    head: tuple[subprocess.Popen[str], str], state: Path
) -> None:
    """Head, guardian, init and agents killed at once: nobody has cleaned up; the kernel and the journal must do."""
    process, run = head
    names = {entry["name"] for entry in read_entries(state / run) if entry["kind"] == "link"}
    process.send_signal(signal.SIGSTOP)
    [guardian] = [pid for pid in children(process.pid) if b"/guardian.py\0" in command_of(pid)]
    for pid in [guardian, *map(int, traces(run)["processes"])]:
        if start_time(pid) is not None:
            os.kill(pid, signal.SIGKILL)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert any(run in line for line in clean_all())
    after = traces(run)
    assert after["processes"] == set()
    assert names.isdisjoint(after["links"])
    assert not state.exists()


def test_the_control_group_of_a_run_that_was_killed_with_its_journal_is_removed(state: Path) -> None:
    """A computer's processes and namespaces at once, as a container that is killed: its /run had the journal."""
    lives, dies = (
        subprocess.Popen(
            on_a_computer([sys.executable, "-c", LIMITED]),
            stdout=subprocess.PIPE,
            text=True,
            env={name: value for name, value in os.environ.items() if name != "HYBRIDNET_STATE_DIR"},
        )
        for _ in range(2)
    )
    try:
        of_the_living, of_the_dead = (process.stdout.readline().strip() for process in (lives, dies))
        groups = groups_of(of_the_dead)
        assert groups
        kill_with_all_of(of_the_dead, dies)
        assert groups_of(of_the_dead) == groups
        assert {line for line in clean_all() if of_the_dead in line} == {
            f"control group {path} of a run that ended with its journal" for path in groups
        }
        assert groups_of(of_the_dead) == []
        assert groups_of(of_the_living)
    finally:
        for process, run in ((lives, of_the_living), (dies, of_the_dead)):
            kill_with_all_of(run, process)
            process.stdout.close()
        clean_all()


def test_a_control_group_in_which_something_runs_stays_until_that_has_ended(state: Path) -> None:
    group = cgroups.find()["cpu"].root / f"{cgroups.PREFIX}{os.getpid()}"
    os.close(cgroups.hold(group))
    with subprocess.Popen(["sleep", "100"]) as program:
        (group / "cgroup.procs").write_text(str(program.pid))
        assert str(group) not in " ".join(clean_all())
        assert group.is_dir()
        program.kill()
    assert str(group) in " ".join(clean_all())
    assert not group.exists()


def test_a_run_that_lives_is_left_alone_unless_it_is_named(head: tuple[subprocess.Popen[str], str]) -> None:
    process, run = head
    assert clean_all() == []
    assert process.poll() is None
    assert traces(run)["processes"]
    clean_all(runs=[run])
    assert process.wait(10) == -signal.SIGTERM
    assert traces(run)["processes"] == set()


@pytest.mark.alone
def test_a_run_that_ends_well_leaves_nothing_and_puts_settings_back(state: Path) -> None:
    before = traces()
    with Cluster.local(["m1", "m2"]) as cluster:
        run = cluster.journal.run
        cluster.call("m1", "build", plan=tree("m1", 2))
        during = traces(run)
        [ours] = [entry["name"] for entry in read_entries(state / run) if entry["kind"] == "link"]
    after = traces(run)
    assert during["processes"]
    assert during["names"] - before["names"] == set()  # hosts have their names on their machine only
    assert ours in during["links"] - before["links"]
    assert ours not in after["links"]
    assert after["processes"] == set()
    assert after["mounts"] == before["mounts"]
    assert not state.exists()


def test_only_what_bears_the_runs_mark_is_removed(state: Path) -> None:
    """A device, a process and a setting that look like the journal's, and are somebody else's, stay."""
    other = subprocess.Popen(["sleep", "1000"])
    subprocess.run(["ip", "link", "add", "name", "hncleantest", "type", "bridge"], check=True)
    setting = state.parent / "setting"
    setting.write_text("9")
    try:
        journal = Journal(state / "gone", "gone")
        journal.record("owner", pid=other.pid, start=(start_time(other.pid) or 0) - 1, what="head")
        journal.record(
            "process", pid=other.pid, start=(start_time(other.pid) or 0) - 1, what="a recycled pid"
        )
        journal.record("link", name="hncleantest", network=network_namespace())
        journal.record("setting", path=str(setting), before="1", after="2")
        journal.record("directory", path=str(state.parent))
        journal.close()
        assert clean_all() == [f"run gone: directory {state / 'gone'}"]
        assert other.poll() is None
        assert Path("/sys/class/net/hncleantest").exists()
        assert setting.read_text() == "9"

        journal = Journal(state / "gone", "gone")
        journal.record("link", name="hncleantest", network=network_namespace())
        journal.record("setting", path=str(setting), before="1", after="9")
        journal.close()
        subprocess.run(["ip", "link", "set", "dev", "hncleantest", "alias", "hybridnet:gone"], check=True)
        assert "run gone: link hncleantest" in clean_all()
        assert not Path("/sys/class/net/hncleantest").exists()
        assert setting.read_text() == "1"
    finally:
        other.kill()
        other.wait()
        subprocess.run(["ip", "link", "del", "dev", "hncleantest"], check=False, capture_output=True)


def test_cleaning_goes_on_where_nobody_reads_any_more(state: Path) -> None:
    """As after ``| head -1``."""
    left = [state.parent / f"left{number}" for number in range(20)]
    for number, directory in enumerate(left):
        journal = Journal(state / f"gone{number}", f"gone{number}")
        journal.record("directory", path=str(directory))
        directory.mkdir()
        journal.close()
    command = f"{sys.executable} -m hybridnet.cli clean | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.count("\n"), done.stderr) == (0, 1, "")
    assert [directory for directory in left if directory.exists()] == []
    assert not state.exists()
