# SPDX-License-Identifier: MIT
"""What a running network has counted, as Prometheus and whatever else reads OpenMetrics scrape it: under ``/metrics``.

Links, the verdict and the time are those of the watcher's last look. What only a scrape needs is asked of the machines
then: interfaces, flows, and drops by reason. Names follow Prometheus's conventions: base units (seconds, bytes), and
counters that end with ``_total``. An instance is the label ``name``: Prometheus keeps ``instance`` for itself.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping

import numpy as np
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.exposition import generate_latest as as_text
from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST
from prometheus_client.openmetrics.exposition import generate_latest as as_openmetrics
from prometheus_client.registry import Collector

from hybridnet.errors import HybridnetError
from hybridnet.observe.results.machines import Scrape
from hybridnet.observe.results.verdict import Verdict, Word
from hybridnet.observe.series.snapshot import Histogram, InterfaceRow, NamedRow, Snapshot
from hybridnet.run.live.figures import Figures, LinkFigures
from hybridnet.run.live.network import Live
from hybridnet.run.live.watching import Seen, Watcher

__all__ = ["Metrics"]

OPENMETRICS = "application/openmetrics-text"
LATENESS_EDGES_NS = [(1 << bits) - 1 for bits in range(10, 31)]
"""From a microsecond to a second, where the instance's own histogram has edges as well."""

_LINK = ["link", "from", "to"]
_INTERFACE = ["node", "interface"]
_OF_LINKS = {
    "accepted_packets": "Packets that were offered to a direction of a simulated link.",
    "accepted_bytes": "Bytes that were offered to a direction of a simulated link.",
    "delivered_packets": "Packets that came out of a direction of a link.",
    "delivered_bytes": "Bytes that came out of a direction of a link.",
}
_HELD = {
    "in_flight": ("in_flight_packets", "Packets on their way to the other end of a simulated link."),
    "queue_packets": ("queue_packets", "Packets that wait in the queue of a simulated link."),
    "queue_bytes": ("queue_bytes", "Bytes that wait in the queue of a simulated link."),
}
_OF_LOOPS = {
    "cpu_ns": ("cpu_seconds", "Processor time of the thread of an instance."),
    "wall_ns": ("wall_seconds", "Time since an instance began."),
    "stalled_ns": ("stalled_seconds", "Time for which the computer kept an instance from running."),
    "stalls": ("stalls", "How often the computer kept an instance from running."),
}


class Metrics(Collector):
    """Answers scrapes of one network, one after the other. Usable from any thread."""

    def __init__(self, live: Live, watcher: Watcher) -> None:
        self._live, self._watcher = live, watcher
        self._lock = threading.Lock()

    def answer(self, accept: str) -> tuple[bytes, str]:
        """The metrics and their media type: OpenMetrics for who accepts it, else the text format of Prometheus.

        Args:
            accept: the request's header.
        """
        with self._lock:
            if OPENMETRICS in accept:
                return bytes(as_openmetrics(self)), CONTENT_TYPE_LATEST  # type: ignore[no-untyped-call]
            return as_text(self), CONTENT_TYPE_PLAIN_0_0_4

    def collect(self) -> Iterator[Metric]:
        """All of them, as they are now."""
        seen = self._watcher.seen
        scrapes = self._scrape()
        yield from _of_verdict(seen.verdict)
        yield from _of_time(seen)
        answer = GaugeMetricFamily("hybridnet_machines_answer", "Whether the machines answered this scrape.")
        answer.add_metric([], float(scrapes is not None))
        yield answer
        snapshots = {
            name: snapshot
            for each in (scrapes or {}).values()
            for name, snapshot in each["instances"].items()
        }
        present = {name: snapshot for name, snapshot in snapshots.items() if snapshot is not None}
        if seen.figures is not None and seen.links is not None:
            yield from _of_links(seen.links, seen.figures, present)
        yield from _of_interfaces(scrapes or {}, present)
        yield from _of_switches(scrapes or {}, present)
        yield from _of_instances(snapshots, present)

    def _scrape(self) -> Mapping[str, Scrape] | None:
        """What each machine that is left answers; None: one does not."""
        cluster = self._live.net.cluster
        try:
            answers: Mapping[str, Scrape] = cluster.call_left(dict.fromkeys(cluster.machines, ("scrape", {})))
        except HybridnetError:
            return None
        return answers


def _of_verdict(verdict: Verdict) -> Iterator[Metric]:
    words = GaugeMetricFamily(
        "hybridnet_verdict", "The verdict since the start: 1 for the word that holds.", labels=["word"]
    )
    for word in Word:
        words.add_metric([str(word)], float(verdict.word is word))
    yield words
    reasons = GaugeMetricFamily("hybridnet_verdict_reasons", "How many limits did not hold.")
    reasons.add_metric([], len(verdict.reasons))
    yield reasons


def _of_time(seen: Seen) -> Iterator[Metric]:
    if seen.simulation is None:
        name, text = "look_timestamp", "When links were looked at, since 1970."
    else:
        name, text = "simulation_time", "Simulated time."
    yield GaugeMetricFamily(f"hybridnet_{name}_seconds", text, seen.time)


def _of_links(links: LinkFigures, figures: Figures, snapshots: Mapping[str, Snapshot]) -> Iterator[Metric]:
    labels = [
        [(link.name, link.a.node, link.b.node), (link.name, link.b.node, link.a.node)]
        for link in links.plan.links
    ]
    simulated = [link.simulated for link in links.plan.links]
    for name, text in _OF_LINKS.items():
        values = getattr(figures, name)
        counter = CounterMetricFamily(f"hybridnet_link_{name}", text, labels=_LINK)
        for number, way in np.argwhere(~np.isnan(values)).tolist():
            counter.add_metric(labels[number][way], values[number, way])
        yield counter
    for figure, (name, text) in _HELD.items():
        values = getattr(figures, figure)
        gauge = GaugeMetricFamily(f"hybridnet_link_{name}", text, labels=_LINK)
        for number in np.flatnonzero(simulated).tolist():
            for way in (0, 1):
                gauge.add_metric(labels[number][way], values[number, way])
        yield gauge
    dropped = CounterMetricFamily(
        "hybridnet_link_dropped_packets", "Packets that a link did not deliver.", labels=[*_LINK, "reason"]
    )
    for number in np.flatnonzero(~np.array(simulated, dtype=bool)).tolist():
        for way in (0, 1):  # a wire
            dropped.add_metric([*labels[number][way], "interface"], figures.dropped[number, way])
    senders = links.senders()
    for instance, snapshot in snapshots.items():
        for row in snapshot["links"]:
            place = senders.get((instance, row["name"].rpartition(">")[0]))
            if place is not None:
                for reason, count in row["dropped"].items():
                    dropped.add_metric([*labels[place[0]][place[1]], reason], count)
    yield dropped


def _of_interfaces(scrapes: Mapping[str, Scrape], snapshots: Mapping[str, Snapshot]) -> Iterator[Metric]:
    """Of the hosts' interfaces, and of all that are simulated."""
    emulated = [row for scrape in scrapes.values() for row in scrape["interfaces"]]
    simulated: list[InterfaceRow] = [row for each in snapshots.values() for row in each["interfaces"]]
    figures = (
        ("receive_bytes", "Bytes that an interface received.", 0, "in_bytes"),
        ("receive_packets", "Packets that an interface received.", 1, "in_packets"),
        ("transmit_bytes", "Bytes that an interface sent.", 3, "out_bytes"),
        ("transmit_packets", "Packets that an interface sent.", 4, "out_packets"),
    )
    for name, text, place, key in figures:
        counter = CounterMetricFamily(f"hybridnet_interface_{name}", text, labels=_INTERFACE)
        for node, interface, *counts in emulated:
            counter.add_metric([node, interface], counts[place])
        for own in simulated:
            counter.add_metric([own["node"], own["name"]], own[key])  # type: ignore[literal-required]
        yield counter
    dropped = CounterMetricFamily(
        "hybridnet_interface_dropped_packets",
        "Packets that an interface dropped.",
        labels=[*_INTERFACE, "reason"],
    )
    for node, interface, *counts in emulated:
        dropped.add_metric([node, interface, "rx_dropped"], counts[2])
        dropped.add_metric([node, interface, "tx_dropped"], counts[5])
    for own in simulated:
        for reason, count in own["dropped"].items():
            dropped.add_metric([own["node"], own["name"], reason], count)
    yield dropped


def _of_switches(scrapes: Mapping[str, Scrape], snapshots: Mapping[str, Snapshot]) -> Iterator[Metric]:
    flows = GaugeMetricFamily(
        "hybridnet_switch_flows", "Flows in the tables of an OpenFlow switch.", labels=["switch"]
    )
    for scrape in scrapes.values():
        for switch, count in scrape["flows"].items():
            flows.add_metric([switch], count)
    dropped = CounterMetricFamily(
        "hybridnet_node_dropped_packets", "Packets that a simulated node dropped.", labels=["node", "reason"]
    )
    rows: list[NamedRow] = [row for each in snapshots.values() for row in each["nodes"]]
    for row in rows:
        entries = row.get("flows")  # of those that speak OpenFlow
        if isinstance(entries, int):
            flows.add_metric([row["name"]], entries)
        for reason, lost in row["dropped"].items():
            dropped.add_metric([row["name"], reason], lost)
    yield flows
    yield dropped


def _of_instances(
    snapshots: Mapping[str, Snapshot | None], present: Mapping[str, Snapshot]
) -> Iterator[Metric]:
    up = GaugeMetricFamily("hybridnet_instance_up", "Whether an instance runs.", labels=["name"])
    for name, snapshot in snapshots.items():
        up.add_metric([name], float(snapshot is not None))
    yield up
    time = GaugeMetricFamily(
        "hybridnet_instance_time_seconds", "Simulated time of an instance.", labels=["name"]
    )
    for name, each in present.items():
        if "time_ns" in each:
            time.add_metric([name], each["time_ns"] / 1e9)
    yield time
    events = CounterMetricFamily("hybridnet_instance_events", "Events that an instance ran.", labels=["name"])
    late = HistogramMetricFamily(
        "hybridnet_instance_lateness_seconds",
        "How long after its due instant an event ran.",
        labels=["name"],
    )
    for name, each in present.items():
        if "lateness" in each:
            events.add_metric([name], sum(count for _, count in each["lateness"]["buckets"]))
            late.add_metric([name], _cumulated(each["lateness"]), sum_value=None)
    yield events
    yield late
    for key, (what, text) in _OF_LOOPS.items():
        counter = CounterMetricFamily(f"hybridnet_instance_{what}", text, labels=["name"])
        for name, each in present.items():
            if "loop" in each:
                counter.add_metric([name], each["loop"][key] / (1e9 if key.endswith("_ns") else 1))  # type: ignore[literal-required]
        yield counter


def _cumulated(histogram: Histogram) -> list[tuple[str, float]]:
    """How many were at most so late, by seconds, and of all."""
    edges = [
        (repr(edge / 1e9), float(sum(count for upper, count in histogram["buckets"] if upper <= edge)))
        for edge in LATENESS_EDGES_NS
    ]
    return [*edges, ("+Inf", float(sum(count for _, count in histogram["buckets"])))]
