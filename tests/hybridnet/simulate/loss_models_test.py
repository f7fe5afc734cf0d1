# SPDX-License-Identifier: MIT
"""Models of loss by their options: what a link with one loses."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.errors import HybridnetError
from hybridnet.simulate.offline.simulate import simulate


def sent_and_lost(**model: Any) -> tuple[int, int]:
    """How many packets a link was given in a second, and how many of them it has lost."""
    topo = Topo()
    source = {"kind": "udp_source", "destination": "h2", "port": 9, "rate": "1 Mbit/s", "payload": "100 B"}
    topo.addSimHost("h1", applications=[source])
    topo.addSimHost("h2", applications=[{"kind": "udp_sink", "port": 9}])
    topo.addLink("h1", "h2", delay="1ms", params1={"loss": model})
    [ran] = simulate(topo, "1s").replications
    way = "h1-h2:h1-eth0>h2-eth0"
    found = {name: round(value) for (element, name), value in ran.figures.items() if element == way}
    return found["accepted_packets"], found.get("dropped.impaired", 0)


@pytest.mark.parametrize(("every", "burst"), [(10, 1), (10, 3), (1, 1), (2000, 1)])
def test_a_periodic_model_loses_the_last_of_every_so_many(every: int, burst: int) -> None:
    sent, lost = sent_and_lost(model="periodic", every=every, burst=burst)
    assert lost == sum(number % every >= every - burst for number in range(sent))
    assert sent > 900 or every == 1  # 1,250 datagrams; without ARP's answer none


def test_more_than_all_of_them_cannot_be_lost() -> None:
    with pytest.raises(HybridnetError, match="burst 3 is more than every 2"):
        sent_and_lost(model="periodic", every=2, burst=3)
