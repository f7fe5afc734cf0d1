# SPDX-License-Identifier: MIT
"""An editor to be asked, and what is drawn there."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from hybridnet.cli.plan import plan_of_file
from hybridnet.run.live.routes import PREFIX
from hybridnet.tools.edit.page import EditPage

__all__ = ["DRAWN", "Asked", "edit_page"]

DRAWN: dict[str, Any] = {
    "hosts": {"h1": {"ip": "10.0.0.1/8"}, "h2": None},
    "switches": {"s1": None},
    "links": [{"between": ["h1", "s1"], "delay": "5ms"}, {"between": ["h2", "s1"]}],
    "positions": {"h1": [0, 0], "h2": [0, 100], "s1": [100, 50]},
}


def edit_page(file: Path) -> EditPage:
    """The page of a file, as `hybridnet edit` serves it."""
    return EditPage(file, plan_of_file)


class Asked:
    """Asks a page as a browser would."""

    def __init__(self, page: EditPage) -> None:
        self.at = urlsplit(page.url)
        self.token = parse_qs(self.at.query)["token"][0]

    def __call__(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, Any]:
        """The status and the content of the answer."""
        given = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        connection = http.client.HTTPConnection(self.at.netloc, timeout=60)
        try:
            sent = None if body is None else json.dumps(body)
            connection.request(method, PREFIX + path, sent, {**given, **(headers or {})})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()
