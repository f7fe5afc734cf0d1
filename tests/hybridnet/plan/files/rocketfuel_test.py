# SPDX-License-Identifier: MIT
"""Rocketfuel's maps: read in both forms, refused with their line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hybridnet.cli.topology import find_topology
from hybridnet.errors import HybridnetError, TopologyError, UsageError
from hybridnet.plan.files import RocketfuelTopo
from tests.hybridnet.plan.support import plan

# As in the published files: a backbone router, one with links outward, one whose place is not known, one outside.
CCH = """\
# a map
10 @Sydney,+Australia bb (2)\t-> <11> <12> =a.example.net r0
11 @Perth,+Australia + (2) &2\t-> <10> <12> {-1} {-2} =b.example.net! r1
12 @? (2)\t-> <10> <11> =c.example.net r2
-1 =192.0.2.1 r0
-2 =192.0.2.2 r1
"""
LATENCIES = """\
Sydney,+Australia Perth,+Australia 16
Perth,+Australia Sydney,+Australia 16
Sydney,+Australia Melbourne,+Australia3 3.5
Melbourne,+Australia3 Sydney,+Australia 3.5
"""


def written(folder: Path, text: str, name: str = "map.cch") -> Path:
    (folder / name).write_text(text)
    return folder / name


def test_routers_are_joined_as_in_the_map_and_named_by_their_places(tmp_path: Path) -> None:
    topo = RocketfuelTopo(written(tmp_path, CCH), nodes="simrouter", hosts=0, delay="2ms", bw=100)
    assert topo.simulated() == ["Perth", "Sydney", "s"]
    assert {tuple(sorted(pair)) for pair in topo.links()} == {
        ("Perth", "Sydney"),
        ("Perth", "s"),
        ("Sydney", "s"),
    }
    assert {(spec.options["delay"], spec.options["bw"]) for spec in topo.link_specs()} == {("2ms", 100)}
    plan(topo)


def test_latencies_are_delays_and_weights_are_not(tmp_path: Path) -> None:
    topo = RocketfuelTopo(written(tmp_path, LATENCIES, "latencies.intra"), hosts=0)
    assert {pair: topo.spec(*pair).options["delay"] for pair in topo.links()} == {
        ("Sydney", "Perth"): "16000us",
        ("Sydney", "Melbourn"): "3500us",  # of a switch's name there are eight letters
    }
    topo = RocketfuelTopo(written(tmp_path, LATENCIES, "weights.intra"))
    assert (len(topo.switches()), len(topo.hosts())) == (3, 3)
    assert not any("delay" in spec.options for spec in topo.link_specs())
    plan(topo)


def test_a_router_beside_itself_is_joined_to_the_others_only(tmp_path: Path) -> None:
    text = "1 @A (2) -> <1> <2> =a r0\n2 @B (1) -> <1> =b r0\n"
    assert RocketfuelTopo(written(tmp_path, text), hosts=0).links() == [("A", "B")]


def test_the_command_line_takes_the_same_options(tmp_path: Path) -> None:
    topo = find_topology(None, f"rocketfuel:{written(tmp_path, CCH)},nodes=simswitch,hosts=2,simulated=True")
    assert len(topo.simulated()) == 3 + 6


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("13 Sydney (1) -> <10> =d r0", "'13 Sydney (1) -> <10> =d r0' is no router; write 'UID @PLACE"),
        ("13 @Sydney -> <10>", "is no router"),
        ("-3 192.0.2.3", "is no router"),
        ("12 @Sydney (1) -> <10> =d r0", "router '12' has a line already"),
        ("13 @Sydney (1) -> <99> =d r0", "router '13' is beside '99', which has no line; add it"),
        ("Sydney Perth 5", "is no router"),
    ],
)
def test_a_router_that_makes_no_sense_is_named(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(TopologyError, match=r"map.cch:7: .*") as error:
        RocketfuelTopo(written(tmp_path, CCH + line))
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Sydney,+Australia Perth,+Australia", "is no link; write PLACE PLACE NUMBER"),
        ("Sydney,+Australia Perth,+Australia -1", "is no link"),
        ("A B 1e3", "is no link"),
        ("A B 10001", "latency 10001 is more than 10,000 ms"),
        ("Perth,+Australia Sydney,+Australia 17", "was 16 before, and is 17 here; correct one of them"),
    ],
)
def test_a_link_that_makes_no_sense_is_named(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(TopologyError, match=r"latencies.intra:5: .*") as error:
        RocketfuelTopo(written(tmp_path, LATENCIES + line, "latencies.intra"))
    assert said in str(error.value)


def test_a_file_that_has_nothing_or_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TopologyError, match="it has no routers and no links"):
        RocketfuelTopo(written(tmp_path, "# nothing\n\n"))
    with pytest.raises(UsageError, match="cannot be read"):
        RocketfuelTopo(tmp_path / "missing")


@given(
    st.text(alphabet="019@(){}<>-=&+ abr.,\n", max_size=200)
    | st.lists(st.sampled_from([*CCH.splitlines(), *LATENCIES.splitlines(), "-> <1>", "\x00"])).map(
        "\n".join
    ),
    st.sampled_from(["map.cch", "latencies.intra"]),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=200)
def test_whatever_a_file_has_it_is_read_or_refused(tmp_path: Path, text: str, name: str) -> None:
    said = name
    try:
        plan(RocketfuelTopo(written(tmp_path, text, name), nodes="simswitch", hosts=0))
    except HybridnetError as error:
        said = str(error)
    assert name in said
