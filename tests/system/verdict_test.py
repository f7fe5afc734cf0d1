# SPDX-License-Identifier: MIT
"""Verdicts on real networks, from scripts and from the command line."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from pathlib import Path

import pytest

from hybridnet import Net
from hybridnet.agent.machine.vswitch_watch import SILENT_SECONDS
from hybridnet.topologies import SingleSwitchTopo
from tests.system.computer import run_on_a_computer
from tests.system.harm import SLACK_S
from tests.system.port_type import PORT_TYPE

# A simulated link, whose instance is kept from running for 0.3 s while packets come. Nobody calls net.stop().
MININET_SCRIPT = """
import os, subprocess
from mininet.net import Mininet
from mininet.link import TCLink

net = Mininet(controller=None, link=TCLink)
h1, h2 = net.addHost("h1"), net.addHost("h2")
net.addLink(h1, h2, bw=10, delay="1ms")
net.start()
ours = ["pgrep", "-P", str(os.getpid()), "-f", "hybridnet.simulate.instance"]
instance = subprocess.run(ours, capture_output=True, text=True, check=True).stdout.strip()
h1.cmd(f"kill -STOP {instance}; ping -c 20 -i 0.01 {h2.IP()} & sleep 0.3; kill -CONT {instance}; wait")
"""


def signal_switches(net: Net, number: int) -> None:
    """Send a signal to the Open vSwitch of machine m1, whose processes nobody else's are among."""
    done = net.cluster.call("m1", "exec", argv=["pgrep", "-x", "ovs-vswitchd"])
    net.cluster.call("m1", "exec", argv=["kill", f"-{number}", *done["stdout"].decode().split()])


@pytest.mark.alone  # what else runs keeps the processors busy, too
def test_a_quick_ping_is_trusted_and_busy_cores_saturate() -> None:
    with Net(SingleSwitchTopo(k=2), port_type=PORT_TYPE) as net:
        with net.measured() as quick:
            assert net.pingAll(timeout=10) == 0
        assert str(quick.verdict) == "trusted: every limit held"

        cores = len(os.sched_getaffinity(0))
        # Two loops for each core: with one for each, a core idles while a loop moves from one to another.
        burning = f"for i in $(seq {2 * cores}); do timeout 4.2 sh -c 'while :; do :; done' & done; wait"
        with net.measured() as burnt:
            net["h1"].cmd(burning)
        assert burnt.verdict.word == "saturated"
        assert "its processors were more than 98 % busy" in burnt.verdict.reasons[0]
        assert burnt.verdict.figures["the computer"]["busy_seconds"] > 2

    assert net.verdict().word == "saturated"
    assert [reason for reason in net.verdict().reasons if "more than 98 % busy" in reason]


def test_switches_that_are_stopped_are_told_once_with_what_they_dropped() -> None:
    with Net(SingleSwitchTopo(k=2), port_type=PORT_TYPE) as net:
        assert net.pingAll(timeout=10) == 0
        with net.measured() as stopped:
            before_s = time.monotonic()
            signal_switches(net, signal.SIGSTOP)
            from_s = time.monotonic()
            # Longer than they may be silent: that they did not answer is no news beside that they were stopped.
            burst = net["h1"].cmd("ping -q -l 500 -c 500 -s 1400 -w 1", net["h2"].IP())
            net["h1"].cmd(f"sleep {SILENT_SECONDS}")
            until_s = time.monotonic()
            signal_switches(net, signal.SIGCONT)
            after_s = time.monotonic()
    assert "500 packets transmitted" in burst
    verdict = stopped.verdict
    assert verdict.word == "broken"
    [told] = [reason for reason in verdict.reasons if "ovs-vswitchd" in reason]
    found = re.search(
        r"ovs-vswitchd was stopped \(SIGSTOP, .*\) after [\d.]+ s, for ([\d.]+) s: do not use", told
    )
    assert found is not None, told
    assert until_s - from_s - SLACK_S < float(found[1]) < after_s - before_s + SLACK_S
    assert verdict.figures["m1"]["interface_drops"] > 0
    assert [
        line for line in verdict.reasons if "dropped at interfaces of hosts and switches (s1-eth1 " in line
    ]


def test_frames_to_a_link_that_was_set_down_are_not_put_down_to_a_slow_reader() -> None:
    with Net(SingleSwitchTopo(k=2), controller=None, port_type=PORT_TYPE) as net, net.measured() as measured:
        net["s1"].intfs[1].ifconfig("down")
        net["h1"].cmd("ping -c 3 -i 0.2 -W 1", net["h2"].IP())
        net["s1"].intfs[1].ifconfig("up")
    assert measured.verdict.figures["m1"]["interface_drops"] == 0


@pytest.mark.parametrize(
    ("options", "code"),
    [(["--strict"], 4), ([], 0)],
)
def test_a_script_ends_with_its_verdict_even_if_it_forgets_to_stop(
    options: list[str], code: int, tmp_path: Path
) -> None:
    script = tmp_path / "script.py"
    script.write_text(MININET_SCRIPT)
    command = [sys.executable, "-m", "hybridnet.cli", "run", *options, str(script)]
    done = run_on_a_computer(command)
    verdict = done.err.splitlines()[-1]
    assert verdict.startswith("*** Verdict: broken: machine here: instance here was stopped "), done.err
    assert "; instance here ran " in verdict
    assert done.status == code
    assert done.left == {}, done.err


@pytest.mark.parametrize("verb", ["run", "mn"])
def test_the_prompt_ends_with_a_verdict(verb: str) -> None:
    command = [sys.executable, "-m", "hybridnet.cli", verb, "--topo", "single,2", "--controller", "none"]
    done = run_on_a_computer(command, input="exit\n")
    assert done.err.splitlines()[-1].startswith("*** Verdict: "), done.err
    assert done.status == 0
    assert done.left == {}, done.err
