# SPDX-License-Identifier: MIT
"""Machines that are kernels of their own in one simulated time: what they say to each other, what is left of them."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet import _simcore
from hybridnet.kernel.several import CABLE_DELAY_NS

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(os.uname().machine != "x86_64", reason="the kernel is for x86-64"),
]

ROOT = Path(__file__).parents[2]
IN_KERNELS = """
import sys
from pathlib import Path
from hybridnet.kernel.build import find_kernel
from hybridnet.kernel.process import Command
from hybridnet.kernel.several import run_in_kernels
command = Command(sys.argv[2:], directory=Path.cwd())
names = [f"m{number}" for number in range(1, int(sys.argv[1]) + 1)]
sys.exit(run_in_kernels(find_kernel(), command, names, lambda line: print(line, file=sys.stderr)))
"""
SSH = "ssh -F none -i /run/sshd/key -o UserKnownHostsFile=/run/sshd/known_hosts root@198.19.255"

DELAY_MS, RATE_BPS, PING_BYTES = 10, 100e6, 98
NETWORK = f"""
from hybridnet import Net
from hybridnet.topologies import TwoTrees
with Net(TwoTrees(depth=2, bw={RATE_BPS / 1e6:g}, delay="{DELAY_MS}ms")) as net:
    assert net.pingAll(timeout=10) == 0
    print(net["h1"].cmd("ping -c 5 -i 0.2", net["h8"].IP()))
"""


def in_kernels(machines: int, script: str, folder: Path, *before: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*before, sys.executable, "-c", IN_KERNELS, str(machines), "sh", "-c", script],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def run(folder: Path, *before: str) -> subprocess.CompletedProcess[str]:
    """NETWORK on two machines, its run directory in `folder`/out."""
    (folder / "network.py").write_text(NETWORK)
    command = [sys.executable, "-m", "hybridnet.cli", "run", "--time", "simulated", "--machines", "2"]
    return subprocess.run(
        [*before, *command, "--out", "out", "network.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def test_a_packet_takes_the_delay_of_two_cables_from_kernel_to_kernel(tmp_path: Path) -> None:
    ended = in_kernels(2, "for m in 1 2; do ping -c 4 -i 0.1 198.19.255.$m; done", tmp_path)
    assert ended.returncode == 0, ended.stderr
    expected_ms = 4 * CABLE_DELAY_NS / 1e6  # there and back
    later = [line for line in ended.stdout.splitlines() if "icmp_seq=" in line and "icmp_seq=1 " not in line]
    assert [float(line.split("time=")[1].split()[0]) for line in later] == [expected_ms] * 6


def test_each_kernel_has_a_name_of_its_own(tmp_path: Path) -> None:
    ended = in_kernels(2, f"hostname; for m in 1 2; do {SSH}.$m hostname; done", tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "simulated\nm1\nm2\n"), ended.stderr


def test_kernels_have_one_clock_and_the_same_bytes_each_time(tmp_path: Path) -> None:
    script = f"for m in 1 2 1; do {SSH}.$m 'date +%s.%N'; date +%s.%N; done"
    once, again = (in_kernels(2, script, tmp_path) for _ in range(2))
    assert once.returncode == 0, once.stderr
    assert once.stdout == again.stdout
    instants = [float(line) for line in once.stdout.split()]
    assert len(instants) == 6
    assert instants == sorted(instants)


@pytest.mark.skipif(shutil.which("tcpdump") is None, reason="tcpdump is not installed")
@pytest.mark.parametrize(
    "machines",
    [2, pytest.param(4, marks=pytest.mark.thorough), pytest.param(8, marks=pytest.mark.thorough)],
)
def test_every_packet_has_the_same_instant_on_one_processor(tmp_path: Path, machines: int) -> None:
    """Each machine pings the next one and writes down what passes its card, all at the same time."""
    pings, ping = 5, "ping -q -c 5 -i 0.01"
    watch = f"tcpdump -i eth0 -nn -tt --nano -c {4 * pings} icmp 2>/dev/null"
    numbers = range(1, machines + 1)
    lines = [
        f"{SSH}.{m} '{watch} & sleep 1; {ping} 198.19.255.{m % machines + 1}; wait' >/tmp/{m} &"
        for m in numbers
    ]
    script = " ".join([*lines, "wait;", *(f"cat /tmp/{m};" for m in numbers)])
    free = in_kernels(machines, script, tmp_path)
    pinned = in_kernels(machines, script, tmp_path, "taskset", "-c", str(min(os.sched_getaffinity(0))))
    assert free.returncode == 0, free.stderr
    assert (
        free.stdout.count("ICMP echo re") == machines * 4 * pings
    )  # requests and replies, sent and received
    assert pinned.stdout == free.stdout


@contextlib.contextmanager
def running(
    folder: Path, then: str = "sleep 1000000000"
) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """A command beside two machines, and the processes of the three kernels, none of which is there afterwards."""
    command = [sys.executable, "-c", IN_KERNELS, "2", "sh", "-c", f"echo up; {then}"]
    with subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(folder)},
    ) as head:
        assert head.stdout is not None
        assert head.stdout.readline() == "up\n"
        kernels = [int(pid) for pid in Path(f"/proc/{head.pid}/task/{head.pid}/children").read_text().split()]
        assert len(kernels) == 3
        yield head, kernels
    deadline = time.monotonic() + 5
    while any(_is_alive(pid) for pid in kernels):
        assert time.monotonic() < deadline, "a kernel is left"
    assert not list(folder.iterdir())


def test_a_machine_whose_kernel_is_killed_is_named_and_nothing_is_left(tmp_path: Path) -> None:
    with running(tmp_path) as (head, kernels):
        os.kill(kernels[2], signal.SIGKILL)
        _, said = head.communicate(timeout=20)
        assert head.returncode != 0
        assert "the kernel of machine m2 has ended by itself" in said


@pytest.mark.parametrize(("number", "name"), [(0, "the script's kernel"), (1, "the kernel of machine m1")])
def test_a_kernel_that_somebody_stops_is_named_and_all_go_on(tmp_path: Path, number: int, name: str) -> None:
    with running(tmp_path, f"read -r line; {SSH}.1 echo $line") as (head, kernels):
        assert head.stderr is not None
        os.kill(kernels[number], signal.SIGSTOP)
        said = head.stderr.readline()
        assert f"somebody has stopped {name} (process {kernels[number]}), and simulated time with it" in said
        assert said.endswith(f"kill -CONT {kernels[number]}\n")
        os.kill(kernels[number], signal.SIGCONT)
        assert head.stderr.readline() == f"{name} (process {kernels[number]}) goes on\n"
        heard, said = head.communicate("word\n", timeout=60)
        assert (head.returncode, heard, said) == (0, "word\n", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_however_it_is_ended_nothing_is_left(tmp_path: Path, number: signal.Signals) -> None:
    with running(tmp_path) as (head, _):
        head.send_signal(number)
        head.communicate(timeout=20)


@pytest.mark.thorough
@pytest.mark.parametrize("after_s", [3 * number / 9 for number in range(10)])
def test_whenever_it_is_killed_nothing_is_left(tmp_path: Path, after_s: float) -> None:
    command = [sys.executable, "-c", IN_KERNELS, "2", "sleep", "1000000000"]
    with subprocess.Popen(command, cwd=tmp_path, env={**os.environ, "TMPDIR": str(tmp_path)}) as head:
        with pytest.raises(subprocess.TimeoutExpired):
            head.wait(after_s)
        head.kill()
    deadline = time.monotonic() + 5
    while left := [*_began_in(tmp_path), *tmp_path.iterdir()]:
        assert time.monotonic() < deadline, f"left: {left}"


def test_nobody_may_have_several() -> None:
    command = [sys.executable, "-c", IN_KERNELS, "1", "sh", "-c", f"{SSH}.1 'echo I am $(id -un)'"]
    ended = subprocess.run(
        ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", *command],
        cwd="/",
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "HOME": "/nonexistent"},
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, "I am root\n"), ended.stderr


@pytest.mark.thorough
def test_a_network_over_machines_that_are_kernels_is_trusted_and_exact(tmp_path: Path) -> None:
    ended = run(tmp_path)
    assert "*** Verdict: trusted: every limit held; in simulated time: " in ended.stderr, ended.stderr
    expected_ms = 2 * (DELAY_MS + PING_BYTES * 8 / RATE_BPS * 1e3)
    least, _, most = (float(word) for word in ended.stdout.split("rtt min/avg/max/mdev = ")[1].split("/")[:3])
    assert expected_ms <= least <= most <= expected_ms + 0.005


OVER_MPI = """
from hybridnet import Cluster
from hybridnet.experiments.common.three_ways import MACHINES, Scale, run_arm
scale = Scale((2,), ("udp", "tcp"), step_s=1.0, lead_s=5.0, udp_rate="8 Mbit/s", core_delay="20ms", exact=False)
with Cluster.kernels(MACHINES) as cluster:
    done = run_arm("mpi", cluster, scale)
print(done.verdict.word.value, *(round(step.goodput_bps["udp"] / 1e6, 1) for step in done.steps))
"""


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("mpirun") is None or not Path(_simcore.__file__).with_name("_simcore_mpi.so").exists(),
    reason="Open MPI is not installed, or the extension was built without it",
)
def test_a_simulation_over_mpi_has_its_processes_in_the_machines_kernels(tmp_path: Path) -> None:
    """Open MPI takes machines for computers: their names differ, and each has its own files."""
    (tmp_path / "over_mpi.py").write_text(OVER_MPI)
    ended = subprocess.run(
        [sys.executable, "over_mpi.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, "trusted 8.0\n"), ended.stderr


@pytest.mark.slow
def test_it_has_the_same_bytes_on_one_processor(tmp_path: Path) -> None:
    ran = []
    for before in ([], ["taskset", "-c", str(min(os.sched_getaffinity(0)))]):
        ended = run(tmp_path, *before)
        assert ended.returncode == 0, ended.stderr
        files = sorted(path for path in (tmp_path / "out").rglob("*") if path.is_file())
        ran.append((ended.stdout, {str(path.relative_to(tmp_path)): path.read_bytes() for path in files}))
        shutil.rmtree(tmp_path / "out")
    assert ran[0] == ran[1]


def _began_in(folder: Path) -> Iterator[int]:
    """The processes of this computer whose working directory it is."""
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended, or belongs to the system
            if (entry / "cwd").readlink() == folder:
                yield int(entry.name)


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
