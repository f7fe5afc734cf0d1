# SPDX-License-Identifier: MIT
"""Changes of what runs on one machine: of simulated links, routes and captures at once, of all links at a timeline's
instants.
"""

from __future__ import annotations

import contextlib
import time
from typing import Any

from hybridnet.agent.instances.instances import Instances
from hybridnet.agent.instances.timelines import InterfaceTimelines
from hybridnet.agent.verbs import verb
from hybridnet.errors import MachineError

__all__ = ["Changes"]


class Changes:
    """Some of the agent's verbs: the instances change what is simulated, `timelines` sets interfaces."""

    def __init__(self, instances: Instances, timelines: InterfaceTimelines) -> None:
        self._instances, self._timelines = instances, timelines

    @verb
    def set_link(
        self,
        instance: str,
        link: str,
        a_to_b: dict[str, Any] | None = None,
        b_to_a: dict[str, Any] | None = None,
        up: bool | None = None,
    ) -> None:
        """Changes a link of an instance, or its end of a cut one, while it runs; see `hybridnet.simulate.instance`."""
        self._instances.ask(instance, "set_link", link=link, a_to_b=a_to_b, b_to_a=b_to_a, up=up)

    @verb
    def set_routes(self, instance: str, routes: dict[str, list[dict[str, Any]]]) -> None:
        """Replaces the routes of simulated routers and hosts, by name, all at one instant; see
        `hybridnet.simulate.instance`."""
        self._instances.ask(instance, "change", routes=routes)

    @verb
    def clock(self) -> dict[str, Any]:
        """CLOCK_MONOTONIC, in nanoseconds: now, and as ``epochs_ns`` at zero of each instance's simulated time."""
        answers = self._instances.ask_all("clock")
        epochs = {name: answer["epoch_ns"] for name, answer in answers.items() if answer is not None}
        return {"monotonic_ns": time.monotonic_ns(), "epochs_ns": epochs}

    @verb
    def schedule(
        self,
        timeline: str,
        start_ns: int,
        entries: dict[str, list[dict[str, Any]]],
        interfaces: list[dict[str, Any]],
    ) -> None:
        """Schedules changes, all of them or none.

        Args:
            start_ns: CLOCK_MONOTONIC, from which their instants count.
            entries: by instance; see `hybridnet.simulate.instance`.
            interfaces: of this machine; see `hybridnet.agent.instances.timelines`.
        """
        try:
            for instance, own in entries.items():
                simulated_ns = start_ns - self._instances.ask(instance, "clock")["epoch_ns"]
                self._instances.ask(
                    instance, "schedule", timeline=timeline, start_ns=simulated_ns, entries=own
                )
            if interfaces:
                self._timelines.schedule(timeline, start_ns, interfaces)
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
    def fired(self, timeline: str) -> dict[str, Any]:
        """What has fired of a timeline: ``entry``, ``late_ns``, ``error``, in ``instances`` by name, and of
        ``interfaces``.
        """
        simulated = {
            name: [
                {"entry": row["entry"], "late_ns": row["fired_ns"] - row["at_ns"], "error": row["error"]}
                for row in answer["fired"]
                if row["timeline"] == timeline
            ]
            for name, answer in self._instances.ask_all("fired").items()
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
    def stop_capture(self, instance: str, file: str) -> dict[str, Any]:
        """Ends the capture into this file, and says how it was."""
        return self._instances.ask(instance, "stop_capture", file=file)

    @verb
    def captures(self, instance: str) -> list[dict[str, Any]]:
        """The captures that run in an instance, and the last ones that have ended there."""
        rows: list[dict[str, Any]] = self._instances.ask(instance, "captures")["captures"]
        return rows
