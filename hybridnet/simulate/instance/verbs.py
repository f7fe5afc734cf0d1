# SPDX-License-Identifier: MIT
"""What a running instance can be asked, verb by verb; `hybridnet.simulate.instance.process` lists them."""

from __future__ import annotations

import json
import resource
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hybridnet.describe.schema.check import checked
from hybridnet.describe.schema.plans import InstanceChange, InstancePlan, RunningCapture, SimulatedLink
from hybridnet.errors import PlanError, UsageError
from hybridnet.observe.series.snapshot import LinkCounts, Snapshot, link_counts_of
from hybridnet.simulate.instance.changes import change_of
from hybridnet.simulate.instance.directions import DIRECTIONS, Directions, merged, take_over, told_of
from hybridnet.simulate.instance.timelines import Timelines

__all__ = ["Verbs", "snapshot_of"]

Request = Mapping[str, object]


def snapshot_of(instance: Any, *, of_elements: bool = True) -> Snapshot:
    """The instance's counters, and the most memory that this process ever had."""
    most_memory_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    snapshot: Snapshot = instance.snapshot(of_elements)
    snapshot["process"] = {"most_memory_bytes": most_memory_bytes}
    return snapshot


class Verbs:
    """Performs one request after the other.

    Args:
        instance: a `_simcore.Instance` that runs.
        plan: what it was built from; it keeps what holds of each link.
        directory: where memory is that it shares with others of its machine.
    """

    def __init__(self, instance: Any, plan: InstancePlan, directory: Path) -> None:
        self._instance, self._directory = instance, directory
        self._links = {link["name"]: link for link in plan["links"]}
        self._timelines = Timelines(instance, self._links)
        self._verbs: dict[str, Callable[[Request], Mapping[str, object]]] = {
            "snapshot": self._snapshot,
            "sample": self._sample,
            "link_counts": self._link_counts,
            "set_link": self._set_link,
            "change": self._change,
            "schedule": self._timelines.schedule,
            "cancel": self._timelines.cancel,
            "fired": self._timelines.fired,
            "clock": self._clock,
            "switches": self._switches,
            "start_capture": self._start_capture,
            "stop_capture": self._stop_capture,
            "captures": self._captures,
        }

    def perform(self, verb: object, request: Request) -> Mapping[str, object]:
        """What the verb answers. Raises HybridnetError or RuntimeError, and then nothing has changed."""
        if not isinstance(verb, str) or verb not in self._verbs:
            known = ", ".join(f'"{name}"' for name in self._verbs)
            raise UsageError(f'unknown verb {verb!r}; there are {known} and "stop"')
        return self._verbs[verb](request)

    def _snapshot(self, request: Request) -> Snapshot:
        of_elements = request.get("of_elements", True)
        if not isinstance(of_elements, bool):
            raise UsageError(f"snapshot: of_elements is {of_elements!r}; it must be true or false")
        return snapshot_of(self._instance, of_elements=of_elements)

    def _sample(self, request: Request) -> Snapshot:
        names = [request.get(key, []) for key in ("links", "interfaces")]
        for each in names:
            if not isinstance(each, list) or not all(isinstance(name, str) for name in each):
                raise UsageError(f"sample: {each!r} is not a list of names")
        answer: Snapshot = self._instance.sample(*names)
        return answer

    def _link_counts(self, request: Request) -> LinkCounts:
        known = request.get("known", 0)
        if type(known) is not int or not 0 <= known < 1 << 63:
            raise UsageError(
                f"link_counts: known is {known!r}; it must be the generation of an earlier answer, or 0"
            )
        generation, directions, figures = self._instance.link_counts(known)
        return link_counts_of(generation, directions, figures)

    def _clock(self, _: Request) -> Mapping[str, object]:
        return {"now_ns": self._instance.wall_now_ns, "epoch_ns": self._instance.epoch_ns}

    def _switches(self, _: Request) -> Mapping[str, object]:
        return {"connected": self._instance.switches_connected()}

    def _set_link(self, request: Request) -> Mapping[str, object]:
        link = self._link(request.get("link"))
        name = link["name"]
        changed: Directions = {
            way: merged(link[way], request[way], f"set_link {name}, {way}") if request.get(way) else None
            for way in DIRECTIONS
        }
        up = request.get("up")
        if up is not None and not isinstance(up, bool):
            raise PlanError(f"set_link {name}: up is {up!r}; it must be true or false")
        if any(changed.values()):
            self._timelines.refuse_pending(name)
            self._instance.set_link(name, *told_of(name, changed))
            take_over(link, changed)
        if up is not None:
            self._instance.set_link_up(name, up, json.dumps({"link": name, "up": up}))
        return {"link": name, "a_to_b": link["a_to_b"], "b_to_a": link["b_to_a"]}

    def _change(self, request: Request) -> Mapping[str, object]:
        wanted = checked(_arguments(request), InstanceChange, "change")
        removed = wanted.get("remove", {}).get("links", [])
        for name in removed:
            self._timelines.refuse_pending(name)
        # Where there is a record, nothing but routes can change in this way.
        note = json.dumps({"routes": wanted.get("routes", {})})
        self._instance.change(change_of(wanted, self._directory), note)
        for name in removed:
            del self._links[name]
        self._links.update({link["name"]: link for link in wanted.get("add", {}).get("links", [])})
        return {"time_ns": self._instance.wall_now_ns}

    def _start_capture(self, request: Request) -> Mapping[str, object]:
        self._instance.start_capture(**checked(_arguments(request), RunningCapture, "start_capture"))
        return {}

    def _stop_capture(self, request: Request) -> Mapping[str, object]:
        file = request.get("file")
        if not isinstance(file, str):
            raise UsageError(f"stop_capture: file is {file!r}; it must be that of a capture")
        answer: Mapping[str, object] = self._instance.stop_capture(file)
        return answer

    def _captures(self, _: Request) -> Mapping[str, object]:
        return {"captures": self._instance.captures()}

    def _link(self, name: object) -> SimulatedLink:
        self._timelines.follow()
        if not isinstance(name, str) or name not in self._links:
            raise PlanError(f"set_link: there is no link {name!r}; there are {', '.join(self._links)}")
        return self._links[name]


def _arguments(request: Request) -> dict[str, object]:
    return {key: value for key, value in request.items() if key != "verb"}
