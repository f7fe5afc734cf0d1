# SPDX-License-Identifier: MIT
"""Rates follow from what machines counted at two moments."""

from __future__ import annotations

import numpy as np
import pytest

from hybridnet import MachineSpec, PlanOptions, Topo, make_plan
from hybridnet.plan.network import Plan
from hybridnet.run.live.figures import LinkFigures
from tests.hybridnet.run.live.support import Looked, topo

TOKEN = "0" * 16


def plan_of(described: Topo, *machines: str) -> Plan:
    specs = [MachineSpec(name, f"198.18.0.{at}") for at, name in enumerate(machines, start=1)]
    return make_plan(described, specs, PlanOptions(token=TOKEN))


def test_rates_are_what_was_delivered_over_the_time_between_two_looks() -> None:
    figures, machine = LinkFigures(plan_of(topo(), "m1")), Looked()
    machine.wires = [("h1", "h1-eth0", 10, 1000, 5, 500, 0, 0)]
    machine.links = {
        ("s2-h2", True): {
            "delivered_packets": 3,
            "delivered_bytes": 4500,
            "in_flight": 7,
            "queue_packets": 2,
        },
        ("s2-h2", False): {},
    }
    first = figures.take({"m1": machine._look("m1", figures.known())})
    assert np.isnan(first.rate_bps).all()
    assert first.in_flight[figures.names.index("s2-h2"), 0] == 7
    assert figures.known() == {"m1": 1}

    machine.time_s += 0.5
    machine.wires = [("h1", "h1-eth0", 20, 1000 + 62_500, 5, 500, 3, 1)]
    machine.links["s2-h2", True] |= {
        "delivered_packets": 103,
        "delivered_bytes": 4500 + 125_000,
        "accepted_packets": 110,
        "accepted_bytes": 130_000,
        "dropped": 4,
        "lost": 1,
    }
    machine.links["s2-h2", True] |= {"waited_ns": 6_000_000, "left_queue": 3}
    now = figures.take({"m1": machine._look("m1", figures.known())})
    wire, link = figures.names.index("h1-s1"), figures.names.index("s2-h2")
    assert now.rate_bps[wire].tolist() == [1e6, 0.0]
    assert now.packets_per_s[wire].tolist() == [20.0, 0.0]
    assert now.dropped[wire].tolist() == [3.0, 1.0]
    assert now.delivered_bytes[wire].tolist() == [63_500.0, 500.0]
    assert np.isnan(now.accepted_packets[wire]).all()  # only a simulated link counts what it is offered
    assert now.rate_bps[link].tolist() == [2e6, 0.0]
    assert (now.lost[link, 0], now.dropped[link, 0]) == (1, 4)
    assert (now.accepted_packets[link, 0], now.accepted_bytes[link, 0]) == (110, 130_000)
    assert (now.delivered_packets[link, 0], now.delivered_bytes[link, 0]) == (103, 129_500)
    assert now.sojourn_ns[link, 0] == 2_000_000
    assert np.isnan(now.rate_bps[figures.names.index("s2-v1")]).all()  # nobody counted it


def test_what_patch_ports_count_about_once_a_second_is_a_mean_of_two_seconds() -> None:
    figures, machine = LinkFigures(plan_of(topo(), "m1")), Looked()
    patch = figures.names.index("s1-s2")
    rates = []
    for look in range(9):
        sent = 125_000 * (look // 2)  # brought up to date with every second look
        machine.wires = [("s1", "s1-eth2", 0, sent, 0, 0, 0, 0)]
        rates.append(figures.take({"m1": machine._look("m1", figures.known())}).rate_bps[patch, 0])
        machine.time_s += 0.5
    assert rates[5:] == [pytest.approx(1e6)] * 4


def test_each_end_of_a_cut_link_counts_what_it_sends() -> None:
    described = Topo()
    described.addHost("h1", machine="m1")
    described.addHost("h2", machine="m2")
    described.addLink("h1", "h2", delay="5ms")
    figures = LinkFigures(plan_of(described, "m1", "m2"))
    first, second = Looked(), Looked()
    second.instance = "m2"
    for sent in (0, 1):
        first.links = {("h1-h2", True): {"delivered_bytes": 1_000 * sent}}
        second.links = {("h1-h2", True): {"delivered_bytes": 3_000 * sent}}
        now = figures.take(
            {"m1": first._look("m1", figures.known()), "m2": second._look("m2", figures.known())}
        )
        first.time_s += 1
        second.time_s += 1
    assert now.rate_bps.tolist() == [[8_000.0, 24_000.0]]


def test_the_end_of_a_link_to_a_guest_that_is_here_is_its_own_first_end() -> None:
    described = Topo()
    described.addSimSwitch("s1")
    described.addLink(described.addGuest("laptop"), "s1", delay="5ms")
    described.addLink("s1", described.addGuest("phone"), delay="5ms")
    options = PlanOptions(token=TOKEN, peering_key="0" * 64)
    figures, machine = LinkFigures(make_plan(described, [MachineSpec("m1", "198.18.0.1")], options)), Looked()
    for sent in (0, 1):
        machine.links = {
            (link, True): {"delivered_bytes": 1_000 * sent} for link in ("laptop-s1", "s1-phone")
        }
        now = figures.take({"m1": machine._look("m1", figures.known())})
        machine.time_s += 1
    assert now.rate_bps[0, 1] == now.rate_bps[1, 0] == 8_000.0  # what the switch sends


def test_rows_that_belong_to_other_links_are_passed_over() -> None:
    figures, machine = LinkFigures(plan_of(topo(), "m1")), Looked()
    machine.links = {("s2-h2", True): {"delivered_bytes": 1000}, ("gone", True): {"delivered_bytes": 5}}
    figures.take({"m1": machine._look("m1", {})})
    machine.links = {("s2-h2", True): {"delivered_bytes": 2000}}  # one less, and the names are still to come
    machine.time_s += 1
    now = figures.take({"m1": machine._look("m1", {"m1": 1})})
    assert not (now.rate_bps > 0).any()
