# SPDX-License-Identifier: MIT
"""Machines as a cluster: they come, are told apart, are lost one by one, and end with their head."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet.errors import MachineError, UsageError
from hybridnet.machines.cluster import Cluster
from hybridnet.machines.cluster.calls import present_workers
from hybridnet.machines.workers.certificates import make_certificate
from hybridnet.machines.workers.security import security_of
from hybridnet.system.journal import read_entries, start_time
from tests.system.live import wait_until
from tests.system.machine_plans import pair, tree


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """For tests that leave it as it was."""
    with Cluster.local(["left", "right"]) as made:
        yield made


@pytest.fixture
def own_cluster() -> Iterator[Cluster]:
    """For those that do not."""
    with Cluster.local(["left", "right"]) as made:
        yield made


def agent_pid(cluster: Cluster, machine: str) -> int:
    """The agent's process as this computer numbers it: the one child of the machine's init."""
    [init] = [
        e["pid"]
        for e in read_entries(cluster.journal.directory)
        if e.get("what") == f"init of machine {machine}"
    ]
    return int(Path(f"/proc/{init}/task/{init}/children").read_text().split()[0])


def test_a_cluster_knows_its_machines_and_what_they_have(cluster: Cluster) -> None:
    assert cluster.machines == ["left", "right"]
    facts = cluster.facts("left")
    assert (facts["hostname"], facts["root"], facts["python"]) == ("left", True, sys.version.split()[0])
    assert facts["cpus"] == sorted(os.sched_getaffinity(0))
    with pytest.raises(UsageError, match="no machine middle; there are left, right"):
        cluster.facts("middle")
    with pytest.raises(UsageError, match=r"machine left: an agent has no verb 'fly'; there are .*build, "):
        cluster.call("left", "fly")


def test_whatever_a_verb_raises_is_its_error_and_the_agent_lives(cluster: Cluster) -> None:
    with pytest.raises(MachineError, match=r"machine left: verb upload failed: TypeError: .*, line \d+\)"):
        cluster.call("left", "upload", path="/dev/null", data=7)
    with pytest.raises(
        UsageError, match="machine left: verb upload: got an unexpected keyword argument 'file'"
    ):
        cluster.call("left", "upload", path="/dev/null", data=b"", file=1)
    cluster.call("left", "facts")


def test_calls_to_several_machines_run_at_the_same_time(cluster: Cluster) -> None:
    command = "hostname; date +%s.%N; sleep 0.5; date +%s.%N"
    answers = cluster.call_all({m: ("exec", {"argv": command}) for m in cluster.machines})
    said = [answers[m]["stdout"].decode().split() for m in cluster.machines]
    assert [name for name, _, _ in said] == ["left", "right"]
    assert max(float(begun) for _, begun, _ in said) < min(float(ended) for _, _, ended in said)


def test_tasks_of_ones_own_run_on_the_machine_they_are_pinned_to(cluster: Cluster) -> None:
    import socket

    assert (
        cluster.client.submit(socket.gethostname, resources={"machine:right": 1}, pure=False).result(20)
        == "right"
    )


def test_progress_reaches_the_head(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, str]] = []
    monkeypatch.setattr(cluster, "on_progress", lambda machine, text: told.append((machine, text)))
    cluster.call("left", "build", plan=tree("left", 2))
    deadline = time.monotonic() + 5
    while ("left", "switch ports: 8 of 8") not in told and time.monotonic() < deadline:
        cluster.call("left", "facts")  # events come by another way than answers, a little later
    assert ("left", "switch ports: 8 of 8") in told
    assert ("left", "4 hosts") in told
    assert ("left", "bridges: 3 of 3") in told
    cluster.call("left", "destroy")


def test_a_killed_agent_is_an_error_that_names_its_machine_and_the_other_goes_on(
    own_cluster: Cluster,
) -> None:
    cluster = own_cluster
    cluster.call_all({m: ("build", {"plan": pair(m)}) for m in cluster.machines})
    os.kill(agent_pid(cluster, "left"), signal.SIGKILL)
    with pytest.raises(MachineError, match="machine left: its agent"):
        cluster.call("left", "run_command", node="h1", text="sleep 20")
    before = time.monotonic()
    with pytest.raises(MachineError, match="machine left: its agent"):
        cluster.call("left", "facts")
    assert time.monotonic() - before < 5.0
    assert list(cluster.lost()) == ["left"]
    assert cluster.call("right", "run_command", node="h1", text="echo here")["output"] == "here\n"
    cluster.call("right", "destroy")


def test_a_lost_machine_is_started_again_and_stays_lost_where_that_fails(own_cluster: Cluster) -> None:
    cluster = own_cluster
    before = cluster.address("left")
    with pytest.raises(UsageError, match="machine left is not lost"), cluster.restarting("left"):
        pass
    os.kill(agent_pid(cluster, "left"), signal.SIGKILL)
    wait_until(lambda: bool(cluster.lost()), patience_s=20)
    with pytest.raises(RuntimeError), cluster.restarting("left"):
        raise RuntimeError
    with pytest.raises(MachineError, match="machine left: its agent"):
        cluster.call("left", "facts")
    with cluster.restarting("left") as call:
        call("build", plan=pair("left"))
    assert cluster.call("left", "run_command", node="h1", text="echo here")["output"] == "here\n"
    assert cluster.call("right", "exec", argv=f"ping -c 1 -W 5 {before}")["status"] == 0
    assert cluster.lost() == {}
    os.kill(agent_pid(cluster, "left"), signal.SIGKILL)  # and it is lost as any other
    wait_until(lambda: bool(cluster.lost()), patience_s=20)


def test_an_agent_killed_during_a_command_ends_the_wait(own_cluster: Cluster) -> None:
    cluster, pid = own_cluster, agent_pid(own_cluster, "left")
    killer = subprocess.Popen(["sh", "-c", f"sleep 0.5; kill -9 {pid}"])
    before = time.monotonic()
    with pytest.raises(MachineError, match="machine left: its agent"):
        cluster.call("left", "exec", argv="sleep 30")
    assert time.monotonic() - before < 10.0
    killer.wait()


def test_several_clusters_at_once_do_not_meet(cluster: Cluster) -> None:
    with Cluster.local(["left"]) as other:
        ours, theirs = cluster.address("left"), other.address("left")
        assert ours.rsplit(".", 1)[0] != theirs.rsplit(".", 1)[0]
        assert other.call("left", "exec", argv=f"ping -c 1 -W 1 {ours}")["status"] != 0


def test_names_that_cannot_be_machines_are_refused() -> None:
    for names in ([], ["m1", "m1"], ["1m"], ["a/b"], ["x" * 33]):
        with pytest.raises(UsageError):
            Cluster.local(names)


def test_machines_of_an_existing_scheduler_are_its_workers(tmp_path: Path) -> None:
    environment = {**os.environ, "HYBRIDNET_STATE_DIR": str(tmp_path / "state")}
    pem = make_certificate("theirs")
    files = {what: tmp_path / f"{what}.pem" for what in pem}
    for what, text in pem.items():
        files[what].write_text(text)
    dask = [sys.executable, "-m", "dask"]
    tls = ["--protocol", "tls", "--tls-ca-file", str(files["certificate"])]
    tls += ["--tls-cert", str(files["certificate"]), "--tls-key", str(files["key"])]
    address = "tls://127.0.0.1:18786"
    scheduler = [*dask, "scheduler", "--host", "127.0.0.1", "--port", "18786", "--no-dashboard", *tls]
    processes = [subprocess.Popen(scheduler, env=environment)]

    def begin(name: str) -> None:
        worker = [*dask, "worker", address, "--name", name, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        local = ["--local-directory", str(tmp_path / name), "--host", "127.0.0.1"]
        processes.append(subprocess.Popen([*worker, *tls, *local], env=environment))

    try:
        begin("one")
        deadline = time.monotonic() + 30
        while True:
            try:
                cluster = Cluster.connect(address, security=security_of(pem))
                break
            except MachineError:
                if time.monotonic() > deadline:
                    raise
        with cluster:
            assert cluster.machines == ["one"]
            assert cluster.address("one") == "127.0.0.1"
            cluster.call("one", "build", plan=pair("one"))
            [result] = cluster.call("one", "ping_pairs", pairs=[("h1", "10.0.0.2")])
            assert result["received"] == 1
            with pytest.raises(MachineError, match="machine one: its agent"):
                cluster.call("one", "exec", argv="kill -9 $PPID")
            wait_until(lambda: bool(cluster.lost()), patience_s=20)
            with cluster.restarting("one") as call:
                call("build", plan=pair("one"))
                assert cluster.lost()  # for everybody else, until the block has ended
            [result] = cluster.call("one", "ping_pairs", pairs=[("h1", "10.0.0.2")])
            assert result["received"] == 1
            with pytest.raises(MachineError, match="no Dask worker named two waits"), cluster.joining("two"):
                pass
            begin("two")
            there = lambda: {info["name"] for info in present_workers(cluster.client).values()}  # noqa: E731
            wait_until(lambda: "two" in there(), patience_s=30)
            for _ in range(2):
                with cluster.joining("two") as arrival:
                    assert arrival.call("facts")["root"]
                assert cluster.machines == ["one", "two"]
                cluster.remove("two")
                assert cluster.machines == ["one"]
            wait_until(lambda: there() == {"one", "two"} | {name for name in there() if "one" in name})
        with pytest.raises(MachineError, match="has no worker three; it has: one, two"):
            Cluster.connect(address, security=security_of(pem), workers=["three"])
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait()


def test_a_program_that_ends_without_closing_leaves_no_machine(tmp_path: Path) -> None:
    """The head's end, whatever it is, is the machines' end."""
    text = (
        "from hybridnet.machines.cluster import Cluster\n"
        "from hybridnet.system.journal import read_entries\n"
        "import os\n"
        "c = Cluster.local(['m1'])\n"
        "print(*[e['pid'] for e in read_entries(c.journal.directory) if e['kind'] == 'process'], flush=True)\n"
        "os._exit(7)\n"
    )
    environment = {**os.environ, "HYBRIDNET_STATE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True, env=environment)
    assert done.returncode == 7
    pids = [int(pid) for pid in done.stdout.split()]
    assert len(pids) == 2
    deadline = time.monotonic() + 20
    while any(start_time(pid) is not None for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)  # another program's end, which nothing tells
    assert [pid for pid in pids if start_time(pid) is not None] == []
