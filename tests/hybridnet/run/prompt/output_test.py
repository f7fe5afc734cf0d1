# SPDX-License-Identifier: MIT
"""Pipes that break: nobody reads the command's own output any more, or another one broke, which is a failure."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hybridnet.cli import version
from hybridnet.cli.main import main
from hybridnet.run.prompt.output import OUTPUT_CLOSED, unread_outputs

BREAKS = """
import os
reading, writing = os.pipe()
os.close(reading)
os.write(writing, b"x")
"""
ENDED_BY_SIGPIPE = 141  # 128 + 13, as a shell counts


@contextlib.contextmanager
def unread_pipe() -> Iterator[int]:
    """The end of a pipe that is written, and that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    yield writing
    os.close(writing)


def run(*words: str, **streams: Any) -> subprocess.CompletedProcess[str]:
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    argv = [sys.executable, "-m", "hybridnet.cli", *words]
    return subprocess.run(argv, text=True, check=False, timeout=60, env=buffered, **streams)


def test_a_command_whose_output_nobody_reads_ends_in_silence_as_sigpipe_would_end_it() -> None:
    with unread_pipe() as writing:
        done = run("version", "--json", stdout=writing)
    assert (done.returncode, done.stderr) == (ENDED_BY_SIGPIPE, "")
    assert OUTPUT_CLOSED == ENDED_BY_SIGPIPE


def test_the_same_holds_of_standard_error(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys\nprint('x', file=sys.stderr)\n")
    with unread_pipe() as writing:
        done = run("run", str(script), stderr=writing)
    assert (done.returncode, done.stdout) == (ENDED_BY_SIGPIPE, "")


def test_a_refusal_keeps_its_code_though_nobody_reads_it() -> None:
    with unread_pipe() as writing:
        assert run("plan", "--topo", "treee", stderr=writing).returncode == 2
        assert run("plan", "--topo", "treee", stdout=writing).returncode == 2


def test_a_scripts_own_code_stands_though_nobody_reads_what_it_printed(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("print('x')\nraise SystemExit(5)\n")
    with unread_pipe() as writing:
        assert run("run", str(script), stdout=writing).returncode == 5


def test_another_pipe_that_breaks_in_a_script_is_its_failure(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(BREAKS)
    done = run("run", str(script))
    assert done.returncode == 1
    assert "script.py:5: BrokenPipeError" in done.stderr


def test_another_pipe_that_breaks_in_a_command_is_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(arguments: Any) -> int:
        with unread_pipe() as writing:
            os.write(writing, b"x")
        return 0

    monkeypatch.setattr(version, "run", breaks)
    with pytest.raises(BrokenPipeError):
        main(["version"])


def test_outputs_that_are_read_or_are_files_are_not_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as pipe, (tmp_path / "file").open("w") as file:
        monkeypatch.setattr(sys, "stdout", pipe)
        monkeypatch.setattr(sys, "stderr", file)
        assert unread_outputs() == []
        os.close(reading)
        assert unread_outputs() == [pipe]
