# SPDX-License-Identifier: MIT
"""What a command line asks of every network: with what the network says itself, or against it."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.errors import UsageError
from hybridnet.plan.choices.from_command_line import Asked, asking
from hybridnet.plan.choices.peering import PeeringOptions
from hybridnet.plan.network import RealtimeOptions
from hybridnet.run.net import Net
from hybridnet.topologies import SingleSwitchTopo

EVERYTHING = Asked(
    instances="auto", peering=PeeringOptions(transport="tcp"), wait="sleep", slow=4, switches="simulated"
)


def made(what: Asked, **options: Any) -> Net:
    with asking(what):
        return Net(SingleSwitchTopo(2), controller=None, **options)


def test_a_network_that_says_nothing_has_all_that_is_asked() -> None:
    net = made(EVERYTHING)
    assert net._options.instances_per_machine == "auto"
    assert PeeringOptions.of(net._options.peering).planned == {"transport": "tcp"}
    assert net._options.realtime.options == {"wait": "sleep"}
    assert net.slow == 4
    assert [spec.simulated for spec in net._described().node_specs() if spec.role == "switch"] == [True]


def test_what_a_network_says_besides_is_kept() -> None:
    net = made(
        EVERYTHING,
        peering={"flush": "packet", "authenticated": True},
        realtime=RealtimeOptions(policy="strict", wait="sleep"),
        instances_per_machine="auto",
        switches="simulated",
        seed=7,
    )
    peering = PeeringOptions.of(net._options.peering)
    assert (peering.planned, peering.authenticated) == ({"transport": "tcp", "flush": "packet"}, True)
    assert net._options.realtime.options == {"policy": "strict", "wait": "sleep"}
    assert net._options.seed == 7


@pytest.mark.parametrize(
    ("own", "says"),
    [
        (
            {"instances_per_machine": 2},
            "instances_per_machine=2 in the script, and --instances asks for 'auto'",
        ),
        ({"peering": "udp"}, "peering: transport='udp' in the script, and --peering asks for 'tcp'"),
        (
            {"realtime": RealtimeOptions(wait="adaptive")},
            "realtime: wait='adaptive' in the script, and --wait",
        ),
        ({"slow": 2}, "slow=2 in the script, and --slow asks for 4"),
        ({"switches": "openvswitch"}, "switches='openvswitch' in the script, and --switches"),
    ],
)
def test_a_network_that_says_something_else_is_refused(own: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says.replace("(", r"\(")):
        made(EVERYTHING, **own)


def test_nothing_is_asked_outside_or_of_a_network_without_it() -> None:
    net = made(Asked(), instances_per_machine=3)
    assert net._options.instances_per_machine == 3
    assert Net(SingleSwitchTopo(2), controller=None)._options.instances_per_machine == 1


def test_what_no_network_could_obey_is_refused_by_its_flags() -> None:
    what = Asked(instances=2, wait="sleep")
    with pytest.raises(UsageError, match=r"--instances, --wait: the script has started no network"):
        what.refuse_unobeyed()
    what.obeyed()
    what.refuse_unobeyed()
    Asked().refuse_unobeyed()
