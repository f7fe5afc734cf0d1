# SPDX-License-Identifier: MIT
from __future__ import annotations

import time
from typing import Any

import pytest

from hybridnet import Topo
from hybridnet.describe.schema.check import check, schema
from hybridnet.errors import PlanError
from tests.hybridnet.plan.support import plan


def machine_plan() -> dict[str, Any]:
    topo = Topo()
    topo.addSimHost(
        "v1",
        applications=[
            {"kind": "http_server", "size": "20 MB"},
            {"kind": "udp_source", "destination": "h1", "port": 9, "rate": "1 Mbit/s"},
        ],
    )
    topo.addHost("h1")
    topo.addSimRouter("r1")
    topo.addLink("h1", "r1", bw=10, loss=1, jitter="1ms", delay="2ms")
    topo.addLink("v1", "r1", bw=10, aqm="codel")
    machine: dict[str, Any] = plan(topo).machines["m1"]
    return machine


def refusal(value: Any, name: str = "machine", part: str = "") -> str:
    with pytest.raises(PlanError) as refused:
        check(value, name, "plan", part)
    return str(refused.value)


def direction(**options: Any) -> dict[str, Any]:
    return {"rate_bps": 10, "queue_packets": 5, **options}


def test_a_plan_follows_its_schema() -> None:
    check(machine_plan(), "machine", "plan")


def test_errors_say_where_and_why() -> None:
    machine = machine_plan()
    machine["instances"][0]["links"][1]["a_to_b"]["delay_ns"] = -5
    assert refusal(machine) == (
        "plan, at instances/0/links/1/a_to_b/delay_ns: -5 is less than the minimum of 0"
    )


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"delay_ms": 5}, "'delay_ms' was unexpected"),
        ({"queue": {"model": "sfb"}}, 'at queue/model: "sfb" is not one of'),
        (
            {"queue": {"model": "codel", "target_ns": 0}},
            "at queue/target_ns: 0 is less than the minimum of 1",
        ),
        ({"queue": {"model": "codel", "flows": 5}}, "at queue: Additional properties"),
        ({"loss": {"model": "gilbert_elliott", "to_bad": 0.1}}, '"to_good" is a required property'),
        ({"duplicate": 1.5}, "1.5 is greater than the maximum of 1"),
        ({"bit_error_rate": 1}, "1 is greater than or equal to the maximum of 1"),
        ({"rate_model": {"model": "slots", "slots": []}}, "at rate_model/slots: [] has less than 1 item"),
        ({"train_limit_ns": None}, 'null is not of type "integer"'),
        ({"delay_ns": True}, 'true is not of type "integer"'),
    ],
)
def test_a_direction_follows_the_tables_of_options(options: dict[str, Any], says: str) -> None:
    check(direction(), "instance", "plan", "direction")
    assert says in refusal(direction(**options), "instance", "direction")


@pytest.mark.parametrize(
    "key", ["rate_bps", "queue_bytes", "loss", "queue", "rate_model", "plugin", "reorder"]
)
def test_null_takes_away_what_need_not_be_there(key: str) -> None:
    check(direction(**{key: None}), "instance", "plan", "direction")


def test_an_application_follows_the_table_of_its_kind() -> None:
    check({"kind": "tcp_echo", "port": 7, "tcp": "linux"}, "instance", "plan", "application")
    wrong = {"kind": "tcp_echo", "port": 7, "tcp": {"preset": "linux", "mss": 5}}
    assert "at tcp/mss: 5 is less than the minimum of 64" in refusal(wrong, "instance", "application")
    assert "at tcp: " in refusal({**wrong, "tcp": "windows"}, "instance", "application")


def test_a_portal_follows_the_table_of_its_backend() -> None:
    portal = {"name": "p", "device": "d", "backend": "packet", "options": {"gro": False}}
    check(portal, "instance", "plan", "emulation_portal")
    assert "'gro' was unexpected" in refusal({**portal, "backend": "xdp"}, "instance", "emulation_portal")


def test_the_schema_is_whole() -> None:
    assert "$defs" in schema("machine")["$defs"]["instance"]


def test_plans_of_thousands_of_hosts_are_checked_within_half_a_second() -> None:
    machine = machine_plan()
    check(machine, "machine", "plan")  # compiles the schema
    for part in ("nodes", "links"):
        machine["instances"][0][part] *= 2000
    began = time.perf_counter()
    check(machine, "machine", "plan")
    assert time.perf_counter() - began < 0.5


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        (
            {"at": 1, "lnk": ["a", "b"]},
            'at 0: {"at": 1, "lnk": ["a", "b"]} has none of its forms: "link" is a required property, or "routes" is a '
            "required property",
        ),
        (
            {"at": 1, "routes": {"r": [{"prefix": "10.0.0.0/8"}]}},
            'none of its forms: "via" is a required property, or "interface" is a required property',
        ),
    ],
)
def test_what_has_several_forms_is_told_what_each_needs(entry: dict[str, Any], says: str) -> None:
    assert says in refusal([entry], "timeline")
