# SPDX-License-Identifier: MIT
"""Real networks, small ones: wires, simulated links, both ways of joining, a real Ryu, and nothing left
behind.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator

import pytest

from hybridnet import (
    Controller,
    HybridnetError,
    MachineError,
    Net,
    PlanError,
    RemoteController,
    Ryu,
    Topo,
)
from hybridnet.system.journal import state_directory
from hybridnet.topologies import SingleSwitchTopo, TwoTrees


def runs() -> set[str]:
    state = state_directory()
    return {path.name for path in state.iterdir()} if state.is_dir() else set()


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """Whatever a test does, its own run's directory is gone afterwards: the journal was worked off."""
    yield
    own = {run for run in runs() if _owner(run) == os.getpid()}
    assert own == set()


def _owner(run: str) -> int | None:
    journal = state_directory() / run / "journal.jsonl"
    try:
        first = journal.read_text().splitlines()[0]
    except (FileNotFoundError, IndexError):
        return None
    return int(first.split('"pid": ')[1].split(",")[0]) if '"pid"' in first else None


def least_rtt_ms(net: Net, source: str, target: str, count: int = 10) -> float:
    """What the computer's load adds is not asked for."""
    answer = net.cluster.call(
        net[source].machine, "ping_pairs", pairs=[(source, net[target].IP())], count=count, interval_s=0.05
    )[0]
    assert answer["received"] == count
    return float(min(answer["rtts_ms"]))


def check_until(net: Net, deadline_s: float) -> None:
    """Ask whether everything lives until something does not, or the deadline has passed."""
    while time.monotonic() < deadline_s:
        net.check()


def test_a_wired_network_with_our_controller() -> None:
    with Net(SingleSwitchTopo(k=3), controller=Controller) as net:
        assert net.pingAll(timeout=5) == 0
        h1, h2 = net.get("h1", "h2")
        assert h1.cmd("X=5; echo $X") == "5\n"
        assert h1.cmd("echo $X; hostname -I") == f"5\n{h1.IP()} \n"
        h1.sendCmd("ping -c2 -i0.1", h2.IP())
        assert " 0% packet loss" in h1.waitOutput()
        assert h1.pexec(["sh", "-c", "echo out; echo err >&2; exit 3"]) == ("out\n", "err\n", 3)
        h2.setIP("10.9.9.9/8")
        assert net.pingAll(timeout=5) == 0
        net.configLinkStatus("h1", "s1", "down")
        assert net.ping([h1, net["h3"]], timeout=1) == 100
        net.configLinkStatus("h1", "s1", "up")
        assert net["s1"].connected()


def test_a_link_with_rate_and_delay_between_real_nodes_is_simulated() -> None:
    topo = Topo()
    for name in ("h1", "h2"):
        topo.addHost(name)
    topo.addLink("h1", "h2", bw=10, delay="5ms")
    with Net(topo) as net:
        assert net.links[0].kind == "simulated"
        assert 10 <= least_rtt_ms(net, "h1", "h2") < 14


@pytest.mark.parametrize("join", ["bridged", "routed"])
def test_two_machines_are_one_network_with_the_links_delay(join: str) -> None:
    with Net(TwoTrees(depth=1, delay="10ms", join=join), controller=Ryu("c0")) as net:
        assert net.pingAll(timeout=5) == 0
        assert 20 <= least_rtt_ms(net, "h1", "h4") < 24
        hops = net["h1"].cmd("traceroute -n -q1 -w2", net["h4"].IP()).splitlines()[1:]
        assert len(hops) == (1 if join == "bridged" else 3)
        net.check()
    assert sorted(net.final_counters) == ["m1", "m2"]


def test_a_killed_instance_is_noticed_and_the_rest_is_removed() -> None:
    with Net(TwoTrees(depth=1), controller=None) as net:
        found = net.cluster.call("m1", "exec", argv="pgrep -f hybridnet.simulate.instance")["stdout"].split()
        net.cluster.call("m1", "exec", argv=["kill", "-9", *(pid.decode() for pid in found)])
        with pytest.raises(MachineError, match="instance"):
            check_until(net, time.monotonic() + 10)


def test_a_killed_controller_is_noticed() -> None:
    controller = Ryu("c0")
    with Net(SingleSwitchTopo(k=2), controller=controller) as net:
        assert controller.process is not None
        pid = controller.process.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(HybridnetError, match="controller"):
            check_until(net, time.monotonic() + 10)


def test_errors_before_and_while_building_leave_nothing() -> None:
    with pytest.raises(HybridnetError, match="nothing answers"):
        Net(SingleSwitchTopo(k=2), controller=RemoteController("c0", port=1)).start()
    with pytest.raises(PlanError, match="cannot hide the transit"):
        Net(TwoTrees(depth=1, delay="10us"), controller=None).start()
