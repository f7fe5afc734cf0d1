# SPDX-License-Identifier: MIT
"""What is written of a fault is what was found."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.tools.explore import Counterexample, Event, Finding, Observed
from hybridnet.tools.explore.site import site_of
from hybridnet.topologies import LinearTopo


@pytest.mark.parametrize("name", ["no-loops", "10.0.0.100-affinity", "h1.a-reaches-h2-in-2-hops"])
@pytest.mark.parametrize("body", ["", '{"name": "a\\nb"}', 'of """ and \\', "größer"])
def test_the_test_that_is_written_is_python_and_has_the_schedule(name: str, body: str) -> None:
    site = site_of(LinearTopo(k=2))
    options = {"method": "PUT", "path": "/rules", "body": body, "controller": "c1"}
    schedule = (
        Event(2_000_000_000, "request", options),
        Event(3_000_000_000, "ping", {"from": "h1", "to": "h2"}),
    )
    seen = Observed(site, dict(site.homes))
    found = Counterexample(7, 9, schedule, 1, 1, 1, 1, [Finding(name, "it does not")], seen)
    written: dict[str, Any] = {}
    exec(found.pytest_file(["hybridnet", "explore", "my_app.py"]), written)
    assert written["SCHEDULE"] == found.schedule_text()
    assert [each for each in written if each.startswith("test_")]
