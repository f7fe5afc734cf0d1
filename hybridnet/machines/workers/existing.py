# SPDX-License-Identifier: MIT
"""Machines found in a Dask cluster that exists already: each of its workers starts the machine's init next to itself.

The workers provide the place and the connection. The agent is a second worker of the same scheduler, on the same host
and
with the same certificates, started and kept by the first: when that ends, so does the agent. The scheduler outlives
the head here, so the agent also listens for the head.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from distributed import Worker

from hybridnet.errors import EnvironmentLackError, MachineError
from hybridnet.machines.workers.lines import FirstLine, SecondLine, Whereabouts
from hybridnet.system.cleaning import clean_machine
from hybridnet.system.journal import MACHINE_VARIABLE, RUN_VARIABLE
from hybridnet.system.python_command import python_module

_LAUNCHED = "_hybridnet_launched"


def launch_beside(first: FirstLine, dask_worker: Worker) -> str:
    """Run on an existing worker: start the init of the machine that this worker's computer is. Returns its address."""
    import os

    if os.geteuid() != 0:
        raise EnvironmentLackError(
            f"machine {first['machine']}: its Dask worker does not run as root; start it with sudo"
        )
    config = dask_worker.security.get_tls_config_for_role("worker")
    agent: Whereabouts = {
        "scheduler": dask_worker.scheduler.addr,
        "address": dask_worker.ip,
        "security": {"authority": config["ca_file"], "certificate": config["cert"], "key": config["key"]},
    }
    process = subprocess.Popen(
        python_module("hybridnet.machines.workers.init"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, RUN_VARIABLE: first["run"], MACHINE_VARIABLE: first["machine"]},
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    second: SecondLine = {"network": None, "agent": agent}
    process.stdin.write(json.dumps(first).encode() + b"\n" + json.dumps(second).encode() + b"\n")
    process.stdin.flush()
    if not process.stdout.readline():
        raise MachineError(f"machine {first['machine']}: its init ended with status {process.wait()}")
    launched = getattr(dask_worker, _LAUNCHED, {})
    launched[first["run"]] = process
    setattr(dask_worker, _LAUNCHED, launched)
    return agent["address"]


def end_beside(run: str, timeout: float, dask_worker: Worker) -> int | None:
    """Run on an existing worker: let the machine of `run` end, and wait for it."""
    process = getattr(dask_worker, _LAUNCHED, {}).pop(run, None)
    if process is None:
        return None
    process.stdin.close()
    process.stdout.close()
    try:
        return int(process.wait(timeout))
    except subprocess.TimeoutExpired:
        process.kill()
        return int(process.wait())


def clean_beside(state: str, run: str, machine: str, dask_worker: Worker) -> None:
    """Run on an existing worker: end what is left of a machine of `run` on its computer, and remove what it leaves.

    Raises:
        HybridnetError: as `clean_machine`.
    """
    end_beside(run, 40.0, dask_worker)
    clean_machine(Path(state) / run / machine)
