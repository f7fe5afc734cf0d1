# SPDX-License-Identifier: MIT
"""What plans say of the way between two instances."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.errors import PlanError
from hybridnet.plan.choices.peering import parse_peering
from hybridnet.plan.network import MachineSpec, PeeringOptions, PlanOptions, make_plan
from hybridnet.topologies import SingleSwitchTopo

KEY = "5" * 64


def peers(machines: list[MachineSpec], **options: Any) -> dict[str, dict[str, Any]]:
    """The entries of a network of two routers that a link joins, one on each machine, by instance."""
    topo = Topo()
    for number, machine in enumerate(machines, 1):
        topo.addSimRouter(f"r{number}", machine=machine.name)
    topo.addLink("r1", "r2", delay="5ms")
    made = make_plan(topo, machines, PlanOptions(token="0" * 16, **options))
    return {name: instance["peers"][0] for name, instance in made.instances.items()}


def machines(*computers: str) -> list[MachineSpec]:
    return [
        MachineSpec(f"m{number}", f"198.18.0.{number}", computer=computer)
        for number, computer in enumerate(computers, 1)
    ]


def test_machines_of_one_computer_peer_in_clear_and_those_of_two_with_the_runs_key() -> None:
    together = peers(machines("one", "one"), peering_key=KEY)
    apart = peers(machines("one", "other"), peering_key=KEY)
    assert together["m1"] == {"name": "m2", "local": "198.18.0.1:47000", "remote": "198.18.0.2:47000"}
    assert [entry["key"] for entry in apart.values()] == [KEY, KEY]


def test_authentication_is_switched_on_and_off_by_name() -> None:
    on = peers(machines("", ""), peering_key=KEY, peering={"authenticated": True})
    off = peers(machines("one", "other"), peering_key=KEY, peering=PeeringOptions(authenticated=False))
    assert "key" in on["m1"]
    assert "key" not in off["m1"]


def test_without_a_key_nothing_that_must_be_authenticated_is_planned() -> None:
    with pytest.raises(PlanError, match="peering_key"):
        peers(machines("one", "other"))


def notes_of(topo: Topo, machines: list[MachineSpec], peering: Any, **options: Any) -> list[str]:
    """What the plan says of peering."""
    made = make_plan(topo, machines, PlanOptions(token="0" * 16, peering=peering, **options))
    return [note for note in made.notes if note.startswith("peering")]


def routers(**options: Any) -> Topo:
    topo = Topo()
    topo.addLink(topo.addSimRouter("r1"), topo.addSimRouter("r2"), delay="5ms", **options)
    return topo


def test_options_that_nothing_obeys_are_said_with_the_reason_and_the_cure() -> None:
    [one] = notes_of(routers(), machines("one"), {"transport": "tcp", "compression": "auto"})
    assert one.startswith("peering: transport, compression have no effect, because there is one instance")
    assert "--instances" in one
    assert "--machines" in one
    [none] = notes_of(SingleSwitchTopo(k=2), machines("one"), "pcap")
    assert none.startswith("peering: transport has no effect, because nothing is simulated")
    [key] = notes_of(routers(), machines("one"), {"authenticated": False})
    assert key.startswith("peering: authenticated has no effect")
    apart = Topo()
    apart.addSimRouter("r1", instance=1)
    apart.addSimRouter("r2", instance=2)
    [unjoined] = notes_of(apart, machines("one"), {"flush": "packet"})
    assert "no link joins two of the 2 instances" in unjoined


@pytest.mark.parametrize(
    ("peering", "idle"),
    [
        (
            {"longest_wait": "1ms"},
            ["longest_wait has no effect, because flush is 'turn'; write flush='time' or 'size'"],
        ),
        (
            {"flush": "time", "longest_wait": "1ms", "batch_size": "500 B"},
            ["batch_size has no effect, because flush is 'time'; write flush='size'"],
        ),
        (
            {"receive_size": "500 B"},
            ["receive_size has no effect, because nothing is gathered without receive_wait"],
        ),
        ({"flush": "size", "longest_wait": "1ms", "batch_size": "500 B"}, []),
        ({"receive_wait": "1ms", "receive_size": "500 B"}, []),
    ],
)
def test_options_that_others_leave_without_effect_are_said(peering: dict[str, str], idle: list[str]) -> None:
    notes = notes_of(routers(), machines("one"), peering, instances_per_machine=2)
    assert len(notes) == len(idle)
    for note, says in zip(notes, idle, strict=True):
        assert note.startswith(f"peering: {says}")


def test_options_between_machines_are_said_to_have_no_effect_within_one() -> None:
    peering = {"transport": "tcp", "datagram_size": "1000 B", "flush": "packet"}
    [note] = notes_of(routers(), machines("one"), peering, instances_per_machine=2)
    assert note.startswith(
        "peering: transport, datagram_size have no effect, because instances of one machine"
    )


def test_options_that_are_obeyed_are_not_remarked_on() -> None:
    assert notes_of(routers(), machines("one"), {"flush": "packet"}, instances_per_machine=2) == []
    assert notes_of(routers(), machines("one"), "pcap", instances_per_machine=2) == []
    assert notes_of(routers(), machines("one"), {}) == []


def test_options_are_of_both_ends_in_the_units_of_plans() -> None:
    both = peers(
        machines("one", "one"), peering={"transport": "tcp", "flush": "time", "longest_wait": "50us"}
    )
    for entry in both.values():
        assert entry["transport"] == "tcp"
        assert entry["flush"] == "time"
        assert entry["longest_wait_ns"] == 50_000


def test_bulk_has_the_port_after_so_pairs_are_two_apart() -> None:
    topo = Topo()
    for number in (1, 2, 3):
        topo.addSimRouter(f"r{number}", machine=f"m{number}")
    topo.addLink("r1", "r2", delay="5ms")
    topo.addLink("r2", "r3", delay="5ms")
    options = PlanOptions(token="0" * 16, peering={"bulk_dscp": [8]})
    made = make_plan(topo, machines("", "", ""), options)
    ports = {entry["local"].rpartition(":")[2] for entry in made.instances["m2"]["peers"]}
    assert ports == {"47000", "47002"}


def test_the_key_is_in_no_text_about_the_options() -> None:
    assert KEY not in repr(PlanOptions(token="0" * 16, peering_key=KEY))
    with pytest.raises(PlanError) as caught:
        PlanOptions(token="0" * 16, peering_key=KEY[:-1])
    assert KEY[:-1] not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"transpot": "udp"}, "transport"),
        ({"transport": "shm"}, "by itself"),
        ({"longest_wait": 50}, "longest_wait"),
        ({"datagram_size": "100 B"}, "576"),
        ({"key": KEY}, "unknown option"),
        ({"authenticated": "yes"}, "authenticated"),
        ({"bulk_filter": "tcp porrt 5"}, r'bulk_filter: .*"tcp porrt 5": .*pcap-filter'),
    ],
)
def test_what_cannot_be_is_refused_with_the_cure(given: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        PeeringOptions(**given)


def test_words_of_the_command_line_mean_the_same() -> None:
    options = parse_peering(["transport=tcp", "bulk_dscp=8,10", "longest_wait=50us", "authenticated=no"])
    assert options.planned == {"transport": "tcp", "bulk_dscp": [8, 10], "longest_wait_ns": 50_000}
    assert options.authenticated is False
    for wrong in (["transport"], ["flush=time", "flush=turn"], ["bulk_dscp=x"], ["authenticated=1"]):
        with pytest.raises(PlanError):
            parse_peering(wrong)


def test_a_wrong_clock_is_that_of_the_second_instance_alone() -> None:
    entries = peers(
        machines("one", "one"), peering={"clocks": "told", "clock_ahead": "3ms", "clock_drift_ppm": 50}
    )
    assert [entry["clocks"] for entry in entries.values()] == ["told", "told"]
    assert "clock_ahead_ns" not in entries["m1"]
    assert (entries["m2"]["clock_ahead_ns"], entries["m2"]["clock_drift_ppm"]) == (3_000_000, 50)
