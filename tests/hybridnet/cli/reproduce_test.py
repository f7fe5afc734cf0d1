# SPDX-License-Identifier: MIT
"""The list of experiments."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from hybridnet.cli.reproduce import experiment_names, summary_of


@pytest.mark.parametrize("name", experiment_names())
def test_a_summary_that_is_read_is_the_one_that_the_experiment_has(name: str) -> None:
    module = importlib.import_module(f"hybridnet.experiments.{name.replace('-', '_')}.experiment")
    assert summary_of(name) == module.SUMMARY


def test_the_list_imports_no_experiment() -> None:
    program = (
        "import sys\nfrom hybridnet.cli.main import main\nmain(['reproduce'])\n"
        "assert not [name for name in sys.modules if name.endswith('.experiment')]\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "hybridnet beside MaxiNet's way" in done.stdout
