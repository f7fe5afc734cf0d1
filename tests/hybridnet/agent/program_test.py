# SPDX-License-Identifier: MIT
from __future__ import annotations

import os
import subprocess

import pytest

from hybridnet.agent import program
from hybridnet.errors import MachineError

LEADS_ITS_SESSION = [
    "sh",
    "-c",
    'test "$(cut -d" " -f6 /proc/$$/stat)" = $$ && cut -d" " -f18,19,40,41 /proc/$$/stat',
]


def test_a_program_leads_a_session_of_its_own_at_the_ordinary_priority() -> None:
    done = program.run(LEADS_ITS_SESSION, [], os.environ)
    assert (done.returncode, done.stdout) == (0, b"20 0 0 0\n")


def test_input_output_and_status_pass() -> None:
    done = program.run(["sh", "-c", "cat; echo words >&2; exit 3"], [], os.environ, input=b"\0data")
    assert (done.returncode, done.stdout, done.stderr) == (3, b"\0data", b"words\n")


def test_a_program_out_of_time_is_killed_with_what_it_started() -> None:
    reading, writing = os.pipe()
    with pytest.raises(MachineError, match=r"did not end within 0\.2 s and was killed"):
        program.run(
            ["sh", "-c", f"sleep 100 >/proc/{os.getpid()}/fd/{writing}; echo"], [], os.environ, timeout=0.2
        )
    os.close(writing)
    assert os.read(reading, 1) == b""  # nobody has it open any more
    os.close(reading)


def test_a_program_that_is_not_there_is_named_by_us_or_by_the_host() -> None:
    with pytest.raises(MachineError, match="the command no-such-program is not there"):
        program.start(["no-such-program"], [], os.environ)
    with program.start(["no-such-program"], ["env"], os.environ, stderr=subprocess.STDOUT) as started:
        assert started.stdout is not None
        assert b"no-such-program" in started.stdout.read()
    assert started.returncode == 127
