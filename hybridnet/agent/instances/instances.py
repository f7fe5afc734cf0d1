# SPDX-License-Identifier: MIT
"""The instances of one machine: started together, asked by name, missed when they end by themselves, ended together."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from hybridnet.agent.fragments import addition, removal
from hybridnet.agent.instances.instance_process import InstanceProcess
from hybridnet.agent.instances.outage_log import OutageLog
from hybridnet.describe.schema.plans import InstancePart, InstancePlan
from hybridnet.errors import MachineError
from hybridnet.observe.series.snapshot import Snapshot
from hybridnet.system.ending import Endings, undone_on_error
from hybridnet.system.journal import Journal

__all__ = ["Instances"]


class Instances:
    """The instances of one machine.

    Args:
        sockets: a short path for their control sockets.
        on_progress: told what has been started.
        outside: a descriptor of the computer's network namespace, where guests are awaited, if the machine has another.
    """

    def __init__(
        self,
        journal: Journal,
        sockets: Path,
        on_progress: Callable[[str], object],
        outside: int | None = None,
    ) -> None:
        self._journal, self._sockets, self._on_progress = journal, sockets, on_progress
        self._outside = outside
        self._directory = journal.directory / "instances"
        self._numbers = itertools.count(1)
        self._running: dict[str, InstanceProcess] = {}
        self._final: dict[str, Snapshot | None] = {}
        self.outages = OutageLog()

    def simulate(self, parts: Iterable[InstancePlan | InstancePart]) -> None:
        """Have the instances simulate these parts of theirs; start those that a part is the whole plan of.

        Raises:
            MachineError: one refused its part, or could not be started. Nothing has changed, except routes.
        """
        parts = list(parts)
        done = Endings()
        with undone_on_error(done.close):
            self._start([part for part in parts if "format" in part])
            for part in parts:
                if "format" not in part:
                    self.ask(part["name"], "change", **addition(part))
                done.add(partial(self.unsimulate, [part]))

    def unsimulate(self, parts: Iterable[InstancePlan | InstancePart]) -> None:
        """Remove these parts; end the instances that a part is the whole plan of. Raises MachineError: one refused, and
        nothing has changed.
        """
        parts = list(parts)
        done = Endings()
        with undone_on_error(done.close):
            for part in parts:
                if "format" in part:
                    self._end(part["name"])
                elif part["name"] in self._running:
                    self.ask(part["name"], "change", **removal(part))
                    done.add(partial(self.simulate, [part]))
        self._forget_memory(parts)

    @property
    def names(self) -> list[str]:
        """Of those that run."""
        return [name for name, instance in list(self._running.items()) if not instance.ended]

    @property
    def pids(self) -> list[int]:
        """The processes of those that run."""
        return [instance.pid for instance in list(self._running.values()) if not instance.ended]

    @property
    def processes(self) -> dict[str, int]:
        """The processes of those that run, by name."""
        return {name: instance.pid for name, instance in list(self._running.items()) if not instance.ended}

    def ask(self, name: str, verb: str, **arguments: object) -> Any:
        """What an instance answers.

        Raises:
            MachineError: there is no such instance, or what it says.
        """
        if name not in self._running:
            known = ", ".join(self._running) or "none: nothing is simulated on this machine"
            raise MachineError(f"{verb}: there is no instance {name!r} here; the instances are {known}")
        return self._running[name].ask(verb, **arguments)

    def ask_all(self, verb: str, **arguments: object) -> dict[str, Any]:
        """What all of them answer, by name; None for one that has ended."""
        answers: dict[str, Any] = {}
        for name, instance in list(self._running.items()):
            answers[name] = None
            try:
                if not instance.ended:
                    answers[name] = instance.ask(verb, **arguments)
            except MachineError:
                if not instance.ended:
                    raise
        return answers

    def check(self) -> None:
        """Raise MachineError when the process of one has ended."""
        for instance in list(self._running.values()):
            instance.check()

    def restart(self, plan: InstancePlan) -> None:
        """Start an instance again from this plan; end it before, if it runs. Meanwhile it is missed, as if it had ended
        by itself.

        Raises:
            MachineError: there is no such instance, or it cannot be started; then it stays missed.
        """
        name = plan["name"]
        if name not in self._running:
            raise MachineError(f"restart: there is no instance {name!r} here; the instances are {self.names}")
        ended = self._running[name]
        if not ended.ended:
            self.outages.miss(name, "was restarted")
            self._final[name] = ended.stop()
        else:
            ended.kill()  # what is left of it
        self._begin(plan)
        self._running[name].await_ready()
        self.outages.have_back(name)

    def close(self) -> None:
        """End all. A second call ends what the first could not."""
        self.outages.stop_watching()
        Endings(
            self.outages.forget,
            lambda: shutil.rmtree(self._directory, ignore_errors=True),
            *(partial(self._end, name) for name in list(self._running)),
        ).close()

    def final(self) -> dict[str, Snapshot | None]:
        """The counters with which they ended, since the last call; None for one that could not say."""
        final, self._final = self._final, {}
        return final

    def _start(self, plans: list[InstancePlan]) -> None:
        """All begin before the first is waited for."""
        begun = Endings()
        with undone_on_error(begun.close):
            for plan in plans:
                self._begin(plan)
                begun.add(partial(self._forget, plan["name"]))
            for plan in plans:
                self._running[plan["name"]].await_ready()
        for plan in plans:
            self._on_progress("instance" if len(plans) == 1 else f"instance {plan['name']}")

    def _begin(self, plan: InstancePlan) -> None:
        name, number = plan["name"], next(self._numbers)
        self._sockets.mkdir(mode=0o700, exist_ok=True)
        self.outages.begin(name)
        self._running[name] = InstanceProcess(
            plan,
            self._journal,
            self._directory / name,
            self._sockets / f"instance-{number}.sock",
            partial(self.outages.miss, name),
            self._outside,
        )

    def _forget_memory(self, parts: Iterable[InstancePlan | InstancePart]) -> None:
        """What two instances of this machine shared that are peers no longer: all that begins with their port."""
        peers = [peer for part in parts for peer in part["peers"] if peer.get("transport") == "shm"]
        for port in {str(peer["local"]).partition("-")[0] for peer in peers}:
            for path in self._sockets.glob(f"{port}-*"):
                path.unlink(missing_ok=True)

    def _forget(self, name: str) -> None:
        self._running.pop(name).kill()

    def _end(self, name: str) -> None:
        if name in self._running:
            self._final[name] = self._running[name].stop()
            del self._running[name]
