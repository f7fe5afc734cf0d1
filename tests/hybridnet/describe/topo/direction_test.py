# SPDX-License-Identifier: MIT
"""What the options of a link's direction become in the instance plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hybridnet.describe.options import table
from hybridnet.describe.schema.check import checked
from hybridnet.describe.schema.plans import DirectionPlan
from hybridnet.describe.topo import Topo
from hybridnet.describe.topo.direction import resolve_direction
from hybridnet.errors import PlanError, TopologyError, UnitError
from hybridnet.simulate.instance.build import build, with_trace

MS = 1_000_000
STEADY = {"model": "constant_rate", "rate": "4 Mbit/s"}


def planned(**options: Any) -> dict[str, Any]:
    direction = resolve_direction(options, "link a-b").to_json()
    checked(direction, DirectionPlan, "link a-b")
    return direction


def test_loss_is_in_percent_of_the_packets() -> None:
    assert planned(loss=1)["loss"] == {"model": "independent", "probability": 0.01}
    assert planned(loss="0.1%")["loss"]["probability"] == 0.001
    assert "loss" not in planned(loss=0)


def test_a_loss_so_small_that_it_may_be_a_share_says_how_many_packets_it_is() -> None:
    shown = {loss: resolve_direction({"loss": loss}, "link a-b").text() for loss in (0.02, "0.02", 0.05, 2)}
    assert shown[0.02].endswith(", loss 0.02 % (1 packet in 5000)")
    assert shown["0.02"] == shown[0.02]
    assert shown[0.05].endswith(", loss 0.05 %")
    assert shown[2].endswith(", loss 2 %")


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
    defaults = {key: option.default for key, option in table("red").planned.items()}
    # tc: the least weight 2^-k of which burst + 1 - min / avpkt packets are below (1 - (1 - w)^burst) / w.
    weight = max(
        w for w in (2.0**-k for k in range(1, 32)) if (1 - (1 - w) ** 20) / w >= 20 + 1 - 30_000 / 1_500
    )
    assert {**defaults, **queue} == {
        "model": "red", "limit_bytes": 1_000_000, "least_bytes": 30_000, "most_bytes": 35_000, "highest": 1.0,
        "weight": weight, "ecn": ecn, "gentle": False, "adaptive": False,
    }  # fmt: skip


def test_gilbert_elliotts_probabilities_are_in_percent_as_loss_is() -> None:
    channel = {"model": "gilbert_elliott", "to_bad": 1, "to_good": "20%", "loss_when_bad": 50}
    expected = {"model": "gilbert_elliott", "to_bad": 0.01, "to_good": 0.2, "loss_when_bad": 0.5}
    assert planned(loss=channel)["loss"] == expected


def test_a_jitter_model_comes_upon_the_delay() -> None:
    direction = planned(
        delay="10ms", jitter={"model": "table", "quantiles": ["0", "1ms", "9ms"]}, keep_order=True
    )
    assert direction["delay_ns"] == 10 * MS
    assert direction["extra_delay"] == {"model": "table", "quantiles_ns": [0, MS, 9 * MS]}
    assert direction["keep_order"] is True
    exponential = planned(delay="10ms", jitter="2ms", jitter_distribution="exponential")
    assert exponential["delay_ns"] == 10 * MS
    assert exponential["extra_delay"] == {"model": "exponential", "least_ns": 0, "mean_above_ns": 2 * MS}


def test_the_order_is_kept_where_something_could_change_it() -> None:
    for varies in ({"jitter": "1ms"}, {"delay": "1ms", "reorder": 1}, {"model": "satellite.so"}):
        assert planned(**varies, keep_order=True)["keep_order"] is True
        assert "keep_order" not in planned(**varies, keep_order=False)
    assert "keep_order" not in planned(delay="1ms", keep_order=True)


def test_each_direction_has_its_own_models() -> None:
    topo = Topo()
    for name in ("a", "b"):
        topo.addSimHost(name)
    topo.addLink("a", "b", bw=10, params1={"loss": 1}, params2={"aqm": "codel", "burst": "30 kB"})
    there, back = topo.spec("a", "b").a_to_b.to_json(), topo.spec("a", "b").b_to_a.to_json()
    assert there["loss"]["probability"] == 0.01
    assert "queue" not in there
    assert "rate_model" not in there
    assert back["queue"]["model"] == "codel"
    assert back["rate_model"]["burst_bytes"] == 30_000
    assert "loss" not in back


def test_parameters_of_queues_are_said_with_their_units() -> None:
    red = planned(
        bw=1, aqm={"model": "red", "least": "5 kB", "most": 15_000, "highest": "10%", "weight": 0.002}
    )
    assert red["queue"] == {
        "model": "red", "least_bytes": 5_000, "most_bytes": 15_000, "highest": 0.1, "weight": 0.002,
    }  # fmt: skip
    codel = planned(bw=1, ecn=True, aqm={"model": "codel", "target": "1ms", "interval": "20ms"})["queue"]
    assert codel == {"model": "codel", "target_ns": MS, "interval_ns": 20 * MS, "ecn": True}


def test_a_rate_is_alone_or_a_bucket_slots_or_a_trace(tmp_path: Path) -> None:
    assert planned(bw=8, burst="15 kB", peak=100)["rate_model"] == {
        "model": "token_bucket", "burst_bytes": 15_000, "peak_bps": 10**8,
    }  # fmt: skip
    slots = planned(slots=[("2s", 10), ("500ms", "1 kbit/s")])
    assert slots["rate_bps"] == 10**7
    assert slots["rate_model"]["slots"][1] == {"duration_ns": 500 * MS, "rate_bps": 1000}
    trace = planned(trace=tmp_path / "lte.down", trace_bytes=1500, aqm="codel")
    assert trace["rate_bps"] is None
    assert trace["rate_model"] == {
        "model": "opportunities",
        "file": str(tmp_path / "lte.down"),
        "bytes": 1500,
    }


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"aqm": "sfb", "bw": 1}, "aqm: model: 'sfb' does not exist"),
        ({"aqm": "codel"}, "needs bw="),
        ({"ecn": True}, "give aqm="),
        ({"enable_red": True, "aqm": "codel", "bw": 1}, "leave one"),
        ({"reorder": 5}, "give delay="),
        ({"aqm": "codel", "bw": 1, "max_queue_size": "9 kB"}, "in packets"),
        ({"aqm": "pie", "bw": 1, "max_queue_size": "9 kB"}, "in packets"),
        ({"aqm": "cake", "bw": 1, "max_queue_size": "9 kB"}, "in packets"),
        ({"aqm": "cake", "trace": "/lte.down"}, "the tins of cake have shares of a rate"),
        ({"aqm": {"model": "cake", "tins": "diffserv8"}, "bw": 1}, "'diffserv8' does not exist"),
        ({"jitter": "1ms", "jitter_distribution": "pareto"}, "'pareto' does not exist"),
        (
            {"delay": "9ms", "jitter_distribution": "normal"},
            "jitter_distribution= says how jitter= varies; give it",
        ),
        ({"jitter": {"model": "trace", "delays": []}}, "is not a list of 1 or more"),
        ({"jitter": {"model": "table", "quantiles": ["2ms", "1ms"]}}, "decreases"),
        ({"jitter": {"model": "uniform", "low": "2ms", "high": "1ms"}}, "low is above high"),
        ({"jitter": {"model": "trace", "delays": ["1ms"]}, "jitter_distribution": "normal"}, "leave it out"),
        ({"loss": {"model": "gilbert_elliott", "to_bad": 1}}, "to_good is missing"),
        ({"loss": {"model": "gilbert_eliott", "to_bad": 1}}, "did you mean 'gilbert_elliott'"),
        ({"loss": {"model": "scripted", "segments": [3, 3]}}, "does not increase"),
        ({"loss": {"to_bad": 1}}, "write a dictionary with 'model'"),
        ({"bit_error_rate": 1}, "from 0 to below 1"),
        ({"bit_error_rate": 1e-6, "corrupt": 1}, "leave one of them out"),
        ({"reorder_gap": 5}, "give it too"),
        ({"aqm": {"model": "red", "least": "40 kB"}, "bw": 1}, "write a least below most"),
        ({"aqm": {"model": "red", "weight": 0}, "bw": 1}, "write a number above 0 to 1"),
        ({"aqm": {"model": "codel", "quantum": 1}, "bw": 1}, "unknown option 'quantum'"),
        ({"aqm": {"model": "fq_codel", "flows": 0}, "bw": 1}, "from 1 to 65536"),
        ({"aqm": {"model": "codel", "target": 0}, "bw": 1}, "is 0; write a time above it"),
        ({"trace": "w", "bw": 1}, "trace= says when packets leave, and bw= too"),
        ({"slots": [("1s", 1)], "bw": 1}, "slots= says when packets leave, and bw= too"),
        ({"slots": ["1s"]}, "is not a slot"),
        ({"slots": []}, "is not a list"),
        ({"slots": [(0, 1)]}, "write a time above it"),
        ({"trace": ""}, "is not a file"),
        ({"trace_bytes": 1500}, "trace_bytes= needs trace="),
        ({"burst": "15 kB"}, "burst= needs bw="),
        ({"bw": 1, "peak": 2}, "peak= needs burst="),
        ({"bw": 1, "burst": "15 kB", "peak": 0.5}, "is below the rate, 1000000 bit/s"),
        ({"bw": 1, "burst": "1500 B"}, "write 1514 to"),
        ({"background": STEADY}, "constant_rate needs bw=, as nothing waits without a rate"),
        ({"bw": 1, "background": STEADY, "aqm": "codel"}, "codel has no fluid form; leave aqm= out"),
        ({"bw": 1, "background": STEADY, "enable_red": True}, "red has no fluid form"),
        ({"background": STEADY, "trace": "/lte.down"}, "needs a transmitter with a rate; leave trace= out"),
        ({"bw": 1, "background": STEADY, "burst": "15 kB"}, "leave burst= out"),
        ({"bw": 1, "background": {"model": "on_off", "rate": 1}}, "mean_on is missing"),
        ({"bw": 1, "background": {"model": "tcp_flows", "flows": 5, "round_trip": "99us"}}, "round_trip"),
        (
            {
                "bw": 1,
                "background": {"model": "poisson_sessions", "per_second": 1, "size": "1 kB", "shape": 1},
            },
            "shape",
        ),
        (
            {
                "bw": 1,
                "background": {"model": "poisson_sessions", "per_second": 1, "size": "1 kB", "sharing": True},
            },
            "sharing= is of a rate, and there is none; give peak=",
        ),
        ({"bw": 1, "background": {"model": "constant_rat", "rate": 1}}, "did you mean 'constant_rate'"),
        (
            {
                "bw": 1,
                "background": {
                    "model": "on_off",
                    "rate": 1_000,
                    "mean_on": "1s",
                    "mean_off": "1s",
                    "flows": 10_001,
                },
            },
            "^link a-b: .*10 Tbit/s for all together",
        ),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], what: str) -> None:
    with pytest.raises(TopologyError, match=what):
        resolve_direction(options, "link a-b")


def test_a_background_is_written_as_every_model() -> None:
    on_off = {"model": "on_off", "rate": 5, "mean_on": "10ms", "mean_off": "1s", "flows": 20}
    expected = {
        "model": "on_off", "rate_bps": 5_000_000, "mean_on_ns": 10 * MS, "mean_off_ns": 1000 * MS, "flows": 20,
    }  # fmt: skip
    assert planned(bw=10, background=on_off)["background"] == expected
    assert planned(bw=10, background=STEADY)["background"] == {
        "model": "constant_rate",
        "rate_bps": 4_000_000,
    }


PLAIN: dict[str, Any] = planned(bw=10)
MODELS: list[dict[str, Any]] = [
    planned(bw=10, delay="5ms", jitter="1ms", loss=1, duplicate=1, corrupt=1, reorder=1, aqm="fq_codel", ecn=True),
    planned(bw=10, enable_ecn=True),
    planned(bw=10, aqm="codel"),
    {**PLAIN, "loss": {"model": "gilbert_elliott", "to_bad": 0.01, "to_good": 0.2}},
    {**PLAIN, "loss": {"model": "scripted", "segments": [3, 5]}},
    {**PLAIN, "loss": None, "bit_error_rate": 1e-6},
    {**PLAIN, "extra_delay": {"model": "normal", "mean_ns": 5, "deviation_ns": 2}, "keep_order": True},
    {**PLAIN, "extra_delay": {"model": "exponential", "least_ns": 5, "mean_above_ns": 2}},
    {**PLAIN, "extra_delay": {"model": "table", "quantiles_ns": [1, 2, 9]}},
    {**PLAIN, "extra_delay": {"model": "trace", "delays_ns": [1, 2, 9]}},
    {**PLAIN, "rate_model": {"model": "token_bucket", "burst_bytes": 3000, "peak_bps": None}},
    {**PLAIN, "rate_model": {"model": "slots", "slots": [{"duration_ns": 5, "rate_bps": 7}]}},
    {**PLAIN, "background": {"model": "constant_rate", "rate_bps": 5}},
    {**PLAIN, "background": {"model": "on_off", "rate_bps": 5, "mean_on_ns": MS, "mean_off_ns": MS, "flows": 3}},
    {**PLAIN, "background": {"model": "tcp_flows", "flows": 100_000, "round_trip_ns": 20 * MS, "congestion": "cubic"}},
    {**PLAIN, "background": {"model": "poisson_sessions", "per_second": 5.5, "size_bytes": 1000, "sizes": "pareto"}},
    {**PLAIN, "background": {
        "model": "poisson_sessions", "per_second": 5, "size_bytes": 1000, "peak_bps": 10**6, "sharing": True}},
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


@pytest.mark.parametrize("direction", MODELS, ids=lambda each: " ".join(sorted(each.keys() - PLAIN.keys())))
def test_the_simulator_takes_every_model_of_the_schema(direction: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("hybridnet._simcore")
    checked(direction, DirectionPlan, "link a-b")
    build(instance_plan(direction), tmp_path)


def test_a_trace_file_is_read_where_the_instance_is(tmp_path: Path) -> None:
    pytest.importorskip("hybridnet._simcore")
    trace = tmp_path / "wire.up"
    direction = {**PLAIN, "rate_bps": None, "rate_model": {"model": "opportunities", "file": str(trace)}}
    with pytest.raises(
        PlanError, match=r"read trace .*wire\.up: No such file or directory; give a mahimahi trace$"
    ):
        with_trace(direction)
    trace.write_bytes(b"\x7fELF\0")
    with pytest.raises(PlanError, match=r"read trace .*wire\.up: it is not text"):
        with_trace(direction)
    trace.write_text("1\n5\n4\n")
    with pytest.raises(Exception, match=r"wire\.up: line 3 is 4, before the 5"):
        build(instance_plan(direction), tmp_path)
    trace.write_text("1\n5\n5\n")
    build(instance_plan(direction), tmp_path)


def test_an_unknown_model_does_not_pass_the_schema(tmp_path: Path) -> None:
    with pytest.raises(PlanError):
        checked({**PLAIN, "queue": {"model": "sfb"}}, DirectionPlan, "link a-b")
    with pytest.raises(PlanError, match="both damage packets"):
        build(instance_plan({**PLAIN, "corrupt": 0.1, "bit_error_rate": 0.1}), tmp_path)


def test_options_that_only_compare_as_equal_are_not_taken_for_each_other() -> None:
    assert planned(bw=1)["rate_bps"] == planned(bw=1.0)["rate_bps"] == 1_000_000
    with pytest.raises(UnitError, match="link a-b: bw: True is not a rate"):
        resolve_direction({"bw": True}, "link a-b")


def test_equal_options_are_one_direction_and_an_error_names_its_own_link() -> None:
    assert resolve_direction({"bw": 7, "delay": "3ms"}, "link a-b") is resolve_direction(
        {"delay": "3ms", "bw": 7}, "link c-d"
    )
    for link in ("link a-b", "link c-d"):
        with pytest.raises(UnitError, match=f"^{link}: "):
            resolve_direction({"bw": 7, "delay": "3 parsecs"}, link)


def test_a_trace_is_read_again_when_its_file_has_changed(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    trace.write_text("1\n")
    first = resolve_direction({"trace": str(trace)}, "link a-b")
    trace.write_text("1\n2\n")
    assert resolve_direction({"trace": str(trace)}, "link a-b") is not first


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"bw": 10, "delay": "5ms", "jitter": "1ms"}, "10 Mbit/s, 5 ms ± 1 ms, queue 1000 packets"),
        ({"jitter": {"model": "trace", "delays": ["1ms"]}}, "no limit, 0 ms and trace jitter, queue 1000 packets"),
        ({"bw": 1, "aqm": "codel", "ecn": True}, "1 Mbit/s, 0 ms, queue 1000 packets codel with ECN"),
        ({"loss": 2, "corrupt": 0.5}, "no limit, 0 ms, queue 1000 packets, loss 2 %, corrupt 0.5 %"),
        (
            {"loss": {"model": "gilbert_elliott", "to_bad": 1, "to_good": 10}, "bit_error_rate": 1e-9},
            "no limit, 0 ms, queue 1000 packets, gilbert_elliott loss, bit error rate 1e-09",
        ),
        ({"bw": 10, "background": STEADY}, "10 Mbit/s, 0 ms, queue 1000 packets, constant_rate background"),
        ({"trace": "/lte.down"}, "trace /lte.down, 0 ms, queue 1000 packets"),
        (
            {"slots": [("2s", 10), ("500ms", "1 kbit/s")]},
            "10 Mbit/s then 1 kbit/s, 0 ms, queue 1000 packets",
        ),
        ({"bw": 8, "burst": "15 kB"}, "8 Mbit/s in bursts of 15000 bytes, 0 ms, queue 1000 packets"),
    ],
)  # fmt: skip
def test_a_plan_says_each_direction_in_a_line(options: dict[str, Any], text: str) -> None:
    assert resolve_direction(options, "link a-b").text() == text
