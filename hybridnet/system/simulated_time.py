# SPDX-License-Identifier: MIT
"""Whether this computer is a kernel in simulated time: see `hybridnet.kernel`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

__all__ = ["KERNELS_VARIABLE", "REAL", "SIMULATED", "STAGE_VARIABLE", "TIMES", "time_is_simulated"]

REAL, SIMULATED = TIMES = ("real", "simulated")
STAGE_VARIABLE = "HYBRIDNET_STAGE"
"""The environment variable by which a run is repeated in simulated time where it was before; JSON:
{"directory": its working directory, "out": [where its run directory was, where it is to be], "files": {where a file
was: where a copy of it is}}."""

KERNELS_VARIABLE = "HYBRIDNET_KERNELS"
"""The environment variable that says which kernels are machines of this run in simulated time; JSON: {"head": the
address of the head's own, "machines": [theirs], "key": a file with the private key that their SSH servers take,
"known_hosts": one with theirs}."""


@cache
def time_is_simulated() -> bool:
    """Whether the clocks of this kernel are of simulated time; they stand still while programs compute."""
    words = Path("/proc/cmdline").read_text().split()
    return any(word.startswith("time-travel") for word in words)
