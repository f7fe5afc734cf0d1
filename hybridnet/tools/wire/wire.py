# SPDX-License-Identifier: MIT
"""A wire: two network interfaces of this namespace, joined by one simulated link.

::

    A ── portal ── link, each direction with its rate, delay and queue ── portal ── B

What netem, dummynet or TLEM are used for, without a kernel module: frames that arrive at one interface leave at the
other. It is one instance with two emulation portals, in a process of its own, like those of a network's machines. While
it runs it can be found by its name and changed by another process (`hybridnet.tools.wire.state`).
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from hybridnet.agent.instances.instance_process import InstanceProcess
from hybridnet.describe.options import table
from hybridnet.describe.options.read import refuse_unknown
from hybridnet.describe.schema.check import check
from hybridnet.describe.schema.plans import DirectionPlan, InstancePlan, RealTimePlan
from hybridnet.describe.topo.direction import Direction
from hybridnet.describe.values import choice, plain, shown, text, whole
from hybridnet.errors import EnvironmentLackError, HybridnetError, UsageError
from hybridnet.observe.results import Limits, Verdict, judge
from hybridnet.observe.series.snapshot import Snapshot
from hybridnet.simulate.instance.plugin import find_plugin
from hybridnet.system.cleaning import remove_run_directory
from hybridnet.system.device_features import DeviceFeatures
from hybridnet.system.guardian import Guardian
from hybridnet.system.interfaces import require_interface, require_root
from hybridnet.system.journal import Journal
from hybridnet.tools.wire.report import direction_figures, portal_drops, portal_notes
from hybridnet.tools.wire.state import (
    LINK,
    SOCKET,
    change,
    changes_of_ways,
    options_of_ways,
    reachable,
    read_directions,
    resolve_ways,
    write_options,
)

__all__ = ["BACKENDS", "Wire", "wire_plan"]

BACKENDS = ("packet", "pcap", "tap", "xdp")
MOST_SEED = 2**64 - 1
_NAME = re.compile(r"[A-Za-z0-9_.:@-]{1,40}")
_SOCKET_PATH_BYTES = 107


def wire_plan(
    a: str,
    b: str,
    *,
    name: str,
    forward: DirectionPlan,
    backward: DirectionPlan,
    backend: str = "packet",
    portal_options: Mapping[str, Any] | None = None,
    realtime: RealTimePlan | None = None,
    seed: int = 1,
    record: str | None = None,
) -> InstancePlan:
    """The instance plan (``schema/instance.json``) of a wire from interface ``a`` to ``b``.

    Args:
        forward, backward: the directions a to b and b to a, with all keys of the schema.
        portal_options: of both portals; see docs/portals.md.
        realtime: what differs from the defaults. A wire does not gather what comes (Moderation in simcore): it is as
            exact as the computer can make it.
        seed: of the random numbers.
        record: the file into which everything that crosses the portals goes; None: none.
    """
    plan: InstancePlan = {
        "format": 1,
        "name": name,
        "seed": seed,
        "token": "0" * 16,  # no peers, no datagrams
        "nodes": [],
        "emulation_portals": [
            {"name": device, "device": device, "backend": backend, "options": dict(portal_options or {})}
            for device in (a, b)
        ],
        "peers": [],
        "links": [
            {
                "name": LINK,
                "a": {"portal": a},
                "b": {"portal": b},
                "a_to_b": forward,
                "b_to_a": backward,
            }
        ],
        "captures": [],
        "realtime": realtime or {},
    }
    if record is not None:
        plan["record"] = record
    return plan


class Wire:
    """Two interfaces of this network namespace that a simulated link joins, from `start` until `close`.

    As with `hybridnet.Net`, the constructor checks and makes nothing; ``with`` starts and closes. A wire that has not
    been started answers every other call with a UsageError.

    Args:
        a, b: names of the interfaces.
        options: of each direction. Quantities carry their unit; ``"none"`` is the default.

            * rate: text, such as ``"10 Mbit/s"``. Default: no limit.
            * delay: propagation delay, at least 0; jitter: it varies by so much, and packets overtake each other.
            * loss, duplicate, corrupt, reorder: percentage of the packets that are lost, sent twice, damaged by one
              bit, or skip the delay.
            * queue: what may wait for the wire, ``100`` packets or ``"150 kB"``; default 1000 packets.
            * aqm: ``codel``, ``pie`` or another queue instead of drop-tail, ``"codel:target=5ms"``; ecn: it marks.
            * trace: a mahimahi file, which says when a frame can leave, instead of a rate.
            * jitter_distribution, keep_order, bit_error_rate, reorder_gap, burst, peak, slots, trace_bytes: as
              in `Topo.addLink`; so are the models with parameters, a dictionary or ``"NAME:key=value"``.
            * model: a plug-in of your own, ``"./bursty.so"``, and model_args, its arguments; see docs/plugins.md.
            * overhead: added to every frame on the wire, ``"24 B"`` for Ethernet in full; default 0.
            * train_limit: the longest time that one train of segments may occupy the link; ``"0"``: each packet alone,
              exact and slower. Default 50 us.
        forward, backward: the same options for the direction a to b, or b to a, alone; they go first.
        backend: ``packet``, ``pcap``, ``tap`` or ``xdp``: how frames are read and written; ``tap`` makes
            interfaces that are not there.
        portal_options: of both portals; see docs/portals.md.
        realtime: of the instance, as in an instance plan: ``{"wait": "dedicated"}`` keeps a core for the wire.
        name: by which ``hybridnet wire set`` finds it; default ``A-B``.
        seed: of what is drawn: losses, jitter. The same for the same seed and packets.
        record: a ``.pcapng`` file for everything that crosses the two interfaces, for ``hybridnet replay``.
        limits: what the verdict tolerates.

    Raises:
        UsageError, UnitError: an option makes no sense, or a wire of this name exists.
        EnvironmentLackError: not root, or there is no such interface here, or it is down.
        MachineError: the instance did not start; the message has its own words.

    Example::

        with hybridnet.Wire("eth1", "eth2", rate="100 Mbit/s", delay="10 ms") as wire:
            ...
            wire.set(rate="10 Mbit/s")
        print(wire.verdict)
    """

    def __init__(
        self,
        a: str,
        b: str,
        *,
        forward: Mapping[str, object] | None = None,
        backward: Mapping[str, object] | None = None,
        backend: str = "packet",
        portal_options: Mapping[str, Any] | None = None,
        realtime: Mapping[str, Any] | None = None,
        name: str | None = None,
        limits: Limits | None = None,
        seed: int = 1,
        record: str | os.PathLike[str] | None = None,
        **options: object,
    ) -> None:
        self.a, self.b = text(a, "wire: a"), text(b, "wire: b")
        self.name = f"{a}-{b}" if name is None or name == "" else text(name, "wire: name")
        self.verdict: Verdict | None = None
        what = f"wire {plain(self.name)}"
        if limits is not None and not isinstance(limits, Limits):
            raise UsageError(f"{what}: limits {shown(limits)} are not hybridnet.Limits; leave them out")
        self._limits = limits or Limits()
        for option, given_options in (("portal_options", portal_options), ("realtime", realtime)):
            if given_options is not None and not isinstance(given_options, Mapping):
                raise UsageError(f"{what}: {option} {shown(given_options)} is not a dictionary; leave it out")
        refuse_unknown(realtime or {}, table("realtime"), f"{what}: realtime", UsageError)
        check(dict(realtime or {}), "instance", f"{what}: realtime", "realtime")
        if not _NAME.fullmatch(self.name):
            raise UsageError(f"{what}: a name has at most 40 letters, digits and _.:@-; give another")
        self._given = options_of_ways(what, options, forward, backward)
        self._directions = resolve_ways(what, self._given)
        file = None if record is None else self._checked_record(record)
        self._check(backend, portal_options or {}, seed)
        self._plan = wire_plan(
            a,
            b,
            name=self.name,
            forward=self._directions["a_to_b"].to_json(),
            backward=self._directions["b_to_a"].to_json(),
            backend=backend,
            portal_options=portal_options,
            realtime=cast(RealTimePlan | None, realtime),
            seed=seed,
            record=file,
        )
        self._process: InstanceProcess | None = None
        self._started = False

    def start(self) -> None:
        """Joins the interfaces. A second call does nothing.

        Raises:
            EnvironmentLackError: this computer lacks something.
            UsageError, PlanError: its instance refuses an option, such as an argument of a plug-in; the message has its
                own words.
            MachineError: the instance did not start; the message has its own words.
        """
        if self._started:
            return
        what = f"wire {self.name}"
        self._refuse_name_in_use()
        self._started = True
        self._journal = Journal.create()
        self._guardian = Guardian(self._journal.directory)
        self._features = DeviceFeatures((self.a, self.b))
        try:
            self._guardian.start()
            self._directory = directory = self._journal.directory / f"wire-{self.name}"
            if len(os.fsencode(directory / SOCKET)) > _SOCKET_PATH_BYTES:
                raise EnvironmentLackError(
                    f"{what}: the path of its socket in {directory} is too long for Unix; "
                    "set HYBRIDNET_STATE_DIR to a shorter one"
                )
            directory.mkdir(parents=True)
            write_options(directory, self._given)
            self._process = InstanceProcess(self._plan, self._journal, directory, directory / SOCKET)
            self._process.await_ready()
            self._first = self._last = self._process.ask("snapshot")
        except BaseException:
            with contextlib.suppress(HybridnetError):  # of the same end; the first error says why
                self.close()
            raise

    def set(
        self,
        *,
        forward: Mapping[str, object] | None = None,
        backward: Mapping[str, object] | None = None,
        **options: object,
    ) -> None:
        """Changes the options that are given, in both directions or in one; all others stay.

        Nothing in flight is lost or overtaken: what waits goes on at the new rate, what was accepted keeps its delay.

        Raises:
            UsageError, UnitError: the options make no sense, or nothing is given; nothing has changed.
            MachineError: it cannot be changed while the wire runs; nothing has changed.
        """
        self._need_started()
        process = self._process
        if process is None:
            raise UsageError(f"wire {self.name}: it is closed and cannot be changed")
        changes = changes_of_ways(f"wire {self.name}", options, forward, backward)
        change(self._directory, changes, lambda request: process.ask(**request))

    @property
    def directions(self) -> dict[str, Direction]:
        """What holds now, ``a_to_b`` and ``b_to_a``; at the end: what held last."""
        if self._process is not None:  # somebody else may have changed it
            self._directions = read_directions(self._directory)
        return dict(self._directions)

    def snapshot(self) -> Snapshot:
        """Every counter of the instance, now.

        Raises:
            MachineError: the instance has ended; the message has its last words.
        """
        self._need_started()
        if self._process is not None:
            self._last = self._process.ask("snapshot")
        last: Snapshot = self._last
        return last

    def close(self) -> None:
        """Ends the wire, puts the interfaces' settings back, and judges: afterwards `verdict` is there. A second call
        does nothing.
        """
        self._need_started()
        process, self._process = self._process, None
        try:
            if process is not None:
                self._directions = read_directions(self._directory)
                final = process.stop()
                if final is None:
                    self._features.put_back()  # what was killed did not
                    process.check()  # raises, with its last words
                else:
                    self._last = final
                    self.verdict = judge([([self._first], [self._last])], self._limits)
        finally:
            self._journal.close()
            remove_run_directory(self._journal.directory)
            self._guardian.end()

    def to_json(self) -> dict[str, Any]:
        """What passed since the start, and the verdict if it is closed."""
        self._need_started()
        seconds = (self._last["time_ns"] - self._first["time_ns"]) / 1e9
        return {
            "name": self.name,
            "seconds": seconds,
            "directions": {
                key: {"from": source, "to": target, **self._directions[key].to_json()}
                | direction_figures(self._first, self._last, source)
                for key, source, target in (("a_to_b", self.a, self.b), ("b_to_a", self.b, self.a))
            },
            "portal_drops": portal_drops(self._first, self._last),
            "notes": portal_notes(self._last),
            "verdict": None if self.verdict is None else self.verdict.to_json(),
        }

    def __enter__(self) -> Wire:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _need_started(self) -> None:
        if not self._started:
            raise UsageError(f"wire {self.name}: it has not been started; use `with`, or call start() first")

    def _checked_record(self, record: Any) -> str:
        if not isinstance(record, os.PathLike):
            text(record, f"wire {self.name}: record")
        file = Path(record)
        what = f"wire {self.name}: record {file}"
        if file.suffix != ".pcapng":
            raise UsageError(f"{what}: a record is a pcapng file; write a name that ends in .pcapng")
        if not file.absolute().parent.is_dir():
            raise UsageError(
                f"{what}: there is no folder {file.absolute().parent}; make it, or write another"
            )
        return str(file.absolute())

    def _check(self, backend: str, portal_options: Mapping[str, Any], seed: int) -> None:
        what = f"wire {self.name}"
        whole(seed, f"{what}: seed", 0, MOST_SEED)
        choice(backend, f"{what}: portal", BACKENDS)
        portal = {"backend": backend, "options": dict(portal_options)}
        check(portal, "instance", f"{what}: portal", "portal_by_backend")
        if self.a == self.b:
            raise UsageError(f"{what}: both ends are {self.a}; a wire joins two interfaces")
        require_root(what)
        for device in (self.a, self.b) if backend != "tap" else ():  # which makes what is not there
            require_interface(device, what)
        for direction in self._directions.values():
            if direction.plugin is not None:
                find_plugin(direction.plugin["file"])
            model = direction.rate_model
            if model is not None and model["model"] == "opportunities" and not Path(model["file"]).is_file():
                raise UsageError(f"{what}: there is no trace file {model['file']}; give a mahimahi trace")
        self._refuse_name_in_use()

    def _refuse_name_in_use(self) -> None:
        what = f"wire {self.name}"
        if (found := reachable(self.name)) is not None:
            found[1].close()
            raise UsageError(
                f"{what}: a wire of this name runs already; end it, or give this one another name"
            )
