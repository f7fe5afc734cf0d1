# SPDX-License-Identifier: MIT
"""Runs on nodes apart that lose something: the head on the first node, the machines m1 and m2 on the two others."""

from __future__ import annotations

import contextlib
import select
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.system.nodes_apart import USER, Node, nodes_apart

# What it hears of its hosts is its result; a host that is gone is heard no more. A file asks it to have m2 return.
HEAD = """
import os, sys, time
from functools import partial
from hybridnet import MachineError, Net, OVSSwitch
from hybridnet.machines.cluster import Cluster
from hybridnet.topologies.two_trees import TwoTrees

topo = TwoTrees(depth=1, delay="5ms", machines=("m1", "m2"))
with Cluster.ssh(sys.argv[1].split(",")) as cluster, open("kept", "w") as kept:
    switch = partial(OVSSwitch, failMode="standalone")
    with Net(topo, switch=switch, controller=None, cluster=cluster) as net:
        print("up", flush=True)
        while True:
            kept.write(net["h1"].cmd("echo heard"))
            kept.flush()
            time.sleep(0.1)
            if os.path.exists("return"):
                os.remove("return")
                try:
                    net.restart_machine("m2")
                    print("lost", net.ping(net.get("h1", "h4"), timeout=5), "percent", flush=True)
                except MachineError as error:
                    print("refused:", error, flush=True)
"""
LOOKS = (
    "ip -o link | cut -d: -f2 | cut -d@ -f1 | sort; find /run/hybridnet /run/netns -mindepth 1 2>/dev/null; "
    "ps ax -o args= | grep -e ovs -e [h]ybridnet | grep -v grep | sort"
)


@contextlib.contextmanager
def three_nodes(folder: Path) -> Iterator[list[Node]]:
    """The head's node, which has the script and gets to both others, and theirs."""
    with nodes_apart(folder, ("head", "node-1", "node-2")) as nodes:
        head = nodes[0]
        head.run("cat >.ssh/id_ed25519 && chmod 600 .ssh/id_ed25519", input=(folder / "user").read_text())
        head.run("cat >head.py", input=HEAD)
        head.run("cat >.ssh/known_hosts", input=(folder / "known").read_text())
        yield nodes


@dataclass
class Run:
    """One run, from its start.

    Args:
        nodes: those of `three_nodes`.
        on_loss: what it is told with --on-loss.
    """

    nodes: list[Node]
    on_loss: str = "stop"
    before: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    began: float = 0.0
    _rest: bytes = b""

    def __post_init__(self) -> None:
        self.before = [node.run(LOOKS, timeout_s=180).stdout for node in self.nodes]
        hosts = ",".join(f"{USER}@{node.address}" for node in self.nodes[1:])
        command = f"exec timeout 900 hybridnet run --on-loss {self.on_loss} head.py -- {hosts} 2>&1"
        self.head = subprocess.Popen([*self.nodes[0].ssh, command], stdout=subprocess.PIPE)
        self.await_line("up")

    def strike(self) -> None:
        """The fault begins now: times count from here."""
        self.began = time.monotonic()

    def await_line(self, text: str, patience_s: float = 300.0) -> float:
        """Wait until the head says this. Returns how long after the fault that was, in seconds."""
        assert self.head.stdout is not None
        deadline = time.monotonic() + patience_s
        while True:
            *lines, self._rest = self._rest.split(b"\n")
            for number, line in enumerate(lines):
                self.said.append(line.decode(errors="replace"))
                if text in self.said[-1]:
                    self._rest = b"\n".join([*lines[number + 1 :], self._rest])
                    return time.monotonic() - self.began
            ready, _, _ = select.select([self.head.stdout], [], [], deadline - time.monotonic())
            piece = self.head.stdout.read1() if ready else b""  # type: ignore[attr-defined]
            assert piece, f"the head did not say {text!r} within {patience_s:g} s, but: {self.said}"
            self._rest += piece

    def await_end(self, patience_s: float = 300.0) -> float:
        """Wait until the head has ended. Returns how long after the fault that was, in seconds."""
        assert self.head.stdout is not None
        said, _ = self.head.communicate(timeout=patience_s)
        self.said += (self._rest + said).decode(errors="replace").splitlines()
        return time.monotonic() - self.began

    def bring_back(self) -> None:
        """Have the head bring m2 back."""
        self.nodes[0].run("touch return")

    def interrupt(self) -> None:
        """End the head as ^C does."""
        self.nodes[0].run("pkill -INT -f '[h]ybridnet.cli run'")
        self.await_end()

    def kept(self) -> int:
        """How many results there are."""
        return int(self.nodes[0].run("grep -c heard kept").stdout)

    def await_more(self, patience_s: float = 30.0) -> float:
        """Wait until there are more results than now. Returns how long after the fault that was, in seconds."""
        before, deadline = self.kept(), time.monotonic() + patience_s
        while self.kept() <= before:
            assert time.monotonic() < deadline, f"no more results within {patience_s:g} s"
        return time.monotonic() - self.began

    def left(self, nodes: list[Node] | None = None, patience_s: float = 60.0) -> tuple[list[str], float]:
        """What is there that was not before the run, once that is nothing or the time is up, and how long after the
        fault that was. Files under /tmp are the head's.
        """
        looked = self.nodes if nodes is None else nodes
        were = [was for node, was in zip(self.nodes, self.before, strict=True) if node in looked]
        deadline = time.monotonic() + patience_s
        while True:
            now = [node.run(LOOKS, timeout_s=180).stdout for node in looked]
            left = sorted(
                line
                for was, is_now in zip(were, now, strict=True)
                for line in set(is_now.splitlines()) - set(was.splitlines())
            )
            if not left or time.monotonic() > deadline:
                return left, time.monotonic() - self.began
            time.sleep(0.1)


def cut(node: Node, other: Node) -> None:
    """Let nothing pass from one node to another."""
    done = node.run(f"sudo ip route add blackhole {other.address}/32")
    assert done.returncode == 0, done.stderr


def mend(node: Node, other: Node) -> None:
    """The opposite."""
    done = node.run(f"sudo ip route del blackhole {other.address}/32")
    assert done.returncode == 0, done.stderr


def cut_ssh(node: Node, other: Node) -> None:
    """Let nothing of SSH pass from a node's server to another node."""
    done = node.run(f"sudo ip rule add to {other.address}/32 ipproto tcp sport 22 priority 10 blackhole")
    assert done.returncode == 0, done.stderr


def mend_ssh(node: Node) -> None:
    """The opposite."""
    done = node.run("sudo ip rule del priority 10")
    assert done.returncode == 0, done.stderr


def switch_off(node: Node) -> None:
    """A node's cable is dead first, so its end is heard by nobody; then everything in it is. It does not come back."""
    with subprocess.Popen(
        [*node.ssh, "sudo -b sh -c 'sleep 0.2; ip link set eth0 down; kill -9 -1' >/dev/null 2>&1"]
    ) as told:
        told.wait(10)
