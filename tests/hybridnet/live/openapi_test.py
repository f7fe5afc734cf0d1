# SPDX-License-Identifier: MIT
"""Schemathesis asks the running server what its own OpenAPI document says can be asked, and much that it does not.

Each operation gets drawn requests, good and bad ones. No answer is a defect (5xx); each has a status, a type and a
content as the document says; wrong bodies are refused; and without the token nothing is answered.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    ignored_auth,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from hybridnet.live.answers import ANSWERS
from hybridnet.live.routes import PREFIX, ROUTES
from tests.hybridnet.live.support import net

DRAWN = 8  # requests of each operation, good ones and as many bad ones
ENDLESS = "events"  # an answer that goes on as long as the network does
CHECKS: list[Any] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
]
NAMES = {"link": ("h1-s1", "s2-h2", "none"), "node": ("h1", "v1", "none"), "number": ("1", "2", "x")}
"""What paths name, so that some requests reach the network, and some do not."""
REACHED = {
    "state",
    "verdict",
    "network",
    "link",
    "history",
    "link_options",
    "set_status",
    "exec",
    "list_captures",
    "list_flows",
}
"""What the network of this test can do: its machines run no programs."""


@pytest.fixture(scope="module")
def served() -> Iterator[Any]:
    """The document of a network whose machines make nothing, as its page serves it, ready to be asked."""
    running, machines = net()
    machines.answers["exec"] = lambda **_: {"status": 0, "stdout": b"out", "stderr": b"\xff"}
    with running, running.live() as page:
        token = parse_qs(urlsplit(page.url).query)["token"][0]
        headers = {"Authorization": f"Bearer {token}"}
        at = f"http://{urlsplit(page.url).netloc}{PREFIX}/openapi.json"
        yield schemathesis.openapi.from_url(at, headers=headers), headers


ASKED = [route for route in ROUTES if route.call != ENDLESS]
GOOD, BAD = GenerationMode.POSITIVE, GenerationMode.NEGATIVE
CASES = [pytest.param(route, GOOD, id=f"{route.call}, good") for route in ASKED] + [
    pytest.param(route, BAD, id=f"{route.call}, bad") for route in ASKED if route.body or route.parameters
]


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
        if mode is GOOD:
            for name in case.path_parameters or {}:
                case.path_parameters[name] = NAMES[name][len(answered) % len(NAMES[name])]
        answered.append(case.call_and_validate(headers=headers, checks=CHECKS).status_code)

    ask()
    if mode is GOOD and route.call in REACHED:
        assert 200 in answered
    assert answered


@pytest.mark.parametrize("route", ASKED, ids=lambda route: route.call)
def test_nothing_is_answered_without_the_token(served: Any, route: Any) -> None:
    document, headers = served
    operation = document[PREFIX + route.path][route.method]

    @given(case=operation.as_strategy())
    @settings(max_examples=1, derandomize=True, deadline=None, database=None)
    def ask(case: Any) -> None:
        case.call_and_validate(headers=headers, checks=[ignored_auth])

    ask()


def test_the_document_says_of_every_json_answer_what_it_is() -> None:
    json_answers = {route.call for route in ROUTES if route.answer == "application/json"}
    assert set(ANSWERS) == json_answers
