# SPDX-License-Identifier: MIT
"""Scripts find in Mininet's modules what these import."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from hybridnet.compat.mininet.loading.importing import path_of_mininet
from hybridnet.compat.mininet.loading.reexported import REEXPORTED


def run_script(text: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(path_of_mininet())}
    done = subprocess.run(
        [sys.executable, "-c", text], env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout or done.stderr


def test_an_import_of_everything_brings_what_the_module_imports() -> None:
    said = run_script(
        "from mininet.net import *\nfrom mininet.node import *\nimport mininet.cli, mininet.nodelib\n"
        "print(CLI is mininet.cli.CLI, NAT is mininet.nodelib.NAT, Popen.__name__, callable(sleep), TCIntf.__name__)"
    )
    assert said == "True True Popen True TCIntf\n"


@pytest.mark.parametrize("module", REEXPORTED)
def test_each_name_that_is_offered_can_be_had(module: str) -> None:
    names = sorted({name for names in REEXPORTED[module].values() for name in names.split()})
    assert run_script(f"from {module} import {', '.join(names)}\nprint('all')") == "all\n"


def test_a_name_that_no_module_has_is_an_error_as_ever() -> None:
    assert "cannot import name 'nothing'" in run_script("from mininet.net import nothing")
