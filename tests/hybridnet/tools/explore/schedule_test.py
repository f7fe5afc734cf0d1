# SPDX-License-Identifier: MIT
"""A schedule is drawn from a seed, and can be written, read and refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridnet import Topo
from hybridnet.errors import UsageError
from hybridnet.tools.explore import affinity
from hybridnet.tools.explore.disturbances import DISTURBANCES
from hybridnet.tools.explore.schedule import draw, read_schedule, write_schedule
from hybridnet.tools.explore.site import site_of
from hybridnet.topologies import LinearTopo, SingleSwitchTopo

SITE = site_of(LinearTopo(k=3))


def test_the_same_seed_draws_the_same_and_every_kind_is_drawn() -> None:
    drawn = [draw(SITE, seed) for seed in range(200)]
    assert drawn == [draw(SITE, seed) for seed in range(200)]
    of_several = {"controller-fails", "controller-cut-off"}
    kinds = {event.do for schedule in drawn for event in schedule}
    assert kinds == set(DISTURBANCES) - {"flow", "request"} - of_several


def test_what_happens_to_controllers_is_drawn_where_there_are_several() -> None:
    site = site_of(LinearTopo(k=3), controllers=2)
    drawn = [event for seed in range(200) for event in draw(site, seed)]
    assert {event.do for event in drawn} == set(DISTURBANCES) - {"flow", "request"}
    of_controllers = [
        event.options["controller"] for event in drawn if event.do.startswith("controller-fails")
    ]
    assert set(of_controllers) == {"c1", "c2"}


@pytest.mark.parametrize("number", [0, 5, True, "2"])
def test_a_number_of_controllers_that_is_none_is_refused(number: object) -> None:
    with pytest.raises(UsageError, match=r"explore: controllers .* is not a whole number from 1 to 4"):
        site_of(LinearTopo(k=3), controllers=number)  # type: ignore[arg-type]


def test_a_controller_that_is_not_there_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "schedule.yaml"
    file.write_text("[{at: 2s, do: controller-fails, controller: c2, for: 1s}]")
    with pytest.raises(UsageError, match=r"event 1: controller: there is no 'c2'; there are c1$"):
        read_schedule(file, SITE)
    [event] = read_schedule(file, site_of(LinearTopo(k=3), controllers=2))
    assert event.options == {"controller": "c2", "for": "1s"}


def test_flows_are_drawn_where_there_is_a_service_and_none_from_its_servers() -> None:
    site = site_of(LinearTopo(k=3))
    site.services.update(affinity("10.0.0.100", ["h2", "h3"]).services)
    flows = [event for seed in range(20) for event in draw(site, seed) if event.do == "flow"]
    assert {(event.options["from"], event.options["to"]) for event in flows} == {("h1", "10.0.0.100")}


def test_without_a_disturbance_a_seed_draws_the_same_but_it() -> None:
    for seed in range(50):
        whole, less = draw(SITE, seed), draw(SITE, seed, ["host-moves"])
        assert less == tuple(event for event in whole if event.do != "host-moves")


def test_a_request_has_a_body_and_goes_to_another_controller_only_if_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "schedule.yaml"
    file.write_text("[{at: 1s, do: request, method: GET, path: /stats/switches}]")
    [event] = read_schedule(file, SITE)
    assert event.options == {"method": "GET", "path": "/stats/switches", "body": "", "controller": "c1"}


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "schedule.yaml"
    for seed in range(50):
        schedule = draw(SITE, seed)
        file.write_text(write_schedule(schedule))
        assert read_schedule(file, SITE) == schedule


def test_a_network_without_links_between_switches_has_no_link_that_goes_down() -> None:
    site = site_of(SingleSwitchTopo(k=2))
    assert all(event.do != "link-down" for seed in range(100) for event in draw(site, seed))


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("at: 2s", "write a list of events"),
        ("[{at: 2s}]", "lacks at or do"),
        ("[{at: 2s, do: host-move, host: h1, to: s2}]", "did you mean host-moves?"),
        ("[{at: 2s, do: host-moves, host: h1}]", "lacks to"),
        ("[{at: 2s, do: host-moves, host: h9, to: s2}]", "there is no 'h9'; there are h1, h2, h3"),
        ("[{at: 2s, do: ping, from: h1, to: h2, size: 5}]", "ping has no option 'size'"),
        ("[{at: 2s, do: link-down, link: s2-s1, for: soon}]", "for"),
        ("[{at: -1s, do: ping, from: h1, to: h2}]", "at"),
        ("[{at: 7s, do: ping, from: h1, to: h2}]", "6 s"),
        ("[{at: 1s, do: request, method: GET, path: stats}]", "write a path"),
        ("[{at: 1s, do: request, method: LOOK, path: /stats}]", "there are GET, PUT, POST, DELETE"),
        ("[{at: 1s, do: request, method: GET, path: /stats, body: 5}]", "write a text on one line"),
        ("[{at: 1s, do: flow, from: h1, to: 10.0.0.9, segments: 4, every: 50ms}]", "no service"),
        ("[{at: 1s, do: switch-times-out, switch: s1, after: 50ms}]", "lacks behind"),
        ("[", "cannot be read as YAML"),
    ],
)
def test_an_event_that_makes_no_sense_is_refused_and_the_error_says_which(
    tmp_path: Path, written: str, said: str
) -> None:
    file = tmp_path / "schedule.yaml"
    file.write_text(written)
    with pytest.raises(UsageError) as refused:
        read_schedule(file, SITE)
    assert said in str(refused.value)


def test_a_network_that_is_no_network_of_hosts_and_switches_is_refused() -> None:
    topo = Topo()
    topo.addSimRouter("r1")
    with pytest.raises(UsageError, match="r1 is a simrouter"):
        site_of(topo)
    with pytest.raises(UsageError, match="1 switches and 1 hosts"):
        site_of(SingleSwitchTopo(k=1))
