# SPDX-License-Identifier: MIT
"""Replications in processes of their own: each worker takes one seed after the other.

A worker is a new interpreter that gets the plan on its standard input. It does not import the user's script, so that
needs no ``if __name__ == "__main__"``.
"""

from __future__ import annotations

import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, TypeAlias

from hybridnet.errors import MachineError
from hybridnet.simulate.offline.replication import Job, Replication, run_replication
from hybridnet.system.parent import die_with_parent
from hybridnet.system.python_command import python_code

__all__ = ["replications"]


def replications(
    job: Job, seeds: list[int], at_once: int, on_reached: Callable[[int, int], object]
) -> Iterator[Replication]:
    """Run one replication for each seed, `at_once` at the same time. Yields them as they end.

    Args:
        on_reached: called now and then with a seed and the simulated time that its replication has reached.

    Raises:
        MachineError: a worker was killed.
        What the first replication that fails raises; the others end without a result.
    """
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    for seed in seeds:
        todo.put(seed)
    done: _Results = queue.SimpleQueue()
    workers = [_Worker(job) for _ in range(at_once)]
    for worker in workers:
        threading.Thread(target=worker.work, args=(todo, done), daemon=True).start()
    try:
        left = len(seeds)
        while left > 0:
            result = done.get()
            if isinstance(result, BaseException):
                raise result
            if isinstance(result, _Reached):
                on_reached(result.seed, result.now_ns)
                continue
            left -= 1
            yield result
    finally:
        for worker in workers:
            worker.end()


@dataclass(frozen=True)
class _Reached:
    seed: int
    now_ns: int


_Results: TypeAlias = "queue.SimpleQueue[Replication | _Reached | BaseException]"


class _Worker:
    def __init__(self, job: Job) -> None:
        self._process = subprocess.Popen(
            python_code("from hybridnet.simulate.offline.workers import main; main()"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # a ^C is the head's, which ends its workers
        )
        self._job = job

    def work(self, todo: queue.SimpleQueue[int], done: _Results) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            _send(self._process.stdin, self._job)
            while True:
                seed = todo.get_nowait()
                _send(self._process.stdin, seed)
                while isinstance(said := pickle.load(self._process.stdout), int):
                    done.put(_Reached(seed, said))
                done.put(said)
        except queue.Empty:
            return
        except (OSError, EOFError, pickle.UnpicklingError, ValueError):
            done.put(
                MachineError(
                    f"simulate: the process of a replication ended with status {self._process.wait()}; "
                    "is there enough memory?"
                )
            )

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


def main() -> None:
    """What a worker does until its standard input ends, or the head does. For each seed that it reads it writes
    integers, the simulated time so far, and then the replication, or why there is none.
    """
    die_with_parent()
    incoming, outgoing = sys.stdin.buffer, sys.stdout.buffer
    job = pickle.load(incoming)
    while True:
        try:
            seed = pickle.load(incoming)
        except EOFError:
            return
        try:
            result: Any = run_replication(job, seed, on_time=lambda now_ns: _send(outgoing, now_ns))
        except Exception as error:  # the head raises it
            result = error
        _send(outgoing, result)


def _send(to: BinaryIO | Any, what: Any) -> None:
    pickle.dump(what, to)
    to.flush()
