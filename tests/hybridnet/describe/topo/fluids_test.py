# SPDX-License-Identifier: MIT
"""Fluid flows of a description: one by one, and as a matrix of demands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hybridnet import Topo
from hybridnet.errors import HybridnetError, TopologyError, UnitError


def pair() -> Topo:
    topo = Topo()
    for name in ("a", "b", "c"):
        topo.addSimHost(name)
    return topo


def test_a_fluid_is_what_the_plan_writes() -> None:
    topo = pair()
    model = {"model": "tcp_flows", "flows": 50, "congestion": "cubic"}
    assert topo.addFluid("a", "b", model) == "a-b"
    [spec] = topo.fluid_specs()
    assert (spec.name, spec.source, spec.destination) == ("a-b", "a", "b")
    assert spec.model == {"model": "tcp_flows", "flows": 50, "congestion": "cubic"}
    assert spec.options == model


def test_each_has_a_name_of_its_own() -> None:
    topo = pair()
    rate = {"model": "constant_rate", "rate": "1 Mbit/s"}
    names = [topo.addFluid("a", "b", rate), topo.addFluid("a", "b", rate), topo.addFluid("b", "a", rate, "n")]
    assert names == ["a-b", "a-b#1", "n"]
    with pytest.raises(TopologyError, match="the name is taken"):
        topo.addFluid("a", "c", rate, "n")
    assert len(topo.fluid_specs()) == 3


def test_a_default_name_that_is_taken_gets_a_number() -> None:
    topo = Topo()
    for name in ("a", "a-b", "b-c", "c"):
        topo.addSimHost(name)
    assert topo.addFluids({("a", "b-c"): 1, ("a-b", "c"): 1}) == ["a-b-c", "a-b-c#1"]
    rate = {"model": "constant_rate", "rate": "1 Mbit/s"}
    assert topo.addFluid("a", "c", rate, "a-c#1") == "a-c#1"
    assert [topo.addFluid("a", "c", rate) for _ in range(3)] == ["a-c", "a-c#2", "a-c#3"]


@pytest.mark.parametrize(
    ("ends", "model", "error", "says"),
    [
        (("a", "x"), {"model": "constant_rate", "rate": "1 Mbit/s"}, TopologyError, "no node 'x'"),
        (("a", "a"), {"model": "constant_rate", "rate": "1 Mbit/s"}, TopologyError, "the same node"),
        (("a", "b"), {"model": "constant_rate", "rate": "fast"}, UnitError, "fast"),
        (("a", "b"), {"model": "constant_rte"}, TopologyError, "constant_rate"),
        (("a", "b"), {"rate": "1 Mbit/s"}, TopologyError, "write a dictionary with 'model'"),
        (("a", "b"), {"model": "tcp_flows"}, TopologyError, "flows is missing"),
        (("a", "b"), {"model": "tcp_flows", "flows": 0}, TopologyError, "flows"),
        (
            ("a", "b"),
            {"model": "tcp_flows", "flows": 1, "round_trip": "1s"},
            TopologyError,
            "follows from its way",
        ),
        (
            ("a", "b"),
            {"model": "poisson_sessions", "per_second": 1, "size": "1 kB", "sharing": True},
            TopologyError,
            "give peak",
        ),
        # What all flows or sessions together come to.
        (
            ("a", "b"),
            {"model": "on_off", "rate": "1 Gbit/s", "mean_on": "1s", "mean_off": "1s", "flows": 10_001},
            TopologyError,
            "^fluid a-b: .*10 Tbit/s for all together",
        ),
        (
            ("a", "b"),
            {"model": "poisson_sessions", "per_second": 1e6, "size": "1 MB", "peak": "1 Mbit/s"},
            TopologyError,
            "more than 100,000",
        ),
        (
            ("a", "b"),
            {
                "model": "poisson_sessions",
                "per_second": 2,
                "size": "1 MB",
                "peak": "8 Mbit/s",
                "sharing": True,
            },
            TopologyError,
            "write a higher peak",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_and_leaves_nothing(
    ends: tuple[str, str], model: dict[str, Any], error: type[HybridnetError], says: str
) -> None:
    topo = pair()
    with pytest.raises(error, match=says):
        topo.addFluid(*ends, model)
    assert topo.fluid_specs() == []


def test_a_background_still_needs_its_round_trip() -> None:
    topo = pair()
    with pytest.raises(TopologyError, match="round_trip is missing"):
        topo.addLink("a", "b", bw=10, background={"model": "tcp_flows", "flows": 5})


def test_a_node_that_goes_takes_its_fluids_along() -> None:
    topo = pair()
    topo.addFluids({("a", "b"): 1, ("b", "c"): 2, ("c", "a"): 3})
    topo.delNode("b")
    assert [spec.name for spec in topo.fluid_specs()] == ["c-a"]


def test_copies_and_revisions_keep_the_fluids() -> None:
    topo = pair()
    topo.addFluids({("a", "b"): 1})
    assert topo.copy().fluid_specs() == topo.fluid_specs()
    assert topo.revised({"a": {"ip": None}}).fluid_specs() == topo.fluid_specs()


def test_a_matrix_of_demands_becomes_classes() -> None:
    topo = pair()
    assert topo.addFluids({("a", "b"): "20 Mbit/s", ("b", "c"): 50}, congestion="cubic") == ["a-b", "b-c"]
    assert [spec.model for spec in topo.fluid_specs()] == [
        {"model": "constant_rate", "rate_bps": 20_000_000},
        {"model": "tcp_flows", "flows": 50, "congestion": "cubic"},
    ]


@pytest.mark.parametrize(
    ("text", "models"),
    [
        ("source,destination,rate\na,b,1 Mbit/s\n\nb, c, 2 Mbit/s\n", ["constant_rate", "constant_rate"]),
        ("source,destination,flows\na,b,7\n", ["tcp_flows"]),
        ("\ufeffsource,destination,flows\na,b,7\n", ["tcp_flows"]),  # as spreadsheets write it
    ],
)
def test_a_file_of_demands_does_the_same(tmp_path: Path, text: str, models: list[str]) -> None:
    file = tmp_path / "demands.csv"
    file.write_text(text)
    topo = pair()
    topo.addFluids(str(file))
    assert [spec.model["model"] for spec in topo.fluid_specs()] == models


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "its first line is ''"),
        ("from,to,rate\n", "write source,destination,rate"),
        ("source,destination,rate\na,b\n", "line 2: it has 2 columns"),
        ("source,destination,flows\na,b,1.5\n", "line 2: flows is '1.5'"),
        (f"source,destination,flows\na,b,{'9' * 5000}\n", "line 2: flows is '999.*write a whole number"),
        (f"source,destination,flows\na,b,{'9' * 18}\n", "flows: 9{18} is not a whole number from 1 to"),
        ("source,destination,rate\na,x,1 Mbit/s\n", "no node 'x'"),
    ],
)
def test_a_file_that_is_wrong_is_told_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "demands.csv"
    file.write_text(text)
    topo = pair()
    with pytest.raises(TopologyError, match=says):
        topo.addFluids(file)
    assert topo.fluid_specs() == []


@pytest.mark.parametrize(
    ("demands", "says"),
    [
        ({("a", "b"): 1, ("a", "x"): 1}, "no node 'x'"),
        ({("a", "b"): 1.5}, "neither a rate nor a number of flows"),
        ({("a", "b"): True}, "neither a rate nor a number of flows"),
        ({"a": 1}, "no pair of names"),
        (7, "neither a dictionary nor a file"),
        ("/no/such/file.csv", "cannot be read"),
    ],
)
def test_demands_that_make_no_sense_are_refused_as_a_whole(demands: Any, says: str) -> None:
    topo = pair()
    with pytest.raises(TopologyError, match=says):
        topo.addFluids(demands)
    assert topo.fluid_specs() == []


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"congestion": "bbr"}, "congestion"),
        ({"flows": 3}, "leave flows= out"),
        ({"colour": 1}, "unknown option"),
    ],
)
def test_options_of_tcp_are_checked_where_nothing_is_tcp(options: dict[str, Any], says: str) -> None:
    topo = pair()
    with pytest.raises(TopologyError, match=says):
        topo.addFluids({("a", "b"): "1 Mbit/s"}, **options)
