# SPDX-License-Identifier: MIT
"""Looks at a running network twice a second, and keeps what it saw for a while.

    machines ──look──▶ Watcher ──▶ Seen: the latest ──▶ every page and client that listens
                          └──▶ the last minutes of each link

One call to each machine brings all: the counters that a verdict needs, the wires, and the links of the instance as one
array of numbers. A machine that is lost makes the verdict broken.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hybridnet.errors import HybridnetError
from hybridnet.observe.results.verdict import Verdict, percentile_ns, subtract_buckets
from hybridnet.plan.network import Plan
from hybridnet.run.live.drawing import describe
from hybridnet.run.live.figures import Array, Figures, LinkFigures, Look
from hybridnet.run.live.network import Live, no_such_link
from hybridnet.run.live.response_schemas import Answer
from hybridnet.system.log import debug

__all__ = ["INTERVAL_S", "Seen", "Watcher"]

INTERVAL_S = 0.5
HASTENED_S = 0.05
HISTORY_LOOKS = 600  # five minutes
HISTORY_BYTES = 64 << 20
RECENT_LOOKS = 10  # of which the lateness "now" is
_HISTORY = ("rate_bps", "queue_packets", "dropped")


@dataclass(frozen=True)
class Seen:
    """What was seen at one moment.

    Attributes:
        number: of the look, from 1.
        version: of the drawing; a link's number belongs to it.
        time: seconds since 1970.
        figures: None before the first look, or when the machines did not answer.
        instances: of each: lateness and load.
        links: whose figures these are; None where there are none.
        simulation: of a simulation in virtual time, where it is; None: this is a network in real time.
    """

    number: int
    version: int
    time: float
    verdict: Verdict
    figures: Figures | None
    instances: dict[str, dict[str, float]]
    links: LinkFigures | None = None
    simulation: Answer | None = None


class Watcher:
    """Looks until it is closed, in a thread of its own.

    Args:
        on_look: called in that thread after each look.
        simulation: where a simulation in virtual time is; `hasten` then says that it has moved.
    """

    def __init__(
        self,
        live: Live,
        on_look: Callable[[], object],
        simulation: Callable[[], Answer] | None = None,
    ) -> None:
        self._live = live
        self._on_look = on_look
        self._simulation = simulation
        self._plan: Plan | None = None
        self._down: frozenset[str] = frozenset()
        self._lock = threading.Lock()
        self._looking = threading.Lock()  # one look at a time
        self._drawing: Answer = {}
        self._history: deque[tuple[float, Array]] = deque()
        self._instances: dict[str, deque[Mapping[str, Any]]] = {}
        self._version = 0
        self._links: LinkFigures | None = None
        self.seen = Seen(0, 0, time.time(), Verdict.of([]), None, {})
        self.busy_s = 0.0  # of processor time, of the looking thread alone
        self._closed = False
        self._wanted = threading.Event()
        self.look()
        self._thread = threading.Thread(target=self._watch, name="live page's watcher", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Look no more."""
        self._closed = True
        self._wanted.set()
        self._thread.join()

    def hasten(self) -> None:
        """Look as soon as possible, for something has moved."""
        self._wanted.set()

    def drawing(self) -> Answer:
        """The network as `describe` has it, and its ``version``."""
        with self._lock:
            return self._drawing

    def number_of(self, link: str) -> int:
        """A link's number in this version. Raises UnknownNameError."""
        with self._lock:
            names = [] if self._links is None else self._links.names
        if link not in names:
            raise no_such_link(link, names)
        return names.index(link)

    def history(self, link: str) -> Answer:
        """The last minutes of a link: ``time`` in seconds since 1970, and of both directions the rate, the waiting
        packets and the drops since the start. Raises UnknownNameError.
        """
        number = self.number_of(link)
        with self._lock:
            rows = [(at, values[:, number]) for at, values in self._history if number < values.shape[1]]
        columns = {
            name: [[_plain(values[place, way]) for _, values in rows] for way in (0, 1)]
            for place, name in enumerate(_HISTORY)
        }
        return {"link": link, "time": [at for at, _ in rows], **columns}

    def look(self) -> None:
        """Look once."""
        with self._looking:
            self._look_once()

    def _look_once(self) -> None:
        began = time.thread_time()
        try:
            verdict, figures, instances, links = self._read()
        except HybridnetError as error:
            verdict = Verdict.of([f"the machines do not answer: {error}"])
            figures, instances, links = None, {}, None
        except Exception as error:  # the network is changing; a page that shows nothing would hide it
            debug(f"*** live page: {type(error).__name__}: {error}\n")
            self.busy_s += time.thread_time() - began
            return
        simulation = None if self._simulation is None else self._simulation()
        self.seen = Seen(
            self.seen.number + 1,
            self._version,
            self._now(simulation),
            verdict,
            figures,
            instances,
            links,
            simulation,
        )
        self.busy_s += time.thread_time() - began

    def _watch(self) -> None:
        due = time.monotonic() + INTERVAL_S
        while True:
            hastened = self._wanted.wait(max(0.0, due - time.monotonic()))
            self._wanted.clear()
            if self._closed:
                return
            self.look()
            self._on_look()
            if hastened:
                time.sleep(HASTENED_S)  # many may come one after the other
                due = time.monotonic() + INTERVAL_S
            else:
                due = max(due + INTERVAL_S, time.monotonic())  # a slow look delays, and none is made up for

    def _read(self) -> tuple[Verdict, Figures, dict[str, dict[str, float]], LinkFigures]:
        links = self._follow()
        cluster = self._live.net.cluster
        looks: Look = cluster.call_left(dict.fromkeys(cluster.machines, ("look", {"known": links.known()})))
        figures = links.take(looks)
        verdict = self._live.judge({machine: look["counters"] for machine, look in looks.items()})
        self._remember(figures)
        return verdict, figures, self._lateness(looks), links

    def _follow(self) -> LinkFigures:
        """The links of the plan that holds now; a new drawing where it has changed."""
        plan, down = self._live.plan, self._live.down()
        if self._links is not None and plan is self._plan and down == self._down:
            return self._links
        drawing = describe(self._live)
        with self._lock:
            if self._links is None or plan is not self._plan:
                self._links = LinkFigures(plan, slow=self._simulation is not None)
                self._history = deque(maxlen=_looks_kept(len(plan.links)))
            self._plan, self._down = plan, down
            self._version += 1
            self._drawing = {"version": self._version, **drawing}
        return self._links

    def redraw(self) -> None:
        """What was said of a link has changed: draw anew, so that who asks next sees it."""
        with self._looking:
            self._down = frozenset({""})
            self._look_once()

    def _remember(self, figures: Figures) -> None:
        values = np.stack([getattr(figures, name) for name in _HISTORY]).astype(np.float32)
        now = self._now(None if self._simulation is None else self._simulation())
        with self._lock:
            if not self._history or self._history[-1][0] != now:
                self._history.append((now, values))

    @staticmethod
    def _now(simulation: Mapping[str, Any] | None) -> float:
        """Seconds since 1970, or of simulated time."""
        return time.time() if simulation is None else float(simulation["time_ns"]) / 1e9

    def _lateness(self, looks: Look) -> dict[str, dict[str, float]]:
        """Of each instance: lateness since its start and in the last seconds, and how busy its thread was meanwhile."""
        rows = {}
        now_of = {name: now for look in looks.values() for name, now in look["counters"]["instances"].items()}
        for name, now in now_of.items():
            past = self._instances.setdefault(name, deque(maxlen=RECENT_LOOKS))
            if now is None or (past and now["loop"]["wall_ns"] < past[-1]["loop"]["wall_ns"]):
                past.clear()  # it has ended, or is another one
            if now is None:
                continue
            first = past[0] if past else now
            recent = subtract_buckets(now["lateness"]["buckets"], first["lateness"]["buckets"])
            wall = now["loop"]["wall_ns"] - first["loop"]["wall_ns"]
            rows[name] = {
                "lateness_p50_ns": percentile_ns(recent, 0.5),
                "lateness_p999_ns": percentile_ns(recent, 0.999),
                "lateness_p999_ns_since_start": percentile_ns(now["lateness"]["buckets"], 0.999),
                "lateness_most_ns": now["lateness"]["max_ns"],
                "busy": (now["loop"]["cpu_ns"] - first["loop"]["cpu_ns"]) / wall if wall > 0 else 0.0,
            }
            past.append({"lateness": now["lateness"], "loop": now["loop"]})
        return rows


def _looks_kept(links: int) -> int:
    return max(1, min(HISTORY_LOOKS, HISTORY_BYTES // (4 * 2 * len(_HISTORY) * max(links, 1))))


def _plain(value: Any) -> float | None:
    return None if np.isnan(value) else float(value)
