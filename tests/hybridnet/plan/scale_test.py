# SPDX-License-Identifier: MIT
"""What planning takes grows as the network does. Counted in executed lines, which are the same on every computer."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from hybridnet.describe.topo import Topo
from hybridnet.plan.network import MachineSpec, PlanOptions, make_plan
from tests.hybridnet.plan.support import TOKEN

TWICE = 2.2
"""Twice as large a network may take so many times as many lines: sorting takes a little more than twice."""


def lines_of(work: Callable[[], object]) -> int:
    """How many lines of Python `work` executes, in hybridnet."""
    lines = 0

    def count(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal lines
        if "hybridnet" not in frame.f_code.co_filename:
            return None
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(before)
    return lines


def planning(topo: Topo, instances: int = 1) -> int:
    options = PlanOptions(token=TOKEN, instances_per_machine=instances)
    machine = MachineSpec("m1", "198.18.0.1")
    make_plan(topo, [machine], options)  # imports and caches
    return lines_of(lambda: make_plan(topo, [machine], options))


class Campus(Topo):
    """Hosts at switches, switches at routers, these in a circle."""

    def build(self, routers: int, hosts: int) -> None:
        for router in range(1, routers + 1):
            self.addSimRouter(f"r{router}")
            self.addLink(self.addSimSwitch(f"s{router}"), f"r{router}")
            for host in range(1, hosts + 1):
                self.addLink(self.addSimHost(f"h{router}x{host}"), f"s{router}")
        for router in range(1, routers + 1):
            self.addLink(f"r{router}", f"r{router % routers + 1}", delay="1ms", bw=1000)


class Bundle(Topo):
    """Two switches with many links between them, each of which is cut."""

    def build(self, links: int) -> None:
        for side in (1, 2):
            self.addSimSwitch(f"s{side}", instance=side)
        for _ in range(links):
            self.addLink("s1", "s2", delay="1ms")


def test_twice_as_many_hosts_take_twice_the_work() -> None:
    few, many = (planning(Campus(8, hosts), instances=4) for hosts in (25, 50))
    assert many < TWICE * few


def test_twice_as_many_cut_links_take_twice_the_work() -> None:
    few, many = (planning(Bundle(links)) for links in (100, 200))
    assert many < TWICE * few


class Access(Topo):
    """Routers with a host each around one in the middle."""

    def build(self, routers: int) -> None:
        self.addSimRouter("core")
        for number in range(routers):
            self.addSimRouter(f"r{number}")
            self.addLink(f"r{number}", "core", delay="1ms")
            self.addLink(self.addSimHost(f"h{number}", ip=f"10.1.{number}.2/24"), f"r{number}")


def test_twice_as_many_access_routers_take_twice_the_work() -> None:
    few, many = (planning(Access(routers)) for routers in (100, 200))
    assert many < TWICE * few
