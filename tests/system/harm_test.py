# SPDX-License-Identifier: MIT
"""What harms a part of a running network breaks its verdict, with name and time; what the run does itself does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridnet import Net
from hybridnet.errors import MachineError
from tests.system.computer import run_on_a_computer
from tests.system.harm import Harm, Small, harm, harms
from tests.system.port_type import PORT_TYPE

ALL = {each.name: each for each in harms(stops=(0.3, 2.0))}
SOON = [
    *(
        "kill ovs-vswitchd",
        "stop instance 0.3 s",
        "kill controller c0",
        "stop the init 0.3 s",
        "remove s1-eth2p",
        "s1-eth1 down 0.3 s",
        "a loop at s1 0.3 s",
        "a device at b1 0.3 s",
    ),
]


def check(each: Harm) -> None:
    seen = harm(each)
    assert (seen.word, seen.exit_code) == ("broken", 4), seen
    assert seen.named, seen
    assert seen.timed, seen
    assert (seen.check == "ok") == (each.undo is not None), seen


@pytest.mark.parametrize("name", SOON)
def test_a_part_that_is_harmed_breaks_the_verdict_by_name_and_time(name: str) -> None:
    check(ALL[name])


@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name in ALL if name not in SOON])
def test_so_does_each_other_part(name: str) -> None:
    check(ALL[name])


def test_what_the_run_does_itself_is_no_incident() -> None:
    with Net(Small(), port_type=PORT_TYPE) as net:
        mark = net.mark()
        net.configLinkStatus("h1", "s1", "down")
        net.configLinkStatus("h1", "s1", "up")
        net["s1"].cmd("ip link set dev s1-eth1 down; ip link set dev s1-eth1 mtu 1400")
        net["s1"].cmd("ovs-vsctl del-port s1-eth1; ip link set dev s1-eth1 up mtu 1500")
        net["s1"].cmd("ovs-vsctl add-port s1 s1-own -- set Interface s1-own type=internal")
        net["b1"].cmd("ip link add b1-own up master b1 type veth peer name b1-far")
        net.addHost("h3")
        net.addLink("h3", "s1")
        net.delLink("h3", "s1")
        net.delHost("h3")
        net.restart_instance("m1")
        net.controllers[0].end()
        verdict = net.verdict(since=mark)
        net.check()
        incidents = net.mark().counters["m1"]["incidents"]
    assert incidents == []
    assert not [reason for reason in verdict.reasons if "do not use what was measured since" in reason]


def test_a_test_that_lost_everything_is_told_beside_the_word() -> None:
    with Net(Small(), controller=None, port_type=PORT_TYPE) as net:
        net["s1"].cmd("ovs-vsctl set-fail-mode s1 secure; ovs-ofctl del-flows s1")
        with net.measured() as measured:
            assert net.pingAll() == 100
        with net.measured() as nothing:
            pass
    assert "a ping test got no answer at all" in str(measured.verdict)
    assert nothing.verdict.notes == []


MININET_SCRIPT = """
import os, subprocess, sys, tempfile
from mininet.cli import CLI
from mininet.net import Mininet

net = Mininet(controller=None)
s1 = net.addSwitch("s1", failMode="standalone")
for name in ("h1", "h2"):
    net.addLink(net.addHost(name), s1)
net.start()
os.system("ip link set s1-eth1 down; sleep 1; ip link set s1-eth1 up")
subprocess.run(["ovs-vsctl", "del-port", "s1-eth2"], check=True)
subprocess.run("ovs-vsctl add-port s1 x1 -- set Interface x1 type=patch options:peer=x6", shell=True, check=True)
s1.detach("x1")
s1.attach("x1")
s1.cmd("ovs-vsctl add-port s1 x2 -- set Interface x2 type=patch options:peer=x4")
with tempfile.NamedTemporaryFile("w") as commands:
    commands.write("sh ovs-vsctl add-port s1 x3 -- set Interface x3 type=patch options:peer=x5")
    commands.flush()
    CLI(net, script=commands.name)
print(subprocess.check_output(["ovs-vsctl", "list-ports", "s1"], text=True).split())
"""


def test_what_a_mininet_script_has_other_programs_do_is_its_own_doing(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(MININET_SCRIPT)
    done = run_on_a_computer([".venv/bin/hybridnet", "run", str(script)])
    assert done.status == 0, done.err
    assert "do not use what was measured" not in done.err
    assert "['s1-eth1', 'x1', 'x2', 'x3']" in done.out
    assert not done.left


MININET_CONTROLLERS_SCRIPT = """
import os, subprocess, time
from mininet.net import Mininet
from mininet.node import Controller

net = Mininet(controller=None)
net.addController("c0")
net.addController("c1", controller=Controller, command="sleep", cargs="600", port=7777)
net.addLink(net.addHost("h1"), net.addSwitch("s1"))
net.start()
subprocess.run(["pkill", "-9", "-f", "controllers.bridging"], check=True)
subprocess.run(["pkill", "-9", "-f", "sleep 600"], check=True)
net.stop()
"""


def test_a_controller_of_a_mininet_script_is_watched_once_it_listens(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(MININET_CONTROLLERS_SCRIPT)
    done = run_on_a_computer([".venv/bin/hybridnet", "run", str(script)])
    assert "Verdict: broken: this computer: controller c0 was killed by SIGKILL" in done.err, done.err
    assert "controller c1: `sleep 600` does not listen on port 7777" in done.err
    assert "controller c1 was killed" not in done.err
    assert not done.left


def test_an_mtu_that_is_too_small_is_said_to_be_the_cause_of_what_it_drops() -> None:
    with Net(Small(), port_type=PORT_TYPE) as net:
        net["s1"].cmd("ip link set dev s1-eth1 mtu 600")
        mark = net.mark()
        net["h1"].cmd("ping -c 5 -i 0.05 -W 0.2 -s 1400", net["h2"].IP())
        [reason] = [line for line in net.verdict(since=mark).reasons if "dropped" in line]
    assert "frames were dropped at h1-eth0, which sends up to 1500 bytes, where s1-eth1 takes 600" in reason


def check_until_it_fails(net: Net) -> None:
    while True:
        net.check()


def test_a_daemon_that_has_ended_is_told_by_check() -> None:
    with Net(Small(), port_type=PORT_TYPE) as net:
        net.cluster.call("m1", "exec", argv=["pkill", "-9", "-x", "ovsdb-server"])
        with pytest.raises(MachineError, match="ovsdb-server was killed by SIGKILL"):
            check_until_it_fails(net)


def test_a_program_that_a_node_needs_is_watched_until_the_node_says_otherwise() -> None:
    with Net(Small(), port_type=PORT_TYPE) as net:
        mark = net.mark()
        pids = {
            name: int(net["h1"].cmd("sleep 600 > /dev/null 2>&1 & echo $!").split()[-1]) for name in "abc"
        }
        net["h1"].watch(pids)
        net["h1"].watch({"a": pids["a"], "b": pids["b"]})
        net["h1"].cmd(f"kill {pids['c']}")
        net.check()
        net.cluster.call("m1", "exec", argv=["kill", "-STOP", str(pids["b"])])
        with pytest.raises(MachineError, match=r"b of h1 was stopped"):
            check_until_it_fails(net)
        net.cluster.call("m1", "exec", argv=["kill", "-CONT", str(pids["b"])])
        net.cluster.call("m1", "exec", argv=["kill", "-KILL", str(pids["a"])])
        with pytest.raises(MachineError, match="a of h1 has ended, and not by this run"):
            check_until_it_fails(net)
        verdict = net.verdict(since=mark)
    assert str(verdict.word) == "broken"
    for harmed in ("a of h1 has ended after ", "b of h1 was stopped (SIGSTOP"):
        assert [line for line in verdict.reasons if line.startswith(f"machine m1: {harmed}")]
