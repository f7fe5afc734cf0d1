# SPDX-License-Identifier: MIT
"""Captures at simulated interfaces of one machine that begin and end while it runs."""

from __future__ import annotations

from typing import Any

from hybridnet.agent.instances.instances import Instances
from hybridnet.agent.verbs import verb

__all__ = ["Captures"]


class Captures:
    """Some of the agent's verbs: an instance writes down what passes at one of its interfaces."""

    def __init__(self, instances: Instances) -> None:
        self._instances = instances

    @verb
    def start_capture(self, instance: str, interface: str, file: str, filter: str, most_bytes: int) -> None:
        """Begins one; see `hybridnet.simulate.instance`."""
        self._instances.ask(
            instance, "start_capture", interface=interface, file=file, filter=filter, most_bytes=most_bytes
        )

    @verb
    def stop_capture(self, instance: str, file: str) -> dict[str, Any]:
        """Ends the one into this file, and says how it was."""
        return self._instances.ask(instance, "stop_capture", file=file)

    @verb
    def captures(self, instance: str) -> list[dict[str, Any]]:
        """Those that run in an instance, and the last ones that have ended there."""
        rows: list[dict[str, Any]] = self._instances.ask(instance, "captures")["captures"]
        return rows
