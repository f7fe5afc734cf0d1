# SPDX-License-Identifier: MIT
"""Invariants of what was observed, over tables that the tests write::

h1 - 1 s1 2 - 1 s2 2 - 1 s3 2 - h3        linear; s1 and s3 also joined: s1 3 - 3 s3
               3 - h2
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from hybridnet import Topo
from hybridnet.errors import UsageError
from hybridnet.tools.explore import affinity, bounded, invariant, reaches
from hybridnet.tools.explore.frames import arp_request, frame_text, ping
from hybridnet.tools.explore.header import cube_of
from hybridnet.tools.explore.invariants import (
    MOST_TIMES,
    Finding,
    findings,
    no_ambiguous_rules,
    no_forgotten_packet,
    no_shadowed_rules,
    no_storms,
    requests_are_answered,
)
from hybridnet.tools.explore.site import Site, site_of
from hybridnet.tools.explore.tables import Action, Port, Rule, Tables
from hybridnet.tools.explore.trial import Flow, Observed, Probe, Request
from hybridnet.tools.explore.walk import Fabric, Place


class Triangle(Topo):
    def build(self) -> None:
        for name in ("s1", "s2", "s3"):
            self.addSwitch(name)
            self.addHost(f"h{name[1]}")
            self.addLink(f"h{name[1]}", name)
        for one, other in (("s1", "s2"), ("s2", "s3"), ("s3", "s1")):
            self.addLink(one, other)


SITE: Site = site_of(Triangle())
TO_H3 = cube_of(eth_dst=SITE.hosts["h3"].mac)


def port(switch: str, toward: str) -> int:
    """The port of a switch to another one, or to its host."""
    for one, other in SITE.links.values():
        for here, there in ((one, other), (other, one)):
            if (here[0], there[0]) == (switch, toward):
                return here[1]
    return SITE.jacks[SITE.homes[toward]][1]


def observed(*way: str) -> Observed:
    """A network in which what goes to h3 follows these nodes."""
    peers: dict[Place, Place | str] = {}
    for one, other in SITE.links.values():
        peers[one], peers[other] = other, one
    for host, jack in SITE.homes.items():
        peers[SITE.jacks[jack]] = host
    tables = {
        name: Tables(ports={each: Port(each, True, True, True) for each in SITE.ports(name)})
        for name in SITE.switches
    }
    for switch, toward in itertools.pairwise(way):
        tables[switch].flows.append(Rule(0, 1, TO_H3, (Action("output", port(switch, toward)),)))
        tables[switch].sort()
    return Observed(SITE, dict(SITE.homes), fabric=Fabric(tables, peers))


def found(seen: Observed, **kind: object) -> list[Finding]:
    return findings(seen, [reaches("h1", "h3", **kind)])  # type: ignore[arg-type]


def test_a_way_through_a_switch_holds_where_every_packet_crosses_it() -> None:
    long, short = observed("s1", "s2", "s3", "h3"), observed("s1", "s3", "h3")
    assert found(long, via="s2") == []
    [finding] = found(short, via="s2")
    assert finding.invariant == "h1-reaches-h3-via-s2"
    assert finding.text == "packets from h1 come to h3 without crossing s2: they cross s1, s3"
    assert finding.way is not None
    assert [hop.switch for hop in finding.way.hops] == ["s1", "s3"]


def test_a_way_of_at_most_so_many_hops_counts_switches() -> None:
    long, short = observed("s1", "s2", "s3", "h3"), observed("s1", "s3", "h3")
    assert found(short, hops=2) == found(long, hops=3) == []
    [finding] = found(long, hops=2)
    assert finding.invariant == "h1-reaches-h3-in-2-hops"
    assert finding.text == "packets from h1 to h3 cross 3 switches (s1, s2, s3), and may cross 2"


def test_a_black_hole_is_one_whatever_the_way_is_to_be() -> None:
    hole = observed("s1", "s2")
    assert [each.text for each in found(hole, via="s2", hops=5)] == [
        f"packets from h1 to h3 are dropped at s2 port {port('s2', 's1')}: table 0 has no flow for them, and no "
        "table-miss flow (OpenFlow 1.3.5, 5.4)"
    ]


def test_a_packet_that_a_later_table_misses_is_dropped_whatever_the_simulated_switch_does() -> None:
    seen = observed("s1", "s3", "h3")
    assert seen.fabric is not None
    [rule] = seen.fabric.tables["s3"].flows
    seen.fabric.tables["s3"].flows[:] = [Rule(0, 1, TO_H3, write=rule.apply, goto=4)]
    seen.fabric.tables["s3"].sort()
    [finding] = found(seen)
    assert finding.text == (
        f"packets from h1 to h3 are dropped at s3 port {port('s3', 's1')}: table 4 has no flow for them, and no "
        "table-miss flow (OpenFlow 1.3.5, 5.4)"
    )


@pytest.mark.parametrize("hops", [0, -1, 1.5, True, "2"])
def test_a_number_of_hops_that_is_none_is_refused(hops: object) -> None:
    with pytest.raises(
        UsageError, match=r"invariant h1-reaches-h3: hops .* write a number of switches, 1 or more"
    ):
        reaches("h1", "h3", hops=hops)  # type: ignore[arg-type]


def test_names_that_the_network_has_not_are_refused() -> None:
    reaches("h1", "h3", via="s2").check_names(SITE)
    with pytest.raises(UsageError, match="no switch 'h2'; it has s1, s2, s3"):
        reaches("h1", "h3", via="h2").check_names(SITE)
    with pytest.raises(UsageError, match="invariant h1-reaches-h9: the network has no host 'h9'"):
        reaches("h1", "h9").check_names(SITE)


def test_a_packet_that_asks_much_more_often_than_it_is_sent_went_around() -> None:
    seen = observed()
    frame = arp_request(SITE.hosts["h3"], 1)
    seen.sent[frame] = 2
    seen.asked["s1", frame] = 2 * MOST_TIMES
    seen.asked["s2", b"a probe of the controller"] = 1000  # which no host has sent
    assert findings(seen, [no_storms]) == []
    seen.asked["s2", frame] = 2 * MOST_TIMES + 1
    [finding] = findings(seen, [no_storms])
    assert finding.text == (
        "an ARP message of h3 to everybody came to the controller from s2 17 times, and was sent 2 times: it went "
        "around in a loop"
    )


def test_a_packet_is_forgotten_if_nothing_was_sent_on_since_the_controller_was_asked() -> None:
    seen = observed()
    seen.probes[1] = Probe(1, "h1", "h3", 1, asked=["s1", "s2"], released=False)
    seen.probes[2] = Probe(2, "h1", "h3", 1, asked=["s1"], released=True)
    seen.probes[3] = Probe(3, "h1", "h3", 0, asked=["s1"])  # while the network was disturbed
    [finding] = findings(seen, [no_forgotten_packet])
    assert "got a ping from h1 to h3 from s2 and never sent it on" in finding.text


def test_a_frame_is_named_by_its_hosts() -> None:
    one, other = SITE.hosts["h1"], SITE.hosts["h2"]
    assert frame_text(ping(one, other, 1), [one, other]) == "a packet of h1 to h2"
    assert frame_text(ping(one, other, 1), [one]) == "a packet of h1 to 000000000002"


ONE_SERVER = affinity("10.0.0.100", ["h2", "h3"])
SERVICE = ONE_SERVER.services["10.0.0.100"]


def parted(flow: Flow) -> list[str]:
    return [str(each) for each in ONE_SERVER.check(Observed(SITE, dict(SITE.homes), flows={1: flow}))]


def test_a_flow_that_stays_with_one_server_has_affinity_whatever_is_lost_of_it_while_there_are_disturbances() -> (
    None
):
    assert parted(Flow(1, "h1", SERVICE, sent=4, came=[(1, "h3"), (4, "h3")], answered={1})) == []
    assert parted(Flow(1, "h1", SERVICE)) == []


def test_a_flow_that_goes_to_another_server_has_none() -> None:
    assert parted(Flow(1, "h1", SERVICE, sent=4, came=[(1, "h3"), (2, "h3"), (3, "h2")])) == [
        "flow 1, from h1 to 10.0.0.100, has begun at h3, and its segment 3 comes to h2"
    ]
    assert parted(Flow(1, "h1", SERVICE, sent=1, came=[(1, "h1")])) == [
        "flow 1, from h1 to 10.0.0.100, comes to h1, which is no server of it"
    ]


def test_all_of_a_flow_that_nothing_disturbs_is_answered() -> None:
    came = [(1, "h3"), (2, "h3")]
    assert parted(Flow(1, "h1", SERVICE, 1, 2, came, {1, 2})) == []
    assert parted(Flow(1, "h1", SERVICE, 1, 2, came, {1})) == [
        "flow 1, from h1 to 10.0.0.100, is not disturbed, and its segment 2 comes to h3, and its answer not to h1"
    ]
    assert parted(Flow(1, "h1", SERVICE, 1, 3, came, {1, 2})) == [
        "flow 1, from h1 to 10.0.0.100, is not disturbed, and its segment 3 comes to no server"
    ]
    assert parted(Flow(1, "h1", SERVICE, 1)) == [
        "flow 1, from h1 to 10.0.0.100, does not begin: nobody says who has the address"
    ]


@pytest.mark.parametrize(
    ("address", "servers", "said"),
    [
        ("10.0.0", ["h2"], "write an IPv4 address"),
        ("10.0.0.100", [], "write a list of hosts"),
        ("10.0.0.100", "h2", "write a list of hosts"),
        ("10.0.0.100", ["h2", "h9"], "the network has no host 'h9'"),
        ("10.0.0.100", ["h1", "h2", "h3"], "all hosts are servers"),
        ("10.0.0.1", ["h2"], "10.0.0.1 is the address of h1"),
    ],
)
def test_a_service_that_makes_no_sense_is_refused(address: str, servers: list[str], said: str) -> None:
    with pytest.raises(UsageError) as refused:
        affinity(address, servers).check_names(SITE)
    assert said in str(refused.value)


def test_a_request_without_an_answer_and_one_that_ends_in_an_error_of_the_application_are_found() -> None:
    seen = Observed(
        SITE, {}, requests=[Request("GET /a", 200), Request("GET /b", 404), Request("GET /c", 500)]
    )
    assert list(requests_are_answered.check(seen)) == ["GET /c is answered with 500"]
    seen.requests = [Request("GET /d")]
    assert list(requests_are_answered.check(seen)) == [
        "GET /d has no answer; has the application a REST interface?"
    ]


def test_a_flow_that_others_hide_is_named_with_the_first_of_them() -> None:
    seen = observed("s1", "s3", "h3")
    assert findings(seen, [no_shadowed_rules, no_ambiguous_rules]) == []
    assert seen.fabric is not None
    hiding = [Rule(0, priority, cube_of(), (Action("output", 9),)) for priority in range(2, 7)]
    seen.fabric.tables["s3"].flows += hiding
    seen.fabric.tables["s3"].sort()
    [first, *others] = [each.text for each in findings(seen, [no_shadowed_rules])]
    assert len(others) == 4  # of the five, the one with the highest priority is met
    assert "no packet ever meets a flow of s3, table=0 priority=5 any -> output:9" in first
    assert others[-1].startswith(
        "no packet ever meets a flow of s3, table=0 priority=1 eth_dst=00:00:00:00:00:03 -> output:"
    )
    assert others[-1].endswith("; table=0 priority=4 any -> output:9, and 2 more")


def test_two_flows_of_which_nobody_knows_which_counts_are_named_with_a_packet_that_meets_both() -> None:
    seen = observed("s1", "s3")
    assert seen.fabric is not None
    seen.fabric.tables["s1"].flows.append(Rule(0, 1, cube_of(eth_src=1)))
    seen.fabric.tables["s1"].sort()
    [finding] = findings(seen, [no_ambiguous_rules])
    assert finding.text.startswith(
        "eth_dst=00:00:00:00:00:03,eth_src=00:00:00:00:00:01 meets two flows of s1 with the same priority"
    )
    assert "eth_src=00:00:00:00:00:01 -> drop" in finding.text


def test_messages_are_counted_in_any_second_and_the_first_one_with_too_many_is_named() -> None:
    seen = observed()
    seen.settle_ns = 2_000_000_000
    tenth = 100_000_000
    seen.said = {"s1": [number * tenth for number in range(100)], "s2": [5 * tenth] * 3}
    assert (
        findings(seen, [bounded(messages_per_s=10)]) == []
    )  # 0 to 0.9 s: the one at 1 s is in the next second
    seen.said["s1"].insert(53, 52 * tenth)
    [finding] = findings(seen, [bounded(messages_per_s=10)])
    assert finding.invariant == "bounded-messages-per-s-10"
    # Eleven from 4.3 s to 5.2 s; the trial's own seconds begin when the application has had its time to be ready.
    assert finding.text == (
        "the controller sends s1 11 messages in the second from 2.3 s on, and may send 10"
    )


def test_a_controller_whose_memory_grows_too_much_is_found() -> None:
    seen = observed()
    seen.grown = 20 << 20
    assert findings(seen, [bounded(memory_mib=20)]) == []
    seen.grown += 1 << 19
    [finding] = findings(seen, [bounded(messages_per_s=1, memory_mib=20)])
    assert finding.invariant == "bounded-messages-per-s-1-memory-mib-20"
    assert finding.text == "the controller's memory grows by 20.5 MiB, and may grow by 20"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "bounded: write messages_per_s=, memory_mib= or both"),
        ({"memory_mib": 0}, "bounded: memory_mib 0 is not a whole number from 1"),
        ({"messages_per_s": "10"}, "bounded: messages_per_s '10' is not a whole number from 1"),
        ({"messages_per_s": True}, "bounded: messages_per_s True is not a whole number from 1"),
    ],
)
def test_a_bound_that_is_none_is_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError) as refused:
        bounded(**given)  # type: ignore[arg-type]
    assert said in str(refused.value)


def test_a_controller_that_does_nothing_but_talk_is_found_before_all_else() -> None:
    seen = observed()
    seen.fabric, seen.talk = None, "it talks"
    assert findings(seen, [no_shadowed_rules]) == [Finding("controller-runs", "it talks")]


def _raises(seen: Observed) -> list[str]:
    return [seen.probes[77].source]


@pytest.mark.parametrize(
    ("check", "said"),
    [
        (_raises, r"invariants_test\.py:\d+: KeyError: 77"),
        (lambda seen: None, r"it gives None; let it yield a sentence"),
        (lambda seen: "h1 is deaf", r"it gives 'h1 is deaf'; let it yield"),
        (lambda seen: [len(seen.probes)], r"it gives 0; let it yield"),
        (lambda seen: [("h1 is deaf", "by s1")], r"let it yield"),
    ],
)
def test_a_mistake_in_an_invariant_of_the_users_is_told_in_one_line(
    check: Callable[[Observed], Any], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        findings(observed("s1", "s2"), [invariant(check)])
