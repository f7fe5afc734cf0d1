# SPDX-License-Identifier: MIT
"""Simulated switches whose controllers are hostile: errors as the specification wants, bounded memory, and the rest of
the instance keeps time.
"""

from __future__ import annotations

import contextlib

import pytest

from hybridnet import Net, RemoteController, Topo
from hybridnet.observe.series.buckets import percentile_ns, subtract_buckets
from tests.system.hostile import MALFORMED, Hostile

pytestmark = [pytest.mark.system, pytest.mark.thorough]

SWITCHES = 6
PINGS = 600
MOST_GROWTH_BYTES = 96 << 20
"""20,000 flows of one switch and up to 50,000 of another take about 50 MB, a connection at most 2 MB."""


class Attacked(Topo):
    """Six switches, each with a simulated host; in the same instance h1 - w1 - web, which have no controller."""

    def build(self) -> None:
        for number in range(1, SWITCHES + 1):
            self.addSwitch(f"s{number}", kind="simulated", reconnectms=1000)
            self.addLink(f"s{number}", self.addSimHost(f"v{number}"))
        self.addHost("h1")
        self.addSimHost("web")
        self.addSimSwitch("w1")
        self.addLink("h1", "w1")
        self.addLink("w1", "web")


def memory_bytes(net: Net) -> int:
    """What the instance takes of the computer's memory."""
    [pid] = net.cluster.call("m1", "exec", argv=["pgrep", "-f", "instances/m1/instance.json"])[
        "stdout"
    ].split()
    found = net.cluster.call("m1", "exec", argv=["grep", "VmRSS", f"/proc/{int(pid)}/status"])["stdout"]
    return int(found.split()[1]) << 10


def test_hostile_controllers_get_errors_and_hurt_nobody_else() -> None:
    server = Hostile()
    with contextlib.ExitStack() as stack:
        stack.callback(server.close)
        meet = RemoteController("c0", port=server.port)
        net = stack.enter_context(Net(Attacked(), controller=meet, waitConnected=False))
        memory = memory_bytes(net)
        nodes = {node["name"]: node for node in net.plan.machines["m1"]["instances"][0]["nodes"]}
        web = nodes["web"]["interfaces"][0]["address"].partition("/")[0]
        before = net.snapshot()["m1"]["lateness"]["buckets"]
        answer = net["h1"].cmd(f"ping -q -i 0.005 -c {PINGS} -W 5 {web}", timeout=60)
        server.await_end()
        grown = subtract_buckets(net.snapshot()["m1"]["lateness"]["buckets"], before)
        assert f"{PINGS} received" in answer
        assert percentile_ns(grown, 0.5) < 1_000_000
        assert memory_bytes(net) - memory < MOST_GROWTH_BYTES
        assert server.errors == {name: error for name, (_, error) in MALFORMED.items()}
        assert server.closed_after_s > 5  # it gives a controller 10 s, from before this one looked
        server.await_switches(SWITCHES)
        rows = {row["name"]: row for row in net.snapshot()["m1"]["nodes"]}
        assert all(rows[f"s{number}"]["connected"] for number in range(1, SWITCHES + 1))
        assert "dpid:0000000000000004" in net["s4"].dpctl("show")
