# SPDX-License-Identifier: MIT
"""A pipe that nobody reads is told to the command line, which has an exit code for it."""

from __future__ import annotations

import io

import pytest

from hybridnet.observe.results.console import PlainConsole


class Unread(io.StringIO):
    """A pipe whose reader is gone."""

    def write(self, _: str) -> int:
        raise BrokenPipeError


def test_a_closed_pipe_is_an_exception() -> None:
    with pytest.raises(BrokenPipeError):
        PlainConsole(file=Unread()).print("one")


def test_a_line_that_goes_to_a_file_may_be_longer_than_a_terminal() -> None:
    file = io.StringIO()
    PlainConsole(file=file).print("x" * 140)
    assert file.getvalue() == "x" * 140 + "\n"
