# SPDX-License-Identifier: MIT
"""Which commands of tc shape a link with kernel=True, and where there is none."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.compat.mininet.link import Link, TCIntf, TCLink
from hybridnet.compat.mininet.net import Mininet
from hybridnet.compat.mininet.tc.kernel import check_kernel_link, commands_of
from hybridnet.errors import UsageError

HTB = [
    "%s qdisc add dev %s root handle 5:0 htb default 1",
    "%s class add dev %s parent 5:0 classid 5:1 htb rate 10.000000Mbit burst 15k",
]


def linked(cls: Any = TCLink, **params: Any) -> Link:
    net = Mininet(controller=None)
    made: Link = net.addLink(net.addHost("h1"), net.addSwitch("s1"), cls=cls, kernel=True, **params)
    return made


def commands(**params: Any) -> list[str]:
    link = linked(**params)
    return commands_of(link.intf1, link.intf1.shaped)


def test_a_rate_is_htbs_and_a_queue_alone_a_fifo() -> None:
    assert commands(bw=10) == HTB
    assert commands(bw=10, max_queue_size=50) == [
        *HTB,
        "%s qdisc add dev %s parent 5:1 handle 10: pfifo limit 50",
    ]
    assert commands(max_queue_size=50) == ["%s qdisc add dev %s root handle 10: pfifo limit 50"]
    assert commands() == []


def test_delay_loss_and_their_queue_are_netems() -> None:
    assert commands(bw=10, delay="5ms", jitter="1ms", loss=1, max_queue_size=50) == [
        *HTB,
        "%s qdisc add dev %s parent 5:1 handle 10: netem delay 5ms 1ms loss 1.00000 limit 50",
    ]
    assert commands(delay=5) == ["%s qdisc add dev %s root handle 10: netem delay 5us"]


def test_mininets_other_qdiscs_are_there_by_their_options() -> None:
    [tbf] = commands(bw=10, use_tbf=True)
    assert tbf == "%s qdisc add dev %s root handle 5: tbf rate 10.000000Mbit burst 15000 latency 12.000000ms"
    assert "latency 20.000000ms" in commands(bw=10, use_tbf=True, latency_ms=20)[0]
    assert "hfsc sc rate 10.000000Mbit ul rate 10.000000Mbit" in commands(bw=10, use_hfsc=True)[1]
    assert "ecn" in commands(bw=10, enable_ecn=1)[2]
    link = linked(bw=10, speedup=100)
    assert "rate 10.0" in commands_of(link.intf1, link.intf1.shaped)[1]
    assert "rate 100.0" in commands_of(link.intf2, link.intf2.shaped)[1], "a switch's end"


def test_a_class_of_a_script_says_its_own_commands() -> None:
    class Own(TCIntf):
        def bwCmds(self, **_: Any) -> tuple[list[str], str]:
            return [
                "%s qdisc add dev %s root handle 5: tbf rate 3Mbit burst 15000 latency 9ms"
            ], " parent 5:1 "

    link = linked(intf=Own, bw=10, max_queue_size=9)
    first, second = commands_of(link.intf1, link.intf1.shaped)
    assert "3Mbit" in first
    assert second == "%s qdisc add dev %s parent 5:1 handle 10: netem limit 9"


def test_the_network_is_described_with_a_plain_pair() -> None:
    told = linked(bw=10, delay="5ms")
    assert told.by_kernel
    with pytest.raises(UsageError, match=r"link h1-s1: kernel=True: only a network on this computer itself"):
        check_kernel_link(told, here=False)
    with pytest.raises(UsageError, match=r"h1-eth0 is not a TCIntf.*add cls=TCLink"):
        check_kernel_link(linked(cls=Link, bw=10), here=True)
    assert not TCLink(*(Mininet(controller=None).addHost(name) for name in "ab"), kernel=False).by_kernel
