# SPDX-License-Identifier: MIT
"""CAIDA's files of relations: read as they are, refused with their line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hybridnet.cli.topology import find_topology
from hybridnet.errors import HybridnetError, TopologyError, UsageError
from hybridnet.plan.files import CaidaTopo
from tests.hybridnet.plan.support import plan, routes

# Two providers at the top that are peers, a customer of each, and one with a number of 32 bits that has both.
SERIAL_1 = "# input clique: 10 20\n10|20|0\n10|11|-1\n20|21|-1\n11|4200000000|-1\n21|4200000000|-1\n"
SERIAL_2 = SERIAL_1.replace("0\n", "0|bgp\n").replace("-1\n", "-1|bgp\n").replace("20|bgp", "20")


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "as-rel.txt"
    file.write_text(text)
    return file


@pytest.mark.parametrize("text", [SERIAL_1, SERIAL_2])
def test_relations_become_routers_with_the_routes_of_the_rules(tmp_path: Path, text: str) -> None:
    made = plan(CaidaTopo(written(tmp_path, text)))
    ways = dict(routes(made, "m1", "as10"))
    assert len(ways) == 4
    assert ways["10.3.0.0/16"] == ways["10.4.0.0/16"]  # 20 and 21: over the peer
    assert ways["10.2.0.0/16"] == ways["10.5.0.0/16"] != ways["10.3.0.0/16"]  # 11 and what it sells to
    assert made.host("h4200000000")["interfaces"][0]["name"] == "h4200000000-0"


def test_the_command_line_takes_the_same_options(tmp_path: Path) -> None:
    topo = find_topology(None, f"caida:{written(tmp_path, SERIAL_1)},hosts=2,simulated=True")
    assert sorted(topo.simulated()) == ["as10", "as11", "as20", "as21", "as4200000000", "h10", "h20"]


def test_systems_whose_routers_have_daemons_are_told_their_relations(tmp_path: Path) -> None:
    topo = CaidaTopo(written(tmp_path, SERIAL_1), routers="bird", delay=None)
    plan(topo)
    assert topo.node_spec("as4200000000").options["providers"] == ["as11", "as21"]
    assert topo.node_spec("as20").options["peers"] == ["as10"]
    assert topo.node_spec("as11").options["bgp"] == 11
    assert (
        topo.node_spec("h4200000000").options["ip"] == "10.0.5.2/24"
    )  # the fifth in the order of the numbers


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("10 20 0", "'10 20 0' is no relation"),
        ("10|20|1", "is no relation"),
        ("10|20", "is no relation"),
        ("a|20|0", "'a' is not the number"),
        ("-5|20|0", "'-5' is not the number"),
        ("4294967296|20|0", "'4294967296' is not the number"),
        ("0|20|0", "'0' is not the number"),
        ("7|7|0", "AS 7 has a relation to itself"),
        ("20|10|-1", "AS 20 and AS 10 stands in line 2 already"),
    ],
)
def test_a_line_that_makes_no_sense_is_named(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(TopologyError, match=rf"as-rel.txt:7: .*{said}"):
        CaidaTopo(written(tmp_path, SERIAL_1 + line))


def test_a_file_without_relations_or_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TopologyError, match="it has no relations"):
        CaidaTopo(written(tmp_path, "# nothing\n\n"))
    with pytest.raises(UsageError, match="cannot be read"):
        CaidaTopo(tmp_path / "missing")
    (tmp_path / "packed").write_bytes(b"BZh91AY&SY\xff\xfe")
    with pytest.raises(TopologyError, match="not text in UTF-8"):
        CaidaTopo(tmp_path / "packed")


@given(st.text(alphabet="0123456789|-#ab \n", max_size=200))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=200)
def test_whatever_a_file_has_it_is_read_or_refused(tmp_path: Path, text: str) -> None:
    said = "as-rel.txt"
    try:
        plan(CaidaTopo(written(tmp_path, text)))
    except HybridnetError as error:
        said = str(error)
    assert "as-rel.txt" in said
