# SPDX-License-Identifier: MIT
"""Schemathesis asks the page of a simulation in virtual time what its OpenAPI document says can be asked; see
openapi_test.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode

from hybridnet import Net, Topo
from hybridnet.live.routes import PREFIX, ROUTES
from hybridnet.live.stepping_answers import STEPPING_ANSWERS
from hybridnet.live.stepping_routes import STEPPING_ROUTES
from tests.hybridnet.live.openapi_test import CHECKS, DRAWN

OWN = [route for route in STEPPING_ROUTES if route not in ROUTES]
ASKED = [route for route in STEPPING_ROUTES if route.call == "state"] + OWN
GOOD, BAD = GenerationMode.POSITIVE, GenerationMode.NEGATIVE
CASES = [pytest.param(route, GOOD, id=f"{route.call}, good") for route in ASKED] + [
    pytest.param(route, BAD, id=f"{route.call}, bad") for route in ASKED if route.body
]
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
        token = parse_qs(urlsplit(page.url).query)["token"][0]
        headers = {"Authorization": f"Bearer {token}"}
        at = f"http://{urlsplit(page.url).netloc}{PREFIX}/openapi.json"
        yield schemathesis.openapi.from_url(at, headers=headers), headers


@pytest.mark.parametrize(("route", "mode"), CASES)
def test_every_answer_is_as_the_document_says(served: Any, route: Any, mode: GenerationMode) -> None:
    document, headers = served
    operation = document[PREFIX + route.path][route.method]
    answered = []

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=DRAWN,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def ask(case: Any) -> None:
        if mode is GOOD and case.path_parameters:
            case.path_parameters["link"] = "a-b"
        answered.append(case.call_and_validate(headers=headers, checks=CHECKS).status_code)

    ask()
    if mode is GOOD and route.call not in SOMETIMES:
        assert 200 in answered
    assert answered


def test_the_document_says_of_every_json_answer_what_it_is() -> None:
    assert set(STEPPING_ANSWERS) == {
        route.call for route in STEPPING_ROUTES if route.answer == "application/json"
    }
