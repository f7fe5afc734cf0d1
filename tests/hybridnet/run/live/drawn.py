# SPDX-License-Identifier: MIT
"""Requests that Schemathesis draws from a page's OpenAPI document, and what the page answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from hybridnet.run.live.routes import PREFIX

__all__ = ["GOOD", "asked_at", "cases", "statuses"]

GOOD, BAD = GenerationMode.POSITIVE, GenerationMode.NEGATIVE
DRAWN = 8  # requests of each operation, good ones and as many bad ones
CHECKS: list[Any] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
]


def asked_at(url: str) -> tuple[Any, dict[str, str]]:
    """The document that a page serves, and the headers that it wants."""
    token = parse_qs(urlsplit(url).query)["token"][0]
    headers = {"Authorization": f"Bearer {token}"}
    at = f"http://{urlsplit(url).netloc}{PREFIX}/openapi.json"
    return schemathesis.openapi.from_url(at, headers=headers), headers


def cases(routes: Iterable[Any]) -> list[Any]:
    """Good requests of every route, and bad ones of those that can be asked badly."""
    routes = list(routes)
    good = [pytest.param(route, GOOD, id=f"{route.call}, good") for route in routes]
    able = [route for route in routes if route.body or route.parameters]
    return good + [pytest.param(route, BAD, id=f"{route.call}, bad") for route in able]


def statuses(
    operation: Any,
    headers: dict[str, str],
    mode: GenerationMode,
    name: Callable[[dict[str, Any], int], object],
) -> list[int]:
    """Ask one operation; an answer that is not as the document says fails the test.

    Args:
        name: puts names of the network into the path of a good request, which it is given with its number.
    """
    answered: list[int] = []

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
            name(case.path_parameters, len(answered))
        answered.append(case.call_and_validate(headers=headers, checks=CHECKS).status_code)

    ask()
    return answered
