# SPDX-License-Identifier: MIT
"""What a network tries out: the tables and figures that Mininet prints and returns."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.net import Net
from hybridnet.system.log import setLogLevel
from hybridnet.topologies import SingleSwitchTopo
from tests.hybridnet.net.support import FakeCluster


def network(cluster: Any) -> Net:
    setLogLevel("output")
    return Net(SingleSwitchTopo(k=3), cluster=cluster, controller=None)


def test_a_ping_of_some_hosts_prints_the_table_without_its_headline_as_mininet_does(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cluster = FakeCluster()
    cluster.answers["ping_pairs"] = lambda machine, pairs, **_: [{"received": 1} for _ in pairs]
    with network(cluster) as net:
        net.pingPair()
    assert capsys.readouterr().err == "h1 -> h2 \nh2 -> h1 \n*** Results: 0% dropped (2/2 received)\n"


def test_ping_all_prints_mininets_table_and_returns_the_loss(capsys: pytest.CaptureFixture[str]) -> None:
    cluster = FakeCluster()
    cluster.answers["ping_pairs"] = lambda machine, pairs, **_: [
        {"received": int(address == "10.0.0.3")} for _, address in pairs
    ]
    with network(cluster) as net:
        lost = net.pingAll()
    assert lost == pytest.approx(100 * 4 / 6)
    assert capsys.readouterr().err == (
        "*** Ping: testing ping reachability\n"
        "h1 -> X h3 \n"
        "h2 -> X h3 \n"
        "h3 -> X X \n"
        "*** Results: 66% dropped (2/6 received)\n"
    )


def test_ping_pair_takes_the_first_two_hosts(capsys: pytest.CaptureFixture[str]) -> None:
    with network(FakeCluster()) as net:
        net.pingPair()
    assert "(2/2 received)" in capsys.readouterr().err
