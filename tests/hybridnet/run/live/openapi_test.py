# SPDX-License-Identifier: MIT
"""Schemathesis asks the running server what its own OpenAPI document says can be asked, and much that it does not.

Each operation gets drawn requests, good and bad ones. No answer is a defect (5xx); each has a status, a type and a
content as the document says; wrong bodies are refused; and without the token nothing is answered.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import (
    ignored_auth,
)

from hybridnet.run.live.response_schemas import ANSWERS
from hybridnet.run.live.routes import PREFIX, ROUTES
from tests.hybridnet.run.live.drawn import GOOD, asked_at, cases, statuses
from tests.hybridnet.run.live.support import net

ENDLESS = "events"  # an answer that goes on as long as the network does
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
    "programs",
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
        yield asked_at(page.url)


ASKED = [route for route in ROUTES if route.call != ENDLESS]
CASES = cases(ASKED)


@pytest.mark.parametrize(("route", "mode"), CASES)
def test_every_answer_is_as_the_document_says(served: Any, route: Any, mode: GenerationMode) -> None:
    document, headers = served

    def name(path: dict[str, Any], number: int) -> None:
        for key in path:
            path[key] = NAMES[key][number % len(NAMES[key])]

    answered = statuses(document[PREFIX + route.path][route.method], headers, mode, name)
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
