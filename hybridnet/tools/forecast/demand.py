# SPDX-License-Identifier: MIT
"""The demand: the flows that a network is to carry, from a file or from an experiment.

    flows:
      - {from: h1, to: h5, rate: 100 Mbit/s}
      - {from: [h2, h3], to: [h6, h7], rate: 10 Mbit/s, protocol: udp, packet: 1400 B}

A rate is of payload, as iperf3 counts it. Lists are pairs: h2 to h6, h3 to h7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hybridnet.describe.quantities import parse_rate, parse_size
from hybridnet.describe.values import choice, file_path, shown
from hybridnet.errors import UsageError
from hybridnet.plan.files.yaml_text import Read, read_yaml, where
from hybridnet.tools.forecast.costs import PROTOCOLS

__all__ = ["DATAGRAM_BYTES", "SEGMENT_BYTES", "Demand", "Flow", "read_demand"]

SEGMENT_BYTES = 1448
"""Payload of a TCP segment: an MTU of 1500 bytes without headers and timestamps."""
DATAGRAM_BYTES = 1400
MOST_DATAGRAM_BYTES = 65_507
MOST_FILE_BYTES = 16 << 20
PACING_S = 0.001
"""How often iperf3's UDP sender looks what is due."""

_KEYS = ("from", "to", "rate", "protocol", "packet")


@dataclass(frozen=True)
class Flow:
    """One flow, as iperf3 sends it.

    Args:
        source, target: names of hosts.
        rate_bps: payload bit/s that it offers.
        protocol: ``"tcp"`` or ``"udp"``.
        packet_bytes: payload of a UDP datagram, or of a TCP segment.
        pacing_s: how often a UDP sender looks what is due.
    """

    source: str
    target: str
    rate_bps: float
    protocol: str = "tcp"
    packet_bytes: int = SEGMENT_BYTES
    pacing_s: float = PACING_S

    def scaled(self, factor: float) -> Flow:
        """With so many times the rate."""
        return replace(self, rate_bps=self.rate_bps * factor)


@dataclass(frozen=True)
class Demand:
    """All flows, at the same time.

    Args:
        flows: at least one.
        name: what they are called: the file, or the experiment.
    """

    flows: Sequence[Flow]
    name: str = "demand"

    def __post_init__(self) -> None:
        if not self.flows:
            raise UsageError(f"{self.name}: it has no flow; write at least one")

    @property
    def total_bps(self) -> float:
        """Payload bit/s of all flows."""
        return sum(flow.rate_bps for flow in self.flows)


def read_demand(file: str | Path) -> Demand:
    """The demand that a YAML file describes; docs/forecast.md has the form.

    Raises:
        UsageError: it cannot be read.
        TopologyError, UnitError: it makes no sense; the message says where.
    """
    path = file_path(file, "read_demand: file")
    try:
        if path.stat().st_size > MOST_FILE_BYTES:
            raise UsageError(f"{path}: it has more than {MOST_FILE_BYTES >> 20} MiB; write pairs as lists")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: it cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: it is not text in UTF-8; convert it") from None
    read = read_yaml(text, str(path))
    entries = read.value.get("flows") if isinstance(read.value, dict) else None
    if not isinstance(entries, list) or set(read.value) != {"flows"}:
        raise UsageError(
            f"{path}: it has no list of flows, or more than that; write `flows:` and one item for each"
        )
    flows = [flow for at, entry in enumerate(entries) for flow in _flows(entry, at, read, str(path))]
    return Demand(flows, str(path))


def _flows(entry: Any, at: int, read: Read, file: str) -> list[Flow]:
    place = where(("flows", at), read, file)
    if not isinstance(entry, Mapping):
        raise UsageError(
            f"{place}: {shown(entry)} is not a flow; write {{from: h1, to: h2, rate: 10 Mbit/s}}"
        )
    for key in entry:
        choice(key, f"{place}: key", _KEYS)
    for key in _KEYS[:3]:
        if key not in entry:
            raise UsageError(f"{place}: it has no {key!r}; write {{from: h1, to: h2, rate: 10 Mbit/s}}")
    sources, targets = (_names(entry[key], f"{place}: {key}") for key in ("from", "to"))
    if len(sources) != len(targets):
        raise UsageError(
            f"{place}: {len(sources)} hosts send, and {len(targets)} receive; lists are pairs, so write as many"
        )
    protocol = choice(entry.get("protocol", "tcp"), f"{place}: protocol", PROTOCOLS)
    packet = SEGMENT_BYTES if protocol == "tcp" else DATAGRAM_BYTES
    if "packet" in entry:
        packet = parse_size(entry["packet"], f"{place}: packet")
        if not 1 <= packet <= MOST_DATAGRAM_BYTES:
            raise UsageError(f"{place}: packet of {packet} B; write 1 B to {MOST_DATAGRAM_BYTES} B")
    rate_bps = parse_rate(entry["rate"], f"{place}: rate")
    return [
        Flow(source, target, rate_bps, protocol, packet)
        for source, target in zip(sources, targets, strict=True)
    ]


def _names(value: Any, what: str) -> list[str]:
    names = value if isinstance(value, list) else [value]
    if not names or not all(isinstance(name, str) and name for name in names):
        raise UsageError(
            f"{what} {shown(value)} is neither a host's name nor a list of names; write h1, or [h1, h2]"
        )
    return names
