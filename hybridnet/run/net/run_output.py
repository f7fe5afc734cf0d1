# SPDX-License-Identifier: MIT
"""What a network leaves in a run directory: its own, or that of the command in which it runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridnet.agent.instances.series_selection import not_there
from hybridnet.agent.machine.files import PIECE_LIMIT
from hybridnet.describe.topo import Topo
from hybridnet.describe.values import plain, shown
from hybridnet.errors import MachineError, UsageError
from hybridnet.machines.cluster import Machines
from hybridnet.machines.cluster.machines import Call
from hybridnet.observe.recording.current_record import current
from hybridnet.observe.results.verdict import Verdict
from hybridnet.plan.network import Plan
from hybridnet.system.log import warn
from hybridnet.system.processor import computer

if TYPE_CHECKING:
    from hybridnet.observe.recording.network_record import NetworkRecord
    from hybridnet.observe.recording.run_record import RunRecord
    from hybridnet.run.net.ping_stream import Answers
    from hybridnet.run.net.traces import Traced

__all__ = ["Recorded", "Sampling"]


@dataclass(frozen=True)
class Sampling:
    """A time series.

    Args:
        every: time between samples, such as ``"100ms"``, at least 1 ms.
        of: what is sampled: None: links between machines, portals, applications, TCP connections, hosts' interfaces,
            lateness, processors; "all": every simulated link, node and interface, too; or the names of nodes, links,
            interfaces and applications.
    """

    every: str | float
    of: str | Sequence[str] | None = None

    def __post_init__(self) -> None:
        from hybridnet.observe.recording.run_record import checked_elements, series_interval_s

        series_interval_s(self.every)
        checked_elements(self.of)


class Recorded:
    """The recording of one network, if there is one.

    Args:
        series: as of `hybridnet.Net`.
        out: the run directory; None: that of the command, or, with a series, a new one in ``runs``.

    Raises:
        UsageError, UnitError: they make no sense.
    """

    def __init__(self, series: Any, out: Any) -> None:
        sampled = series if series is None or isinstance(series, Sampling) else Sampling(series)
        if out is not None and not isinstance(out, str | PathLike):
            raise UsageError(f"Net: out {shown(out)} is not a path; write the name of a run directory")
        self.series = None if sampled is None else sampled.every
        self._elements = None if sampled is None else sampled.of
        self.out = out
        self._own: RunRecord | None = None
        self._traced: Traced | None = None
        self._network: NetworkRecord | None = None
        self._sampling: dict[str, object] | None = None  # what `start_series` is told
        self._sampling_since_s = 0.0
        self._slow = 1
        self._cluster: Machines | None = None
        self._elsewhere: frozenset[str] = frozenset()  # the machines on other computers

    def traced(self, topo: Topo) -> Traced | None:
        """What the command traces of a network that starts; None: nothing. Raises UsageError as `Traced`."""
        record = current()
        if record is None or not record.trace:
            return None
        from hybridnet.run.net.traces import Traced  # only who traces waits for this import

        self._traced = Traced(record, topo)
        return self._traced

    def begin(self, plan: Plan, cluster: Machines, seed: int) -> None:
        """The network has started. Without a recording it does nothing."""
        record = current()
        if self.out is not None or (record is None and self.series is not None):
            record = self._own = self._own_record(seed)
        if record is None:
            return
        self._cluster = cluster
        self._elsewhere = frozenset(
            machine
            for machine in cluster.machines
            if cluster.call(machine, "capacity")["computer"] != computer()
        )
        interval_s, elements = self._sampled(record)
        facts = {machine: cluster.facts(machine) for machine in cluster.machines}
        if interval_s is not None:
            self._sampling = {"interval_s": interval_s, "elements": elements}
            self._sampling_since_s = time.monotonic()
            self._slow = plan.slow
            for name in not_there(plan.machines.values(), elements):
                warn(
                    f"*** Warning: the series has nothing of {plain(name)}: no host and nothing simulated has this "
                    "name; `hybridnet plan` lists what there is\n"
                )
            cluster.call_all(dict.fromkeys(cluster.machines, ("start_series", self._sampling)))

        def take(last: bool) -> Mapping[str, Any]:
            return cluster.call_left(dict.fromkeys(cluster.machines, ("take_series", {"last": last})))

        self._network = record.network(plan.to_json(), facts, seed, None if interval_s is None else take)

    def resume(self, machine: str, call: Call) -> None:
        """A lost machine has been built again, and `call` reaches it. Without a series and a trace it does nothing."""
        if self._traced is not None:
            self._traced.resume(machine, call)
        self._sample(call)

    def join(self, machine: str, call: Call) -> None:
        """A machine that joins has been built, and `call` reaches it. Without a recording it does nothing."""
        if self._network is not None:
            if call("capacity")["computer"] != computer():
                self._elsewhere |= {machine}
            self._network.join(machine, call("facts"))
        self._sample(call)

    def captured(self, machine: str, file: str) -> None:
        """A capture has begun on a machine: its file is kept, too. Without a recording it does nothing."""
        if self._network is not None:
            self._network.add_capture(machine, file)

    def pinged(self, ends: str, answers: Answers) -> None:
        """A stream of pings has ended. Without a recording it does nothing."""
        if self._network is not None:
            answered = sorted(answers.left_s)
            self._network.add_pings(
                ends,
                [answers.left_s[each] for each in answered],
                answers.sent,
                answered,
                answers.interval_s,
                answers.slow,
            )

    def began_again(self, machine: str, instance: Mapping[str, Any]) -> None:
        """An instance was started again with this plan, whose captures have files of their own."""
        for capture in instance["captures"]:
            self.captured(machine, capture["file"])

    def left(self, machine: str) -> None:
        """The network of a machine that leaves has been removed, and its agent is there still: keep its captures."""
        if self._network is not None:
            self._network.keep_captures(machine, self._pieces, elsewhere=machine in self._elsewhere)
            self._elsewhere -= {machine}

    def leave(self, machine: str, cluster: Machines) -> None:
        """A machine is about to leave: take its last samples, and its trace. Without these it does nothing."""
        if self._traced is not None:
            self._traced.leave(machine, cluster)
        if self._sampling is not None and self._network is not None:
            self._network.take_last(cluster.call(machine, "take_series", last=True))

    def end_series(self) -> None:
        """The network is about to be removed. Without a recording it does nothing."""
        self._sampling = None
        if self._network is not None:
            self._network.end_series()

    def finish(self, counters: Mapping[str, Any], verdict: Callable[[], Verdict]) -> None:
        """The network has been removed, and its machines are there still: files that it left on them are fetched.
        Without a recording it does nothing, nor a second time.

        Args:
            counters: with which the machines' instances ended.
        """
        network, self._network = self._network, None
        own, self._own = self._own, None
        if network is not None:
            network.finish(counters, verdict(), self._pieces, self._elsewhere)
        if own is not None:
            own.end(0, [verdict()])

    def _pieces(self, machine: str, file: str) -> Iterator[bytes]:
        """A file of a machine, in pieces. Raises HybridnetError: it cannot be read, or the machine is gone."""
        if self._cluster is None:
            raise MachineError(f"machine {machine} has ended")
        offset = 0
        while piece := self._cluster.call(machine, "read_piece", path=file, offset=offset, size=PIECE_LIMIT):
            yield piece
            offset += len(piece)

    def _sample(self, call: Call) -> None:
        """Begin the series of a machine that others have had for a while. Without one it does nothing."""
        if self._sampling is not None:
            call(
                "start_series",
                **self._sampling,
                from_s=(time.monotonic() - self._sampling_since_s) / self._slow,
            )

    def _sampled(self, record: RunRecord) -> tuple[float | None, str | list[str] | None]:
        """How often, and what: what the network says, or else the command."""
        from hybridnet.observe.recording.run_record import checked_elements, series_interval_s

        if self.series is None:
            return record.interval_s, record.elements
        return series_interval_s(self.series), checked_elements(self._elements)

    def _own_record(self, seed: int) -> RunRecord:
        from hybridnet.observe.recording.run_record import RunRecord, default_path

        path = default_path("net") if self.out is None else Path(self.out)
        return RunRecord(path, series=self.series, elements=self._elements, facts={"verb": "Net"}, seed=seed)
