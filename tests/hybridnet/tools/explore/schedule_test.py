# SPDX-License-Identifier: MIT
"""A schedule is drawn from a seed, and can be written, read and refused."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridnet import Topo
from hybridnet.errors import UsageError
from hybridnet.tools.explore import affinity
from hybridnet.tools.explore.disturbances import DISTURBANCES
from hybridnet.tools.explore.schedule import Schedule, draw, read_schedule, write_schedule
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


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.dates()
    | st.sampled_from(["h1", "s1", "s1-s2", "c1", "2s", "-1s", "1e9s", "100ms", "10.0.0.1", 3, "s2-free"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
OPTIONS = sorted({name for each in DISTURBANCES.values() for name in each.options})
EVENTS = st.fixed_dictionaries(
    {"at": st.just("2s") | ANYTHING, "do": st.sampled_from(sorted(DISTURBANCES)) | ANYTHING},
    optional=dict.fromkeys(OPTIONS, ANYTHING),
)


def test_a_schedule_without_events_is_written_so_that_it_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "schedule.yaml"
    file.write_text(write_schedule(()))
    assert read_schedule(file, SITE) == ()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[" * 100_000, "nested too deeply"),
        (b"- {at: 2s, do: 2001-99-99}", "month must be in 1..12"),
        (b"- \xff", "not text in UTF-8"),
        (b"- {at: 2s", "line 1, column"),
    ],
)
def test_a_file_that_is_no_yaml_is_refused_with_the_reason(content: bytes, said: str, tmp_path: Path) -> None:
    file = tmp_path / "schedule.yaml"
    file.write_bytes(content)
    with pytest.raises(UsageError) as refused:
        read_schedule(file, SITE)
    assert said in str(refused.value)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("schedules") / "schedule.yaml"


def read_or_refused(file: Path) -> None:
    with contextlib.suppress(UsageError):
        schedule = read_schedule(file, SITE)
        file.write_text(write_schedule(schedule))
        assert read(file) == schedule


def read(file: Path) -> Schedule:
    """As `read_schedule`, where nothing may be refused."""
    try:
        return read_schedule(file, SITE)
    except UsageError as error:
        raise AssertionError(str(error)) from error


@settings(deadline=None, derandomize=True)
@given(written_events=st.lists(EVENTS, max_size=3) | ANYTHING)
def test_any_list_of_events_is_read_or_refused_with_words(written: Path, written_events: object) -> None:
    written.write_text(yaml.safe_dump(written_events), encoding="utf-8")
    read_or_refused(written)


@settings(deadline=None, derandomize=True)
@given(
    content=st.binary(max_size=64)
    | st.text(alphabet="[]{}:,-&*!|>'\"\\ \n\tahs1.", max_size=40).map(str.encode)
)
def test_any_file_is_read_or_refused_with_words(written: Path, content: bytes) -> None:
    written.write_bytes(content)
    read_or_refused(written)
