# SPDX-License-Identifier: MIT
from __future__ import annotations

import os
import resource
import subprocess

import pytest

from hybridnet.agent.programs import launch
from hybridnet.errors import MachineError

LEADS_ITS_SESSION = [
    "sh",
    "-c",
    'test "$(cut -d" " -f6 /proc/$$/stat)" = $$ && cut -d" " -f18,19,40,41 /proc/$$/stat',
]


def test_a_program_leads_a_session_of_its_own_at_the_ordinary_priority() -> None:
    done = launch.run(LEADS_ITS_SESSION, [], os.environ)
    assert (done.returncode, done.stdout) == (0, b"20 0 0 0\n")


def test_input_output_and_status_pass() -> None:
    done = launch.run(["sh", "-c", "cat; echo words >&2; exit 3"], [], os.environ, input=b"\0data")
    assert (done.returncode, done.stdout, done.stderr) == (3, b"\0data", b"words\n")


def test_a_program_out_of_time_is_killed_with_what_it_started() -> None:
    reading, writing = os.pipe()
    with pytest.raises(MachineError, match=r"did not end within 0\.2 s and was killed"):
        launch.run(
            ["sh", "-c", f"sleep 100 >/proc/{os.getpid()}/fd/{writing}; echo"], [], os.environ, timeout=0.2
        )
    os.close(writing)
    assert os.read(reading, 1) == b""  # nobody has it open any more
    os.close(reading)


def test_a_program_that_prints_without_end_is_killed_at_a_bound_of_memory() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    with pytest.raises(
        MachineError, match="printed more than 64 MB and was killed; send its output to a file"
    ):
        launch.run(["yes"], [], os.environ, timeout=60)
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10) - before < 3 * launch.OUTPUT_LIMIT


def test_input_that_nobody_reads_and_streams_that_are_closed_early_are_no_fault() -> None:
    assert launch.run(["true"], [], os.environ, input=b"x" * 1_000_000).returncode == 0
    done = launch.run(["sh", "-c", "exec >&- 2>&-; sleep 0.2; exit 5"], [], os.environ, timeout=20)
    assert (done.returncode, done.stdout, done.stderr) == (5, b"", b"")
    with pytest.raises(MachineError, match=r"did not end within 0\.3 s"):
        launch.run(["sh", "-c", "exec >&- 2>&-; sleep 100"], [], os.environ, timeout=0.3)


def test_large_input_and_output_pass_side_by_side() -> None:
    done = launch.run(["cat"], [], os.environ, input=b"0123456789" * 500_000, timeout=60)
    assert done.stdout == b"0123456789" * 500_000


def test_a_program_that_is_not_there_is_named_by_us_or_by_the_host() -> None:
    with pytest.raises(MachineError, match="the command no-such-program is not there"):
        launch.start(["no-such-program"], [], os.environ)
    with launch.start(["no-such-program"], ["env"], os.environ, stderr=subprocess.STDOUT) as started:
        assert started.stdout is not None
        assert b"no-such-program" in started.stdout.read()
    assert started.returncode == 127
