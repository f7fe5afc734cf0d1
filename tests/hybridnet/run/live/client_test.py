# SPDX-License-Identifier: MIT
"""A client refuses what is no link of a page, and says so where something else answers than a page."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from hybridnet.errors import MachineError, UsageError
from hybridnet.run.live.client import Client

PATIENCE_S = 10.0


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8080/?token=pM2…",  # copied from a document
        "http://127.0.0.1:8080/?token=a%0Ab",  # a header has one line
        "http://127.0.0.1:8080/?token=",
        "http://127.0.0.1:8080/",
        "http://127.0.0.1:port/?token=a",
        "http://127.0.0.1:65536/?token=a",
        "http://[127.0.0.1/?token=a",
        "ftp://127.0.0.1:8080/?token=a",
    ],
)
def test_what_is_no_link_of_a_page_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match=r"is not a page's; write the link that hybridnet printed"):
        Client(url)


@contextmanager
def answering(answer: bytes) -> Iterator[Client]:
    """A client of a server that gives this answer to its first request, and closes the connection."""

    def serve() -> None:
        connection, _ = server.accept()
        with connection:
            connection.recv(1 << 16)
            connection.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as pool:
        served = pool.submit(serve)
        yield Client(f"http://127.0.0.1:{server.getsockname()[1]}/?token=a", timeout=PATIENCE_S)
        served.result(PATIENCE_S)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (b"SSH-2.0-OpenSSH\r\n", r"^state: the page at http://127\.0\.0\.1:\d+/api/v1 does not answer: "),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", r"^state: the page at .* does not answer: "),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>", r"^state: what answers at .* is no page"),
    ],
    ids=["no HTTP", "cut short", "no JSON"],
)
def test_what_is_no_page_of_ours_is_an_error_that_says_so(answer: bytes, says: str) -> None:
    with answering(answer) as client, pytest.raises(MachineError, match=says):
        client.state()
