# SPDX-License-Identifier: MIT
from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from hybridnet.experiments.maxinet.flow_runner import QUIET_STEAL, is_quiet, ran_ns

OF_A_SECOND = 200
"""Ticks of two processors."""


def readings(*stolen_in_second: int) -> list[tuple[float, list[int]]]:
    """One at each second's end, with so many ticks stolen in each."""
    return [
        (
            float(second),
            [0, second * OF_A_SECOND - sum(stolen_in_second[:second]), sum(stolen_in_second[:second])],
        )
        for second in range(len(stolen_in_second) + 1)
    ]


@pytest.mark.parametrize(
    ("stolen", "quiet"),
    [
        ((0, 0, 0), True),
        ((), False),
        ((0, 0), False),  # two seconds do not say what three are like
        ((0, 25, 0), False),
        ((25, 0, 0, 0), True),  # it was stolen before
        ((2, 2, 2), True),
        ((2, 2, 3), False),
    ],
)
def test_a_computer_is_quiet_when_three_seconds_had_hardly_anything_stolen(
    stolen: tuple[int, ...], quiet: bool
) -> None:
    assert QUIET_STEAL * 3 * OF_A_SECOND == 6
    assert is_quiet(readings(*stolen), quiet_s=3.0) is quiet


WORKS_NS = 50_000_000
A_TICK_NS = 10_000_000  # at most so much is not counted yet of a process that runs


def test_what_processes_have_run_is_known_with_their_ended_threads_and_after_their_end() -> None:
    works = f"""import threading, time
def work():
    while time.thread_time_ns() < {WORKS_NS}: pass
thread = threading.Thread(target=work)
thread.start()
thread.join()
print(time.process_time_ns())"""
    with subprocess.Popen([sys.executable, "-c", works], stdout=subprocess.PIPE) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert process.stdout is not None
        said_ns = int(process.stdout.read())
        assert WORKS_NS <= said_ns <= ran_ns([process.pid])
    with pytest.raises(OSError, match="Invalid argument"):
        ran_ns([process.pid])  # nobody knows any more


def test_what_several_processes_have_run_is_added() -> None:
    before_ns = time.process_time_ns()
    both_ns = ran_ns([os.getpid(), os.getpid()])
    assert 2 * before_ns - A_TICK_NS <= both_ns <= 2 * time.process_time_ns()
