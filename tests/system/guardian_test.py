# SPDX-License-Identifier: MIT
"""A head that is killed leaves nothing of its local machines: they end with it, and its guardian removes the rest.

Each test has a computer of its own (`tests.system.computer`), which is compared before and after.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.system.computer import run_on_a_computer
from tests.system.traces import groups_of

pytestmark = [pytest.mark.system, pytest.mark.thorough]

NETWORK = """
import os, signal, sys, threading
from hybridnet import Net, Topo

class Small(Topo):
    def build(self):
        for machine in ("m1", "m2"):
            number = machine[1]
            switch = self.addSwitch(f"s{number}", machine=machine)
            self.addLink(self.addHost(f"h{number}", machine=machine, cpu=0.2), switch)
            self.addLink(switch, self.addSimRouter(f"r{number}", machine=machine), delay="1ms")
        self.addLink("r1", "r2", bw=100, delay="1ms")
        self.addNAT("nat0", connect=self.addSwitch("s3", machine="m1"), machine="m1")

def die():
    os.kill(os.getpid(), signal.SIGKILL)

net = Net(Small())
"""

RUNNING = """
net.start()
print("run", net.cluster.journal.run, flush=True)
h1, h2 = net.get("h1", "h2")
h1.cmd("sleep 1000 &")
h1.cmd("setsid env -i /bin/sleep 1001 > /dev/null 2>&1 < /dev/null &")
h2.popen(["sleep", "1002"])
assert net.ping([h1, h2]) == 0
print("made", flush=True)
"""

KILLED = {
    "amid a running network": RUNNING + "die()",
    "amid a command of a host": RUNNING
    + "threading.Timer(0.5, die).start(); h1.cmd('ping -i 0.01 10.0.0.1')",
    "while it is being made": """
from hybridnet.machines.cluster import Cluster
cluster = Cluster.local(["m1", "m2"])
print("run", cluster.journal.run, "made", flush=True)
cluster.on_progress = lambda machine, text: die()
Net(Small(), cluster=cluster).start()
""",
    "while its machines come up": """
from hybridnet.machines.cluster import Cluster
from hybridnet.machines.cluster.starters import LocalStarter
begin = LocalStarter.start_agent
def last(self, machine, meeting):
    begin(self, machine, meeting)
    print("run", self._journal.run, "made", flush=True)
    die()
LocalStarter.start_agent = last
Cluster.local(["m1", "m2"])
""",
}


@pytest.mark.parametrize("when", KILLED)
def test_after_kill_9_of_the_head_nothing_is_left(tmp_path: Path, when: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(NETWORK + KILLED[when])
    done = run_on_a_computer([sys.executable, str(script)], patience_s=20.0)
    assert "made" in done.out, done.err
    assert done.left == {}, done.err
    words = done.out.split()
    assert groups_of(words[words.index("run") + 1]) == []


def test_after_kill_9_of_the_command_nothing_is_left() -> None:
    command = [sys.executable, "-m", "hybridnet.cli", "run", "--machines", "2", "--topo", "twotrees,depth=1"]
    prompted = "pingall\nsh kill -9 $PPID\n"
    done = run_on_a_computer(command, input=prompted, patience_s=20.0)
    assert "0% dropped" in done.out + done.err
    assert done.status == 128 + 9
    assert done.left == {}, done.err
