# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
from typing import Any

import pytest

from hybridnet.errors import UsageError
from hybridnet.tools.forecast.costs import FORMAT, THREAD, Cost, Costs, Traffic
from tests.hybridnet.tools.forecast.support import costs


def test_a_cost_is_the_sum_of_its_three_terms() -> None:
    traffic = Traffic(bursts=1000, units=10_000, bytes=1_000_000)
    assert Cost(10_000, 5_000, 20).cores(traffic) == pytest.approx(0.01 + 0.05 + 0.02)


def test_costs_survive_their_file() -> None:
    known = costs()
    again = Costs.from_json(json.loads(json.dumps(known.to_json())), "c.json")
    assert again == known
    assert again.elements == known.elements


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ([], "format is None"),
        ({"format": 99}, "format is 99"),
        ({"format": FORMAT}, "KeyError"),
        ({**costs().to_json(), "elements": {"portal": {"udp": {"thread": ["x"]}}}}, "ValueError"),
        ({**costs().to_json(), "elements": {"portal": {"udp": {"thread": [1, 2, 3, 4]}}}}, "TypeError"),
        ({**costs().to_json(), "elements": []}, "AttributeError"),
    ],
)
def test_a_file_of_another_form_is_refused(content: Any, says: str) -> None:
    with pytest.raises(UsageError, match=f"c.json: .*{says}.*run `hybridnet calibrate` again"):
        Costs.from_json(content, "c.json")


def test_what_was_not_measured_is_named_with_its_cure() -> None:
    known = costs(elements={})
    with pytest.raises(
        UsageError, match=r"peering\.sealed costs with TCP was not measured on c.*two machines"
    ):
        known.of("peering.sealed", "tcp", THREAD)
