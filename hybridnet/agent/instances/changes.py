# SPDX-License-Identifier: MIT
"""Changes of what runs on one machine: of simulated links, routes and captures at once, of all links at a timeline's
instants.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from typing import TypedDict, final

from hybridnet.agent.instances.instances import Instances
from hybridnet.agent.instances.timelines import FiredEntry, InterfaceChange, InterfaceTimelines
from hybridnet.agent.verbs import verb
from hybridnet.describe.schema.plans import SimulatedRoute, TimelineEntry
from hybridnet.errors import MachineError
from hybridnet.observe.series.snapshot import CaptureState, Clock, FiredChange

__all__ = ["Changes"]


@final
class MachineClock(TypedDict):
    """CLOCK_MONOTONIC, in nanoseconds: now, and at zero of each instance's simulated time."""

    monotonic_ns: int
    epochs_ns: dict[str, int]


@final
class Fired(TypedDict):
    """What has fired of a timeline: in each instance, and of interfaces."""

    instances: dict[str, list[FiredEntry]]
    interfaces: list[FiredEntry]


class Changes:
    """Some of the agent's verbs: the instances change what is simulated, `timelines` sets interfaces.

    Args:
        slow: wall seconds for a second of what is described.
    """

    def __init__(
        self, instances: Instances, timelines: InterfaceTimelines, slow: Callable[[], int] = lambda: 1
    ) -> None:
        self._instances, self._timelines, self._slow = instances, timelines, slow

    @verb
    def set_link(
        self,
        instance: str,
        link: str,
        a_to_b: Mapping[str, object] | None = None,
        b_to_a: Mapping[str, object] | None = None,
        up: bool | None = None,
    ) -> None:
        """Changes a link of an instance, or its end of a cut one, while it runs; see `hybridnet.simulate.instance`."""
        self._instances.ask(instance, "set_link", link=link, a_to_b=a_to_b, b_to_a=b_to_a, up=up)

    @verb
    def set_routes(self, instance: str, routes: dict[str, list[SimulatedRoute]]) -> None:
        """Replaces the routes of simulated routers and hosts, by name, all at one instant; see
        `hybridnet.simulate.instance`."""
        self._instances.ask(instance, "change", routes=routes)

    @verb
    def clock(self) -> MachineClock:
        """The clocks of the machine and its instances."""
        answers: dict[str, Clock | None] = self._instances.ask_all("clock")
        epochs = {name: answer["epoch_ns"] for name, answer in answers.items() if answer is not None}
        return {"monotonic_ns": time.monotonic_ns(), "epochs_ns": epochs}

    @verb
    def schedule(
        self,
        timeline: str,
        start_ns: int,
        entries: dict[str, list[TimelineEntry]],
        interfaces: list[InterfaceChange],
    ) -> None:
        """Schedules changes, all of them or none.

        Args:
            start_ns: CLOCK_MONOTONIC, from which their instants count.
            entries: by instance; see `hybridnet.simulate.instance`.
            interfaces: of this machine; see `hybridnet.agent.instances.timelines`.
        """
        slow = self._slow()
        try:
            for instance, own in entries.items():
                clock: Clock = self._instances.ask(instance, "clock")
                simulated_ns = (start_ns - clock["epoch_ns"]) // slow
                self._instances.ask(
                    instance, "schedule", timeline=timeline, start_ns=simulated_ns, entries=own
                )
            if interfaces:
                self._timelines.schedule(timeline, start_ns, interfaces, slow)
        except MachineError:
            self.cancel_timeline(timeline)
            raise

    @verb
    def cancel_timeline(self, timeline: str) -> None:
        """What has not fired of a timeline will not; one that has come to its end stays as it is."""
        self._timelines.cancel(timeline)
        for instance in self._instances.names:
            with contextlib.suppress(MachineError):  # it has come to its end
                self._instances.ask(instance, "cancel", timeline=timeline)

    @verb
    def fired(self, timeline: str) -> Fired:
        """What has fired of a timeline."""
        answers: dict[str, dict[str, list[FiredChange]] | None] = self._instances.ask_all("fired")
        simulated: dict[str, list[FiredEntry]] = {
            name: [
                {"entry": row["entry"], "late_ns": row["fired_ns"] - row["at_ns"], "error": row["error"]}
                for row in answer["fired"]
                if row["timeline"] == timeline
            ]
            for name, answer in answers.items()
            if answer is not None
        }
        return {"instances": simulated, "interfaces": self._timelines.fired(timeline)}

    @verb
    def start_capture(self, instance: str, interface: str, file: str, filter: str, most_bytes: int) -> None:
        """Begins a capture at an interface of an instance; see `hybridnet.simulate.instance`."""
        self._instances.ask(
            instance, "start_capture", interface=interface, file=file, filter=filter, most_bytes=most_bytes
        )

    @verb
    def stop_capture(self, instance: str, file: str) -> CaptureState:
        """Ends the capture into this file, and says how it was."""
        state: CaptureState = self._instances.ask(instance, "stop_capture", file=file)
        return state

    @verb
    def captures(self, instance: str) -> list[CaptureState]:
        """The captures that run in an instance, and the last ones that have ended there."""
        rows: list[CaptureState] = self._instances.ask(instance, "captures")["captures"]
        return rows
