# SPDX-License-Identifier: MIT
"""Replications whose parts are the processes of an MPI job, on this machine or several.

The head starts ``mpirun`` and tells the first rank what to do by its standard input; ranks tell each other. The first
rank answers by its standard output, one line for each replication.
"""

from __future__ import annotations

import base64
import contextlib
import os
import pickle
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hybridnet.describe.options.tables import extension
from hybridnet.errors import EnvironmentLackError, MachineError, UsageError
from hybridnet.simulate.offline.engine import Parts
from hybridnet.simulate.offline.replication import Job, Replication, replicate
from hybridnet.system.priority import Priority, raise_session, raise_thread
from hybridnet.system.python_command import python_code

__all__ = ["Hosts", "replications_over_mpi"]

_ANSWER = b"hybridnet:"
_MAIN = "from hybridnet.simulate.offline.ranks import main; main()"


@dataclass(frozen=True)
class Hosts:
    """Where the processes of an MPI job run, and how they are reached.

    Args:
        names: of the machines, in turns; none: this computer.
        shell: the words before a machine's name and a command that run the command there, as ssh does; none: ssh.
        network: the IPv4 network by which they reach each other and this computer, such as ``"198.18.0.0/24"``; None:
            MPI chooses among all that they have.
    """

    names: tuple[str, ...] = ()
    shell: tuple[str, ...] = ()
    network: str | None = None


def replications_over_mpi(job: Job, seeds: Sequence[int], hosts: Hosts) -> Iterator[Replication]:
    """Run one replication for each seed, one after the other. Yields them as they end.

    Args:
        job: with a partition; each part is a process.
        seeds: at least one.
        hosts: where the processes run. On each there is the same Python with the same hybridnet at the same path, and
            its shell leads there without a question.

    Raises:
        EnvironmentLackError: Open MPI is missing here, or the extension was built without it.
        MachineError: a process ended, or could not be started.
        What a replication raises.
    """
    assert job.partition is not None
    if shutil.which("mpirun") is None:
        raise EnvironmentLackError(
            "simulate over MPI: there is no mpirun; install it: apt-get install openmpi-bin"
        )
    module()
    with tempfile.TemporaryDirectory(prefix="hybridnet-mpi-") as scratch:
        command = _mpirun(job.partition.parts, hosts)
        # As a variable, which only the head has: daemons elsewhere look whether what the command line says is there.
        shell = (
            {"OMPI_MCA_plm_rsh_agent": str(_write_shell(Path(scratch), hosts.shell))} if hosts.shell else {}
        )
        yield from _replications(command, shell, job, seeds)


def _replications(
    command: list[str], environment: Mapping[str, str], job: Job, seeds: Sequence[int]
) -> Iterator[Replication]:
    process = subprocess.Popen(
        [*command, *python_code(_MAIN)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={
            **os.environ,
            **environment,
            "OMPI_ALLOW_RUN_AS_ROOT": "1",  # it warns of root, and is told twice
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        },
        start_new_session=True,  # a ^C is the head's, which ends them
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    said: list[bytes] = []
    listener = threading.Thread(target=lambda: said.extend(process.stderr or ()), daemon=True)
    listener.start()
    unanswered = len(seeds)
    try:
        process.stdin.write(base64.b64encode(pickle.dumps((job, list(seeds)))) + b"\n")
        process.stdin.flush()
        while unanswered > 0:
            answer = _answer(process, listener, said)
            unanswered -= 1
            yield answer
    except BrokenPipeError:
        raise _ended(process, listener, said) from None
    finally:
        if unanswered > 0:
            process.terminate()  # it ends its processes
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def _mpirun(parts: int, hosts: Hosts) -> list[str]:
    command = ["mpirun", "-np", str(parts), "--oversubscribe"]
    names = hosts.names
    if not names:
        return [*command, "--mca", "plm", "isolated"]  # nothing is started elsewhere, so no ssh is needed
    slots = [parts // len(names) + (place < parts % len(names)) for place in range(len(names))]
    given = ",".join(f"{name}:{count}" for name, count in zip(names, slots, strict=True) if count)
    command += ["--host", given]
    if hosts.shell:
        # Machines may be on one computer, of whose processors each of them would take the first.
        command += ["--bind-to", "none", "--leave-session-attached"]
        command += ["--mca", "plm_rsh_pass_environ_mca_params", "0"]
    if hosts.network is not None:
        command += ["--mca", "btl", "tcp,self", "--mca", "pml", "ob1"]
        for way in ("oob", "btl"):
            command += ["--mca", f"{way}_tcp_if_include", hosts.network]
    return command


def _write_shell(scratch: Path, words: Sequence[str]) -> Path:
    """A program that takes a machine and a command line, as ssh does."""
    file = scratch / "shell"
    program = f'#!/bin/sh\nmachine=$1\nshift\nexec {shlex.join(words)} "$machine" sh -c "$*"\n'
    file.write_text(program, encoding="utf-8")
    file.chmod(0o700)
    return file


def _answer(process: subprocess.Popen[bytes], listener: threading.Thread, said: list[bytes]) -> Replication:
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(_ANSWER):
            answer = pickle.loads(base64.b64decode(line.removeprefix(_ANSWER)))
            if isinstance(answer, BaseException):
                raise answer
            assert isinstance(answer, Replication)
            return answer
    raise _ended(process, listener, said)


def _ended(process: subprocess.Popen[bytes], listener: threading.Thread, said: list[bytes]) -> MachineError:
    status = process.wait()
    listener.join()
    text = b"".join(said).decode(errors="replace").strip()
    return MachineError(
        f"simulate over MPI: mpirun ended with status {status}: {text[-2000:] or 'it said nothing'}"
    )


def module() -> Path:
    """The extension's module for MPI. Raises EnvironmentLackError: it was built without."""
    path = Path(extension().__file__).with_name("_simcore_mpi.so")
    if not path.exists():
        raise EnvironmentLackError(
            "simulate over MPI: the simulator was built without MPI; install it and build again: "
            "apt-get install libopenmpi-dev && make install"
        )
    return path


def check_hosts(hosts: Any) -> Hosts:
    """Hosts as they are given. Raises UsageError: what is given is no list of names."""
    if isinstance(hosts, Hosts):
        return hosts
    given = [hosts] if isinstance(hosts, str) else hosts
    if not isinstance(given, Sequence):
        raise UsageError(f"simulate: hosts {given!r}: write the names of machines, such as ['m1', 'm2']")
    for host in given:
        if (
            not isinstance(host, str)
            or not host[:1].isalnum()
            or not all(each.isalnum() or each in "-._@" for each in host)
        ):
            raise UsageError(f"simulate: hosts {given!r}: write the names of machines, such as ['m1', 'm2']")
    return Hosts(tuple(given))


def main() -> None:
    """What each rank does."""
    ranks = extension().Ranks(str(module()))
    try:
        told = sys.stdin.buffer.readline() if ranks.rank == 0 else b""
        job, seeds = pickle.loads(base64.b64decode(ranks.gather(told)[0]))
        for seed in seeds:
            result = _replicate(ranks, job, seed)
            if ranks.rank == 0:
                _say(result)
    except Exception as error:  # the head raises it
        _say(error)
        os._exit(1)  # and mpirun ends the others, who may wait


def _replicate(ranks: Any, job: Job, seed: int) -> Replication:
    def gather(own: Any) -> list[Any]:
        return [pickle.loads(each) for each in ranks.gather(pickle.dumps(own))]

    assert job.partition is not None
    if ranks.size != job.partition.parts:
        raise MachineError(
            f"simulate over MPI: there are {ranks.size} processes for {job.partition.parts} parts"
        )
    simulation = extension().ParallelSimulation(seed, job.partition.parts, ranks)
    parts = Parts(
        job.plan_of(seed),
        seed,
        job.partition,
        hashed=job.hashed,
        simulation=simulation,
        here=[ranks.rank],
        gather=gather,
    )
    if job.in_real_time:
        raise_thread(Priority.INSTANCE)
        raise_session(os.getpid(), Priority.INSTANCE)
    gather(None)  # all have been built
    begun = time.process_time()
    result = replicate(parts, job, seed)
    return replace(result, processor_s=sum(gather(time.process_time() - begun)))


def _say(what: Any) -> None:
    sys.stdout.buffer.write(_ANSWER + base64.b64encode(pickle.dumps(what)) + b"\n")
    sys.stdout.buffer.flush()
