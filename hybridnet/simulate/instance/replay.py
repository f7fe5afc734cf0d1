# SPDX-License-Identifier: MIT
"""A recorded instance, replayed in virtual time: the same nodes and links, with what entered at the portals then.

::

    recorded frames ── portal ── links, nodes ── portal ── compared with what left there then

The record holds the instance's plan, so nothing but the file is needed. The same record gives the same replay, byte for
byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hybridnet.describe.options.tables import extension
from hybridnet.describe.schema.check import check, checked
from hybridnet.describe.schema.plans import DirectionPlan, InstancePlan
from hybridnet.describe.values import parse_json, plain, shown, why_unread
from hybridnet.errors import PlanError
from hybridnet.observe.results import html
from hybridnet.observe.results.verdict import percentile_ns
from hybridnet.observe.series.snapshot import Snapshot
from hybridnet.simulate.instance.build import add_fluids, add_links, add_nodes
from hybridnet.simulate.instance.directions import DIRECTIONS

__all__ = ["COLUMNS", "PortalReplay", "ReplayReport", "recorded_plan", "replay"]

COLUMNS = ("portal", "frames in", "out, recorded", "out, replayed", "the same", "apart p50", "p99", "max")


@dataclass(frozen=True)
class PortalReplay:
    """What happened at one portal.

    Args:
        name: of the portal, or ``PEER:CHANNEL`` of a cut link.
        entered_frames: recorded as coming in, and given to the simulation again; a train is one frame.
        refused_frames: recorded as coming in, but unlike their description.
        pool_exhausted_frames: recorded as coming in, but the packet pool had no memory left for them.
        recorded_frames, replayed_frames: that left, in the run and in the replay.
        matched_frames: of both, those that are the same.
        same_instant_frames: of the matched, those that left at the same nanosecond of simulated time.
        difference_p50_ns, difference_p99_ns, difference_max_ns: how far apart the others left, over all matched.
        difference_buckets: (upper edge in nanoseconds, count), edges ascending.
    """

    name: str
    entered_frames: int
    refused_frames: int
    pool_exhausted_frames: int
    recorded_frames: int
    replayed_frames: int
    matched_frames: int
    same_instant_frames: int
    difference_p50_ns: int
    difference_p99_ns: int
    difference_max_ns: int
    difference_buckets: list[tuple[int, int]]

    @property
    def identical(self) -> bool:
        """Every frame left in both, at the same instant."""
        return self.recorded_frames == self.replayed_frames == self.same_instant_frames

    def row(self) -> tuple[str, ...]:
        """As texts under `COLUMNS`."""
        apart = (self.difference_p50_ns, self.difference_p99_ns, self.difference_max_ns)
        return (
            self.name,
            str(self.entered_frames),
            str(self.recorded_frames),
            str(self.replayed_frames),
            str(self.matched_frames),
            *(f"{ns / 1000:g} us" for ns in apart),
        )


@dataclass(frozen=True)
class ReplayReport:
    """A replay beside its record.

    Args:
        instance: its name.
        duration_ns: simulated time at the end.
        changes: of links and routes, made again.
        cut: the record has no end, because its instance was killed; what it has was replayed.
        portals: one for each portal and cut link.
        snapshot: the counters at the end, as of an instance; see `Net.snapshot`.
    """

    instance: str
    duration_ns: int
    changes: int
    cut: bool
    portals: list[PortalReplay]
    snapshot: Snapshot

    @property
    def identical(self) -> bool:
        """What left the portals is what was recorded, at the same instants."""
        return all(portal.identical for portal in self.portals)

    def remarks(self) -> list[str]:
        """What was replayed, what was left out, and whether it was the same."""
        changes = f", {self.changes} changes of links" if self.changes else ""
        remarks = [f"{self.instance}: {self.duration_ns / 1e9:.3f} s of simulated time{changes}"]
        if refused := sum(portal.refused_frames for portal in self.portals):
            remarks.append(f"{refused} recorded frames do not match their description and were left out")
        if without := sum(portal.pool_exhausted_frames for portal in self.portals):
            remarks.append(f"{without} recorded frames were left out because the packet pool was exhausted")
        if self.cut:
            remarks.append(
                "the record has no end because its instance was killed; everything before that was replayed"
            )
        remarks.append(
            "identical" if self.identical else "NOT identical; docs/record.md says what can make them differ"
        )
        return remarks

    def _repr_html_(self) -> str:
        """As notebooks show it."""
        return html.joined(
            html.table(COLUMNS, [portal.row() for portal in self.portals]), html.lines(self.remarks())
        )

    def to_json(self) -> dict[str, object]:
        """All of it, without objects."""
        portals = [{**asdict(portal), "identical": portal.identical} for portal in self.portals]
        return {**asdict(self), "portals": portals, "identical": self.identical}


def recorded_plan(record: Path) -> InstancePlan:
    """The instance plan in a record.

    Raises:
        PlanError: the file is not a record, or is damaged; the message says where.
        EnvironmentLackError: it cannot be read.
    """
    try:
        plan: InstancePlan = parse_json(extension().recorded_plan(str(record)))
    except ValueError as error:
        raise PlanError(
            f"the plan in record {record}: {why_unread(error)}; give the unchanged file"
        ) from None
    # A replay does not keep real time, and an earlier edition had other options of it.
    judged = {**plan, "realtime": {}} if isinstance(plan, dict) else plan
    checked(judged, InstancePlan, f"the plan in record {record}")
    return plan


def replay(record: Path, *, plan: InstancePlan | None = None, out: Path | None = None) -> ReplayReport:
    """Replay a record.

    Args:
        record: a file that ``record`` of a plan, a `Net` or a `Wire` made.
        plan: an instance plan to use instead of the recorded one, with the same portals: what would have happened?
        out: a .pcapng file for the replay's own record. Its wall clock is the recorded start plus simulated time.

    Raises:
        PlanError: the file is not a record, or is damaged, or the plan does not fit it; the message says where.
        EnvironmentLackError: the record cannot be read, or ``out`` not be written.
    """
    if plan is not None and not isinstance(plan, Mapping):
        raise PlanError(
            f"replay: plan {shown(plan)} is not an instance plan; give a dictionary, or leave it out"
        )
    used = plan if plan is not None else recorded_plan(record)
    simulation = extension().Replay(str(record), used["seed"])
    if out is not None:
        simulation.add_record(str(out))
    add_nodes(simulation, used["nodes"])
    for portal in used["emulation_portals"]:
        simulation.add_portal(portal["name"])
    add_links(simulation, used["links"])
    add_fluids(simulation, used.get("fluids", []))
    changes = 0
    while (note := _next_change(simulation, record)) is not None:
        changes += _change(simulation, note, record)
    return ReplayReport(
        instance=used["name"],
        duration_ns=simulation.now_ns,
        changes=changes,
        cut=simulation.cut,
        portals=[_portal(row) for row in simulation.portals()],
        snapshot=simulation.snapshot(),
    )


def _next_change(simulation: Any, record: Path) -> str | None:
    """Simulate until there was a change; None: until the end."""
    try:
        note: str | None = simulation.run()
    except UnicodeDecodeError as error:
        raise PlanError(
            f"a change in record {record}: {why_unread(error)}; give the unchanged file"
        ) from None
    return note


def _change(simulation: Any, note: str, record: Path) -> bool:
    """Make a recorded change of a link, of routes or of a fluid's form again, or what happened at a switch's controller
    or a carrier.

    Returns:
        Whether it was the first.
    """
    what = f"a change in record {record}"
    try:
        change = parse_json(note)
        if "routes" in change:
            check(change["routes"], "instance", what, "routes_by_node")
            simulation.set_routes(change["routes"], note)
            return True
        if "control" in change:
            _control(simulation, change, note)
            return False
        if "carrier" in change:
            simulation.set_carrier(change["portal"], change["carrier"], note)
            return False
        if "fluid" in change:
            simulation.set_form(change["fluid"], change["form"], note)
            return True
        name = change["link"]
        if "up" in change:
            simulation.set_link_up(name, change["up"], note)
            return True
        directions = [change[key] for key in DIRECTIONS]
        for direction in directions:
            if direction is not None:
                checked(direction, DirectionPlan, f"{what}, link {plain(name)}")
        simulation.set_link(name, *directions, note)
    except (ValueError, KeyError, TypeError):
        raise PlanError(
            f"{what}: {shown(note)} does not say what changes and how; give the unchanged file"
        ) from None
    return True


def _control(simulation: Any, change: Mapping[str, Any], note: str) -> None:
    """What a controller, or a program that managed a switch, did then."""
    of, connection = change["control"], change["connection"]
    if "opened" in change:
        simulation.open_control(of, connection, change["opened"] == "service", note)
    elif "heard" in change:
        simulation.hear_control(of, connection, bytes.fromhex(change["heard"]), note)
    else:
        simulation.close_control(of, connection, note)


def _portal(row: Mapping[str, Any]) -> PortalReplay:
    buckets = row["difference_buckets"]
    return PortalReplay(
        **{
            key: row[key]
            for key in PortalReplay.__dataclass_fields__
            if key not in ("difference_p50_ns", "difference_p99_ns")
        },
        difference_p50_ns=percentile_ns(buckets, 0.5),
        difference_p99_ns=percentile_ns(buckets, 0.99),
    )
