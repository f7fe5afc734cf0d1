# SPDX-License-Identifier: MIT
"""Drops at interfaces count unless the carrier was missing."""

from __future__ import annotations

from hybridnet.agent.counters.link_drops import LinkDrops
from hybridnet.agent.hosts.device_counters import Carrier

UP = Carrier(True, 2)


def test_drops_at_a_link_that_is_up_count() -> None:
    drops = LinkDrops()
    assert drops.while_up({}, {"h1-eth0": UP}) == {}
    assert drops.while_up({"h1-eth0": 5}, {"h1-eth0": UP}) == {"h1-eth0": 5}
    assert drops.while_up({"h1-eth0": 7}, {"h1-eth0": UP}) == {"h1-eth0": 7}


def test_what_is_sent_where_there_is_no_carrier_does_not_count() -> None:
    drops = LinkDrops()
    drops.while_up({}, {"h1-eth0": UP})
    assert drops.while_up({"h1-eth0": 5}, {"h1-eth0": Carrier(False, 3)}) == {}
    assert drops.while_up({"h1-eth0": 9}, {"h1-eth0": Carrier(False, 3)}) == {}
    assert drops.while_up({"h1-eth0": 9}, {"h1-eth0": Carrier(True, 4)}) == {}
    assert drops.while_up({"h1-eth0": 12}, {"h1-eth0": Carrier(True, 4)}) == {"h1-eth0": 3}


def test_a_carrier_that_was_missing_between_two_looks_is_noticed() -> None:
    drops = LinkDrops()
    drops.while_up({"h1-eth0": 1}, {"h1-eth0": UP})
    assert drops.while_up({"h1-eth0": 5}, {"h1-eth0": Carrier(True, 4)}) == {"h1-eth0": 1}


def test_a_device_that_is_made_anew_begins_anew() -> None:
    drops = LinkDrops()
    drops.while_up({"h1-eth0": 9}, {"h1-eth0": Carrier(False, 1)})
    assert drops.while_up({"h1-eth0": 4}, {"h1-eth0": Carrier(True, 1)}) == {"h1-eth0": 4}
    drops.while_up({}, {"h1-eth0": Carrier(True, 1)})
    assert drops.while_up({"h1-eth0": 2}, {"h1-eth0": Carrier(True, 1)}) == {"h1-eth0": 2}
