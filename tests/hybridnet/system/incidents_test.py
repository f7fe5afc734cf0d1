# SPDX-License-Identifier: MIT
from __future__ import annotations

import time

from hybridnet.system.incidents import MOST, Incidents


def test_an_incident_goes_on_until_it_is_ended():
    incidents = Incidents()
    incidents.begin("ovs-vswitchd", "was stopped")
    [row] = incidents.open()
    assert (row["part"], row["how"], row["to_ns"]) == ("ovs-vswitchd", "was stopped", None)
    incidents.end("ovs-vswitchd")
    assert incidents.open() == []
    [row] = incidents.rows()
    assert row["from_ns"] <= row["to_ns"] <= time.monotonic_ns()


def test_one_that_goes_on_is_begun_once_and_again_after_its_end():
    incidents = Incidents()
    for _ in range(2):
        incidents.begin("port s1-eth1 of s1", "was set down")
    incidents.end("port s1-eth1 of s1")
    incidents.begin("port s1-eth1 of s1", "was set down")
    assert len(incidents.rows()) == 2


def test_two_things_that_happen_to_a_part_end_each_for_itself():
    incidents = Incidents()
    for how in ("was set down", "was given an MTU of 600 instead of 1500 bytes"):
        incidents.begin("port s1-eth1 of s1", how)
    incidents.end("port s1-eth1 of s1", "was set down")
    assert [row["how"] for row in incidents.open()] == ["was given an MTU of 600 instead of 1500 bytes"]


def test_beyond_a_bound_only_their_number_is_known():
    incidents = Incidents()
    for number in range(MOST + 3):
        incidents.begin(f"port s1-eth{number} of s1", "was removed")
    rows = incidents.rows()
    assert len(rows) == MOST + 1
    assert rows[-1]["part"] == "3 more parts"
