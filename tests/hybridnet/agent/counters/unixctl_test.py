# SPDX-License-Identifier: MIT
"""The control socket of Open vSwitch: an answer is whole when it is JSON, and errors say what was asked."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet.agent.counters.unixctl import ask
from hybridnet.errors import MachineError


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[tuple[Path, list[bytes], list[dict[str, object]]]]:
    """A socket where each connection is answered with the next of `answers`; and what was asked."""
    path, answers, asked = tmp_path / "ctl", [], []
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listening.bind(str(path))
    listening.listen()

    def serve() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                asked.append(json.loads(connection.recv(1 << 16)))
                for part in answers:
                    connection.sendall(part)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield path, answers, asked
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()
    thread.join()


def test_an_answer_may_come_in_parts_that_end_with_a_brace(
    daemon: tuple[Path, list[bytes], list[dict[str, object]]],
) -> None:
    path, answers, asked = daemon
    whole = json.dumps({"id": 0, "result": "port 1 {a}\n lookups: hit:1 lost:2", "error": None}).encode()
    cut = whole.index(b"}") + 1
    answers[:] = [whole[:cut], whole[cut:]]
    assert ask(path, "dpctl/show", "-s").endswith("lost:2")
    assert asked == [{"id": 0, "method": "dpctl/show", "params": ["-s"]}]


def test_a_refusal_and_a_broken_answer_are_errors_that_name_the_command(
    daemon: tuple[Path, list[bytes], list[dict[str, object]]],
) -> None:
    path, answers, _ = daemon
    answers[:] = [b'{"id": 0, "result": null, "error": "no such command\\n"}']
    with pytest.raises(MachineError, match=r"Open vSwitch: fly: no such command$"):
        ask(path, "fly")
    answers[:] = [b'{"id": 0,']
    with pytest.raises(MachineError, match="fly: it does not answer in full"):
        ask(path, "fly")
    with pytest.raises(MachineError, match="No such file"):
        ask(path.parent / "nobody", "fly")
