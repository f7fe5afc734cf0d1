# SPDX-License-Identifier: MIT
"""Standard streams that are closed are occupied, so no other file takes their place."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import os
from hybridnet.system.standard_streams import occupy_closed_streams
occupy_closed_streams()
opened = os.open("/proc/self/stat", os.O_RDONLY)
os._exit(opened)
"""


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"])
def test_no_file_takes_the_place_of_a_closed_stream(closed: str) -> None:
    ended = subprocess.run(
        ["bash", "-c", f'exec "$0" -c "$1" {closed}', sys.executable, PROGRAM], check=False
    )
    assert ended.returncode > 2


def test_streams_that_are_open_stay() -> None:
    program = "from hybridnet.system.standard_streams import *; occupy_closed_streams(); print('said')"
    assert (
        subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout == b"said\n"
    )
