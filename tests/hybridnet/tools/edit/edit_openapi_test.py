# SPDX-License-Identifier: MIT
"""Schemathesis asks the editor's server what its own OpenAPI document says can be asked, and much that it does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from schemathesis import GenerationMode

from hybridnet.run.live.routes import PREFIX
from hybridnet.tools.edit.routes import ANSWERS, ROUTES
from tests.hybridnet.run.live.drawn import asked_at, cases, statuses
from tests.hybridnet.tools.edit.support import edit_page


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder: Path = tmp_path_factory.mktemp("edit")
    with edit_page(folder / "net.yaml") as page:
        yield asked_at(page.url)


def test_every_route_says_what_it_answers() -> None:
    assert {route.call for route in ROUTES} - {"openapi"} == set(ANSWERS)


ASKED = [route for route in ROUTES if route.call != "start"]  # what is drawn at random may be a network


@pytest.mark.parametrize(("route", "mode"), cases(ASKED))
def test_every_answer_is_as_the_document_says(served: Any, route: Any, mode: GenerationMode) -> None:
    document, headers = served
    operation = document[PREFIX + route.path][route.method]
    assert statuses(operation, headers, mode, lambda path, number: None)
