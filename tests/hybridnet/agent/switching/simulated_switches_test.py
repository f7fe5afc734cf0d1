# SPDX-License-Identifier: MIT
"""Which link is at an interface of a simulated switch."""

from __future__ import annotations

import pytest

from hybridnet.agent.switching.simulated_switches import simulated_link
from hybridnet.errors import MachineError

INSTANCES = [
    {
        "name": "m1.1",
        "links": [{"name": "s1-h1", "a": {"interface": "s1-eth1"}, "b": {"portal": "p-h1-eth0"}}],
    },
    {
        "name": "m1.2",
        "links": [{"name": "h2-s2", "a": {"portal": "p-h2-eth0"}, "b": {"interface": "s2-eth1"}}],
    },
]


@pytest.mark.parametrize(
    ("node", "interface", "found"),
    [("s1", "s1-eth1", ("m1.1", "s1-h1")), ("s2", "s2-eth1", ("m1.2", "h2-s2"))],
)
def test_the_instance_and_the_link_follow_from_the_interface(
    node: str, interface: str, found: tuple[str, str]
) -> None:
    assert simulated_link(INSTANCES, node, interface) == found


def test_an_interface_without_a_link_is_named() -> None:
    with pytest.raises(MachineError, match="switch s1: it has no interface s1-eth9 with a link"):
        simulated_link(INSTANCES, "s1", "s1-eth9")
