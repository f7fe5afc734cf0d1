# SPDX-License-Identifier: MIT
"""The page's server on a simulation in virtual time: what is asked, who may, what is refused."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families

from hybridnet import Net, Topo
from hybridnet.errors import MachineError, UsageError
from hybridnet.run.live import Client
from hybridnet.run.live.routes import ROUTES
from hybridnet.run.live.stepping_routes import STEPPING_ROUTES
from hybridnet.simulate.offline import Stepper, simulate

THERE = "a-b:a-eth0>b-eth0"
OWN = [route for route in STEPPING_ROUTES if route not in ROUTES]


class Pair(Topo):
    """a ─ 10 Mbit/s, 5 ms ─ b; a sends to b without end."""

    def build(self) -> None:  # type: ignore[override]
        self.addSimHost("a", applications=[{"kind": "tcp_bulk", "destination": "b", "port": 9}])
        self.addSimHost("b", applications=[{"kind": "tcp_discard", "port": 9}])
        self.addLink("a", "b", bw=10, delay="5ms")


class Site:
    """A simulation with its page, and clients with each of its links."""

    def __init__(self) -> None:
        self.simulation: Stepper = Net(Pair()).stepping(until="10s")
        self.page = self.simulation.live()
        self.full = Client(self.page.url, timeout=30)
        self.reading = Client(self.page.reading_url, timeout=30)

    def close(self) -> None:
        self.page.close()
        self.simulation.close()


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    yield made
    made.close()


def test_a_client_steps_and_runs_as_the_simulation_would_straight_through(site: Site) -> None:
    assert site.full.simulation()["time_ns"] == 0
    assert site.full.step()["events"] == 1
    assert site.full.step(9)["events"] == 10
    condition = {
        "section": "links",
        "element": THERE,
        "figure": "queue_packets",
        "comparison": ">=",
        "value": 8,
    }
    site.full.run(condition=condition)
    done = site.full.wait()
    assert (done["stopped"], done["condition"]) == ("condition", condition)
    site.full.run("300ms")
    done = site.full.wait()
    [straight] = simulate(Pair(), "0.3s", jobs=1, trace_hash=True).replications
    assert (done["time_ns"], done["events"]) == (300_000_000, straight.events)
    assert site.simulation.trace_hash() == straight.trace_hash


def test_metrics_of_a_simulation_have_its_time_and_its_counters(site: Site) -> None:
    site.full.run("300ms")
    site.full.wait()
    [row] = [row for row in site.simulation.snapshot()["links"] if row["name"] == THERE]

    def counted() -> dict[tuple[str, str], float]:
        with urlopen(site.page.reading_url.replace("/?", "/metrics?")) as answer:
            families = text_string_to_metric_families(answer.read().decode())
        return {
            (sample.name, sample.labels.get("from", "")): sample.value
            for family in families
            for sample in family.samples
        }

    site.page.watcher.look()  # it may not have looked since
    values = counted()
    assert values["hybridnet_simulation_time_seconds", ""] == 0.3
    assert "hybridnet_look_timestamp_seconds" not in {name for name, _ in values}
    for name in ("accepted_packets", "delivered_bytes"):
        assert values[f"hybridnet_link_{name}_total", "a"] == row[name] > 0  # type: ignore[literal-required]
    assert values["hybridnet_link_queue_packets", "a"] == row["queue_packets"]


def test_what_is_inside_is_answered(site: Site) -> None:
    site.full.run("30ms")
    site.full.wait()
    due = site.full.next_events()
    assert 0 < len(due) <= 50
    assert {"time_ns", "what", "where"} <= due[0].keys()
    there, back = site.full.queue("a-b")
    assert (there["forward"], back["forward"]) == (True, False)
    assert {row["node"]: row["state"] for row in site.full.connections()} == {
        "a": "ESTABLISHED",
        "b": "ESTABLISHED",
    }
    assert site.full.messages()[0]["text"].startswith("ARP")
    site.full.follow(["a-eth0"])
    network = site.full.network()
    assert [node["name"] for node in network["nodes"]] == ["a", "b"]
    assert all(node["simulated"] for node in network["nodes"])


def test_rates_are_of_simulated_time_and_stay_while_it_stands_still(site: Site) -> None:
    for until in ("500ms", "1000ms", "1500ms"):
        site.full.run(until)
        site.full.wait()
        site.page.watcher.look()
    shown = [site.full.link("a-b")["figures"]["rate_bps"][0]]
    site.page.watcher.look()
    site.page.watcher.look()
    shown.append(site.full.link("a-b")["figures"]["rate_bps"][0])
    assert shown == [pytest.approx(10e6, rel=0.02)] * 2
    assert site.full.history("a-b")["time"][-1] == 1.5


def test_events_say_where_the_simulation_is(site: Site) -> None:
    listened = site.full.events()
    assert next(listened)["simulation"]["time_ns"] == 0
    site.full.step(5)
    assert any(event["simulation"]["events"] == 5 for _, event in zip(range(10), listened, strict=False))


def test_the_second_token_looks_and_moves_nothing(site: Site) -> None:
    assert site.reading.simulation()["time_ns"] == 0
    assert site.reading.next_events()
    assert site.reading.queue("a-b")
    for forbidden in (
        site.reading.step,
        site.reading.run,
        site.reading.pause,
        lambda: site.reading.follow([]),
    ):
        with pytest.raises(MachineError, match="only reads"):
            forbidden()
    assert site.simulation.progress.events == 0


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (lambda client: client.step(0), "body"),
        (lambda client: client.step(10**9), "body"),
        (lambda client: client.run("soon"), "until"),
        (lambda client: client.run("11s"), "end"),
        (lambda client: client.run(speed=-1), "body"),
        (lambda client: client.run(condition={"section": "links"}), "body"),
        (lambda client: client.queue("a-c"), "no such link"),
        (lambda client: client.follow(["c-eth0"]), "no interface"),
        (lambda client: client.exec("a", "true"), "runs no commands"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_cure(site: Site, asked: Any, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        asked(site.full)
    assert site.simulation.progress.events == 0


def test_what_a_simulation_in_virtual_time_has_not_is_refused(site: Site) -> None:
    for asked in (
        lambda: site.full.set_link("a-b", delay="1ms"),
        lambda: site.full.set_status("a-b", "down"),
    ):
        with pytest.raises(MachineError, match="virtual time"):
            asked()
    condition = {"section": "links", "element": "a-c", "figure": "dropped", "comparison": ">", "value": 0}
    with pytest.raises((MachineError, UsageError), match="none of that name"):
        site.full.run(condition=condition)


def test_malformed_bodies_move_nothing_and_break_nothing(site: Site) -> None:
    chance = random.Random(2)
    values: list[Any] = [
        None,
        True,
        -1,
        0.5,
        1e308,
        "",
        "x" * 500,
        "1e400s",
        [],
        {},
        {"section": 1},
        ["a-eth0"],
    ]
    for _ in range(300):
        route = chance.choice([each for each in OWN if each.body is not None])
        keys = [*(route.body or {}), "more"]
        body = {key: chance.choice(values) for key in chance.sample(keys, chance.randint(1, len(keys)))}
        if "more" not in body and route.call == "run":
            continue  # that may be a good one
        path = [part for part in route.path.split("/") if part]
        with pytest.raises((UsageError, MachineError)) as refused:
            site.full._send(route.method, {**body, "more": 1}, *path)
        assert "defect" not in str(refused.value)
    assert site.simulation.progress.events == 0


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"speed": -1}, "the body (speed): -1 is less than the minimum of 1e-9"),
        ({"speed": "fast"}, 'the body (speed): "fast" is not of type "number" or "null"'),
        ({"condition": {"section": "links"}}, 'the body (condition): "element" is a required property'),
        (
            {"condition": {"section": "", "element": "a", "figure": "b", "comparison": ">"}},
            'the body (condition): section: "" is shorter than 1 character',
        ),
    ],
)
def test_what_may_be_absent_is_told_what_is_wrong_with_it(
    site: Site, body: dict[str, Any], says: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(says)):
        site.full._send("POST", body, "simulation", "run")


def test_openapi_has_these_routes_too(site: Site) -> None:
    document = json.loads(site.full._ask("GET", None, "openapi.json"))
    declared = {(path, method) for path, operations in document["paths"].items() for method in operations}
    assert declared == {(f"/api/v1{route.path}", route.method.lower()) for route in STEPPING_ROUTES}


def test_the_document_has_a_row_for_every_route() -> None:
    text = (Path(__file__).parents[4] / "docs" / "rest.md").read_text()
    for route in OWN:
        assert f"| `{route.method} {route.path}` | {route.summary}" in text
