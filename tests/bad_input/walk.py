# SPDX-License-Identifier: MIT
"""One call with a wrong value: it may work, or raise an error of hybridnet's, soon, and it leaves nothing behind."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis.strategies import SearchStrategy

from hybridnet.errors import HybridnetError
from tests.bad_input.values import WRONG

LIMIT_S = 2.0
EXAMPLES = int(os.environ.get("HYBRIDNET_WALK_EXAMPLES", "10"))  # `make nightly` asks for 100
WALK = settings(
    max_examples=EXAMPLES,
    deadline=None,  # the walk has its own, of each call
    phases=(Phase.generate,),  # what is drawn is small already, and shrinking repeats what took long
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@dataclass(frozen=True)
class Subject:
    """Something public that can be called.

    Args:
        name: as a reader finds it.
        call: calls it with keywords; makes afresh what the call would spoil.
        good: arguments with which it works, or fails for a reason of this computer's. Each is walked.
        drawn: what is drawn for arguments whose good values would do harm here.
        also: what it raises besides, as it is documented.
        watched: what of this process may not grow. Dask's client keeps connections, and threads to serve them.
    """

    name: str
    call: Callable[..., object]
    good: Mapping[str, Any]
    drawn: Mapping[str, SearchStrategy[Any]] | None = None
    also: tuple[type[Exception], ...] = ()
    watched: tuple[str, ...] = ("threads", "descriptors", "children")

    def values(self, argument: str) -> SearchStrategy[Any]:
        """What is drawn for an argument."""
        return (self.drawn or {}).get(argument, WRONG)


class Count:
    """Of the cases of a session: drawn, refused."""

    cases = 0
    refused = 0


def attempt(subject: Subject, argument: str, value: Any) -> None:
    """One case."""
    arguments = {**subject.good, argument: value}
    before, begun = left_behind(), own_seconds()
    Count.cases += 1
    try:
        subject.call(**arguments)
        said = "nothing is wrong"
    except subject.also as error:
        said = str(error)
    except HybridnetError as error:
        Count.refused += 1
        said = str(error)
    took = own_seconds() - begun
    assert 0 < len(said.strip()) < 2000, "an error is read by people"
    assert took < LIMIT_S, f"it took {took:.1f} s"
    after = left_behind()
    assert {kind: after[kind] for kind in subject.watched} == {kind: before[kind] for kind in subject.watched}


def left_behind() -> dict[str, Any]:
    """What this process has that a failed call might leave: threads, descriptors, children."""
    children: list[str] = []
    for thread in os.listdir("/proc/self/task"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread that has just ended
            children += Path(f"/proc/self/task/{thread}/children").read_text().split()
    return {
        "threads": threading.active_count(),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "children": sorted(children),
    }


def own_seconds() -> float:
    """A clock that stands still while this thread could run and another program has the processor."""
    waited_ns = int(Path("/proc/thread-self/schedstat").read_text().split()[1])
    return time.monotonic() - waited_ns / 1e9
