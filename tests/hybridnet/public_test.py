# SPDX-License-Identifier: MIT
"""The package's public face: what is listed exists, and describing a network loads nothing heavy."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import hybridnet


def test_everything_that_is_listed_can_be_had_and_nothing_else_is_offered() -> None:
    assert set(hybridnet.__all__) == {*hybridnet._HOME_OF, "__version__"}
    for name in hybridnet.__all__:
        assert getattr(hybridnet, name) is not None
    assert dir(hybridnet) == sorted(hybridnet.__all__)


def test_describing_and_planning_load_neither_dask_nor_the_simulator() -> None:
    program = (
        "import sys, hybridnet; hybridnet.Topo(); hybridnet.make_plan; "
        "print([m for m in ('dask', 'distributed', 'hybridnet._simcore') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_programs_of_ours_take_no_modules_from_the_folder_in_which_a_user_works() -> None:
    # `hybridnet.system.python_command` keeps them out: a user's queue.py would be the queue that Dask imports.
    package = Path(hybridnet.__file__).parent
    by_hand = [
        file.name
        for file in package.rglob("*.py")
        if re.search(r'"-m",\s*"hybridnet', file.read_text("utf-8"))
    ]
    assert by_hand == []
