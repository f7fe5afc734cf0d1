# SPDX-License-Identifier: MIT
"""``python -m hybridnet.machines.workers.enter RUN MACHINE COMMAND…``: runs a command in the namespaces of a machine of
this computer, as root. `hybridnet exec` does so over SSH for machines that are other computers.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import NoReturn

from hybridnet.errors import EnvironmentLackError, HybridnetError, MachineError
from hybridnet.system.journal import RUN_VARIABLE, state_directory


def enter(run: str, machine: str, command: list[str]) -> NoReturn:
    """Become `command` in the machine's namespaces.

    Raises:
        MachineError: the machine is not there.
        EnvironmentLackError: nsenter is not installed.
    """
    try:
        pid = int((state_directory() / run / machine / "init").read_text())
        environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        pid, environment = 0, []
    if f"{RUN_VARIABLE}={run}".encode() not in environment:  # another process has the number by now
        raise MachineError(f"machine {machine} of run {run} is not on this computer any more")
    nsenter = shutil.which("nsenter")
    if nsenter is None:
        raise EnvironmentLackError("the command nsenter is not there; apt-get install util-linux")
    os.execv(
        nsenter, [nsenter, f"--target={pid}", "--net", "--mount", "--pid", "--uts", "--ipc", "--", *command]
    )


if __name__ == "__main__":
    try:
        enter(sys.argv[1], sys.argv[2], sys.argv[3:])
    except HybridnetError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
