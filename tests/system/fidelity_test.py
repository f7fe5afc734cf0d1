# SPDX-License-Identifier: MIT
"""Background flows that are packets where the instance keeps up, and a fluid where it would not.

h1 (namespace) -- portal -- r1 ==== the link ==== r2 -- portal -- h2 (namespace)
                a (50 TCP flows) ┘              └ b
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from hybridnet import Net, Topo
from hybridnet.simulate.instance.replay import replay
from tests.system.live import only, snapshots
from tests.system.port_type import PORT_TYPE

pytestmark = pytest.mark.system

FLOWS = 50
NO_COMPUTER = (
    20_000  # Mbit/s: some 1.7 million segments a second over three links, which nobody simulates in a second
)


class Beside(Topo):
    """Two hosts, and TCP flows between two simulated ones over the same link."""

    def build(self, *, mbps: int) -> None:
        for name, router in (("h1", "r1"), ("h2", "r2")):
            self.addHost(name)
            self.addSimRouter(router)
            self.addLink(name, router, bw=100, delay="1ms")
        for name, router in (("a", "r1"), ("b", "r2")):
            self.addSimHost(name)
            self.addLink(name, router, bw=2 * NO_COMPUTER, delay="1ms", max_queue_size=10_000)
        self.addLink("r1", "r2", bw=mbps, delay="5ms", max_queue_size=max(50, mbps // 10))
        self.addFluid("a", "b", {"model": "tcp_flows", "flows": FLOWS, "congestion": "cubic"})


def measured(mbps: int, **options: Any) -> tuple[Any, Any, str]:
    """The row of the class, the verdict, and what ping said, after two seconds of pings."""
    with Net(Beside(mbps=mbps), controller=None, fidelity="auto", port_type=PORT_TYPE, **options) as net:
        with net.measured() as measured:
            pinged = net["h1"].cmd(f"ping -q -c 100 -i 0.02 {net['h2'].IP()}")
        row = only(only(list(snapshots(net).values()))["fluids"])
        return row, measured.verdict, pinged


def test_what_no_computer_simulates_as_packets_is_a_fluid_from_the_beginning() -> None:
    row, verdict, pinged = measured(NO_COMPUTER)
    assert (row["is_fluid"], row["changes_of_form"], row["sent_segments"]) == (1, 1, 0)
    assert row["delivered_bytes"] > 0
    assert any("fluid a-b was one for 100 % of the time (0 changes)" in note for note in verdict.notes)
    assert re.search(r" 0% packet loss", pinged)


def test_what_is_little_work_is_packets() -> None:
    row, verdict, _ = measured(20)
    assert (row["is_fluid"], row["changes_of_form"], row["offered_bytes"]) == (0, 0, 0)
    # 20 Mbit/s for two seconds and more, in segments of 1514 bytes.
    assert row["sent_segments"] > 2 * 20e6 / 8 / 1514 * 0.9
    assert not [note for note in verdict.notes if "fluid" in note]


def test_a_record_has_the_changes_and_a_replay_makes_them_again(tmp_path: Path) -> None:
    row, _, _ = measured(NO_COMPUTER, record=str(tmp_path))
    [record] = tmp_path.glob("*.pcapng")
    again = only(replay(record).snapshot["fluids"])
    assert (again["is_fluid"], again["changes_of_form"]) == (1, 1)
    assert again["delivered_bytes"] >= row["delivered_bytes"]
