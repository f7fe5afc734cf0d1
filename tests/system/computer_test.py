# SPDX-License-Identifier: MIT
"""The computer on which the tests of this folder run is their process's own."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from hybridnet.system.journal import state_directory

pytestmark = pytest.mark.system


@pytest.mark.parametrize("kind", ["net", "mnt", "ipc", "uts"])
def test_a_process_that_runs_tests_shares_no_namespace_with_the_one_that_started_it(kind: str) -> None:
    of_parent = os.readlink(f"/proc/{os.getppid()}/ns/{kind}")
    assert os.readlink(f"/proc/thread-self/ns/{kind}") != of_parent
    told = subprocess.run(
        ["readlink", f"/proc/self/ns/{kind}"], capture_output=True, text=True, check=True
    ).stdout
    assert told.strip() != of_parent


def test_names_made_by_tests_are_not_seen_below() -> None:
    name = "made-by-a-test"
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        assert Path("/run/netns", name).exists()
        assert not Path(f"/proc/{os.getppid()}/root/run/netns", name).exists()
    finally:
        subprocess.run(["ip", "netns", "delete", name], check=True)
    assert str(state_directory()).startswith("/run/")  # where this process has files of its own
