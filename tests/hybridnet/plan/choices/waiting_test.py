# SPDX-License-Identifier: MIT
"""How the instances of a machine wait: what `auto` means, and what is refused."""

from __future__ import annotations

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.errors import PlanError
from hybridnet.plan.network import MachineSpec, Plan, RealtimeOptions
from tests.hybridnet.plan.support import plan


def joined(hosts: int = 2, groups: int = 1) -> Topo:
    """Emulated hosts at a simulated router, in each of so many instances."""
    topo = Topo()
    for group in range(groups):
        instance = {} if groups == 1 else {"instance": f"i{group}"}
        topo.addSimRouter(f"r{group}", **instance)
        for host in range(hosts):
            topo.addLink(topo.addHost(f"h{group}.{host}"), f"r{group}", delay="1ms")
    return topo


def made(topo: Topo, processors: int, **realtime: object) -> Plan:
    machine = MachineSpec("m1", "198.18.0.1", processors=range(processors))
    return plan(topo, [machine], realtime=RealtimeOptions(**realtime))


def waits(of: Plan) -> list[tuple[str, int | None]]:
    return [(each["realtime"]["wait"], each["realtime"]["cpu"]) for each in of.instances.values()]


@pytest.mark.parametrize(("processors", "wait"), [(0, "adaptive"), (2, "adaptive"), (3, "dedicated")])
def test_auto_takes_a_processor_where_two_stay_for_the_rest(processors: int, wait: str) -> None:
    assert waits(made(joined(), processors)) == [(wait, 2 if wait == "dedicated" else None)]


def test_auto_leaves_as_many_processors_as_it_takes() -> None:
    assert waits(made(joined(groups=3), 5)) == [("adaptive", 4), ("adaptive", 3), ("adaptive", 2)]
    assert waits(made(joined(groups=3), 6)) == [("dedicated", 5), ("dedicated", 4), ("dedicated", 3)]


def test_auto_sleeps_where_nothing_real_is_attached() -> None:
    topo = Topo()
    topo.addLink(topo.addSimHost("v1"), topo.addSimHost("v2"), bw=10, delay="1ms")
    assert waits(made(topo, 8)) == [("sleep", None)]


def test_auto_sleeps_where_instances_outnumber_processors() -> None:
    assert waits(made(joined(groups=3), 3)) == [("adaptive", None)] * 3
    assert waits(made(joined(groups=3), 2)) == [("sleep", None)] * 3
    assert waits(made(joined(groups=3), 0)) == [("adaptive", None)] * 3  # processors not known


def test_what_is_asked_for_is_done_and_said() -> None:
    asked = made(joined(), 2, wait="dedicated")
    assert waits(asked) == [("dedicated", 1)]
    assert asked.notes == ["instances on m1 wait: dedicated (2 processors)"]
    assert made(joined(), 2).notes == ["instances on m1 wait: adaptive (2 processors)"]
    assert made(joined(), 0, wait="sleep").notes == ["instances on m1 wait: sleep (processors not known)"]


def test_a_core_that_is_not_there_is_refused() -> None:
    with pytest.raises(
        PlanError, match="takes a processor for each of 1 instance and at least one for the rest"
    ):
        made(joined(), 1, wait="dedicated")
    with pytest.raises(PlanError, match="machine has 3; write 'adaptive'"):
        made(joined(groups=3), 3, wait="dedicated")


def test_a_policy_that_is_none_is_refused() -> None:
    with pytest.raises(PlanError, match='realtime, at wait: "never" is not one of'):
        RealtimeOptions(wait="never")
