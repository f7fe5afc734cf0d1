# SPDX-License-Identifier: MIT
"""The steps of Mininet's walkthrough (mininet.org/walkthrough), with `hybridnet mn` where it says `mn`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.system.computer import run_on_a_computer

pytestmark = pytest.mark.system

EVERYDAY = """
help
nodes
net
dump
h1 ip -br address
s1 ip -br link
h1 ping -c 1 h2
pingall
h1 python3 -m http.server 80 > /dev/null 2>&1 &
py __import__("hybridnet.compat.mininet.util", fromlist=["x"]).waitListening(h2, h1, 80, timeout=20)
h2 curl -s -o /dev/null -w "%{http_code}\\n" h1
h1 kill %python3
"""

INTERPRETER = """
py 'hello ' + 'world'
py locals()
py dir(s1)
py h1.IP()
link s1 h1 down
h1 ping -c 1 -W 1 h2
link s1 h1 up
h1 ping -c 1 -W 2 h2
px print(len(net.hosts), "hosts")
intfs
ports
links
dpctl dump-ports-desc
pingpairfull
time pingpair
noecho h1 echo quiet
sh echo outside
switch s1 stop
switch s1 start
wait
pingall
nonsense
"""

COMMAND = (sys.executable, "-m", "hybridnet.cli")
BESIDE_RYU = """
import subprocess, sys
from hybridnet.run.controllers.process import ControllerProcess

with ControllerProcess(("tree_switch",), address="127.0.0.1", port=6699) as controller:
    controller.await_listening()
    sys.exit(subprocess.call([sys.executable, "-m", "hybridnet.cli", *sys.argv[1:]]))
"""

TOPOLOGY = """
from mininet.topo import Topo

class MyTopo(Topo):
    def build(self):
        left, right = self.addHost("h1"), self.addHost("h2")
        first, second = self.addSwitch("s3"), self.addSwitch("s4")
        self.addLink(left, first)
        self.addLink(first, second)
        self.addLink(second, right)

topos = {"mytopo": lambda: MyTopo()}
tests = {"mine": lambda net: print("addresses", *(host.IP() for host in net.hosts))}
"""


def mn(*arguments: str, script: str = "", command: tuple[str, ...] = COMMAND) -> str:
    """What `hybridnet mn` prints, outputs and messages together, on a computer of its own, which is then as it was."""
    done = run_on_a_computer([*command, "mn", *arguments], input=script)
    assert done.status == 0, done.err
    assert done.left == {}
    return f"{done.out}\n{done.err}"


def test_everyday_usage_and_the_interpreter() -> None:
    said = mn(script=EVERYDAY + INTERPRETER)
    assert "available nodes are" in said
    assert "h1 h1-eth0:s1-eth1" in said
    assert "s1 lo:" in said
    assert "<Host h1: h1-eth0:10.0.0.1 pid=" in said
    assert re.search(r"h1-eth0\S*\s+\S+\s+10\.0\.0\.1/8", said)
    assert "s1-eth1" in said
    assert said.count(" 0% packet loss") == 2
    assert said.count("Network is unreachable") == 1  # while the link was down
    assert "Results: 0% dropped (2/2 received)" in said
    assert "\n200\n" in said
    assert "hello world" in said
    assert "10.0.0.1" in said
    assert "2 hosts" in said
    assert "s1 lo:0 s1-eth1:1 s1-eth2:2" in said
    assert "1(s1-eth1)" in said
    assert "rtt min/avg/max/mdev" in said
    assert "*** Elapsed time:" in said
    assert "\nquiet\n" in said
    assert "\noutside\n" in said
    assert "*** Unknown command: nonsense" in said


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--test", "pingpair"], "0% dropped (2/2 received)"),
        (["--topo", "single,3", "--test", "pingall"], "0% dropped (6/6 received)"),
        (["--topo", "linear,4", "--test", "pingall"], "0% dropped (12/12 received)"),
        (["--switch", "ovsk", "--mac", "--arp", "--test", "pingall"], "0% dropped (2/2 received)"),
        (["--switch", "user", "--test", "pingall"], "an Open vSwitch bridge in user space takes its place"),
        (["--test", "none"], "completed in"),
        (["-v", "output", "--version"], "2.3"),
    ],
    ids=lambda value: "-".join(value).replace("--", "") if isinstance(value, list) else "",
)
def test_advanced_startup_options(arguments: list[str], expected: str) -> None:
    assert expected in mn(*arguments)


def test_links_with_a_rate_and_a_delay() -> None:
    said = mn(
        "--link",
        "tc,bw=10,delay=10ms",
        "--test",
        "iperf,seconds=2",
        "--post",
        "/dev/stdin",
        script="h1 ping -q -c 3 h2\n",
    )
    rates = re.search(r"Results: \['([\d.]+) Mbits/sec'", said)
    assert rates is not None, said
    assert 8.0 < float(rates[1]) <= 10.0  # slow start takes some of the 2 s, headers 3 to 5 %
    least_ms = float(said.split("rtt min/avg/max/mdev = ")[1].split("/")[0])
    assert 40.0 <= least_ms < 45.0  # two links of 10 ms, there and back


def test_custom_topologies_and_tests(tmp_path: Path) -> None:
    custom = tmp_path / "custom.py"
    custom.write_text(TOPOLOGY)
    said = mn("--custom", str(custom), "--topo", "mytopo", "--test", "pingall+mine", "--mac")
    assert "0% dropped (2/2 received)" in said
    assert "addresses 10.0.0.1 10.0.0.2" in said


def test_a_remote_controller() -> None:
    said = mn(
        *("--controller", "remote,ip=127.0.0.1,port=6699", "--test", "pingall"),
        command=(sys.executable, "-c", BESIDE_RYU),
    )
    assert "0% dropped (2/2 received)" in said


def test_a_terminal_for_a_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a display it is a window of a tmux server of the run's own, and goes with the run."""
    for name in ("DISPLAY", "TMUX"):
        monkeypatch.delenv(name, raising=False)
    seen = tmp_path / "seen"
    type_in = f"tmux -S /run/hybridnet/*/tmux send-keys -t h1 'hostname -I > {seen}' Enter"
    said = mn(script=f"xterm h1\nsh mkfifo {seen}; {type_in}; cat {seen}\nxterm h9\n")
    assert "the terminals are windows of tmux" in said
    assert "10.0.0.1" in said
    assert "node 'h9' not in network" in said


def test_what_makes_no_sense_is_one_line() -> None:
    for arguments, words in (
        (["--topo", "nothing"], "--topo nothing: nothing does not exist; there are"),
        (["--topo", "tree,1,2,3"], "--topo tree,1,2,3: "),
        (["--switch", "ovs,1"], "failMode 1 does not exist"),
        (["--test", "pingnone"], "there is no such test"),
        (["--custom", "/does/not/exist.py"], "there is no such file"),
        (["--pin"], "add --host cfs"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "hybridnet.cli", "mn", *arguments],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 2, done.stderr
        assert words in done.stderr
        assert "Traceback" not in done.stderr
