# SPDX-License-Identifier: MIT
"""What becomes of a long run when a machine, a connection, an agent or the head is lost: on nodes apart."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from tests.system.nodes_apart import USER, Node, nodes_apart

pytestmark = [pytest.mark.system, pytest.mark.slow, pytest.mark.timeout(600)]

# A network that runs, and a head that keeps what it hears of it.
HEAD = """
import sys, time
from hybridnet import Net
from hybridnet.cluster import Cluster
from hybridnet.topologies.two_trees import TwoTrees

with Cluster.ssh(sys.argv[1].split(","), grace_s=float(sys.argv[2])) as cluster, open("kept", "w") as kept:
    with Net(TwoTrees(depth=1, delay="5ms", machines=("m1", "m2")), controller=None, cluster=cluster) as net:
        print("up", flush=True)
        while True:
            kept.write(net["h3"].cmd("echo heard").strip() + "\\n")
            kept.flush()
            time.sleep(0.2)
"""
LOOKS = (
    "ip -o link | cut -d: -f2 | cut -d@ -f1 | sort; find /run/hybridnet /run/netns -mindepth 1 2>/dev/null; "
    "ps ax -o args= | grep -e ovs -e hybridnet | grep -v grep | sort"
)


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Node]]:
    folder = tmp_path_factory.mktemp("nodes")
    with nodes_apart(folder, ("node-0", "node-1")) as made:
        for node in made:  # the head is on the first, and gets to both
            node.run("cat >.ssh/id_ed25519 && chmod 600 .ssh/id_ed25519", input=(folder / "user").read_text())
            node.run("cat >head.py", input=HEAD)
            node.run("cat >.ssh/known_hosts", input=(folder / "known").read_text())
        yield made


@dataclass
class Run:
    """A head on the first node, its machines on both.

    Args:
        nodes: before it starts.
        grace_s: of the run.
    """

    nodes: list[Node]
    grace_s: float = 30.0
    before: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.before = [node.run(LOOKS).stdout for node in self.nodes]
        hosts = ",".join(f"{USER}@{node.address}" for node in self.nodes)
        head = [
            *self.nodes[0].ssh,
            f"exec timeout 150 /opt/hybridnet/bin/python head.py {hosts} {self.grace_s} 2>&1",
        ]
        self.head = subprocess.Popen(head, stdout=subprocess.PIPE, text=True)
        self.told("up")

    def told(self, text: str) -> float:
        """Wait until the head says this. Returns how long that took, in seconds."""
        began = time.monotonic()
        assert self.head.stdout is not None
        said = []
        while text not in (line := self.head.stdout.readline()):
            said.append(line)
            assert line, f"the head ended without saying {text!r}; it said: {''.join(said)}"
        return time.monotonic() - began

    def kept(self) -> int:
        """How many results there are."""
        return int(self.nodes[0].run("grep -c heard kept").stdout)

    def left(self, patience_s: float = 20.0) -> list[str]:
        """What is there that was not before the run, once that is nothing or the time is up."""
        deadline = time.monotonic() + patience_s
        while True:
            now = [node.run(LOOKS).stdout for node in self.nodes]
            if now == self.before or time.monotonic() > deadline:
                each = zip(self.before, now, strict=True)
                lines = [set(after.splitlines()) - set(was.splitlines()) for was, after in each]
                return sorted(set.union(*lines))
            time.sleep(0.2)

    def cut(self) -> None:
        """Let nothing pass from the second node to the first."""
        done = self.nodes[1].run(f"sudo ip route add blackhole {self.nodes[0].address}/32")
        assert done.returncode == 0, done.stderr

    def mend(self) -> None:
        """The opposite."""
        self.nodes[1].run(f"sudo ip route del blackhole {self.nodes[0].address}/32")


def test_a_connection_that_is_cut_for_five_seconds_is_told_and_the_run_goes_on(nodes: list[Node]) -> None:
    run = Run(nodes)
    run.cut()
    assert run.told("machine m2 has not answered for") < 5.5
    kept = run.kept()
    time.sleep(2)
    run.mend()
    run.told("machine m2 answers again")
    deadline = time.monotonic() + 10
    while run.kept() <= kept and time.monotonic() < deadline:
        time.sleep(0.1)
    assert run.kept() > kept
    run.nodes[0].run("pkill -INT -f [h]ead.py")
    run.head.wait(60)
    assert run.left() == []


def test_a_machine_that_stays_out_of_reach_is_given_up_and_the_others_are_cleaned(nodes: list[Node]) -> None:
    run = Run(nodes, grace_s=8.0)
    run.cut()
    assert run.told("machine m2 has not answered for") < 5.5
    run.told("machine m2: it has not answered for")
    assert run.head.wait(90) == 1
    assert run.kept() > 0
    run.mend()
    assert run.left(40) == []


def test_an_agent_that_is_killed_ends_the_run_at_once(nodes: list[Node]) -> None:
    run = Run(nodes)
    run.nodes[1].run("sudo pkill -9 -n -f [h]ybridnet.machines.worker")
    assert run.told("machine m2: its agent") < 5
    assert run.head.wait(60) == 1
    assert run.kept() > 0
    assert run.left() == []


def test_a_head_that_is_killed_leaves_nothing_on_its_machines(nodes: list[Node]) -> None:
    run = Run(nodes)
    run.nodes[0].run("pkill -9 -f [h]ead.py")
    run.head.wait(30)
    left = run.left(40)
    # The head's own journal stays until somebody cleans, or the computer restarts.
    assert [line for line in left if "/tmp" not in line] == []
    assert run.kept() > 0
