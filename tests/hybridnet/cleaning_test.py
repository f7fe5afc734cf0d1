# SPDX-License-Identifier: MIT
"""Removing is not interrupted half-way."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from hybridnet.cleaning import uninterrupted


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


def test_other_threads_may_remove_things_too() -> None:
    done: list[bool] = []

    def remove() -> None:
        with uninterrupted("the machines"):
            done.append(True)

    thread = threading.Thread(target=remove)
    thread.start()
    thread.join()
    assert done == [True]
