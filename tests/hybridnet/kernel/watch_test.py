# SPDX-License-Identifier: MIT
"""What is read of a kernel from outside."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hybridnet.kernel.watch import Watch, symbols

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")

SOURCE = """
#include <unistd.h>
unsigned long long time_travel_time = 12345678901ULL;
int main(void) { for (;;) pause(); }
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program with a clock in its memory, at a fixed address."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "clock.c").write_text(SOURCE)
    subprocess.run(["gcc", "-no-pie", "-o", "clock", "clock.c"], cwd=folder, check=True)
    return folder / "clock"


@contextmanager
def running(program: Path) -> Iterator[int]:
    with subprocess.Popen([program]) as process:
        try:
            yield process.pid
        finally:
            process.kill()


def test_symbols_are_where_nm_says(program: Path) -> None:
    told = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    addresses = {
        words[2]: int(words[0], 16) for words in map(str.split, told.splitlines()) if len(words) == 3
    }
    names = {"time_travel_time", "main"}
    assert symbols(program, names) == {name: addresses[name] for name in names}


def test_a_symbol_that_is_not_there_is_no_address(program: Path) -> None:
    with pytest.raises(KeyError, match="no_such_symbol"):
        symbols(program, {"no_such_symbol"})


def test_the_clock_is_read_from_the_memory_of_the_process(program: Path) -> None:
    with running(program) as pid:
        assert Watch(pid, program).time_s() == 12_345_678_901 / 1e9


def test_the_clock_of_a_kernel_that_has_ended_is_zero(program: Path) -> None:
    with running(program) as pid:
        watch = Watch(pid, program)
    assert watch.time_s() == 0.0


def test_what_waits_does_not_spin(program: Path) -> None:
    with running(program) as pid:
        assert Watch(pid, program).spins_s() == 0.0


def until_it_is_stopped(watch: Watch, wanted: bool) -> None:
    deadline = time.monotonic() + 10
    while watch.is_stopped() is not wanted:
        assert time.monotonic() < deadline


def test_what_somebody_stops_is_stopped_until_it_goes_on(program: Path) -> None:
    with running(program) as pid:
        watch = Watch(pid, program)
        assert not watch.is_stopped()
        os.kill(pid, signal.SIGSTOP)
        until_it_is_stopped(watch, True)
        os.kill(pid, signal.SIGCONT)
        until_it_is_stopped(watch, False)


def test_what_is_stopped_at_one_look_only_is_not_stopped(program: Path) -> None:
    """As a debugger does, which lets it go on at once."""
    with running(program) as pid:
        os.kill(pid, signal.SIGSTOP)
        os.waitid(os.P_PID, pid, os.WSTOPPED)
        assert not Watch(pid, program).is_stopped()
