# SPDX-License-Identifier: MIT
"""The verdict: one word on what the results of a real-time run are worth, and why.

It compares two snapshots of every instance, taken at the beginning and at the end of what is judged, so a step of an
experiment is judged by what happened in that step alone; parts of it can be left out. With the counters of the
machines (`hybridnet.observe.results.machines`) it judges the emulated part as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Literal

from hybridnet.errors import UntrustedResultError
from hybridnet.observe.results import html
from hybridnet.observe.results.forms import fluid_times
from hybridnet.observe.results.incidents import incident_lines
from hybridnet.observe.results.limits import Limits
from hybridnet.observe.results.machines import Counters, judge_machines
from hybridnet.observe.series.buckets import percentile_ns, subtract_buckets
from hybridnet.observe.series.snapshot import (
    CaptureRow,
    PeerRow,
    PortalRow,
    RecordRow,
    RemovedRow,
    Snapshot,
)

__all__ = [
    "Limits",
    "Snapshot",
    "Verdict",
    "Window",
    "Word",
    "judge",
    "judge_marks",
    "percentile_ns",
    "subtract_buckets",
    "together",
]


class Word(StrEnum):
    """What a verdict says, from best to worst."""

    TRUSTED = "trusted"
    """Every limit held."""
    SATURATED = "saturated"
    """The simulation kept real time; the computer limited what is emulated, so goodput is this computer's."""
    BROKEN = "broken"
    """Something was late, lost or stalled: the figures do not describe the network that was asked for."""


_TONES: Mapping[Word, html.Tone] = {Word.TRUSTED: "good", Word.SATURATED: "doubtful", Word.BROKEN: "bad"}


@dataclass(frozen=True)
class Verdict:
    """What the results are worth.

    Args:
        word: the verdict.
        reasons: one line per limit that did not hold: the cause, the figure, the cure. Empty when trusted.
        figures: what was compared with the limits, per instance, machine and computer, for the record.
        notes: what the word does not say: a test of hybridnet's that lost all it sent, a limit of a host that the
            kernel enforced. One line each.
    """

    word: Word
    reasons: list[str]
    figures: dict[str, dict[str, float]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        reasons: Sequence[str],
        figures: dict[str, dict[str, float]] | None = None,
        *,
        saturated: Sequence[str] = (),
    ) -> Verdict:
        """Return broken if there are reasons for that, else saturated if there are such, else trusted."""
        word = Word.BROKEN if reasons else Word.SATURATED if saturated else Word.TRUSTED
        return cls(word, [*reasons, *saturated], figures or {})

    @property
    def exit_code(self) -> int:
        """Of a command that ends with this verdict: 4 when it is broken, else 0."""
        return UntrustedResultError.exit_code if self.word is Word.BROKEN else 0

    def to_json(self) -> dict[str, object]:
        return asdict(self)

    def _repr_html_(self) -> str:
        """As notebooks show it."""
        rows = [
            [name, what, f"{value:.6g}"] for name, row in self.figures.items() for what, value in row.items()
        ]
        figures = html.table(["of", "figure", "value"], rows, texts=2)
        return html.joined(
            html.word(str(self.word), _TONES[self.word]),
            html.lines([*(self.reasons or ["every limit held"]), *self.notes]),
            html.folded("what was compared with the limits", figures) if rows else html.Html(""),
        )

    def __str__(self) -> str:
        return f"{self.word}: {'; '.join([*(self.reasons or ['every limit held']), *self.notes])}"


Window = tuple[Sequence[Snapshot], Sequence[Snapshot]]
"""What is judged: a snapshot per instance at its beginning and at its end, in the same order."""


def judge(
    windows: Sequence[Window],
    limits: Limits,
    *,
    processor_busy: float | None = None,
    machines: Mapping[str, tuple[Counters, Counters]] | None = None,
) -> Verdict:
    """Judge what happened in one window, or in several together.

    Args:
        windows: all of the same instances; none where nothing is simulated.
        limits: what is tolerated.
        processor_busy: share of all cores that was busy meanwhile; None if it was not measured.
        machines: of each machine what its agent had counted at the beginning and at the end; None: the emulated part
            is not judged.

    Returns:
        The verdict; what makes it broken comes first, in the order of the instances and machines. Where more than three
        instances break the same limit, the worst three are named with their figures, and the others by name.
    """
    findings: list[_Finding] = []
    notes: list[str] = []
    figures: dict[str, dict[str, float]] = {}
    for index, last in enumerate(windows[0][1] if windows else []):
        mine = [(before[index], after[index]) for before, after in windows]
        stolen_ms = _stolen_ms(last["name"], machines or {})
        figures[last["name"]] = _judge_instance(last["name"], mine, limits, stolen_ms, findings, notes)
    reasons = _reasons(findings)
    saturated: list[str] = []
    if processor_busy is not None and processor_busy > limits.processor_busy:
        saturated.append(
            f"the processor was {100 * processor_busy:.1f} % busy (limit {100 * limits.processor_busy:g} %): emulated "
            "hosts and switches waited for a core; lower the load"
        )
    if machines:
        emulated = judge_machines(machines, limits)
        reasons += emulated.broken
        saturated += emulated.saturated
        notes += emulated.notes
        for name, row in emulated.figures.items():
            figures[name] = {**figures.get(name, {}), **row}
    return replace(Verdict.of(reasons, figures, saturated=saturated), notes=notes)


_NOT_STARTED: Snapshot = {
    "name": "",
    "time_ns": 0,
    "ready": False,
    "lateness": {"buckets": []},
    "pool": {
        "name": "pool",
        "dropped": {},
        "in_use": 0,
        "reserved_bytes": 0,
        "limit_bytes": 0,
        "exhausted": 0,
        "refused_share": 0,
    },
    "captures": [],
    "portals": [],
    "peers": [],
    "removed": [],
    "links": [],
    "nodes": [],
    "interfaces": [],
    "applications": [],
    "connections": [],
    "fluids": [],
}
"""Of an instance that started later, with the first thing to simulate."""


def judge_marks(
    before: Mapping[str, Counters],
    after: Mapping[str, Counters],
    limits: Limits,
    *,
    only: str | None = None,
) -> Verdict:
    """Judge what happened between two marks of a network: what each machine had counted then, its instances included.

    An instance that began between them, or was started again, is judged from its beginning.

    Args:
        only: this instance, and nothing else; None: all.
    """
    first, last = (
        {name: snapshot for counters in mark.values() for name, snapshot in counters["instances"].items()}
        for mark in (before, after)
    )
    earlier, now = (
        {name: number for counters in mark.values() for name, number in counters["started"].items()}
        for mark in (before, after)
    )
    running = {
        name: snapshot for name, snapshot in last.items() if snapshot is not None and only in (None, name)
    }
    same = [first.get(name) if earlier.get(name) == now.get(name) else None for name in running]
    window = ([each or _NOT_STARTED for each in same], list(running.values()))
    verdict = judge(
        [window] if running else [],
        limits,
        machines=None if only else {machine: (before[machine], after[machine]) for machine in after},
    )
    if only is not None:
        return verdict
    missing = [reason for machine in after for reason in _missing(before[machine], after[machine])]
    for machine, counters in after.items():
        span = before[machine]["time_ns"], counters["time_ns"]
        missing += incident_lines(f"machine {machine}", counters["incidents"], *span)
    if not missing:
        return verdict
    return replace(verdict, word=Word.BROKEN, reasons=[*missing, *verdict.reasons])


def _missing(before: Counters, after: Counters) -> list[str]:
    """What is said of the instances of a machine that were missing between two marks."""
    found = []
    for outage in after["outages"]:
        ended_ns = outage["to_ns"] or after["time_ns"]
        if ended_ns <= before["time_ns"]:
            continue
        since_s = max(outage["from_ns"] - before["time_ns"], 0) / 1e9
        lasted_s = (ended_ns - before["time_ns"]) / 1e9 - since_s
        still = outage["to_ns"] is None
        cure = (
            "start it again with net.restart_instance" if still else "do not use what was measured meanwhile"
        )
        found.append(
            f"instance {outage['instance']} {outage['how']} and {'is' if still else 'was'} missing for "
            f"{lasted_s:.2f} s, from {since_s:.2f} s on: what the others sent it was lost; {cure}"
        )
    return found


def together(verdicts: Sequence[Verdict]) -> Verdict:
    """One verdict on several networks: the worst word, and the reasons with the number of their network.

    Args:
        verdicts: at least one, in the order in which the networks ended.
    """
    if len(verdicts) == 1:
        return verdicts[0]
    order = list(Word)
    numbered = sorted(enumerate(verdicts, 1), key=lambda pair: -order.index(pair[1].word))
    return Verdict(
        numbered[0][1].word,
        [f"network {number}: {reason}" for number, verdict in numbered for reason in verdict.reasons],
        {
            f"network {number}: {name}": row
            for number, each in enumerate(verdicts, 1)
            for name, row in each.figures.items()
        },
        [f"network {number}: {note}" for number, verdict in numbered for note in verdict.notes],
    )


@dataclass(frozen=True)
class _Finding:
    """That an instance broke a limit: which one, by how much, and what is said of it."""

    limit: str
    instance: str
    figure: float
    reason: str


WORSE_IN_HALF_A_SECOND = 10
"""So many times worse than a limit for the whole may half a second of it be."""

ONE_OF_FEW = 1
"""So many events, or packets, of a whole may break the limit of a share, however few there are: with one of twenty late
nobody knows whether one of a thousand is. The limit of half a second bounds how late it is."""

_NAMED = 3  # instances with their figures, for each limit


def _reasons(findings: Sequence[_Finding]) -> list[str]:
    """In the order of the findings; of many that broke the same limit the worst, and then the names of the rest."""
    said: dict[str, list[str]] = {}
    of_limit: dict[str, list[_Finding]] = {}
    for finding in findings:
        of_limit.setdefault(finding.limit, []).append(finding)
    for limit, alike in of_limit.items():
        worst = sorted(alike, key=lambda each: -each.figure)[:_NAMED]
        rest = [each.instance for each in alike if each not in worst]
        for finding in worst:
            said.setdefault(finding.instance, []).append(finding.reason)
        if rest:
            what = "instance" if len(rest) == 1 else "instances"
            said.setdefault("", []).append(f"{len(rest)} more {what} {limit}: {', '.join(rest)}")
    instances = dict.fromkeys(finding.instance for finding in findings)
    return [reason for instance in (*instances, "") for reason in said.get(instance, ())]


def _judge_instance(
    name: str,
    windows: Sequence[tuple[Snapshot, Snapshot]],
    limits: Limits,
    stolen_ms: float,
    findings: list[_Finding],
    notes: list[str],
) -> dict[str, float]:
    def found(limit: str, figure: float, reason: str) -> None:
        findings.append(_Finding(limit, name, figure, reason))

    counts: Counter[int] = Counter()
    for first, last in windows:
        counts.update(dict(subtract_buckets(last["lateness"]["buckets"], first["lateness"]["buckets"])))
    buckets = sorted(counts.items())
    p999 = percentile_ns(buckets, 0.999)
    too_late = sum(count for upper_ns, count in buckets if upper_ns > limits.lateness_p999_ns)
    ran_late = p999 > limits.lateness_p999_ns and too_late > ONE_OF_FEW
    pauses = _short_pauses(windows, limits) if ran_late else []
    if pauses:
        ran_late = False
        longest = f"{max(pause[2] for pause in pauses) / 1e6:.2f} ms"
        often = (
            f"once, for {longest}{_when(windows, 1, limits.lateness_p999_ns)}"
            if len(pauses) == 1
            else f"{len(pauses)} times, for {longest} at most"
        )
        notes.append(
            f"the computer kept instance {name} from running {often}: {too_late} events were later than "
            f"{limits.lateness_p999_ns / 1e6:g} ms, none than {buckets[-1][0] / 1e6:.2f} ms"
        )
    if ran_late:
        found(
            "ran late",
            p999,
            f"instance {name} ran {p999 / 1e6:.2f} ms late at the 99.9th percentile "
            f"(limit {limits.lateness_p999_ns / 1e6:g} ms): {_why_late(windows, stolen_ms)}",
        )

    row = {
        "lateness_p50_ns": percentile_ns(buckets, 0.5),
        "lateness_p99_ns": percentile_ns(buckets, 0.99),
        "lateness_p999_ns": p999,
        **_judge_slices(windows, limits, stolen_ms, found, name, whole_is_late=ran_late),
    }

    late, received = (_grown_at_peers(windows, key) for key in ("late_packets", "received_packets"))
    late_fraction = late / received if received else 0.0
    if _share_is_broken(late, received, limits.late_packets_fraction):
        found(
            "got packets over cut links too late",
            late_fraction,
            f"instance {name}: {100 * late_fraction:.3f} % of {received} packets over cut links came later than their "
            f"link's delay (limit {100 * limits.late_packets_fraction:g} %): lengthen the delay or lower the load",
        )

    lost = _grown_at_peers(windows, "lost_packets")
    if lost:
        found(
            "lost packets from their peers",
            lost,
            f"instance {name}: {lost} packets from its peers were lost between the instances: the real network or the "
            "socket buffers were overrun; lower the load",
        )

    capture_drops = sum(_capture_drops(last) - _capture_drops(first) for first, last in windows)
    if capture_drops > limits.capture_drops:
        found(
            "had frames dropped by the kernel before a portal read them",
            capture_drops,
            f"instance {name}: the kernel dropped {capture_drops} frames before a portal read them "
            f"(limit {limits.capture_drops}): lower the load or give the instance a core",
        )

    refused = sum(
        _reason(last, reason) - _reason(first, reason)
        for first, last in windows
        for reason in ("portal_backlog", "pool_exhausted")
    ) + sum(_refused_share(last) - _refused_share(first) for first, last in windows)
    if refused:
        found(
            "found no room at a portal or in the packet pool",
            refused,
            f"instance {name}: {refused} segments found no room at a portal or in the packet pool: the emulated "
            "network behind it was too slow; lower the load",
        )
    untaken = sum(
        _reason(last, "device_refused") - _reason(first, "device_refused") for first, last in windows
    )
    if untaken:
        found(
            "had segments that devices did not take",
            untaken,
            f"instance {name}: {untaken} segments were not taken by the devices of its portals: they are larger than "
            "the MTU of a device or of what is at its other end, or that was too slow; give both ends the same MTU, or "
            "lower the load",
        )
    unrecorded = sum(_unrecorded(last) - _unrecorded(first) for first, last in windows)
    if unrecorded:
        failure = _why_unwritten([windows[-1][1]["record"]])
        found(
            "did not record all frames",
            unrecorded,
            f"instance {name}: {unrecorded} frames are not in its record ({failure}): record onto a faster disk "
            "with room, or without a record",
        )
    uncaptured = sum(_uncaptured(last) - _uncaptured(first) for first, last in windows)
    if uncaptured:
        failure = _why_unwritten(windows[-1][1].get("captures", ()))
        found(
            "did not capture all frames",
            uncaptured,
            f"instance {name}: {uncaptured} frames are not in its captures ({failure}): capture onto a faster disk "
            "with room, or at fewer interfaces",
        )
    for each in fluid_times(windows):
        if each.within:
            notes.append(f"instance {name} kept pace: {each}")
            continue
        found(
            "had fluids that carried too much or too little",
            abs(each.difference or 0),
            f"instance {name}: {each}: lower the load, so that it stays packets, or allow more (error=)",
        )
    return {
        **row,
        "late_packets": late,
        "late_fraction": late_fraction,
        "peer_lost_packets": lost,
        "capture_drops": capture_drops,
        "refused_segments": refused + untaken,
        "unrecorded_frames": unrecorded,
        "uncaptured_frames": uncaptured,
    }


def _judge_slices(
    windows: Sequence[tuple[Snapshot, Snapshot]],
    limits: Limits,
    stolen_ms: float,
    found: Callable[[str, float, str], None],
    name: str,
    *,
    whole_is_late: bool,
) -> dict[str, float]:
    """Each half second alone, so that what happened in one is seen beside any number of events in time. What is seen in
    the whole already is not said twice.
    """
    late_ns, stall_ns, late_ppm = (
        _worst_slice(windows, figure) for figure in ("lateness_p999", "longest_stall", "late_share")
    )
    limit_ns = WORSE_IN_HALF_A_SECOND * limits.lateness_p999_ns
    if not whole_is_late and late_ns > limit_ns:
        found(
            "ran late for half a second",
            late_ns,
            f"instance {name} ran {late_ns / 1e6:.2f} ms late in half a second{_when(windows, 1, limit_ns)} (limit "
            f"{limit_ns / 1e6:g} ms, {WORSE_IN_HALF_A_SECOND} times that of the whole): "
            f"{_why_late(windows, stolen_ms)}",
        )
    elif not whole_is_late and stall_ns > limit_ns:
        found(
            "stood still",
            stall_ns,
            f"instance {name} stood still for {stall_ns / 1e6:.2f} ms{_when(windows, 2, limit_ns)} (limit "
            f"{limit_ns / 1e6:g} ms): the computer kept it from running; use one that has less to do",
        )
    limit_ppm = 1e6 * WORSE_IN_HALF_A_SECOND * limits.late_packets_fraction
    late, received = (_grown_at_peers(windows, key) for key in ("late_packets", "received_packets"))
    if late_ppm > limit_ppm and not _share_is_broken(late, received, limits.late_packets_fraction):
        found(
            "got packets over cut links too late for half a second",
            late_ppm,
            f"instance {name}: {late_ppm / 1e4:.3f} % of the packets over cut links in half a second (of 1,000 at "
            f"least) came later than their link's delay (limit {limit_ppm / 1e4:g} %): lengthen the delay or lower the "
            "load",
        )
    return {
        "worst_half_second_lateness_ns": late_ns,
        "longest_stall_ns": stall_ns,
        "worst_half_second_late_ppm": late_ppm,
    }


def _share_is_broken(count: int, total: int, limit: float) -> bool:
    """Whether more than the limit's share were so; of few, more than one. A limit of 0 tolerates none."""
    return count > max(limit * total, ONE_OF_FEW if limit > 0 else 0)


_SliceFigure = Literal["lateness_p999", "longest_stall", "late_share"]


def _worst_slice(windows: Sequence[tuple[Snapshot, Snapshot]], figure: _SliceFigure) -> int:
    """The greatest figure that half a second of the windows had; 0: there is none."""
    worst = 0
    for first, last in windows:
        grown = subtract_buckets(_slice_buckets(last, figure), _slice_buckets(first, figure))
        worst = max([worst, *(edge for edge, _ in grown)])
    return worst


def _slice_buckets(snapshot: Snapshot, figure: _SliceFigure) -> list[list[int]]:
    slices = snapshot.get("slices")
    return slices[figure]["buckets"] if slices is not None and figure in slices else []


def _when(windows: Sequence[tuple[Snapshot, Snapshot]], figure: int, limit: float) -> str:
    """When the first half second with a figure above the limit ended, if that is still known."""
    began_ns = windows[0][0].get("time_ns", 0)
    for row in _noted(windows):
        if row[figure] > limit:
            return f", {(row[0] - began_ns) / 1e9:.1f} s after the beginning"
    return ""


def _short_pauses(windows: Sequence[tuple[Snapshot, Snapshot]], limits: Limits) -> list[Sequence[int]]:
    """The half seconds whose pauses made late all that was; none: the pauses are too long, or do not explain it.

    What becomes due in one pause is late together, so it is one piece of bad luck, as one late event is. All pauses
    together, these and the harmless ones, may be as long as a single one that half a second tolerates, however long
    the run is.
    """
    limit_ns = limits.lateness_p999_ns
    late = sum(
        count
        for first, last in windows
        for edge, count in subtract_buckets(
            _slice_buckets(last, "lateness_p999"), _slice_buckets(first, "lateness_p999")
        )
        if edge > limit_ns
    )
    pauses = [row for row in _noted(windows) if row[1] > limit_ns]
    if late != len(pauses):  # of many, only the latest are known
        return []
    stalled_ns = sum(_of_loop(last, "stalled_ns") - _of_loop(first, "stalled_ns") for first, last in windows)
    too_long = stalled_ns > WORSE_IN_HALF_A_SECOND * limit_ns
    late_without_them = any(lateness_ns - pause_ns > limit_ns for _, lateness_ns, pause_ns in pauses)
    return [] if too_long or late_without_them else pauses


def _noted(windows: Sequence[tuple[Snapshot, Snapshot]]) -> Iterator[Sequence[int]]:
    """Of half seconds of the windows that were worth noting: when it ended, its lateness, its longest pause. Ns."""
    for first, last in windows:
        for row in last.get("slices", {}).get("noted", ()):
            if first.get("time_ns", 0) < row[0] <= last["time_ns"]:
                yield row


def _stolen_ms(instance: str, machines: Mapping[str, tuple[Counters, Counters]]) -> float:
    """How long the hypervisor kept processors of the instance's computer from running what was ready; 0: not known."""
    for before, after in machines.values():
        if instance in after.get("instances", ()):
            earlier, now = before["processors"], after["processors"]
            stolen_s: float = (now["stolen_ticks"] - earlier["stolen_ticks"]) / now["ticks_per_second"]
            return 1e3 * stolen_s
    return 0.0


def _why_late(windows: Sequence[tuple[Snapshot, Snapshot]], stolen_ms: float) -> str:
    stalls, stalled_ns = (
        sum(_of_loop(last, key) - _of_loop(first, key) for first, last in windows) for key in _STALLS
    )
    busy = (
        "its core was busy; lower the load or give it a core (--wait dedicated, with four processors or more)"
    )
    if not stalls:
        return busy
    stolen = f" (its hypervisor gave {stolen_ms:.0f} ms of its processors to others)" if stolen_ms else ""
    return f"the computer kept it from running {stalls} times, {stalled_ns / 1e6:.1f} ms in all{stolen}; else {busy}"


_Stall = Literal["stalls", "stalled_ns"]
_STALLS: tuple[_Stall, ...] = ("stalls", "stalled_ns")


def _of_loop(snapshot: Snapshot, figure: _Stall) -> int:
    loop = snapshot.get("loop")
    return 0 if loop is None else loop.get(figure, 0)


_PeerFigure = Literal["late_packets", "received_packets", "lost_packets"]


def _grown_at_peers(windows: Sequence[tuple[Snapshot, Snapshot]], figure: _PeerFigure) -> int:
    return sum(_of_peers(last, figure) - _of_peers(first, figure) for first, last in windows)


def _of_peers(snapshot: Snapshot, figure: _PeerFigure) -> int:
    rows: list[PeerRow | RemovedRow] = [*snapshot["peers"], *_removed(snapshot, "peers")]
    return sum(row.get(figure, 0) for row in rows)


def _capture_drops(snapshot: Snapshot) -> int:
    return sum(row.get("kernel_drops", 0) for row in _portals(snapshot))


def _unrecorded(snapshot: Snapshot) -> int:
    record = snapshot.get("record")
    return 0 if record is None else record["queue_full"] + record["write_failed"]


def _why_unwritten(rows: Iterable[RecordRow | CaptureRow]) -> str:
    """Why frames are missing. Captures that were begun while the instance ran share a row, which has no failure."""
    if failures := [row["failure"] for row in rows if row.get("failure")]:
        return failures[0]
    failed = any(row["write_failed"] for row in rows)
    return "a write failed, as on a full disk" if failed else "the disk was slower than the traffic"


def _uncaptured(snapshot: Snapshot) -> int:
    return sum(row["queue_full"] + row["write_failed"] for row in snapshot.get("captures", ()))


def _refused_share(snapshot: Snapshot) -> int:
    """Segments that found a link with its share of the packet pool; see simcore/packet/packet_pool.h."""
    pool = snapshot.get("pool")
    return 0 if pool is None else pool.get("refused_share", 0)


def _reason(snapshot: Snapshot, reason: str) -> int:
    return sum(row["dropped"].get(reason, 0) for row in _portals(snapshot))


def _portals(snapshot: Snapshot) -> list[PortalRow | RemovedRow]:
    return [*snapshot["portals"], *_removed(snapshot, "portals")]


def _removed(snapshot: Snapshot, section: str) -> list[RemovedRow]:
    """The sums of the elements of a section that were removed while the instance ran."""
    return [row for row in snapshot.get("removed", ()) if row["name"] == section]
