# SPDX-License-Identifier: MIT
from __future__ import annotations

from hybridnet.agent.instances.series_selection import chosen_of, not_there

PLAN = {
    "hosts": [
        {"name": "h1", "interfaces": [{"name": "h1-eth0"}, {"name": "h1-eth1"}]},
        {"name": "h2", "interfaces": [{"name": "h2-eth0"}]},
    ],
    "instances": [
        {
            "name": "m1",
            "nodes": [{"name": "r1", "interfaces": [{"name": "r1-eth1"}, {"name": "r1-eth2"}]}],
            "links": [
                {"name": "h1-r1", "a": {"portal": "p-h1-eth0"}, "b": {"interface": "r1-eth1"}},
                {"name": "r1-r2", "a": {"interface": "r1-eth2"}, "b": {"peer": "m2", "channel": 0}},
            ],
        }
    ],
}


def test_by_itself_a_series_has_hosts_interfaces_and_the_links_between_machines() -> None:
    chosen = chosen_of(PLAN, None)
    assert chosen.devices == {"h1": {"h1-eth0", "h1-eth1"}, "h2": {"h2-eth0"}}
    assert (chosen.links, chosen.interfaces, chosen.all) == ({"m1": ["r1-r2"]}, {}, False)
    assert chosen.takes("applications", "h3:ping:0")


def test_all_asks_for_every_simulated_element() -> None:
    assert chosen_of(PLAN, "all").all


def test_what_is_named_is_taken_and_nothing_else() -> None:
    chosen = chosen_of(PLAN, ["h1-eth1", "r1", "h1-r1", "h3"])
    assert chosen.devices == {"h1": {"h1-eth1"}}
    assert chosen.links == {"m1": ["h1-r1"]}
    assert chosen.interfaces == {"m1": ["r1-eth1", "r1-eth2"]}
    assert chosen.takes("applications", "h3:ping:0")
    assert chosen.takes("connections", "h3:10.0.0.3:5001>10.0.0.4:5001")
    assert not chosen.takes("portals", "p-h1-eth0")
    assert chosen.takes("links", "h1-r1:p-h1-eth0>r1-eth1")  # it was asked for by the link's name


def test_a_machine_where_nothing_is_simulated_has_its_hosts() -> None:
    assert set(chosen_of({**PLAN, "instances": []}, None).devices) == {"h1", "h2"}


def test_a_name_that_nothing_has_is_found_before_anything_is_sampled() -> None:
    named = ["h1", "h1-eth1", "r1", "r1-eth2", "r1-r2", "p-h1-eth0", "r1:ping:0"]
    assert not_there([PLAN], named) == []
    assert not_there([PLAN], ["h1", "s1", "r1-h1", "h9:ping:0"]) == ["s1", "r1-h1", "h9:ping:0"]
    assert not_there([PLAN], "all") == not_there([PLAN], None) == []
