# SPDX-License-Identifier: MIT
from __future__ import annotations

import resource
import subprocess
import sys

import pytest

from hybridnet.system.process_limits import ADDRESS_SPACE_MIB

TEXT = """
import resource
from hybridnet.errors import EnvironmentLackError
from hybridnet.system.process_limits import require_address_space
resource.setrlimit(resource.RLIMIT_AS, ({limit}, resource.RLIM_INFINITY))
try:
    require_address_space()
except EnvironmentLackError as error:
    print(error)
"""


def said(limit: int) -> str:
    return subprocess.run(
        [sys.executable, "-c", TEXT.format(limit=limit)], capture_output=True, text=True, check=True
    ).stdout


def test_a_process_that_may_map_too_little_memory_is_refused_with_the_cure() -> None:
    limit = ADDRESS_SPACE_MIB * 2**20
    assert f"ulimit -v {limit // 1024 - 1}" in said(limit - 1024)
    assert said(limit - 1024).endswith("run: ulimit -v unlimited\n")


@pytest.mark.parametrize("limit", [ADDRESS_SPACE_MIB * 2**20, resource.RLIM_INFINITY])
def test_enough_is_enough(limit: int) -> None:
    assert said(limit) == ""
