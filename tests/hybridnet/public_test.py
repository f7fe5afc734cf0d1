# SPDX-License-Identifier: MIT
"""The package's public face: what is listed exists, and describing a network loads nothing heavy."""

from __future__ import annotations

import subprocess
import sys

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


def test_mininets_name_is_another_for_net() -> None:
    assert hybridnet.Mininet is hybridnet.Net
    assert hybridnet.TCLink is hybridnet.Link
