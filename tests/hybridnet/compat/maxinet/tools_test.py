# SPDX-License-Identifier: MIT
"""MaxiNet's helpers: addresses from numbers, and its tree."""

from __future__ import annotations

import pytest

from hybridnet.compat.maxinet.tools import FatTree, Tools
from hybridnet.errors import UsageError


def test_addresses_end_with_their_number_and_are_of_one_station() -> None:
    macs = [Tools.makeMAC(258) for _ in range(50)]
    assert {mac[-9:] for mac in macs} == {":00:01:02"}
    assert all(int(mac[:2], 16) % 4 == 0 for mac in macs)  # neither a group's, nor of local choice
    assert len(set(macs)) > 1
    assert Tools.makeIP(258) == "10.0.1.2"
    assert (len(Tools.makeDPID(7)), Tools.makeDPID(7)[-6:]) == (16, "000007")
    assert all(int(Tools.randByte(3), 16) <= 3 for _ in range(50))
    with pytest.raises(UsageError, match="makeMAC: -1 is out of range"):
        Tools.makeMAC(-1)


@pytest.mark.parametrize(("hosts", "switches"), [(1, 1), (2, 3), (4, 7), (5, 11)])
def test_two_switches_at_a_time_share_one_above_them(hosts: int, switches: int) -> None:
    topo = FatTree(hosts, 10, 0.1)
    assert (len(topo.hosts()), len(topo.switches())) == (hosts, switches)
    assert len(topo.links()) == hosts + switches - 1


def test_each_level_has_twice_the_rate_of_the_one_below() -> None:
    topo = FatTree(4, 10, 0.5)
    rates = [topo.linkInfo(*ends)["bw"] for ends in (("h1", "s1"), ("s1", "s5"), ("s5", "s7"))]
    assert rates == [10, 10, 20]
    assert topo.linkInfo("s5", "s7")["delay"] == "0.5ms"
    assert topo.nodeInfo("h4")["ip"] == "10.0.0.4"
