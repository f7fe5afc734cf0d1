# SPDX-License-Identifier: MIT
"""What the options of a link's direction become in the instance plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hybridnet.errors import PlanError, TopologyError
from hybridnet.instance import build, check_direction, with_trace
from hybridnet.topo_options import resolve_direction

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
