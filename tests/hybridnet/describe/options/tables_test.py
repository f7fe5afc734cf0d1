# SPDX-License-Identifier: MIT
"""The tables of options, and that every entrance refuses what they do not have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hybridnet._simcore import Instance, OfflineSimulation
from hybridnet.describe.options import family, table
from hybridnet.describe.options.document import with_tables
from hybridnet.describe.options.flags import default_of, flags
from hybridnet.describe.options.read import read_options
from hybridnet.describe.options.tables import tables
from hybridnet.errors import PlanError, TopologyError, UnitError
from hybridnet.plan.network import RealtimeOptions

DOCS = sorted((Path(__file__).resolve().parents[4] / "docs").glob("*.md"))


def link(direction: dict[str, Any]) -> None:
    simulation = OfflineSimulation(1)
    for number, host in enumerate("ab", start=1):
        simulation.add_node("host", host)
        simulation.add_interface(host, f"{host}-eth0", f"02:00:00:00:00:0{number}", f"10.0.0.{number}/8")
    simulation.add_link("a-b", "a-eth0", "b-eth0", direction, {})


def refusal(direction: dict[str, Any]) -> str:
    with pytest.raises(PlanError) as refused:
        link(direction)
    return str(refused.value)


def test_every_option_has_help_and_a_name_of_its_own() -> None:
    for each in tables()[0].values():
        assert len({option.name for option in each.options}) == len(each.options), each.name
        assert [option.name for option in each.options if not option.help] == []


def test_what_may_be_none_takes_none_and_nothing_else_does() -> None:
    assert read_options({"fin_wait_2": None}, table("tcp"), "tcp") == {"fin_wait_2_ns": None}
    with pytest.raises(UnitError, match="None is not a time"):
        read_options({"minimum_rto": None}, table("tcp"), "tcp")


def test_defaults_stand_once() -> None:
    assert table("direction").planned["queue_packets"].default == 1000
    assert table("realtime").planned["wait"].default == "auto"
    assert RealtimeOptions().to_json()["wait"] == "auto"
    assert default_of(flags(table("direction"))["train_limit"]) == "50 us"


def test_an_offline_simulation_is_as_strict_as_a_plan() -> None:
    link({"rate_bps": 10_000_000, "queue": {"model": "codel"}})
    assert refusal({"queue_packet": 5}) == (
        "make link a-b, a to b: there is no option queue_packet; did you mean queue_packets?"
    )
    assert refusal({"delay_ns": 1.5}) == (
        "make link a-b, a to b: delay_ns is 1.5; it must be a whole number of nanoseconds, at least 0"
    )
    assert refusal({"queue_packets": None}) == (
        "make link a-b, a to b: its queue has no bound; set queue_packets or queue_bytes"
    )
    assert "queue (codel): there is no option limit" in refusal({"queue": {"model": "codel", "limit": 5}})
    assert 'queue: model "cdel" is unknown; did you mean codel?' in refusal({"queue": {"model": "cdel"}})
    assert "both damage packets" in refusal({"corrupt": 0.1, "bit_error_rate": 0.1})
    assert "1180591620717411303424 is a number of more than 64 bits" in refusal({"rate_bps": 1 << 70})
    assert "is not the value of an option" in refusal({"rate_bps": {1}})


def test_an_application_a_portal_and_real_time_are_read_by_their_tables() -> None:
    instance = Instance("m1", 1, 1)
    instance.add_node("host", "h1")
    instance.add_interface("h1", "h1-eth0", "02:00:00:00:00:01", "10.1.0.1/16")
    with pytest.raises(
        PlanError, match=r"application of h1 .ping.: there is no option intervall_ns; did you"
    ):
        instance.add_application("h1", "ping", {"destination": "10.0.0.2", "intervall_ns": 5})
    with pytest.raises(PlanError, match=r"application of h1 .ping.: destination is missing"):
        instance.add_application("h1", "ping", {})
    with pytest.raises(PlanError, match=r"make portal p .packet.: there is no option ring_frames"):
        instance.add_emulation_portal("p", "d", "packet", "", {"ring_frames": 64})
    with pytest.raises(PlanError, match=r"realtime: there is no option weit; did you mean wait"):
        Instance("m1", 1, 1, {"weit": "sleep"})


def test_real_time_is_refused_where_it_is_written() -> None:
    with pytest.raises(PlanError, match=r"unknown option 'polici'; did you mean 'policy'"):
        RealtimeOptions(polici="strict")
    with pytest.raises(PlanError, match="at fifo_priority: 100 is greater than the maximum of 99"):
        RealtimeOptions(fifo_priority=100)


@pytest.mark.parametrize(
    ("old", "instead"),
    [("spin_ns", "dedicated"), ("early_wake_ns", "adaptive"), ("fixed_poll_ns", "inet"), ("moderation_ns", "leave it")],
)  # fmt: skip
def test_an_option_of_earlier_editions_is_refused_with_what_to_write_instead(old: str, instead: str) -> None:
    told = rf"there is no option {old} any more; .*{instead}"
    with pytest.raises(PlanError, match=told):
        Instance("m1", 1, 1, {old: 0})
    with pytest.raises(PlanError, match=told):
        RealtimeOptions(**{old: 0})


def test_people_are_told_the_nearest_name() -> None:
    with pytest.raises(TopologyError, match=r"link a-b \(red\): unknown option 'lest'; did you mean 'least'"):
        read_options({"lest": 5}, table("red"), "link a-b", "red")
    assert read_options({"least": "5 kB"}, table("red"), "link a-b") == {"least_bytes": 5000}


def test_a_family_names_its_models() -> None:
    assert {"red", "codel", "fq_codel"} <= set(family("queue").models)
    assert family("application").tag == "kind"


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_the_tables_in_the_documents_are_those_that_are_declared(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert with_tables(text) == text, "run: make generated"
