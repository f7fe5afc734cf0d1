# SPDX-License-Identifier: MIT
"""A program's output on its way into a file, with calls that answer as agents do."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from hybridnet.errors import MachineError
from hybridnet.run.node.popen import Popen


def test_output_that_goes_into_a_file_ends_without_a_word_when_the_network_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after ^C: the thread that copies has nobody to raise an error to; `wait` has."""
    raised: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", raised.append)
    pieces = [b"said before "]

    def call(verb: str, **arguments: Any) -> Any:
        if verb == "start_process":
            return {"number": 1, "pid": 2}
        if verb == "read_process" and pieces:
            return pieces.pop()
        raise MachineError("node h1 is not there")

    with (tmp_path / "out").open("wb") as file:
        program = Popen(call, "h1", ["echo"], stdout=file)
    for copy in program._copies:
        copy.join(10)
    assert (tmp_path / "out").read_bytes() == b"said before "
    assert raised == []
    with pytest.raises(MachineError, match="h1 is not there"):
        program.wait()
