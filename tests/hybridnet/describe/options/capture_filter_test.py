# SPDX-License-Identifier: MIT
"""Filters that libpcap does not understand are refused before anything is made."""

from __future__ import annotations

import pytest

from hybridnet.describe.options.capture_filter import capture_filter
from hybridnet.describe.topo import External, Topo
from hybridnet.errors import TopologyError


@pytest.mark.parametrize("written", ["tcp port 5", "vlan and udp", "not arp", "ip[1] & 0xfc == 32"])
def test_a_filter_that_libpcap_compiles_is_taken_as_it_is(written: str) -> None:
    assert capture_filter(written, "filter", error=TopologyError) == written


def test_another_one_is_refused_with_what_libpcap_says() -> None:
    topo = Topo()
    topo.addSwitch("s1")
    with pytest.raises(TopologyError, match=r'filter.*"tcp porrt 5": .*syntax error.*pcap-filter\(7\)'):
        topo.addLink("s1", External("eth1", filter="tcp porrt 5"))
