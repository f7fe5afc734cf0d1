# SPDX-License-Identifier: MIT
from __future__ import annotations

import itertools
import pickle
from collections import Counter
from typing import Any

import pytest

from hybridnet.errors import HybridnetError, UsageError
from hybridnet.simulate.flows import Flow, Workload
from hybridnet.simulate.flows.workload import MOST_FLOWS_OF_HOST, flows_of

NS = 1_000_000_000
HOSTS = {f"h{number}": 1_000_000_000 for number in range(1, 9)}


def flows(*workloads: Workload, seed: int = 1, until_s: float = 1) -> list[Flow]:
    return flows_of(workloads, HOSTS, seed, round(until_s * NS))


def test_the_same_seed_gives_the_same_flows_and_another_one_others() -> None:
    workload = Workload("web-search", load=0.5)
    assert flows(workload) == flows(workload) == flows(pickle.loads(pickle.dumps(workload)))
    assert flows(workload) != flows(workload, seed=2)


def test_another_workload_or_host_changes_no_flow_of_the_others() -> None:
    background = Workload("web-search", load=0.5, pattern="permutation")
    together = flows(background, Workload("20 kB", pattern="incast", fan_in=3, interval="10ms"))
    assert [flow for flow in together if flow.workload == background.label] == flows(background)


def test_arrivals_have_the_rate_that_the_load_says() -> None:
    """A Poisson process: as many arrivals as their mean, within three of its square root."""
    until_s, load = 10.0, 0.4
    workload = Workload("hadoop", load=load)
    found = flows(workload, until_s=until_s)
    each = load * 1e9 / (8 * workload.distribution.mean_bytes) * until_s
    for host, count in Counter(flow.source for flow in found).items():
        assert abs(count - each) < 4 * each**0.5, host  # one of eight is beyond 3 in one case of 50
    assert abs(len(found) - 8 * each) < 3 * (8 * each) ** 0.5


def test_times_between_arrivals_of_a_host_are_exponential() -> None:
    """Their deviation is their mean, and 1 - 1/e of them are below it."""
    starts = [flow.start_ns for flow in flows(Workload("hadoop", load=0.9), until_s=5) if flow.source == "h1"]
    gaps = [after - before for before, after in itertools.pairwise(starts)]
    mean = sum(gaps) / len(gaps)
    share, expected = sum(gap < mean for gap in gaps) / len(gaps), 1 - 2.718281828**-1
    assert abs(share - expected) < 3 * (expected * (1 - expected) / len(gaps)) ** 0.5


def test_all_to_all_sends_to_every_other_host_alike() -> None:
    pairs = Counter((flow.source, flow.destination) for flow in flows(Workload(50_000, load=0.5), until_s=1))
    mean = pairs.total() / (8 * 7)
    assert len(pairs) == 8 * 7
    assert all(source != destination for source, destination in pairs)
    assert all(abs(count - mean) < 5 * mean**0.5 for count in pairs.values())


def test_a_permutation_gives_each_host_one_destination_and_one_source() -> None:
    pairs = {
        (flow.source, flow.destination) for flow in flows(Workload(50_000, load=0.5, pattern="permutation"))
    }
    assert (
        sorted(source for source, _ in pairs)
        == sorted(destination for _, destination in pairs)
        == sorted(HOSTS)
    )
    assert all(source != destination for source, destination in pairs)


def test_an_incast_is_so_many_flows_to_one_host_at_once_and_again() -> None:
    workload = Workload("20 kB", pattern="incast", fan_in=5, interval="10ms", start="5ms", stop="100ms")
    by_start: dict[int, list[Flow]] = {}
    for flow in flows(workload):
        by_start.setdefault(flow.start_ns, []).append(flow)
    assert list(by_start) == [5_000_000 + round_ * 10_000_000 for round_ in range(10)]
    for of_one in by_start.values():
        assert len({flow.destination for flow in of_one}) == 1
        assert len({flow.source for flow in of_one} - {of_one[0].destination}) == 5
    assert len({of_one[0].destination for of_one in by_start.values()}) > 1
    fixed = Workload("20 kB", pattern="incast", fan_in=7, interval="10ms", receiver="h3")
    assert {flow.destination for flow in flows(fixed)} == {"h3"}


def test_an_all_reduce_is_rounds_in_which_each_sends_on_what_came_to_it() -> None:
    """A ring of n hosts has 2 (n - 1) rounds, and each flow an n-th of the bytes, rounded up."""
    ring = ["h3", "h1", "h2"]
    found = flows(Workload("100 B", pattern="all-reduce", hosts=ring, start="5ms"))
    assert len(found) == 3 * 2 * (3 - 1)
    assert {flow.size_bytes for flow in found} == {34}
    assert [(flow.source, flow.destination) for flow in found[:3]] == [
        ("h3", "h1"),
        ("h1", "h2"),
        ("h2", "h3"),
    ]
    assert all(flow.after is None and flow.start_ns == 5_000_000 for flow in found[:3])
    for place, flow in enumerate(found[3:], start=3):
        assert flow.after is not None
        assert flow.after.destination == flow.source
        assert any(flow.after is each for each in found[place // 3 * 3 - 3 : place // 3 * 3])
    assert len(flows(Workload("100 B", pattern="all-reduce", rounds=1))) == 8
    assert flows(Workload("100 B", pattern="all-reduce", start="2s")) == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sizes": "web-search"}, "all-reduce has one size"),
        ({"load": 0.5}, "neither load nor stop"),
        ({"stop": "1s"}, "neither load nor stop"),
        ({"rounds": 0}, "rounds 0 is not a whole number"),
        ({"fan_in": 2}, "fan_in is of incast"),
        ({"pattern": "permutation", "load": 0.1, "rounds": 1}, "rounds is of all-reduce"),
    ],
)
def test_an_all_reduce_that_makes_no_sense_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Workload(**{"sizes": "1 MB", "pattern": "all-reduce", **given})


def test_a_workload_keeps_to_its_hosts_and_its_time() -> None:
    found = flows(Workload(10_000, load=0.5, hosts=["h1", "h2"], start="200ms", stop="300ms"))
    assert {flow.source for flow in found} == {flow.destination for flow in found} == {"h1", "h2"}
    assert all(200_000_000 <= flow.start_ns < 300_000_000 for flow in found)


def test_the_command_line_says_the_same_as_python() -> None:
    assert Workload.parse("web-search,load=50%") == Workload("web-search", load="50%")
    assert Workload.parse(
        "20kB,pattern=incast,fan_in=2,interval=1ms,hosts=a+b+c,receiver=a,tcp=rfc"
    ) == Workload(
        "20kB", pattern="incast", fan_in=2, interval="1ms", hosts=["a", "b", "c"], receiver="a", tcp="rfc"
    )


@pytest.mark.parametrize("load", [0.5, "50%", "50 %"])
def test_a_load_is_a_share_or_a_percentage(load: Any) -> None:
    assert Workload("hadoop", load=load).share == 0.5


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "all-to-all needs a load"),
        ({"load": 50}, "load 50 is not a share above 0 and up to 1"),
        ({"load": "half"}, "load 'half' is not a share"),
        ({"load": 0.5, "pattern": "all2all"}, "pattern 'all2all' does not exist"),
        ({"load": 0.5, "fan_in": 3}, "fan_in is of incast"),
        ({"pattern": "incast", "fan_in": 3}, "incast needs fan_in and interval"),
        ({"pattern": "incast", "fan_in": 3, "interval": "1ms", "load": 0.5}, "incast has no load"),
        ({"pattern": "incast", "fan_in": 3, "interval": "0ms"}, "interval '0ms' is not above 0"),
        ({"load": 0.5, "start": "2s", "stop": "1s"}, "it stops at 1s and starts at 2s"),
        ({"load": 0.5, "hosts": "h1"}, "hosts 'h1' is not a list"),
        ({"load": 0.5, "hosts": ["h1", "h1"]}, "name each once"),
        ({"load": 0.5, "tcp": "bbr9"}, "tcp: 'bbr9' does not exist"),
    ],
)
def test_a_workload_that_makes_no_sense_is_refused_where_it_is_written(arguments: Any, said: str) -> None:
    with pytest.raises(HybridnetError) as error:
        Workload("hadoop", **arguments)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("hadoop,laod=0.5", "argument 'laod' does not exist; did you mean 'load'"),
        ("hadoop,load", "write each argument once, as load=VALUE"),
        ("hadoop,load=0.5,load=0.6", "write each argument once"),
        ("hadoop,pattern=incast,fan_in=few,interval=1ms", "fan_in 'few' is not a whole number"),
    ],
)
def test_a_workload_of_the_command_line_is_refused_with_its_text(written: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        Workload.parse(written)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("workload", "rates", "said"),
    [
        (Workload("hadoop", load=0.5, hosts=["h1", "h9"]), HOSTS, "there is no simulated host 'h9'"),
        (Workload("hadoop", load=0.5), {"h1": 1}, "it has 1 host; flows need two or more"),
        (Workload("hadoop", load=0.5), {"h1": None, "h2": None}, "the link of h1 has no rate"),
        (
            Workload(1, pattern="incast", fan_in=8, interval="1ms"),
            HOSTS,
            "fan_in is 8, and 7 hosts can send to one",
        ),
        (Workload(1, load=1), HOSTS, f"h1 sends more than {MOST_FLOWS_OF_HOST} flows"),
    ],
)
def test_a_workload_that_does_not_fit_the_network_is_refused(
    workload: Workload, rates: Any, said: str
) -> None:
    with pytest.raises(UsageError) as error:
        flows_of([workload], rates, 1, NS)
    assert said in str(error.value)
