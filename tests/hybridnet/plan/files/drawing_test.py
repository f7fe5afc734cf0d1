# SPDX-License-Identifier: MIT
"""Drawings: every node and link is there, nodes of a level stand in a row, and a wrong name is refused."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from pathlib import Path

import pytest

from hybridnet import External
from hybridnet.describe.topo import Topo
from hybridnet.errors import UsageError
from hybridnet.plan.files import write_topology
from hybridnet.plan.files.dot import to_dot
from hybridnet.plan.files.placing import place_nodes
from hybridnet.topologies import DumbbellTopo, FatTreeTopo, TorusTopo, TreeTopo
from tests.hybridnet.plan.files.support import Everything, planned


@pytest.mark.parametrize("topo", [Everything(), FatTreeTopo(4), Topo()])
def test_a_picture_is_written(tmp_path: Path, topo: Topo) -> None:
    write_topology(tmp_path / "net.png", topo, planned(topo))
    assert (tmp_path / "net.png").read_bytes().startswith(b"\x89PNG")


def test_a_picture_names_the_nodes_the_machines_and_the_links(tmp_path: Path) -> None:
    topo = Everything()
    write_topology(tmp_path / "net.svg", topo, planned(topo))
    text = (tmp_path / "net.svg").read_text()
    ElementTree.fromstring(text)
    for said in (*topo.nodes(), "machine m1", "machine m2", "simulated router", "100 Mbit/s", "loss 1 %"):
        assert f"<!-- {said}" in text, f"matplotlib draws letters, and says them in a comment: {said}"


def test_devices_of_the_computer_are_drawn(tmp_path: Path) -> None:
    topo = Topo()
    topo.addLink(topo.addSwitch("s1"), External("eth1"), delay="5ms")
    assert '    "eth1" [shape=cds];' in to_dot(topo, planned(topo)).splitlines()
    write_topology(tmp_path / "net.svg", topo, planned(topo))
    assert "<!-- device of the computer" in (tmp_path / "net.svg").read_text()


def test_dot_has_a_cluster_for_each_machine_and_labels(tmp_path: Path) -> None:
    topo = DumbbellTopo(n=1, machines=("m1", "m2"))
    lines = to_dot(topo, planned(topo)).splitlines()
    assert '    label="m2";' in lines
    assert '  "s1" -- "s2" [color="#d62728", style=dashed, penwidth=2, label="10 Mbit/s, 5 ms"];' in lines
    assert sum(" -- " in line for line in lines) == 3


def test_levels_of_a_fat_tree_are_rows_in_which_hosts_keep_their_order() -> None:
    topo = FatTreeTopo(4)
    places = place_nodes(topo)
    rows = sorted({y for _, y in places.values()})
    assert [sum(y == row for _, y in places.values()) for row in rows] == [16, 8, 8, 4]
    assert all(places[one][0] < places[other][0] for one, other in pairwise(topo.hosts()))


@pytest.mark.parametrize("topo", [TorusTopo(3, 3), TreeTopo(3), Everything()])
def test_no_two_nodes_stand_at_one_place(topo: Topo) -> None:
    places = place_nodes(topo)
    assert set(places) == set(topo.nodes())
    assert all(0 <= axis <= 1 for place in places.values() for axis in place)
    spots = list(places.values())
    apart = [abs(x1 - x2) + abs(y1 - y2) for at, (x1, y1) in enumerate(spots) for x2, y2 in spots[at + 1 :]]
    assert min(apart) > 0.02


def test_a_name_with_another_end_or_in_no_folder_is_refused(tmp_path: Path) -> None:
    topo = TreeTopo(1)
    with pytest.raises(UsageError, match=r"net\.gif: the name of a drawing ends with \.png"):
        write_topology(tmp_path / "net.gif", topo, planned(topo))
    with pytest.raises(UsageError, match="cannot be written: No such file"):
        write_topology(tmp_path / "nowhere" / "net.dot", topo, planned(topo))
