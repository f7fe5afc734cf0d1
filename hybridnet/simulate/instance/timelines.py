# SPDX-License-Identifier: MIT
"""Timelines of a running instance: changes at instants of its simulated time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hybridnet.describe.schema.check import checked
from hybridnet.describe.schema.plans import InstanceTimeline, LinkChange, SimulatedLink, TimelineEntry
from hybridnet.errors import PlanError
from hybridnet.simulate.instance.directions import DIRECTIONS, Directions, merged, take_over, told_of

__all__ = ["Timelines"]

Request = Mapping[str, object]


class Timelines:
    """Schedules timelines, and keeps what holds of each link as they fire.

    Options of a link are merged when they are scheduled, so while a timeline has such changes of a link to come, nobody
    else may change them.

    Args:
        instance: what runs: a `_simcore.Instance` or `_simcore.OfflineSimulation`.
        links: by name, as in the plan: what holds of each now.
    """

    def __init__(self, instance: Any, links: dict[str, SimulatedLink]) -> None:
        self._instance, self._links = instance, links
        self._pending: dict[
            str, dict[int, tuple[str, Directions]]
        ] = {}  # by timeline, by number: link, options
        self._read = 0  # of what has fired

    def schedule(self, request: Request) -> Mapping[str, object]:
        """Schedule the ``entries`` under the name ``timeline``; their instants count from ``start_ns``.

        Raises:
            PlanError: they do not follow the schema, or change a link that another timeline changes.
            RuntimeError: from the simulator: there is no such link or node, or an instant lies in the past.
        """
        from hybridnet import _simcore

        given = {key: value for key, value in request.items() if key != "verb"}
        wanted = checked(given, InstanceTimeline, "schedule")
        name, start_ns = wanted["timeline"], wanted.get("start_ns", 0)
        self.follow()
        entries = wanted["entries"]
        options: dict[int, tuple[str, Directions]] = {}
        held: dict[str, SimulatedLink] = {}  # of links, as the entries before an instant leave them
        for number, entry in sorted(enumerate(entries), key=lambda pair: pair[1]["at_ns"]):
            if "link" in entry:
                directions = self._merge(entry["link"], held, f"timeline {name}, entry {number}")
                options[number] = entry["link"]["name"], directions
        scheduled = _simcore.TimelineEntries()
        for number, entry in enumerate(entries):
            _add(scheduled, start_ns + entry["at_ns"], entry, options.get(number))
        self._instance.schedule(name, scheduled)
        self._pending[name] = options
        return {"timeline": name, "scheduled": len(entries)}

    def cancel(self, request: Request) -> Mapping[str, object]:
        """Take out what has not fired of ``timeline``. Raises PlanError, RuntimeError: there is none of that name."""
        name = request.get("timeline")
        if not isinstance(name, str):
            raise PlanError(f"cancel: timeline is {name!r}; it must be the name of one")
        self.follow()
        cancelled = self._instance.cancel(name)
        self._pending.pop(name, None)
        return {"timeline": name, "cancelled": cancelled}

    def fired(self, request: Request) -> Mapping[str, object]:
        """What has fired from number ``first`` on: each with its asked and its actual instant."""
        first = request.get("first", 0)
        if not isinstance(first, int) or isinstance(first, bool) or first < 0:
            raise PlanError(f"fired: first is {first!r}; it must be a number from 0")
        self.follow()
        return {"fired": self._instance.fired(first)}

    def refuse_pending(self, link: str) -> None:
        """Raise PlanError if a timeline has options of that link to change."""
        self.follow()
        for name, options in self._pending.items():
            if any(changed == link for changed, _ in options.values()):
                raise PlanError(
                    f"link {link}: timeline {name} has changes of its options to come; cancel that first, or wait "
                    "for its end"
                )

    def follow(self) -> None:
        """Write down what has fired since the last time."""
        if not self._pending:
            return
        for row in self._instance.fired(self._read):
            self._read = row["number"] + 1
            link, directions = self._pending.get(row["timeline"], {}).pop(row["entry"], ("", {}))
            if link in self._links and not row["error"]:
                take_over(self._links[link], directions)
        self._pending = {name: options for name, options in self._pending.items() if options}

    def _merge(self, change: LinkChange, held: dict[str, SimulatedLink], what: str) -> Directions:
        name = change["name"]
        if name not in self._links:
            raise PlanError(f"{what}: there is no link {name!r}; there are {', '.join(self._links)}")
        if name not in held:
            self.refuse_pending(name)
            held[name] = {**self._links[name]}
        directions: Directions = {
            way: merged(held[name][way], change[way], f"{what}, {way}") if way in change else None
            for way in DIRECTIONS
        }
        take_over(held[name], directions)
        return directions


def _add(to: Any, at_ns: int, entry: TimelineEntry, options: tuple[str, Directions] | None) -> None:
    """Add an entry, with what a record says of it, to a `_simcore.TimelineEntries`."""
    if options is not None:
        link, directions = options
        there, back, note = told_of(link, directions)
        to.add_link_change(at_ns, link, there, back, note)
    elif "status" in entry:
        link, up = entry["status"]["name"], entry["status"]["up"]
        to.add_link_status(at_ns, link, up, json.dumps({"link": link, "up": up}))
    else:
        to.add_routes(at_ns, entry["routes"], json.dumps({"routes": entry["routes"]}))
