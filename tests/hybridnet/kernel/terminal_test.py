# SPDX-License-Identifier: MIT
"""What a person at a terminal sees of a command in simulated time."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

PROGRAM = """
import itertools, os, sys, time
from hybridnet.kernel import terminal
terminal.SILENT_S = 0.0
pipe, streams = terminal.terminal_of((1, 2))
if pipe is None:
    print(streams)
    raise SystemExit
clock = itertools.count(1.5)
shown = terminal.Terminal(pipe, lambda: next(clock))
shown.show()
os.write(streams[4], b"line of output\\n")
shown.forward()
os.write(streams[5], b"prompt> ")
shown.forward()
shown.show()
shown.make_way()
os.write(2, b"said\\n")
os.write(streams[5], b"end\\n")
for descriptor in set(streams.values()) - {1, 2}:
    os.close(descriptor)
shown.close()
"""


CLOSING = """for descriptor in set(streams.values()) - {1, 2}:
    os.close(descriptor)
"""


def at_a_terminal(program: str) -> str:
    parent, child = pty.openpty()
    try:
        subprocess.run([sys.executable, "-c", program], stdout=child, stderr=child, check=True, timeout=20)
        os.set_blocking(parent, False)
        return os.read(parent, 65536).decode()
    finally:
        os.close(parent)
        os.close(child)


def test_the_time_is_shown_between_lines_and_not_beside_a_prompt_and_makes_way_for_others() -> None:
    erase = "\r\x1b[2K"
    time = f"{erase}1.5 s of simulated time after 0 s"
    assert at_a_terminal(PROGRAM) == f"{time}{erase}line of output\r\nprompt> \r\nsaid\r\nend\r\n"


def test_the_end_does_not_wait_for_whoever_has_the_streams_still() -> None:
    assert CLOSING in PROGRAM
    assert at_a_terminal(PROGRAM.replace(CLOSING, "")) == at_a_terminal(PROGRAM)


def test_without_a_terminal_the_command_has_our_streams() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("{4: 1, 5: 2}\n", "")
