# SPDX-License-Identifier: MIT
"""Requests of a REST interface, and what a user reads where it does not answer as one."""

from __future__ import annotations

import base64
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hybridnet.errors import ControllerError
from hybridnet.run.controllers.rest import RYUS_OWN_PORT, USER, Rest


@contextmanager
def answering(*answers: bytes) -> Iterator[tuple[Rest, list[bytes]]]:
    """Something on this computer that gives these answers, one to each request; and the requests."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            for answer in answers:
                connection, _ = listening.accept()
                with connection, connection.makefile("rb") as asking:
                    request = b"".join(iter(asking.readline, b"\r\n"))
                    length = next(
                        (line for line in request.split(b"\r\n") if b"Content-Length" in line), b":0"
                    )
                    heard.append(request + b"\r\n" + asking.read(int(length.partition(b":")[2])))
                    connection.sendall(answer)

        serving = threading.Thread(target=serve)
        serving.start()
        yield Rest("127.0.0.1", listening.getsockname()[1]), heard
        serving.join()


def http(status: str, text: bytes = b"") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(text)}\r\nConnection: close\r\n\r\n".encode() + text


def test_an_answer_is_decoded_and_the_request_shows_the_secret() -> None:
    with answering(http("200 OK", b"[1, 2]")) as (rest, heard):
        assert rest.call("/stats/switches") == [1, 2]
    assert heard[0].startswith(b"GET /stats/switches HTTP/1.1\r\n")
    shown = base64.b64encode(f"{USER}:{rest.secret}".encode())
    assert b"Authorization: Basic " + shown in heard[0]


def test_a_body_is_sent_as_json_and_by_post_unless_told_otherwise() -> None:
    with answering(http("200 OK"), http("200 OK")) as (rest, heard):
        assert rest.call("/flow", {"dpid": 1}) is None  # an empty answer
        rest.call("/flow", {"dpid": 1}, "DELETE")
    assert [request.split()[0] for request in heard] == [b"POST", b"DELETE"]
    assert [json.loads(request.rpartition(b"\r\n")[2]) for request in heard] == [{"dpid": 1}] * 2


def test_without_a_port_it_is_ryus_own() -> None:
    assert Rest("192.0.2.1", None).url == f"http://192.0.2.1:{RYUS_OWN_PORT}"


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (http("404 Not Found", b"no such switch"), "status 404: no such switch"),
        (http("401 Unauthorized"), "status 401: Unauthorized"),
        (http("200 OK", b"<html>"), "the answer is not JSON: b'<html>'"),
        (b"", "no answer"),
        (b"\x04\x00\x00\x08\x00\x00\x00\x01", "no answer"),  # an OpenFlow port: it says HELLO
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[1,", "no answer"),
    ],
    ids=["refusal with words", "refusal", "no JSON", "nothing", "no HTTP", "half an answer"],
)
def test_what_is_no_answer_names_the_request_and_what_came(answer: bytes, told: str) -> None:
    with answering(answer) as (rest, _), pytest.raises(ControllerError) as raised:
        rest.call("/stats")
    assert str(raised.value).startswith(f"GET {rest.url}/stats: {told}")
