# SPDX-License-Identifier: MIT
"""Numbered frames from a host to another, through portals, and where each of them went.

``hybridnet generate`` sends in one host and counts in the other, each a process of its own. The portals between capture
nothing else, so that every counter on the way is about these frames: what one element gave out, the next took in.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hybridnet.errors import ExperimentError
from hybridnet.experiments.common.programs import hybridnet_command
from hybridnet.machines.cluster import Cluster
from hybridnet.observe.results import Limits, Verdict, judge

__all__ = ["FILTER", "Passage", "Place", "differences", "send_and_count"]

PORT = 5300
FILTER = f"udp dst port {PORT}"
"""Of portals that capture these frames and nothing else."""

SILENCE_S = 0.5
READY_S = 30.0


@dataclass(frozen=True)
class Place:
    """A host and its interface."""

    machine: str
    host: str

    @property
    def interface(self) -> str:
        """The host's first."""
        return f"{self.host}-eth0"


@dataclass(frozen=True)
class Passage:
    """What became of the frames of one run.

    Args:
        sender, receiver: figures of ``hybridnet generate``, as JSON; see `hybridnet.tools.generate.report`.
        counters: of each element on the way, by instance, section and name (of a link: where it
            begins): how much each grew meanwhile, ``dropped`` by
            reason; what is still ``in_flight`` or waiting as it is.
        device_drops: frames that the interfaces at both ends dropped, before the portal or behind it, by interface.
        verdict: of the instances.
    """

    sender: dict[str, Any]
    receiver: dict[str, Any]
    counters: dict[str, dict[str, dict[str, dict[str, Any]]]]
    device_drops: dict[str, int] = field(default_factory=dict)
    verdict: Verdict = field(default_factory=lambda: Verdict.of([]))

    @property
    def sent(self) -> int:
        """Frames that left the sender."""
        count: int = self.sender["sent_packets"]
        return count

    @property
    def received(self) -> int:
        """Different ones of them that the receiver saw."""
        count: int = self.receiver["received_packets"]
        return count

    @property
    def lost_in_capture(self) -> dict[str, int]:
        """Frames that left the sender and that the first portal did not capture, by where they were lost."""
        [portal] = [row["p1"] for row in (of["portals"] for of in self.counters.values()) if "p1" in row]
        named = {
            "socket_buffer_full": portal["kernel_drops"],
            "interface": sum(self.device_drops.get(device, 0) for device in ("h1-eth0", "h1-eth0p")),
        }
        named["unknown"] = self.sent - portal["captured_segments"] - sum(named.values())
        return {where: count for where, count in named.items() if count}

    @property
    def missing(self) -> int:
        """Frames that were sent and never seen."""
        return self.sent - self.received


def send_and_count(
    cluster: Cluster,
    source: Place,
    target: Place,
    rate: str,
    seconds: float,
    size: int,
    sending: Sequence[str] = (),
) -> Passage:
    """Send frames of ``size`` bytes at ``rate`` for that long, and count them.

    Args:
        sending: more options of ``hybridnet generate`` for the sender.

    Raises:
        ExperimentError: a program ended with an error, or did not end.
    """
    machines = dict.fromkeys((source.machine, target.machine))
    command = {machine: [*hybridnet_command(cluster, machine), "generate"] for machine in machines}
    count = ["--receive", target.interface, "--port", str(PORT), "--silence", f"{SILENCE_S}s", "--json"]
    send = [
        source.interface,
        "--port",
        str(PORT),
        "--rate",
        rate,
        "--duration",
        f"{seconds}s",
        "--size",
        str(size),
    ]
    receiver = cluster.call(
        target.machine, "start_process", node=target.host, command=[*command[target.machine], *count]
    )["number"]
    try:
        _await_line(cluster, target, receiver)
        before = _snapshots(cluster, machines)
        dropped_before = _device_drops(cluster, (source, target))
        done = cluster.call(
            source.machine,
            "exec",
            argv=[*command[source.machine], *send, *sending, "--json"],
            node=source.host,
            timeout=60 + 3 * seconds,
        )
        sender = _figures(done["status"], done["stdout"], done["stderr"], source)
        status = cluster.call(target.machine, "wait_process", number=receiver, timeout=READY_S)
        if status is None:  # nothing came: there is no silence after the first
            cluster.call(target.machine, "signal_process", number=receiver, signal=15)
            status = cluster.call(target.machine, "wait_process", number=receiver, timeout=READY_S)
        said = {stream: _all_of(cluster, target, receiver, stream) for stream in ("stdout", "stderr")}
        counted = _figures(status, said["stdout"], said["stderr"], target)
        after = _snapshots(cluster, machines)
        dropped_after = _device_drops(cluster, (source, target))
    finally:
        cluster.call(target.machine, "close_process", number=receiver)
    verdict = judge([(list(before.values()), list(after.values()))], Limits())
    return Passage(
        sender,
        counted,
        {name: differences(before[name], after[name]) for name in after},
        {
            name: count - dropped_before[name]
            for name, count in dropped_after.items()
            if count > dropped_before[name]
        },
        verdict,
    )


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, dict[str, dict[str, Any]]]:
    """How much every counter of portals, links and peers grew between two snapshots of one instance."""
    now_values = ("in_flight", "queued_packets", "pending_packets")
    grown: dict[str, dict[str, dict[str, Any]]] = {}
    for section in ("portals", "links", "peers"):
        grown[section] = {}
        earlier = {(row["name"], row.get("from")): row for row in before[section]}
        for row in after[section]:
            first = earlier[row["name"], row.get("from")]
            name = row["name"] if "from" not in row else f"from {row['from']}"
            figures: dict[str, Any] = {
                key: value if key in now_values else value - first[key]
                for key, value in row.items()
                if isinstance(value, int) and key in first
            }
            figures["dropped"] = {
                reason: count - first["dropped"].get(reason, 0)
                for reason, count in row["dropped"].items()
                if count > first["dropped"].get(reason, 0)
            }
            grown[section][name] = figures
    return grown


def _await_line(cluster: Cluster, place: Place, process: int) -> None:
    said = b""
    while b"\n" not in said:
        piece = cluster.call(place.machine, "read_process", number=process, stream="stderr", timeout=READY_S)
        if not piece:
            raise ExperimentError(
                f"count frames in {place.host}: it said {said.decode(errors='replace')!r} and then "
                + ("ended" if piece is None else f"nothing for {READY_S:g} s")
            )
        said += piece
    if not said.startswith(b"counting at "):
        raise ExperimentError(f"count frames in {place.host}: {said.decode(errors='replace').strip()}")


def _all_of(cluster: Cluster, place: Place, process: int, stream: str) -> bytes:
    output = b""
    while piece := cluster.call(
        place.machine, "read_process", number=process, stream=stream, timeout=READY_S
    ):
        output += piece
    return output


def _figures(status: int | None, out: bytes, err: bytes, place: Place) -> dict[str, Any]:
    if status not in (0, 4):
        raise ExperimentError(
            f"hybridnet generate in {place.host} ended with status {status}: "
            + err.decode(errors="replace").strip()[-300:]
        )
    figures: dict[str, Any] = json.loads(out)
    return figures


def _snapshots(cluster: Cluster, machines: Iterable[str]) -> dict[str, Any]:
    """Of every instance of these machines, by name."""
    return {
        name: snapshot for machine in machines for name, snapshot in cluster.call(machine, "snapshot").items()
    }


def _device_drops(cluster: Cluster, places: Sequence[Place]) -> dict[str, int]:
    """rx_dropped and tx_dropped of both ends of each host's veth pair."""
    drops: dict[str, int] = {}
    for place in places:
        for node, device in ((place.host, place.interface), ("", f"{place.interface}p")):
            done = cluster.call(place.machine, "exec", argv=["cat", "/proc/net/dev"], node=node)
            for line in done["stdout"].decode().splitlines():
                name, colon, counters = line.partition(":")
                if colon and name.strip() == device:
                    fields = counters.split()
                    drops[device] = int(fields[3]) + int(fields[11])
    return drops
