# SPDX-License-Identifier: MIT
"""A network on this computer itself: it is where Mininet's would be, and nothing of it stays, however its program ends.

Each test has a computer of its own (`tests.system.computer`), bare or with the packaged Open vSwitch running.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.system.computer import Ended, run_on_a_computer

pytestmark = pytest.mark.system

NETWORK = """
import os, signal, subprocess, sys, threading, time
from mininet.link import TCLink
from mininet.net import Mininet
from mininet.node import OVSBridge
from mininet.topo import Topo

class Small(Topo):
    def build(self):
        s1, s2 = self.addSwitch("s1"), self.addSwitch("s2")
        for number, switch in ((1, s1), (2, s2)):
            self.addLink(self.addHost(f"h{number}", privateDirs=["/run/private"]), switch)
        self.addLink(self.addHost("h3"), s2, cls=TCLink, bw=100, delay="1ms")
        self.addLink(s1, s2)

net = Mininet(Small(), switch=OVSBridge, controller=None)
net.start()
h1, h2 = net.get("h1", "h2")
h1.cmd("sleep 1000 &")
h1.cmd("setsid env -i /bin/sleep 1001 > /dev/null 2>&1 < /dev/null &")
h2.popen(["sleep", "1002"])
assert net.ping([h1, net["h3"]]) == 0
print("made", flush=True)
"""

ENDINGS = {
    "net.stop": "net.stop()",
    "the end without net.stop": "",
    "an exception": "raise RuntimeError('of the script')",
    "sys.exit": "sys.exit(3)",
    "an interrupt": "os.kill(os.getpid(), signal.SIGINT); time.sleep(20)",
    "a termination": "os.kill(os.getpid(), signal.SIGTERM); time.sleep(20)",
    "kill -9": "os.kill(os.getpid(), signal.SIGKILL)",
    "kill -9 in a command": (
        "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGKILL)).start(); h1.cmd('sleep 100')"
    ),
    "os._exit with a child that lives on": "os.fork() or (time.sleep(1), os._exit(0)); os._exit(0)",
}


def run_script(tmp_path: Path, text: str, *, with_ovs: bool = False, patience_s: float = 0.0) -> Ended:
    script = tmp_path / "script.py"
    script.write_text(text)
    command = [sys.executable, "-m", "hybridnet.mininet", str(script)]
    return run_on_a_computer(command, with_ovs=with_ovs, patience_s=patience_s)


@pytest.mark.parametrize("ending", ENDINGS)
def test_nothing_is_left_behind(tmp_path: Path, ending: str) -> None:
    """A guardian removes what a killed program could not; it takes a second or two."""
    done = run_script(tmp_path, NETWORK + ENDINGS[ending], patience_s=20.0)
    assert done.left == {}, done.err
    assert "made" in done.out, done.err


@pytest.mark.parametrize("ending", ["net.stop", "kill -9"])
def test_nothing_is_left_in_an_open_vswitch_that_runs(tmp_path: Path, ending: str) -> None:
    done = run_script(tmp_path, NETWORK + ENDINGS[ending], with_ovs=True, patience_s=20.0)
    assert done.left == {}, done.err
