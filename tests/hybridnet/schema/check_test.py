# SPDX-License-Identifier: MIT
from __future__ import annotations

import copy
import json
import random
from importlib.resources import files
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from hybridnet import Topo
from hybridnet.schema.check import SchemaCheck
from tests.hybridnet.plan.support import plan

INSTANCE = json.loads((files("hybridnet") / "schema" / "instance.json").read_text())


def instance_plan() -> dict[str, Any]:
    topo = Topo()
    for name in ("h1", "h2"):
        topo.addHost(name)
    topo.addSimHost(
        "v1",
        applications=[
            {"kind": "http_server", "size": "20 MB"},
            {"kind": "udp_source", "destination": "h1", "port": 9, "rate": "1 Mbit/s"},
        ],
    )
    topo.addSimRouter("r1")
    topo.addLink("h1", "r1", bw=10, loss=1, jitter="1ms", delay="2ms")
    topo.addLink("h2", "r1", bw=10, aqm="codel")
    topo.addLink("v1", "r1")
    instance: dict[str, Any] = plan(topo).machines["m1"]["instance"]
    return instance


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    return [path, *(place for key, child in children for place in places(child, (*path, key)))]


def changed(value: Any, path: tuple[Any, ...], to: Any) -> Any:
    value = copy.deepcopy(value)
    if not path:
        return to
    at = value
    for key in path[:-1]:
        at = at[key]
    if to is REMOVED:
        del at[path[-1]]
    else:
        at[path[-1]] = to
    return value


REMOVED = object()
ODD = (None, True, -1, 0, 1.0, 1.5, 1 << 70, "", "x", "10.0.0.1/33", [], [1], {}, {"kind": "host"}, REMOVED)


def test_a_plan_follows_its_schema() -> None:
    assert SchemaCheck(INSTANCE).errors(instance_plan()) == []


def test_it_judges_every_damaged_plan_as_jsonschema_does() -> None:
    good, check, reference = instance_plan(), SchemaCheck(INSTANCE), Draft202012Validator(INSTANCE)
    cases = [(path, odd) for path in places(good) for odd in ODD if path or odd is not REMOVED]
    wrong = 0
    for path, odd in random.Random(1).sample(cases, 60):
        damaged = changed(good, path, odd)
        expected = reference.is_valid(damaged)
        assert (check.errors(damaged) == []) == expected, (path, odd)
        wrong += not expected
    assert wrong > 20


def test_errors_say_where_and_why() -> None:
    damaged = changed(instance_plan(), ("links", 1, "a_to_b", "delay_ns"), -5)
    [error, *_] = SchemaCheck(INSTANCE).errors(damaged)
    assert list(error.absolute_path) == ["links", 1, "a_to_b", "delay_ns"]
    assert error.message == "-5 is less than the minimum of 0"


def test_a_schema_may_refer_to_another_and_to_itself() -> None:
    tree = {"$defs": {"tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}, "$ref": "#/$defs/tree"}
    check = SchemaCheck({"properties": {"tree": {"$ref": "tree.json"}}}, {"tree.json": tree})
    assert check.errors({"tree": [[], [[]]]}) == []
    assert check.errors({"tree": [[], [3]]})


def test_a_keyword_that_is_not_known_is_refused() -> None:
    with pytest.raises(NotImplementedError, match="uniqueItems"):
        SchemaCheck({"uniqueItems": True})
