# SPDX-License-Identifier: MIT
"""Maps of real networks: places become switches with hosts, distances become delays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hybridnet.errors import TopologyError, UsageError
from hybridnet.plan.files import read_topology
from hybridnet.plan.files.graphml import distance_km

KEYS = {"label": "string", "Latitude": "double", "Longitude": "double"}
BERLIN, MUNICH, ROME = ("Berlin", 52.52, 13.41), ("M\u00fcnchen", 48.14, 11.58), ("Rome", 41.9, 12.5)


def a_map(tmp_path: Path, places: list[tuple[Any, ...]], edges: list[tuple[int, int, str]]) -> Path:
    """A file as the Topology Zoo writes them."""
    keys = [
        f'<key attr.name="{name}" attr.type="{kind}" for="node" id="{name}"/>' for name, kind in KEYS.items()
    ]
    keys += ['<key attr.name="LinkSpeedRaw" attr.type="double" for="edge" id="speed"/>']
    nodes = [
        f'<node id="{index}"><data key="label">{label}</data>'
        + (f'<data key="Latitude">{where[0]}</data><data key="Longitude">{where[1]}</data>' if where else "")
        + "</node>"
        for index, (label, *where) in enumerate(places)
    ]
    links = [f'<edge source="{one}" target="{other}">{data}</edge>' for one, other, data in edges]
    file = tmp_path / "map.graphml"
    file.write_text(
        '<?xml version="1.0" encoding="utf-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
        + "\n".join(keys)
        + '\n<graph edgedefault="undirected">\n'
        + "\n".join([*nodes, *links])
        + "\n</graph></graphml>\n",
        encoding="utf-8",
    )
    return file


def test_distance_follows_the_great_circle() -> None:
    assert distance_km((0, 0), (0, 90)) == pytest.approx(6371 * 3.14159265 / 2)
    assert distance_km((90, 0), (-90, 17)) == pytest.approx(6371 * 3.14159265)
    assert distance_km((10, 20), (10, 20)) == 0


def test_places_become_switches_with_hosts_and_distances_delays(tmp_path: Path) -> None:
    edges = [(0, 1, '<data key="speed">155000000.0</data>'), (1, 2, "")]
    topo = read_topology(a_map(tmp_path, [BERLIN, MUNICH, ROME], edges), hosts=2)
    assert sorted(topo.switches()) == ["Berlin", "Mnchen", "Rome"]
    assert topo.hosts() == ["h1", "h2", "h3", "h4", "h5", "h6"]
    assert [topo.nodeInfo(name)["dpid"] for name in ("Berlin", "Mnchen", "Rome")] == ["1", "2", "3"]
    link = topo.spec("Berlin", "Mnchen").a_to_b
    # 504 km at 200,000 km/s
    assert link.delay_ns == pytest.approx(504e3 / 2e8 * 1e9, rel=0.002)
    assert link.rate_bps == 155_000_000
    assert topo.spec("Mnchen", "Rome").a_to_b.rate_bps is None
    assert not topo.spec("h1", "Berlin").shaped


def test_places_may_be_simulated_and_links_get_a_rate(tmp_path: Path) -> None:
    topo = read_topology(a_map(tmp_path, [BERLIN, ROME], [(0, 1, "")]), nodes="simrouter", bw="1 Gbit/s")
    assert topo.simulated() == ["Berlin", "Rome"]
    assert topo.spec("Berlin", "Rome").a_to_b.rate_bps == 10**9


def test_names_that_are_alike_or_no_names_are_told_apart(tmp_path: Path) -> None:
    places = [("Frankfurt am Main",), ("Frankfurt (Oder)",), ("7",), ("h1",), ("\u6771\u4eac",)]
    topo = read_topology(a_map(tmp_path, places, []), hosts=0)
    assert topo.switches(sort=False) == ["Frankfur", "Frankfu2", "s7", "s1", "s"]


def test_a_place_without_coordinates_needs_a_delay(tmp_path: Path) -> None:
    file = a_map(tmp_path, [BERLIN, ("Nowhere",)], [(0, 1, "")])
    with pytest.raises(
        TopologyError, match=r"edge Berlin - Nowhere: one of its ends has no Latitude.*delay=1ms"
    ):
        read_topology(file)
    assert read_topology(file, delay="1ms").spec("Berlin", "Nowhere").a_to_b.delay_ns == 10**6


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<graphml>\n<graph", r"map\.graphml:2: it is not XML"),
        ("<html></html>", r"map\.graphml: it is not GraphML"),
        ("", r"map\.graphml:1: it is not XML"),
        ('<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph/></graphml>', r"map\.graphml: it "),
    ],
)
def test_what_is_no_graph_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "map.graphml"
    file.write_text(text)
    with pytest.raises(TopologyError, match=message):
        read_topology(file)


def test_wrong_values_name_node_or_edge(tmp_path: Path) -> None:
    with pytest.raises(TopologyError, match=r"node 0: Latitude 91\.0 is not a number from -90 to 90"):
        read_topology(a_map(tmp_path, [("Pole", 91, 0)], []))
    with pytest.raises(TopologyError, match="hosts 'many' is not a whole number"):
        read_topology(a_map(tmp_path, [BERLIN], []), hosts="many")
    with pytest.raises(TopologyError, match="nodes 'router' does not exist; did you mean 'simrouter'"):
        read_topology(a_map(tmp_path, [BERLIN], []), nodes="router")
    with pytest.raises(UsageError, match="there is no option host="):
        read_topology(a_map(tmp_path, [BERLIN], []), host=1)
    with pytest.raises(TopologyError, match=r"edge Berlin - Berlin: .*both ends are the same node"):
        read_topology(a_map(tmp_path, [BERLIN], [(0, 0, "")]))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[" * 100_000, "is not JSON: it is nested too deeply; correct it"),
        ("[" + "9" * 6000 + "]", "is not JSON: a number in it has too many digits; correct it"),
    ],
)
def test_an_attribute_that_no_topology_wrote_is_refused_in_a_line(
    tmp_path: Path, text: str, why: str
) -> None:
    file = a_map(tmp_path, [BERLIN, MUNICH], [(0, 1, "")])
    key = '<key attr.name="bw" attr.type="string" for="edge" id="bw"/><graph'
    edge = f'<edge source="0" target="1"><data key="bw">{text}</data></edge>'
    written = file.read_text().replace("<graph ", f"{key} ", 1)
    file.write_text(written.replace('<edge source="0" target="1"></edge>', edge))
    with pytest.raises(TopologyError) as refused:
        read_topology(file)
    assert why in str(refused.value)
    assert len(str(refused.value)) < 500
