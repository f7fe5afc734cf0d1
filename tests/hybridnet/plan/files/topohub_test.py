# SPDX-License-Identifier: MIT
"""Networks by name, from the package topohub."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import networkx
import pytest

from hybridnet import Net, Topohub
from hybridnet.cli.topology import find_topology
from hybridnet.errors import EnvironmentLackError, TopologyError, UsageError
from hybridnet.plan.files import topohub
from hybridnet.plan.files.topohub import topohub_names
from tests.hybridnet.plan.support import MACHINES, plan

pytest.importorskip("topohub")


def test_places_become_switches_and_lengths_delays() -> None:
    topo = Topohub("geant", hosts=2)
    assert (len(topo.switches()), len(topo.hosts()), len(topo.links())) == (22, 44, 36 + 44)
    assert topo.switches()[:2] == ["at1at", "be1be"]
    # Vienna to Geneva is 804.05 km in the package: 4.02 ms at 200,000 km/s.
    assert topo.spec("at1at", "ch1ch").options["delay"] == "4020us"


@pytest.mark.parametrize("name", ["geant", "GEANT", "sndlib/geant", "SNDlib/Geant"])
def test_a_name_is_found_with_its_group_and_in_any_letters(name: str) -> None:
    assert len(Topohub(name).switches()) == 22


def test_letters_count_where_two_have_one_name() -> None:
    assert len(Topohub("abilene").switches()) == 12  # SNDlib's
    assert len(Topohub("Abilene").switches()) == 11  # the Topology Zoo's


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gean", "there is no network 'gean'; did you mean [Gg]eant"),
        ("xyzzy", "there are 707 in the groups backbone, caida, gabriel, sndlib, topozoo"),
        ("0", "36 networks are named '0'; write one of gabriel/10/0"),
        ("../../setup", "there is no network"),
        ("", "name"),
        (5, "name"),
    ],
)
def test_a_name_that_there_is_not_or_twice_is_refused(name: Any, said: str) -> None:
    with pytest.raises(TopologyError, match=said):
        Topohub(name)


def test_the_command_line_takes_the_same_options() -> None:
    topo = find_topology(None, "topohub:polska,nodes=simrouter,hosts=0,bw=100")
    assert len(topo.nodes()) == len(topo.simulated()) == 12
    assert {spec.options["bw"] for spec in topo.link_specs()} == {100}
    with pytest.raises(TopologyError, match=r"--topo topohub:polska,nodes=hub: .*nodes 'hub' does not exist"):
        find_topology(None, "topohub:polska,nodes=hub")
    with pytest.raises(UsageError, match="unexpected keyword argument 'color'"):
        find_topology(None, "topohub:polska,color=1")
    with pytest.raises(TopologyError, match="it makes more than 32768 hosts and switches"):
        find_topology(None, "topohub:world,hosts=256")


def test_without_the_package_its_installation_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topohub, "find_spec", lambda name: None)
    topohub.topohub_names.cache_clear()
    with pytest.raises(EnvironmentLackError, match=re.escape("install hybridnet[topohub]")):
        Topohub("geant")


def test_networks_of_each_group_are_planned() -> None:
    names = topohub_names()
    assert len(names) == 707
    groups = {name.partition("/")[0]: name for name in reversed(names)}
    for name in groups.values():
        plan(Topohub(name), MACHINES[:1])


TEN = [
    "geant", "polska", "germany50", "nobel-eu", "cost266", "topozoo/Abilene", "topozoo/BtNorthAmerica",
    "topozoo/Chinanet", "topozoo/Arnes", "gabriel/25/0",
]  # fmt: skip


@pytest.mark.parametrize("name", TEN)
def test_in_a_simulated_network_light_takes_the_shortest_way_there_and_back(name: str) -> None:
    topo = Topohub(name, nodes="simrouter", simulated=True)
    graph = networkx.Graph()
    for one, other in topo.links():
        delay = topo.spec(one, other).options.get("delay", "0us")  # of hosts there is none
        graph.add_edge(one, other, us=int(delay.removesuffix("us")))
    report = Net(topo).simulate("2500ms")  # each host pings the next one three times
    figures = report.replications[0].figures
    hosts = [f"h{number}" for number in range(1, len(topo.nodes()) // 2 + 1)]
    for one, other in pairwise([*hosts, hosts[0]]):
        takes_us = networkx.shortest_path_length(graph, one, other, weight="us")
        assert figures[f"{one}:ping:0", "received"] == 3
        assert figures[f"{one}:ping:0", "least_rtt_ns"] == 2 * takes_us * 1000


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("nodes", ["switch", "simrouter"])
def test_every_network_is_planned(nodes: str) -> None:
    for name in topohub_names():
        topo = Topohub(name, nodes=nodes)
        if nodes == "switch" or len(topo.nodes()) <= 600:
            plan(topo, MACHINES[:1])
