# SPDX-License-Identifier: MIT
"""DaskWorkers: points of a sweep run on a Dask cluster, whosever it is.

    head: words, files ── scheduler ──▶ worker: hybridnet simulate, in a directory of its own
    head: run directory ◀── status, what it printed, the files of the run directory

A worker needs the same hybridnet and none of the head's files. Dask runs a point again elsewhere when its worker dies.
When nobody waits for a point any more, because the sweep has ended or was killed, its program is ended.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from pathlib import Path

from distributed import Future, KilledWorker, get_worker

from hybridnet.errors import EnvironmentLackError, ExperimentError, HybridnetError, MachineError, UsageError
from hybridnet.machines.workers.dask_settings import QuietClient
from hybridnet.machines.workers.edition import edition
from hybridnet.tools.sweep.local_workers import start_program

__all__ = ["DaskWorkers"]

FILES_LIMIT = 64 << 20  # they travel with every point
AT_ONCE_LIMIT = 1024
AT_ONCE_LEAST = 64  # so that a cluster that grows with its work sees what there is
ANSWER_S = 20.0
WORKERS_S = 60.0
LOOK_S = 0.5  # between two looks at whether a point is still wanted


@dataclass(frozen=True)
class Answer:
    """What a worker gives back: the status of the program, what it printed, and, if it ended well, the files of its run
    directory.
    """

    status: int
    printed: bytes
    files: dict[str, bytes]


class DaskWorkers:
    """The workers of a Dask cluster.

    Args:
        scheduler: its address, such as ``127.0.0.1:8786`` or ``tls://10.0.0.1:8786``; certificates are those of Dask's
            configuration.
        files: what each point finds in its directory, by name.
        jobs: the most points that are handed out at a time; None: twice as many as the workers have threads.

    Raises:
        UsageError: the files are too many to send with each point.
        MachineError: the scheduler does not answer.
        EnvironmentLackError: it has no worker, and none comes.
    """

    def __init__(self, scheduler: str, files: Mapping[str, bytes], jobs: int | None = None) -> None:
        if (size := sum(map(len, files.values()))) > FILES_LIMIT:
            raise UsageError(
                f"--dask: the script and the files that the command names have {size} bytes, and at most "
                f"{FILES_LIMIT} are sent with each point; run the sweep without --dask"
            )
        self._scheduler = scheduler
        self._files = dict(files)
        self._ended = False
        self._futures: set[Future[Answer]] = set()
        try:
            self._client = QuietClient(scheduler, set_as_default=False, timeout=ANSWER_S)
        except (OSError, TimeoutError, ValueError, RuntimeError) as error:
            raise MachineError(
                f"--dask {scheduler}: the scheduler does not answer: {error}; is it running, and does it use "
                "TLS (tls://HOST:PORT)?"
            ) from None
        try:
            self._await_worker()
        except BaseException:
            self._client.close()
            raise
        threads = sum(self._client.nthreads().values())
        self.at_once = min(jobs or max(2 * threads, AT_ONCE_LEAST), AT_ONCE_LIMIT)

    def run(self, words: Sequence[str], out: Path, log: Path) -> int:
        """Run one on a worker, to its end. See `Workers.run`."""
        if self._ended:
            return -signal.SIGTERM
        future = self._client.submit(run_there, list(words), self._files, edition(), pure=False)
        self._futures.add(future)
        try:
            answer = self._answer(future)
        finally:
            self._futures.discard(future)
        if answer is None:
            return -signal.SIGTERM
        log.write_bytes(answer.printed)
        for name, content in answer.files.items():
            _write(out, name, content)
        return answer.status

    def __enter__(self) -> DaskWorkers:
        return self

    def __exit__(self, *_: object) -> None:
        self._ended = True
        with contextlib.suppress(Exception):  # the scheduler may be gone
            self._client.cancel(list(self._futures))
        self._client.close()

    def _await_worker(self) -> None:
        asked = self._client.submit(
            edition, pure=False
        )  # a cluster that grows with its work gets its first worker
        try:
            self._client.wait_for_workers(1, timeout=WORKERS_S)
        except TimeoutError:
            raise EnvironmentLackError(
                f"--dask {self._scheduler}: the scheduler has no workers; start some: dask worker {self._scheduler}"
            ) from None
        finally:
            asked.release()

    def _answer(self, future: Future[Answer]) -> Answer | None:
        """None: the sweep has ended."""
        try:
            answer: Answer = future.result()
        except CancelledError:
            if self._ended:
                return None
            raise MachineError(
                f"--dask {self._scheduler}: the scheduler is lost, or has given up a point"
            ) from None
        except KilledWorker as error:
            raise ExperimentError(
                f"--dask {self._scheduler}: a point was given up: {error}; the workers' memory may be too small"
            ) from None
        except HybridnetError:
            raise
        except Exception as error:
            if "No module named 'hybridnet" in f"{error} {error.__cause__}":
                raise EnvironmentLackError(
                    f"--dask {self._scheduler}: a worker, or the scheduler, has no hybridnet; start them in an "
                    "environment that has this one"
                ) from None
            raise
        return answer


def run_there(words: Sequence[str], files: Mapping[str, bytes], wanted: str) -> Answer:
    """On a worker: run a command line of hybridnet in a directory of its own.

    Args:
        files: what it finds there.
        wanted: the head's edition.

    Raises:
        EnvironmentLackError: the worker has another hybridnet.
    """
    worker = get_worker()
    if edition() != wanted:
        raise EnvironmentLackError(
            f"worker {worker.address} has hybridnet {edition()}, and this computer {wanted}; start it in an "
            "environment that has the same"
        )
    with tempfile.TemporaryDirectory(prefix="hybridnet-point-") as scratch:
        directory = Path(scratch)
        for name, content in files.items():
            _write(directory, name, content)
        out, log = directory / "out", directory / "output.txt"
        with log.open("wb") as output:
            program = start_program(words, out, output, directory)
        status = _end_of(program, worker, worker.get_current_task())
        return Answer(status, log.read_bytes(), _read(out) if status == 0 else {})


def _end_of(program: subprocess.Popen[bytes], worker: object, key: object) -> int:
    """The status of a program when it ends; told to end when nobody waits for it any more."""
    while True:
        try:
            return program.wait(LOOK_S)
        except subprocess.TimeoutExpired:
            task = worker.state.tasks.get(key)  # type: ignore[attr-defined]
            if task is None or task.state == "cancelled":
                program.terminate()


def _read(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def _write(folder: Path, name: str, content: bytes) -> None:
    """Raises MachineError: the name leads out of the folder."""
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise MachineError(f"--dask: a worker sends a file {name!r}, which is not in the run directory")
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
