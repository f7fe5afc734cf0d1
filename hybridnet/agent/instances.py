# SPDX-License-Identifier: MIT
"""The instances of one machine: started together, asked by name, ended together."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from hybridnet.agent.fragments import addition, removal
from hybridnet.agent.instance_process import InstanceProcess
from hybridnet.errors import MachineError
from hybridnet.system.ending import Endings, undone_on_error
from hybridnet.system.journal import Journal

__all__ = ["Instances"]

Json = dict[str, Any]


class Instances:
    """The instances of one machine.

    Args:
        sockets: a short path for their control sockets.
        on_progress: told what has been started.
    """

    def __init__(self, journal: Journal, sockets: Path, on_progress: Callable[[str], object]) -> None:
        self._journal, self._sockets, self._on_progress = journal, sockets, on_progress
        self._directory = journal.directory / "instances"
        self._numbers = itertools.count(1)
        self._running: dict[str, InstanceProcess] = {}
        self._final: dict[str, Json | None] = {}

    def simulate(self, parts: Iterable[Mapping[str, Any]]) -> None:
        """Have the instances simulate these parts of theirs; start those that a part is the whole plan of.

        Raises:
            MachineError: one refused its part, or could not be started. Nothing has changed, except routes.
        """
        parts = list(parts)
        done = Endings()
        with undone_on_error(done.close):
            self._start([dict(part) for part in parts if "format" in part])
            for part in parts:
                if "format" not in part:
                    self.ask(part["name"], "change", **addition(part))
                done.add(partial(self.unsimulate, [part]))

    def unsimulate(self, parts: Iterable[Mapping[str, Any]]) -> None:
        """Remove these parts; end the instances that a part is the whole plan of. Raises MachineError: one refused, and
        nothing has changed.
        """
        done = Endings()
        with undone_on_error(done.close):
            for part in parts:
                if "format" in part:
                    self._end(part["name"])
                elif part["name"] in self._running:
                    self.ask(part["name"], "change", **removal(part))
                    done.add(partial(self.simulate, [part]))

    @property
    def names(self) -> list[str]:
        """Of those that were started and not ended."""
        return list(self._running)

    def ask(self, name: str, verb: str, **arguments: Any) -> Json:
        """What an instance answers.

        Raises:
            MachineError: there is no such instance, or what it says.
        """
        if name not in self._running:
            known = ", ".join(self._running) or "none: nothing is simulated on this machine"
            raise MachineError(f"{verb}: there is no instance {name!r} here; the instances are {known}")
        return self._running[name].ask(verb, **arguments)

    def ask_all(self, verb: str, **arguments: Any) -> dict[str, Json]:
        """What all of them answer, by name."""
        return {name: instance.ask(verb, **arguments) for name, instance in list(self._running.items())}

    def check(self) -> None:
        """Raise MachineError when the process of one has ended."""
        for instance in list(self._running.values()):
            instance.check()

    def close(self) -> None:
        """End all. A second call ends what the first could not."""
        Endings(
            lambda: shutil.rmtree(self._directory, ignore_errors=True),
            *(partial(self._end, name) for name in list(self._running)),
        ).close()

    def final(self) -> dict[str, Json | None]:
        """The counters with which they ended, since the last call; None for one that could not say."""
        final, self._final = self._final, {}
        return final

    def _start(self, plans: list[Json]) -> None:
        """All begin before the first is waited for."""
        begun = Endings()
        with undone_on_error(begun.close):
            for plan in plans:
                self._sockets.mkdir(mode=0o700, exist_ok=True)
                name = plan["name"]
                socket = self._sockets / f"instance-{next(self._numbers)}.sock"
                self._running[name] = InstanceProcess(plan, self._journal, self._directory / name, socket)
                begun.add(partial(self._forget, name))
            for plan in plans:
                self._running[plan["name"]].await_ready()
        for plan in plans:
            self._on_progress("instance" if len(plans) == 1 else f"instance {plan['name']}")

    def _forget(self, name: str) -> None:
        self._running.pop(name).kill()

    def _end(self, name: str) -> None:
        if name in self._running:
            self._final[name] = self._running[name].stop()
            del self._running[name]
