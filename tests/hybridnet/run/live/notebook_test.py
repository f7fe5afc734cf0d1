# SPDX-License-Identifier: MIT
"""The page in a cell of a notebook: whose pages may show it, and what the cell shows."""

from __future__ import annotations

import re
import urllib.request
from collections.abc import Iterator
from html import unescape

import pytest

from hybridnet import Net
from hybridnet.errors import UsageError
from hybridnet.run.live.page_options import checked_place
from tests.hybridnet.run.live.support import net as net_of


@pytest.fixture
def net() -> Iterator[Net]:
    made, _ = net_of()
    made.start()
    yield made
    made.stop()


@pytest.mark.parametrize(
    ("written", "origin"),
    [
        ("http://localhost:8888", "http://localhost:8888"),
        ("http://127.0.0.1:8888/lab/tree/x.ipynb?token=5", "http://127.0.0.1:8888"),
        ("http://Lab7/", "http://lab7"),
        ("http://[::1]:8888", "http://[::1]:8888"),
    ],
)
def test_of_the_address_of_a_notebook_the_origin_is_taken(written: str, origin: str) -> None:
    assert checked_place("127.0.0.1", 0, (), written)[3] == origin


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (
            "localhost:8888",
            "is not the address of a notebook's server; write one such as 'http://localhost:8888'",
        ),
        ("http://", "is not the address"),
        ("http://a b:1", "is not the address"),
        ("http://*:8888", "is not the address"),
        ("http://x;script-src:1", "is not the address"),
        ("http://h:port", "is not the address"),
        ("http://[::1:8888", "is not the address"),
        ("https://hub.example/user/x", "is encrypted, and browsers show no page inside it that is not"),
    ],
)
def test_what_is_no_notebook_that_could_show_the_page_is_refused(written: str, said: str) -> None:
    with pytest.raises(UsageError, match=f"live: notebook .*{re.escape(said)}"):
        checked_place("127.0.0.1", 0, (), written)


def test_only_the_notebook_that_was_named_may_show_the_page(net: Net) -> None:
    for notebook, allowed in ((None, "'none'"), ("http://localhost:8888/lab", "http://localhost:8888")):
        with net.live(notebook=notebook) as page, urllib.request.urlopen(page.url) as answer:
            policy = dict(
                part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";")
            )
            assert policy["frame-ancestors"] == allowed


def test_a_cell_shows_the_page_under_the_name_of_its_notebook_or_a_link(net: Net) -> None:
    with net.live(notebook="http://localhost:8888") as page:
        [source] = re.findall(r'<iframe src="([^"]+)"', page._repr_html_())
        assert unescape(source) == page.url.replace("127.0.0.1", "localhost")
    with net.live() as page:
        shown = page._repr_html_()
        assert "<iframe" not in shown
        assert f'href="{page.url}"' in shown


def test_a_notebook_at_another_name_is_refused_and_nobody_listens(net: Net) -> None:
    with pytest.raises(UsageError, match=r"at another name than the page, .*localhost.*names=\['lab7'\]"):
        net.live(notebook="http://lab7:8888")
    with net.live(names=["lab7"], notebook="http://lab7:8888") as page:
        assert "http://lab7:" in page._repr_html_()
