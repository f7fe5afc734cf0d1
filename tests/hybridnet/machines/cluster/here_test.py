# SPDX-License-Identifier: MIT
"""What the machine on this computer refuses, and its threads; tests/system/here_test.py has the rest."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hybridnet.errors import EnvironmentLackError
from hybridnet.machines.cluster.here import Here, _Threads


def test_it_needs_root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(EnvironmentLackError, match="sudo"):
        Here()
    assert not (tmp_path / "state").exists()


def test_a_network_on_this_computer_imports_neither_dask_nor_networkx() -> None:
    heavy = {"dask", "distributed", "networkx", "numpy", "matplotlib", "pyarrow", "ssl", "importlib.metadata"}
    program = (
        "import sys, hybridnet.compat.mininet.net, hybridnet.compat.mininet.cli; "
        f"print(*({heavy!r} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_calls_run_side_by_side_and_their_threads_are_used_again() -> None:
    threads = _Threads(4)
    both = threading.Barrier(2, timeout=10)
    waiting = threading.Thread(target=threads.call, args=(both.wait,))
    waiting.start()
    threads.call(both.wait)  # returns only if the other runs, too
    waiting.join()
    used = {threads.call(threading.get_ident) for _ in range(20)}
    assert len(used) <= 2


def test_what_a_call_raises_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        _Threads(4).call(lambda: 1 // 0)
