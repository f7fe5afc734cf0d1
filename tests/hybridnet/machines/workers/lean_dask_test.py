# SPDX-License-Identifier: MIT
"""What an agent's process imports, and that the rest is there for whoever wants it."""

from __future__ import annotations

import subprocess
import sys


def said_by(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_an_agent_does_not_import_numpy() -> None:
    assert said_by("import sys, hybridnet.machines.workers.worker; print('numpy' in sys.modules)") == "False"


def test_arrays_travel_as_ever_once_somebody_imports_numpy() -> None:
    program = (
        "import hybridnet.machines.workers.lean_dask, numpy\n"
        "from distributed.protocol import deserialize, serialize\n"
        "print(deserialize(*serialize(numpy.arange(3)), deserializers=['dask']).sum())\n"
    )
    assert said_by(program) == "3"


def test_a_program_that_has_numpy_keeps_it() -> None:
    assert (
        said_by(
            "import numpy, sys, hybridnet.machines.workers.lean_dask; print(sys.modules['numpy'] is numpy)"
        )
        == "True"
    )


def test_numpy_stays_importable_where_another_thread_may_want_it() -> None:
    program = (
        "import sys, threading\n"
        "ending = threading.Event()\n"
        "threading.Thread(target=ending.wait).start()\n"
        "import hybridnet.machines.workers.lean_dask\n"
        "print('numpy' in sys.modules)\n"
        "ending.set()\n"
    )
    assert said_by(program) == "True"
