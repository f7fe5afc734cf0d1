# SPDX-License-Identifier: MIT
"""Every mistake of a form is found at its place, by the description's own checks."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.errors import PlanError
from hybridnet.plan.files import FileTopo
from hybridnet.plan.files.mistakes import find_mistakes, place_of
from hybridnet.plan.files.yaml_form import read_form, write_form

GOOD: dict[str, Any] = {
    "hosts": {"h1": {"ip": "10.0.0.1/8"}, "h2": None},
    "switches": {"s1": None},
    "simulated_routers": {"r1": {"processing_delay": "10us"}},
    "links": [
        {"between": ["h1", "s1"], "bw": 10, "params1": {"loss": 1}},
        {"between": ["h2", "s1"]},
        {"between": ["s1", "r1"]},
    ],
    "positions": {"h1": [0, 1.5]},
}


def places(form: dict[str, Any]) -> list[tuple[str | int, ...]]:
    return [mistake.path for mistake in find_mistakes(form)]


def with_part(path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    """The good form with another value at a place."""
    import copy

    form = copy.deepcopy(GOOD)
    *way, last = path
    at: Any = form
    for part in way:
        if isinstance(at, dict) and at.get(part) is None:
            at[part] = {}
        at = at[part]
    at[last] = value
    return form


def test_a_good_form_has_none() -> None:
    assert find_mistakes(GOOD) == []
    assert find_mistakes({}) == []


def test_devices_of_the_computer_are_ends_of_links() -> None:
    switches = {"s1": None}
    links = [{"between": ["s1", "eth1"], "delay": "5ms"}]
    assert find_mistakes({"switches": switches, "devices": {"eth1": None}, "links": links}) == []
    assert places({"switches": switches, "links": links}) == [("links", 0)]
    assert places({"switches": switches, "devices": {"eth1": None}}) == [("devices", "eth1")]
    wrong = {"eth1": {"backend": "tap"}}
    assert places({"switches": switches, "devices": wrong, "links": links}) == [("links", 0)]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("hosts", "h1", "ip"), "10.0.0"),
        (("hosts", "h2", "mac"), "01:00:00:00:00:00"),
        (("hosts", "h2", "kind"), "cisco"),
        (("switches", "s1", "dpid"), "xyz"),
        (("simulated_routers", "r1", "processing_delay"), "10"),
        (("links", 0, "bw"), -1),
        (("links", 0, "delay"), "5"),
        (("links", 0, "params1", "loss"), 101),
        (("links", 2, "params2", "mtu"), 5),
        (("links", 1, "port1"), -1),
        (("links", 1, "intfName1"), "h1-eth0"),
    ],
)
def test_the_field_is_named(path: tuple[str | int, ...], value: Any) -> None:
    assert places(with_part(path, value)) == [path]


def test_two_mistakes_of_one_node_are_both_found() -> None:
    form = with_part(("hosts", "h1"), {"ip": "x", "mac": "y", "memory": "256M"})
    assert sorted(places(form)) == [("hosts", "h1", "ip"), ("hosts", "h1", "mac")]


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        (("hosts", "a b"), None, ("hosts", "a b")),
        (("switches", "a_name_too_long_for_it"), None, ("switches", "a_name_too_long_for_it")),
        (("switches", "h1"), None, ("switches", "h1")),
        (("hosts", "h1", "colour"), "red", ("hosts", "h1")),
        (("links", 1, "between"), ["h2"], ("links", 1, "between")),
        (("links", 1, "between"), ["h2", "h9"], ("links", 1)),
        (("links", 1, "between"), ["h2", "h2"], ("links", 1)),
        (("positions", "h9"), [1, 2], ("positions", "h9")),
        (("positions", "h2"), [1], ("positions", "h2")),
        (("hosts",), 5, ("hosts",)),
    ],
)
def test_what_no_field_is_guilty_of_is_said_of_the_element(
    path: tuple[str | int, ...], value: Any, place: tuple[str | int, ...]
) -> None:
    assert places(with_part(path, value)) == [place]


def test_two_mistakes_of_one_link_that_has_no_ends_are_both_found() -> None:
    form = with_part(("links", 1), {"between": ["h2"], "port1": -1, "params1": {"bw": [], "mtu": {}}})
    assert sorted(places(form)) == [
        ("links", 1, "between"),
        ("links", 1, "params1", "bw"),
        ("links", 1, "params1", "mtu"),
        ("links", 1, "port1"),
    ]


def test_a_link_to_a_node_that_is_refused_is_not_blamed() -> None:
    form = with_part(("hosts", "a b"), None)
    form["links"].append({"between": ["a b", "s1"]})
    assert places(form) == [("hosts", "a b")]


def test_an_error_of_the_plan_is_placed_at_the_element_that_it_names() -> None:
    topo = FileTopo("net.yaml", write_form(GOOD), {})
    assert place_of(PlanError("link h2-s1: it cannot be"), topo) == ("links", 1)
    assert place_of(PlanError("host h1: it cannot be"), topo) == ("hosts", "h1")
    assert place_of(PlanError("the addresses are used up"), topo) == ()


def test_what_is_written_of_a_form_is_read_as_the_form() -> None:
    read = dict(read_form(write_form(GOOD), "net.yaml").value)
    assert read.pop("format") == 1
    assert read == GOOD


def test_fluids_have_their_mistakes_at_their_places() -> None:
    rate = {"model": "constant_rate", "rate": "1 Mbit/s"}
    form = {**GOOD, "simulated_hosts": {"a": None, "b": None}}
    good = {"from": "a", "to": "b", "model": rate}
    assert places({**form, "fluids": [good]}) == []
    assert places({**form, "fluids": [good, {**good, "to": "x"}]}) == [("fluids", 1)]
    assert places({**form, "fluids": [{**good, "model": 7}, good]}) == [("fluids", 0, "model")]
