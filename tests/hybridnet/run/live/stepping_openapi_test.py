# SPDX-License-Identifier: MIT
"""Schemathesis asks the page of a simulation in virtual time what its OpenAPI document says can be asked; see
openapi_test.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from schemathesis import GenerationMode

from hybridnet import Net, Topo
from hybridnet.run.live.routes import PREFIX, ROUTES
from hybridnet.run.live.stepping_response_schemas import STEPPING_ANSWERS
from hybridnet.run.live.stepping_routes import STEPPING_ROUTES
from tests.hybridnet.run.live.drawn import GOOD, asked_at, cases, statuses

OWN = [route for route in STEPPING_ROUTES if route not in ROUTES]
ASKED = [route for route in STEPPING_ROUTES if route.call == "state"] + OWN
CASES = cases(ASKED)
SOMETIMES = {"run", "follow"}  # most of what is drawn names instants and interfaces that are not there


@pytest.fixture(scope="module")
def served() -> Iterator[Any]:
    """The document of a page, ready to be asked, of two hosts of which one sends to the other."""
    topo = Topo()
    topo.addSimHost("a", applications=[{"kind": "tcp_bulk", "destination": "b", "port": 9}])
    topo.addSimHost("b", applications=[{"kind": "tcp_discard", "port": 9}])
    topo.addLink("a", "b", bw=10, delay="5ms")
    with Net(topo).stepping(until="1s") as simulation, simulation.live() as page:
        simulation.run_until("30ms")
        yield asked_at(page.url)


@pytest.mark.parametrize(("route", "mode"), CASES)
def test_every_answer_is_as_the_document_says(served: Any, route: Any, mode: GenerationMode) -> None:
    document, headers = served
    answered = statuses(
        document[PREFIX + route.path][route.method],
        headers,
        mode,
        lambda path, _: path.update(dict.fromkeys(path, "a-b")),
    )
    if mode is GOOD and route.call not in SOMETIMES:
        assert 200 in answered
    assert answered


def test_the_document_says_of_every_json_answer_what_it_is() -> None:
    assert set(STEPPING_ANSWERS) == {
        route.call for route in STEPPING_ROUTES if route.answer == "application/json"
    }
