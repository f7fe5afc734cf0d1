# SPDX-License-Identifier: MIT
"""Making the namespaces of many hosts: what goes wrong in one of the processes is heard, and none of them stays."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hybridnet.agent.hosts import host_namespaces as tested


def named(*names: str) -> list[tested.Host]:
    return [
        {"name": name, "private_dirs": [], "files": {}, "hosts_file": None, "image": None} for name in names
    ]


def fails_at(name: str, failing: Callable[[], object]) -> Callable[..., None]:
    """What makes a host, and fails so at one of them."""

    def become(host: tested.Host, others: list[str], images: object) -> None:
        if host["name"] == name:
            failing()

    return become


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def raises() -> None:
    raise ValueError("embedded null byte")


def no_network() -> None:
    raise OSError("mount tmpfs on /data: it is full")


@pytest.fixture(autouse=True)
def forked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The processes that were started, none of which may be left, not even as a zombie."""
    monkeypatch.setattr(tested, "_have_hosts_own_tables", lambda: None)
    own, pids = os.fork, []

    def fork() -> int:
        if pid := own():
            pids.append(pid)
        return pid

    monkeypatch.setattr(os, "fork", fork)
    yield pids
    assert pids
    for pid in pids:
        with pytest.raises(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


def never(children: dict[str, int]) -> None:
    pytest.fail("a host is missing")


@pytest.mark.parametrize(
    ("failing", "words"),
    [
        (no_network, "host h2: mount tmpfs on /data: it is full"),
        (raises, "host h2: embedded null byte"),
        (killed, r"1 of 3 processes that make hosts were killed; is there enough memory\?"),
    ],
)
def test_a_host_that_cannot_be_made_is_an_error_and_no_process_stays(
    monkeypatch: pytest.MonkeyPatch, failing: Callable[[], object], words: str
) -> None:
    """Whatever ends its process: nobody waits for it for ever."""
    monkeypatch.setattr(tested, "_become_host", fails_at("h2", failing))
    with pytest.raises(OSError, match=words):
        tested.create(named("h1", "h2", "h3"), [], never)


def test_the_processes_live_until_their_namespaces_are_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bound: list[str] = []
    monkeypatch.setattr(tested, "_become_host", lambda host, others, images: None)
    monkeypatch.setattr(tested, "_bind", lambda source, target: bound.append(target))
    seen: list[str] = []

    def take(children: dict[str, int]) -> None:
        seen.extend(name for name, pid in children.items() if Path(f"/proc/{pid}/ns/net").exists())

    tested.create(named("h1", "h2"), [], take)
    assert seen == ["h1", "h2"]
    assert bound == [f"{tested.NETWORK_DIRECTORY}/h1", f"{tested.NETWORK_DIRECTORY}/h2"]
