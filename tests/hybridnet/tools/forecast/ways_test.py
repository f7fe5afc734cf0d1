# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.errors import UsageError
from hybridnet.tools.forecast.ways import Ways
from hybridnet.topologies import TwoTrees
from tests.hybridnet.plan.support import plan


class Diamond(Topo):
    """a reaches b over two routers, by a short way of three links and a quick one of four."""

    def build(self) -> None:
        for router in ("r1", "r2", "r3", "r4"):
            self.addSimRouter(router)
        for host, router in (("a", "r1"), ("b", "r2")):
            self.addHost(host)
            self.addLink(host, router)
        self.addHost("c")
        self.addLink("r1", "r2", delay="10ms")
        self.addLink("r1", "r3", delay="1ms")
        self.addLink("r3", "r4", delay="1ms")
        self.addLink("r4", "r2", delay="1ms")


def test_a_way_leads_through_both_trees() -> None:
    hops = Ways(plan(TwoTrees(depth=2))).way("h1", "h8")
    assert [hop.source for hop in hops] == ["h1", "s2", "s1", "s4", "s6"]
    assert [hop.link.kind for hop in hops] == ["veth", "patch", "cut", "patch", "veth"]
    assert hops[2].instances == ("m1", "m2")
    assert hops[2].name == "link s1 to s4"


def test_the_way_back_is_the_same_the_other_way_round() -> None:
    ways = Ways(plan(TwoTrees(depth=2)))
    there, back = ways.way("h1", "h8"), ways.way("h8", "h1")
    assert [hop.link for hop in back] == [hop.link for hop in there][::-1]
    assert [hop.forward for hop in back] == [not hop.forward for hop in there][::-1]
    assert back[2].instances == ("m2", "m1")


def test_less_delay_counts_before_fewer_links() -> None:
    hops = Ways(plan(Diamond())).way("a", "b")
    assert [hop.target for hop in hops] == ["r1", "r3", "r4", "r2", "b"]


@pytest.mark.parametrize(
    ("ends", "says"),
    [
        (("a", "x"), "there is no host x"),
        (("a", "r1"), "r1 is a switch or a router"),
        (("a", "a"), "does not send to itself"),
        (("a", "c"), "no link leads there"),
    ],
)
def test_what_has_no_way_is_refused(ends: tuple[str, str], says: str) -> None:
    with pytest.raises(UsageError, match=f"flow from {ends[0]} to {ends[1]}: .*{says}"):
        Ways(plan(Diamond())).way(*ends)
