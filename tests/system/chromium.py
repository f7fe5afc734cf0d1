# SPDX-License-Identifier: MIT
"""Chromium, for tests that look at what a person sees of a page."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, TimeoutError, expect, sync_playwright

__all__ = ["PATIENCE_MS", "chromium", "opened", "program", "shots_of"]

NAMES = ("chromium", "chromium-browser")  # as Debian's package and Ubuntu's snap call it

PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)


def program() -> str:
    """Where the browser is."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    assert found is not None, f"there is no {' or '.join(NAMES)} on the PATH; apt-get install chromium"
    return found


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser that runs meanwhile."""
    with sync_playwright() as playwright:
        # Chromium's own sandbox cannot be made by root; the pages are ours.
        started = playwright.chromium.launch(executable_path=program(), args=["--no-sandbox"])
        yield started
        started.close()


def opened(
    browser: Browser,
    url: str,
    ready: str,
    scheme: Literal["light", "dark"] = "light",
    on_request: Callable[[str], object] = lambda url: None,
) -> Page:
    """A page, once it says that it is ready; an error in its scripts fails the test.

    Args:
        ready: the attribute of its body that says so.
        on_request: called with the address of all that it asks for.
    """
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme=scheme)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    said: list[str] = []
    page.on("pageerror", lambda error: pytest.fail(f"the page's script failed: {error}"))
    page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    page.on(
        "requestfailed", lambda request: said.append(f"{request.url.partition('?')[0]}: {request.failure}")
    )
    page.on("request", lambda request: on_request(request.url))
    page.goto(url)
    try:
        page.wait_for_selector(f"body[{ready}]")
    except TimeoutError:
        shown = " ".join(page.inner_text("body").split())
        pytest.fail(f"the page is not ready ({ready}); its console says {said}; it shows {shown[:500]!r}")
    return page


def shots_of(name: str) -> Path:
    """The folder of a test's screenshots, which people look at: runs/NAME."""
    folder = Path(__file__).parents[2] / "runs" / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder
