# SPDX-License-Identifier: MIT
"""A fat tree under the controller that is chosen for loops: everybody is reached, flows spread, failures heal."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator

import pytest

from hybridnet import Net, Ryu
from hybridnet.topologies import FatTreeTopo
from tests.system.live import wait_until

pytestmark = pytest.mark.thorough

CORES = ("s1", "s2", "s3", "s4")
FLOWS = 1600
INTERVAL_S = 0.01
PINGS = 200
PROBES = 60  # more than a port gets in the time of a test

Counts = dict[str, dict[int, int]]


@pytest.fixture(scope="module")
def net() -> Iterator[Net]:
    with Net(FatTreeTopo(k=4), controller=Ryu("c0")) as running:
        yield running


def received(net: Net, switch: str) -> dict[int, int]:
    """The packets that have come by each port of a switch."""
    said = net[switch].dpctl("dump-ports")
    return {int(port): int(packets) for port, packets in re.findall(r"port +(\d+): rx pkts=(\d+)", said)}


def test_everybody_reaches_everybody_at_once(net: Net) -> None:
    assert [str(app) for app in net.controllers[0].apps] == ["ecmp_switch"]
    with net.measured() as measured:
        assert net.pingAll(timeout=5) == 0
    # What the controller sends through select groups gets no flow, and Open vSwitch counts it with what it lost.
    assert "slow path" not in str(measured.verdict)


def at_cores(net: Net) -> Counts:
    """The same of all core switches, once nothing but probes comes: Open vSwitch counts up to a second late."""
    counts: list[Counts] = []

    def quiet() -> bool:
        counts.append({core: received(net, core) for core in CORES})
        time.sleep(0.6)
        return len(counts) > 1 and more(counts[-2], counts[-1]) == {}

    wait_until(quiet, 20)
    return counts[-1]


def more(before: Counts, after: Counts) -> dict[tuple[str, int], int]:
    """By core and port the packets in between, but for ports with no more than probes."""
    difference = {
        (core, port): after[core][port] - before[core][port] for core in CORES for port in after[core]
    }
    return {at: packets for at, packets in difference.items() if packets > PROBES}


def test_flows_between_two_pods_use_all_four_paths(net: Net) -> None:
    """Each takes one of 4 paths by its hash, and each path has a quarter of the hashes: 400 flows, with a standard
    deviation of 17.
    """
    before = at_cores(net)
    h1, h16 = net.get("h1", "h16")
    connect = f"echo >/dev/tcp/{h16.IP()}/$port"
    h1.cmd(f"bash -c 'for port in $(seq 10001 {10000 + FLOWS}); do {connect}; done' 2>/dev/null", timeout=30)
    used = more(before, at_cores(net))
    print(f"packets of {FLOWS} flows and their answers at (core, port): {used}")
    [requests_by] = {net.topo.port(core, below)[0] for core, below in (("s1", "s5"), ("s3", "s6"))}
    assert sum(packets for (_, port), packets in used.items() if port == requests_by) == pytest.approx(
        FLOWS, abs=4 * PROBES
    )
    for core in CORES:
        assert used[core, requests_by] == pytest.approx(FLOWS / 4, abs=5 * 17 + PROBES)


def test_pings_go_on_after_the_core_link_that_they_use_goes_down(net: Net) -> None:
    h1, h16 = net.get("h1", "h16")
    before = at_cores(net)
    assert " 0% packet loss" in h1.cmd(f"ping -c {PINGS} -i {INTERVAL_S} {h16.IP()}")
    came = more(before, at_cores(net))
    print(came)
    [(used, port), _] = came  # requests come by one port, answers by another
    neighbours = {other for link in net.topo.links() if used in link for other in link if other != used}
    [below] = [name for name in neighbours if net.topo.port(used, name)[0] == port]
    pinging = h1.popen(["ping", "-n", "-c", f"{PINGS}", "-i", f"{INTERVAL_S}", "-W", "1", str(h16.IP())])
    net.configLinkStatus(below, used, "down")
    out, _ = pinging.communicate()
    answered = re.search(r"(\d+) received", out)
    assert answered is not None
    lost_s = (PINGS - int(answered[1])) * INTERVAL_S
    print(f"the core link {below}-{used} went down: pings were lost for {lost_s:.2f} s")
    assert lost_s <= 1
    assert net.ping(net.get("h1", "h5", "h9", "h16")) == 0
    net.configLinkStatus(below, used, "up")


def test_a_link_that_is_back_makes_no_loop_of_broadcasts(net: Net) -> None:
    """In a storm the host would hear each request again and again."""
    h2, h9 = net.get("h2", "h9")
    filters = ["arp[6:2] == 1 and arp src host", str(h2.IP())]
    listening = h9.popen(
        ["timeout", "2", "tcpdump", "-n", "-l", "-i", "h9-eth0", " ".join(filters)], stderr=subprocess.STDOUT
    )
    while "listening on" not in (line := listening.stdout.readline()):
        assert line
    h2.cmd(
        f"arping -c 3 -w 3 -I h2-eth0 {net['h16'].IP()} || ip neighbour flush dev h2-eth0; ping -c 1 {net['h16'].IP()}"
    )
    out, _ = listening.communicate()
    requests = out.count("Request who-has")
    assert 1 <= requests <= 4
