# SPDX-License-Identifier: MIT
"""Removing is not interrupted half-way."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from hybridnet.system.ending import uninterrupted


@pytest.fixture
def heeded_interrupt() -> Iterator[None]:
    """SIGINT as Python has it, also where the tests run in the background of a script, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeded_interrupt")
def test_an_interrupt_while_something_is_removed_is_answered_and_not_obeyed(
    capfd: pytest.CaptureFixture[str],
) -> None:
    before = signal.getsignal(signal.SIGINT)
    with uninterrupted("the network"):
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
    assert capfd.readouterr().err.startswith("removing the network; this ends by itself\n")
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_termination_meanwhile_is_obeyed_afterwards() -> None:
    heard: list[str] = []
    before = signal.signal(signal.SIGTERM, lambda *_: heard.append("obeyed"))
    try:
        with uninterrupted("the network"):
            with uninterrupted("the machines"):
                os.kill(os.getpid(), signal.SIGTERM)
                heard.append("the machines are removed")
            heard.append("the network is removed")
        assert heard == ["the machines are removed", "the network is removed", "obeyed"]
    finally:
        signal.signal(signal.SIGTERM, before)


def test_other_threads_may_remove_things_too() -> None:
    done: list[bool] = []

    def remove() -> None:
        with uninterrupted("the machines"):
            done.append(True)

    thread = threading.Thread(target=remove)
    thread.start()
    thread.join()
    assert done == [True]
