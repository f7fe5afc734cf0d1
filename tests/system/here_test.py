# SPDX-License-Identifier: MIT
"""A network on this computer itself: it is where Mininet's would be, and nothing of it stays, however its program ends.

Each test has a computer of its own (`tests.system.computer`), bare or with the packaged Open vSwitch running.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.system.computer import Ended, run_on_a_computer

pytestmark = [pytest.mark.system, pytest.mark.thorough]

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
    command = [sys.executable, "-m", "hybridnet.compat.mininet", str(script)]
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


LOOK = """
def said(command):
    return subprocess.run(command, shell=True, capture_output=True, text=True).stdout

os.system("ovs-ofctl -O OpenFlow13 dump-ports s1 > /run/ports")  # what a script does beside its network
assert "s1" in said("ovs-vsctl list-br").split()
assert "port  1" in open("/run/ports").read() and open("/sys/class/net/s1-eth1/operstate").read().strip() == "up"
assert "10.0.0.1/8" in said("ip netns exec h1 ip address")
assert "10.0.0.2/8" in said(f"mnexec -a {h2.pid} ip address")
assert said("pgrep -f 'sleep 100[02]'").count("\\n") == 2
assert said(sys.executable + " -m hybridnet.cli exec h1 ip address").count("10.0.0.1/8") == 1
os.system("pkill sleep")
h1.cmd("setsid true")
until_s = time.monotonic() + 20.0
while said("pgrep -f 'sleep 100[012]'"):  # who was killed ends when it is its turn
    assert time.monotonic() < until_s

second = "from hybridnet import Net, Topo; topo = Topo(); topo.addSwitch('s9'); "
second += "Net(topo, controller=None, cluster='here').start()"
second = subprocess.run([sys.executable, "-c", second], capture_output=True, text=True)
print(second.stderr)
net.stop()
"""

DEVICES_BETWEEN_SWITCHES = """
import subprocess
from mininet.net import Mininet
from mininet.node import OVSBridge
from mininet.topo import LinearTopo

def said(command):
    return subprocess.run(command, shell=True, capture_output=True, text=True, check=True).stdout

net = Mininet(LinearTopo(2, lopts={"patch": False}), switch=OVSBridge, controller=None)
net.start()
assert net.pingAll(timeout=10) == 0
h1, h2 = net.hosts
sent = "/sys/class/net/s1-eth2/statistics/tx_packets"
before = int(open(sent).read())
said("tc qdisc add dev s1-eth2 root tbf rate 1mbit burst 10kb latency 100ms")
seen = subprocess.Popen(["tcpdump", "-nc1", "-i", "s1-eth2", "icmp"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
seen.stderr.readline(), seen.stderr.readline()  # it listens
assert "0% packet loss" in h1.cmd("ping -c 3 -i 0.2", h2.IP())
assert b"ICMP echo request" in seen.communicate()[0]
assert int(open(sent).read()) >= before + 3
assert int(said("tc -s qdisc show dev s1-eth2").split("Sent ")[1].split()[2]) >= 3
said("ip link set dev s1-eth2 down")
assert "100% packet loss" in h1.cmd("ping -c 1 -W 1", h2.IP())
said("ip link set dev s1-eth2 up")
net.configLinkStatus("s1", "s2", "down")
assert "100% packet loss" in h1.cmd("ping -c 1 -W 1", h2.IP())
net.configLinkStatus("s1", "s2", "up")
assert "0% packet loss" in h1.cmd("ping -c 3 -i 0.2 -W 10", h2.IP())
net.stop()
"""

MANY_SWITCHES = """
import subprocess
from mininet.net import Mininet
from mininet.node import OVSBridge
from mininet.topo import LinearTopo

net = Mininet(LinearTopo(9), switch=OVSBridge, controller=None)
net.start()
print("type", subprocess.check_output(["ovs-vsctl", "get", "Interface", "s1-eth1", "type"], text=True))
net.stop()
"""

TAKEN = """
import subprocess
from mininet.net import Mininet
from mininet.topo import SingleSwitchTopo
subprocess.run(["ip", "netns", "add", "h2"], check=True)
net = Mininet(SingleSwitchTopo(), controller=None)
try:
    net.start()
finally:
    assert subprocess.run(["ip", "netns", "delete", "h2"]).returncode == 0
"""

DAEMON = """
from mininet.node import Host
h1, root = Host("h1"), Host("root", inNamespace=False)
h1.linkTo(root)
h1.setIP("10.0.0.1", 8)
root.setIP("10.0.0.2", 8)
h1.cmd("setsid sleep 6 > /dev/null 2>&1 < /dev/null & until [ $(ps -o comm= -p $!) = sleep ]; do :; done")
print("made", root.cmd("ping -c1 -W5 10.0.0.1"))
"""


def test_it_is_where_mininets_is_and_one_at_a_time(tmp_path: Path) -> None:
    done = run_script(tmp_path, NETWORK + LOOK)
    assert done.status == 0, done.err
    assert "has a network on this computer" in done.out
    assert done.left.keys() <= {"files"}, done.left


def test_links_between_switches_may_be_devices(tmp_path: Path) -> None:
    done = run_script(tmp_path, DEVICES_BETWEEN_SWITCHES)
    assert done.status == 0, done.err
    assert done.left == {}, done.err


def test_many_switches_have_no_ports_that_take_long_to_make(tmp_path: Path) -> None:
    """AF_XDP ports would come at 0.3 s each."""
    done = run_script(tmp_path, MANY_SWITCHES)
    assert done.status == 0, done.err
    assert 'type ""' in done.out or "type system" in done.out, done.out


def test_a_taken_name_is_refused_and_what_has_it_stays(tmp_path: Path) -> None:
    done = run_script(tmp_path, TAKEN)
    assert done.status != 0
    assert (
        "host h2: this computer has a network namespace of that name; remove it (ip netns delete h2)"
        in done.err
    )
    assert done.left.keys() <= {"files", "mounts"}, (
        done.left
    )  # `ip netns add` makes /run/netns a mount of its own


def test_nodes_without_a_network_stay_as_long_as_their_daemons(tmp_path: Path) -> None:
    """As in Mininet's example of a bare sshd, whose script ends while one uses it."""
    done = run_script(tmp_path, DAEMON, patience_s=20.0)
    assert "1 received" in done.out, done.err
    assert "its nodes stay while they run sleep" in done.err
    assert done.left == {}


def test_what_ends_programs_begins_however_many_commands_wait(tmp_path: Path) -> None:
    """As many commands as may wait at once, and one more."""
    done = run_script(
        tmp_path,
        "import threading, time\n"
        "from hybridnet.agent.machine.agent import VERBS_AT_ONCE\n"
        "from hybridnet.machines.cluster.here import HERE, Here\n"
        "from hybridnet.errors import HybridnetError\n"
        "here = Here()\n"
        "numbers = [here.call(HERE, 'start_process', node='', command=['sleep', '1000'])['number'] for _ in range(2)]\n"
        "def wait():\n"
        "    try: here.call(HERE, 'wait_process', number=numbers[0], timeout=300.0)\n"
        "    except HybridnetError: pass\n"
        "waiting = [threading.Thread(target=wait, daemon=True) for _ in range(VERBS_AT_ONCE + 1)]\n"
        "for each in waiting: each.start()\n"
        "time.sleep(1)\n"
        "began = time.monotonic()\n"
        "here.call(HERE, 'close_process', number=numbers[1])\n"
        "here.call(HERE, 'destroy')\n"
        "print('ended' if time.monotonic() - began < 60 else 'late')\n"
        "here.close()\n",
    )
    assert (done.out, done.left) == ("ended\n", {}), done.err
