# SPDX-License-Identifier: MIT
"""Hosts that may take so much memory and so many processes: the kernel enforces it, and the verdict names the limit."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet import Net, Topo
from hybridnet.errors import MachineError
from hybridnet.system import cgroups
from tests.image_files import BUSYBOX, busybox_layer, docker_archive

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(not {"memory", "pids"} <= set(cgroups.find()), reason="no such control groups here"),
]

MOST = 64  # MiB
TAKES = "import sys; taken = bytearray(int(sys.argv[1]) << 20); print(len(taken) >> 20)"
# Each of its children waits for the end of its input; a refused one ends the loop.
FORKS = """
import os, sys
made, (end, own) = [], os.pipe()
try:
    for _ in range(int(sys.argv[1])):
        made.append(os.fork())
        if not made[-1]:
            os.close(own)
            os.read(end, 1)
            os._exit(0)
except BlockingIOError:
    print("refused", end=" ")
print(len(made))
os.close(own)
for pid in made:
    os.waitpid(pid, 0)
"""


@pytest.fixture
def net() -> Iterator[Net]:
    topo = Topo()
    topo.addHost("h1", memory=f"{MOST}M")
    topo.addHost("h2", pids=20)
    topo.addHost("h3")
    for name in ("h2", "h3"):
        topo.addLink("h1", name)
    with Net(topo, controller=None) as made:
        yield made


def taken(net: Net, host: str, mebibytes: int) -> tuple[str, int]:
    out, _, status = net[host].pexec("python3", "-c", TAKES, str(mebibytes))
    return out.strip(), status


def test_a_program_that_takes_more_memory_than_its_host_may_is_killed_and_the_limit_named(net: Net) -> None:
    assert taken(net, "h1", MOST // 4) == ("16", 0)
    assert taken(net, "h3", 2 * MOST) == ("128", 0)
    assert net.verdict().notes == []
    assert taken(net, "h1", 2 * MOST) == ("", -signal.SIGKILL)
    verdict = net.verdict()
    assert verdict.notes == [
        "host h1: its programs took more than memory=64 MiB, and the kernel killed 1 of them"
    ]
    assert not [reason for reason in verdict.reasons if "memory ran out" in reason]
    assert net["h1"].cmd("echo still here") == "still here\n"


def test_a_limit_of_memory_may_change_while_the_network_runs(net: Net) -> None:
    net["h1"].set_memory(f"{4 * MOST}M")
    assert taken(net, "h1", 2 * MOST) == ("128", 0)
    net["h1"].set_memory("32 MiB")
    assert taken(net, "h1", MOST) == ("", -signal.SIGKILL)
    net["h1"].set_memory(None)
    assert taken(net, "h1", 2 * MOST) == ("128", 0)
    net["h3"].set_memory("32M")  # one that had none
    assert taken(net, "h3", MOST) == ("", -signal.SIGKILL)


def test_of_limits_of_which_the_kernel_refuses_one_none_holds(net: Net) -> None:
    """No computer has so many processors."""
    with pytest.raises(MachineError, match="host h1: the kernel refuses"):
        net["h1"]._limit({"memory_bytes": 4 * MOST << 20, "share": 0.5, "cores": [99_999]})
    assert taken(net, "h1", 2 * MOST) == ("", -signal.SIGKILL)
    with pytest.raises(MachineError, match="host h3: the kernel refuses"):
        net["h3"]._limit({"cores": [99_999], "memory_bytes": 32 << 20})
    assert taken(net, "h3", MOST) == ("64", 0)
    net["h3"].set_memory("32M")
    assert taken(net, "h3", MOST) == ("", -signal.SIGKILL)


def test_processes_beyond_what_a_host_may_have_are_refused_and_the_limit_named(net: Net) -> None:
    """Twenty, of which the program is one; the host's shell may be another."""
    out, _, status = net["h2"].pexec("python3", "-c", FORKS, "200")
    assert status == 0
    assert out.split()[0] == "refused"
    assert 17 <= int(out.split()[1]) <= 19
    assert net["h3"].pexec("python3", "-c", FORKS, "200")[0] == "200\n"
    assert net.verdict().notes == ["host h2: the kernel refused 1 new processes beyond pids=20"]
    net["h2"].set_pids(100)
    assert net["h2"].pexec("python3", "-c", FORKS, "50")[0] == "50\n"


def test_what_a_host_that_was_removed_had_met_is_still_noted(net: Net) -> None:
    assert taken(net, "h1", 2 * MOST) == ("", -signal.SIGKILL)
    net.delHost("h1")
    [note] = net.verdict().notes
    assert note.startswith("host h1: its programs took more than memory=")


@pytest.mark.skipif(not BUSYBOX.exists(), reason="busybox-static is not installed")
def test_what_a_host_with_an_image_writes_is_of_its_memory(tmp_path: Path) -> None:
    image = docker_archive(tmp_path / "a.tar", [busybox_layer()], {"Env": ["PATH=/bin"]})
    topo = Topo()
    topo.addHost("web", image=str(image), memory=f"{MOST}M", pids=50)
    with Net(topo, controller=None) as made:
        web = made["web"]
        assert web.cmd("cat /dev/zero | head -c 1 | cat >/small && echo kept").endswith("kept\n")
        program = web.popen("cat /dev/zero > /large", shell=True)
        assert program.wait() != 0
        assert made.verdict().notes[0].startswith("host web: its programs took more than memory=64 MiB")
        if cgroups.find()["memory"].version == 1:  # version 2 would kill what takes more
            with pytest.raises(MachineError, match=r"host web: the kernel refuses .*memory_bytes=6291456"):
                web.set_memory("6M")  # the files take more already
