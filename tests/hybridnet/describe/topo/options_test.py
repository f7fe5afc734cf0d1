# SPDX-License-Identifier: MIT
"""What the options of nodes become in the instance plan."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.errors import TopologyError, UnitError
from tests.hybridnet.plan.support import plan


def test_what_a_simulated_node_needs_for_a_packet_becomes_part_of_its_plan() -> None:
    topo = Topo()
    topo.addSimRouter("r1", processing_delay="10us")
    topo.addSimSwitch("x1", processing_delay="2ms", processing_queue=5)
    topo.addSimHost("v1")
    topo.addLink("r1", "x1")
    topo.addLink("x1", "v1")
    made = plan(topo)
    nodes = {node["name"]: node for node in made.machines["m1"]["instances"][0]["nodes"]}
    assert nodes["r1"]["processing_delay_ns"] == 10_000
    assert "processing_queue_packets" not in nodes["r1"]
    assert (nodes["x1"]["processing_delay_ns"], nodes["x1"]["processing_queue_packets"]) == (2_000_000, 5)
    assert "processing_delay_ns" not in nodes["v1"]
    assert "10us a packet" in str(made).replace(" us", "us")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"instance": 0}, "neither a number from 1 to 1024 nor a name"),
        ({"instance": True}, "neither a number"),
        ({"instance": "a b"}, "neither a number"),
        ({"processing_delay": "0"}, "above it"),
        ({"processing_delay": "10"}, "unit"),
        ({"processing_queue": 5}, "needs processing_delay="),
        ({"processing_delay": "1us", "processing_queue": 0}, "number of packets"),
        ({"processing_delay": "1us", "processing_queue": "5"}, "number of packets"),
    ],
)
def test_a_processing_delay_that_makes_no_sense_is_refused(options: dict[str, Any], error: str) -> None:
    with pytest.raises((TopologyError, UnitError), match=error):
        Topo().addSimRouter("r1", **options)


def test_only_simulated_nodes_take_time_for_a_packet() -> None:
    with pytest.raises(TopologyError, match="use addSimHost"):
        Topo().addHost("n1", processing_delay="1us")
