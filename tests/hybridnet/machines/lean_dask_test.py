# SPDX-License-Identifier: MIT
"""What an agent's process imports, and that the rest is there for whoever wants it."""

from __future__ import annotations

import subprocess
import sys


def said_by(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_an_agent_does_not_import_numpy() -> None:
    assert said_by("import sys, hybridnet.machines.worker; print('numpy' in sys.modules)") == "False"


def test_arrays_travel_as_ever_once_somebody_imports_numpy() -> None:
    program = (
        "import hybridnet.machines.lean_dask, numpy\n"
        "from distributed.protocol import deserialize, serialize\n"
        "print(deserialize(*serialize(numpy.arange(3)), deserializers=['dask']).sum())\n"
    )
    assert said_by(program) == "3"


def test_a_program_that_has_numpy_keeps_it() -> None:
    assert (
        said_by("import numpy, sys, hybridnet.machines.lean_dask; print(sys.modules['numpy'] is numpy)")
        == "True"
    )
