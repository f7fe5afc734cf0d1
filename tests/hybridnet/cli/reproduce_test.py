# SPDX-License-Identifier: MIT
"""The list of experiments."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from hybridnet.cli.experiments import declared, experiment_names
from hybridnet.cli.main import main


@pytest.mark.parametrize("name", experiment_names())
def test_what_is_read_is_what_the_experiment_declares(name: str) -> None:
    module = importlib.import_module(f"hybridnet.experiments.{name.replace('-', '_')}.experiment")
    said = declared(name)
    assert said.summary == module.SUMMARY
    assert said.takes_s == module.TAKES_S > 0
    assert said.virtual == module.VIRTUAL_TIME
    assert said.virtual_takes_s == getattr(module, "VIRTUAL_TAKES_S", module.TAKES_S)


@pytest.mark.parametrize("name", experiment_names())
def test_an_experiment_runs_on_any_machines_or_says_why_it_has_none(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    module = importlib.import_module(f"hybridnet.experiments.{name.replace('-', '_')}.experiment")
    assert hasattr(module, "MACHINES") != hasattr(module, "WITHOUT_MACHINES")
    for words in (["--ssh", "me@a/nowhere"], ["--dask", "nowhere"], ["--machines", ""], ["--grace", "1s"]):
        assert main(["reproduce", name, *words]) == 2
        said = capsys.readouterr().err
        if hasattr(module, "WITHOUT_MACHINES"):
            assert f"reproduce {name}: {words[0]} says where machines are" in said
            assert module.WITHOUT_MACHINES in said
        else:
            assert words[0] in said
            assert "unrecognized" not in said


def test_the_list_imports_no_experiment() -> None:
    program = (
        "import sys\nfrom hybridnet.cli.main import main\nmain(['reproduce'])\n"
        "assert not [name for name in sys.modules if name.endswith('.experiment') and '.experiments.' in name]\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "hybridnet compared with MaxiNet's way" in done.stdout
