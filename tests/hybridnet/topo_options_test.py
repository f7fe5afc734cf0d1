# SPDX-License-Identifier: MIT
"""What the options of a link's direction become in the instance plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hybridnet.errors import PlanError, TopologyError, UnitError
from hybridnet.instance import build, check_direction, with_trace
from hybridnet.plan_text import plan_text
from hybridnet.topo import Topo
from hybridnet.topo_options import resolve_direction
from tests.hybridnet.plan_support import plan

MS = 1_000_000


def planned(**options: Any) -> dict[str, Any]:
    direction = resolve_direction(options, "link a-b").to_json()
    check_direction(direction, "link a-b")
    return direction


def test_loss_is_in_percent_of_the_packets() -> None:
    assert planned(loss=1)["loss"] == {"model": "independent", "probability": 0.01}
    assert planned(loss="0.1%")["loss"]["probability"] == 0.001
    assert "loss" not in planned(loss=0)


def test_jitter_is_uniform_around_the_delay_as_netems() -> None:
    direction = planned(delay="10ms", jitter="2ms")
    assert direction["delay_ns"] == 8 * MS
    assert direction["extra_delay"] == {"model": "uniform", "low_ns": 0, "high_ns": 4 * MS}


def test_jitter_above_the_delay_ends_at_zero() -> None:
    direction = planned(delay="1ms", jitter="3ms")
    assert direction["delay_ns"] == 0
    assert direction["extra_delay"] == {"model": "uniform", "low_ns": -2 * MS, "high_ns": 4 * MS}


def test_normal_jitter_has_the_delay_as_its_mean() -> None:
    direction = planned(delay="10ms", jitter="2ms", jitter_distribution="normal")
    assert direction["delay_ns"] == 0
    assert direction["extra_delay"] == {"model": "normal", "mean_ns": 10 * MS, "deviation_ns": 2 * MS}


def test_reordered_packets_skip_the_whole_delay() -> None:
    direction = planned(delay="10ms", reorder=25)
    assert direction["delay_ns"] == 0
    assert direction["extra_delay"] == {"model": "constant", "delay_ns": 10 * MS}
    assert direction["reorder"] == {"probability": 0.25}


@pytest.mark.parametrize(
    ("options", "ecn"),
    [({"enable_red": True}, False), ({"enable_ecn": True}, True), ({"aqm": "red", "ecn": True}, True)],
)  # fmt: skip
def test_red_has_the_parameters_that_mininet_gives_to_tc(options: dict[str, Any], ecn: bool) -> None:
    queue = planned(bw=10, **options)["queue"]
    # tc: the least weight 2^-k of which burst + 1 - min / avpkt packets are below (1 - (1 - w)^burst) / w.
    weight = max(
        w for w in (2.0**-k for k in range(1, 32)) if (1 - (1 - w) ** 20) / w >= 20 + 1 - 30_000 / 1_500
    )
    assert queue == {
        "model": "red", "limit_bytes": 1_000_000, "least_bytes": 30_000, "most_bytes": 35_000, "highest": 1.0,
        "weight": weight, "ecn": ecn,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "what"),
    [({"aqm": "pie", "bw": 1}, "'pie' is not known"), ({"aqm": "codel"}, "needs bw="), ({"ecn": True}, "give aqm="),
     ({"enable_red": True, "aqm": "codel", "bw": 1}, "leave one"), ({"reorder": 5}, "give delay="),
     ({"aqm": "codel", "bw": 1, "max_queue_size": "9 kB"}, "in packets"),
     ({"jitter": "1ms", "jitter_distribution": "pareto"}, "'pareto' is not known")],
)  # fmt: skip
def test_what_cannot_be_is_refused(options: dict[str, Any], what: str) -> None:
    with pytest.raises(TopologyError, match=what):
        resolve_direction(options, "link a-b")


PLAIN: dict[str, Any] = planned(bw=10)
MODELS: list[dict[str, Any]] = [
    planned(bw=10, delay="5ms", jitter="1ms", loss=1, duplicate=1, corrupt=1, reorder=1, aqm="fq_codel", ecn=True),
    planned(bw=10, enable_ecn=True),
    planned(bw=10, aqm="codel"),
    {**PLAIN, "loss": {"model": "gilbert_elliott", "to_bad": 0.01, "to_good": 0.2}},
    {**PLAIN, "loss": {"model": "scripted", "segments": [3, 5]}},
    {**PLAIN, "loss": None, "bit_error_rate": 1e-6},
    {**PLAIN, "extra_delay": {"model": "normal", "mean_ns": 5, "deviation_ns": 2, "in_order": True}},
    {**PLAIN, "extra_delay": {"model": "exponential", "least_ns": 5, "mean_above_ns": 2}},
    {**PLAIN, "extra_delay": {"model": "table", "quantiles_ns": [1, 2, 9]}},
    {**PLAIN, "extra_delay": {"model": "trace", "delays_ns": [1, 2, 9]}},
    {**PLAIN, "wire": {"model": "token_bucket", "burst_bytes": 3000, "peak_bps": None}},
    {**PLAIN, "wire": {"model": "slots", "slots": [{"duration_ns": 5, "rate_bps": 7}]}},
]  # fmt: skip


def instance_plan(direction: dict[str, Any]) -> dict[str, Any]:
    def node(name: str, number: int) -> dict[str, Any]:
        interface = {
            "name": f"{name}-eth0",
            "mac": f"02:00:00:00:00:0{number}",
            "address": f"10.0.0.{number}/8",
        }
        return {"name": name, "kind": "host", "interfaces": [interface], "routes": []}

    link = {"name": "a-b", "a": {"interface": "a-eth0"}, "b": {"interface": "b-eth0"}}
    return {
        "name": "m1", "seed": 1, "token": "0" * 16, "nodes": [node("a", 1), node("b", 2)],
        "emulation_portals": [], "peers": [], "captures": [], "realtime": {},
        "links": [{**link, "a_to_b": direction, "b_to_a": direction}],
    }  # fmt: skip


@pytest.mark.parametrize("direction", MODELS, ids=lambda direction: " ".join(direction.keys() - PLAIN.keys()))
def test_the_simulator_takes_every_model_of_the_schema(direction: dict[str, Any]) -> None:
    pytest.importorskip("hybridnet._simcore")
    check_direction(direction, "link a-b")
    build(instance_plan(direction))


def test_a_trace_file_is_read_where_the_instance_is(tmp_path: Path) -> None:
    pytest.importorskip("hybridnet._simcore")
    trace = tmp_path / "wire.up"
    direction = {**PLAIN, "rate_bps": None, "wire": {"model": "opportunities", "file": str(trace)}}
    with pytest.raises(PlanError, match=r"trace file .*wire\.up"):
        with_trace(direction)
    trace.write_text("1\n5\n4\n")
    with pytest.raises(Exception, match=r"wire\.up: line 3 is 4, before the 5"):
        build(instance_plan(direction))
    trace.write_text("1\n5\n5\n")
    build(instance_plan(direction))


def test_an_unknown_model_does_not_pass_the_schema() -> None:
    with pytest.raises(PlanError):
        check_direction({**PLAIN, "queue": {"model": "pie"}}, "link a-b")
    with pytest.raises(PlanError):
        check_direction({**PLAIN, "corrupt": 0.1, "bit_error_rate": 0.1}, "link a-b")


def test_what_a_simulated_node_needs_for_a_packet_becomes_part_of_its_plan() -> None:
    topo = Topo()
    topo.addSimRouter("r1", processing_delay="10us")
    topo.addSimSwitch("x1", processing_delay="2ms", processing_queue=5)
    topo.addSimHost("v1")
    topo.addLink("r1", "x1")
    topo.addLink("x1", "v1")
    made = plan(topo)
    nodes = {node["name"]: node for node in made.machines["m1"]["instance"]["nodes"]}
    assert nodes["r1"]["processing_delay_ns"] == 10_000
    assert "processing_queue_packets" not in nodes["r1"]
    assert (nodes["x1"]["processing_delay_ns"], nodes["x1"]["processing_queue_packets"]) == (2_000_000, 5)
    assert "processing_delay_ns" not in nodes["v1"]
    assert "10us a packet" in plan_text(made).replace(" us", "us")


@pytest.mark.parametrize(
    ("options", "error"),
    [
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
    for add in (Topo().addHost, Topo().addSwitch):
        with pytest.raises(TopologyError, match="use addSimHost"):
            add("n1", processing_delay="1us")
