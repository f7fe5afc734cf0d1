# SPDX-License-Identifier: MIT
"""What a thread's priority is, and what its children get of it. Threads of these tests' own: a priority stays."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from hybridnet.system.priority import (
    LEAVE_REAL_TIME,
    REAL_TIME,
    Priority,
    leave_real_time,
    raise_thread,
    run_in_real_time,
    starting,
)

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="priorities above the ordinary one need root")

SCHEDULING = [
    "sh",
    "-c",
    "cut -d' ' -f18,19,40,41 /proc/$$/stat",
]  # priority, niceness, real-time priority, policy
ORDINARY = "20 0 0 0\n"


def in_a_thread(function: Callable[[], None]) -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(function).result()


def scheduling(prefix: list[str]) -> str:
    return subprocess.run([*prefix, *SCHEDULING], capture_output=True, text=True, check=True).stdout


def test_a_raised_thread_starts_ordinary_processes_and_threads() -> None:
    def raised() -> None:
        raise_thread(Priority.AGENT)
        assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == -15
        assert scheduling([]) == ORDINARY
        in_a_thread(lambda: None)
        niceness: list[int] = []
        in_a_thread(lambda: niceness.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id())))
        assert niceness == [0]

    in_a_thread(raised)


def test_a_thread_in_real_time_starts_ordinary_processes() -> None:
    def raised() -> None:
        run_in_real_time()
        assert os.sched_getscheduler(0) == os.SCHED_RR | os.SCHED_RESET_ON_FORK
        assert scheduling([]) == ORDINARY

    in_a_thread(raised)


@pytest.mark.parametrize("before", [lambda: None, run_in_real_time, lambda: raise_thread(Priority.AGENT)])
def test_what_is_started_in_real_time_leaves_it_and_who_starts_it_is_as_before(
    before: Callable[[], None],
) -> None:
    def start() -> None:
        before()
        thread = threading.get_native_id()
        was = os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, thread)
        with starting():
            fields = scheduling([]).split()
            assert (fields[1], fields[2], int(fields[3])) == ("0", str(REAL_TIME), os.SCHED_RR)
            assert scheduling(LEAVE_REAL_TIME) == ORDINARY
        assert (os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, thread)) == was

    in_a_thread(start)


def test_a_process_is_taken_out_of_real_time_and_one_that_has_ended_is_no_error() -> None:
    def start() -> None:
        with starting(), subprocess.Popen(["sleep", "100"]) as process:
            leave_real_time(process.pid)
            assert os.sched_getscheduler(process.pid) == os.SCHED_OTHER
            process.kill()
        leave_real_time(process.pid)

    in_a_thread(start)
