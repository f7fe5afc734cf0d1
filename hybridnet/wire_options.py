# SPDX-License-Identifier: MIT
"""What a wire does with packets, as people write it, turned into directions of an instance plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hybridnet.errors import UsageError
from hybridnet.quantities import (
    format_delay,
    format_rate,
    parse_delay,
    parse_queue,
    parse_rate,
    parse_size,
)

__all__ = ["DEFAULTS", "KEYS", "changes_of", "describe_direction", "parse_list"]

DEFAULTS: Mapping[str, int | None] = {
    "rate_bps": None,
    "delay_ns": 0,
    "queue_packets": 1000,
    "queue_bytes": None,
    "overhead_bytes": 0,
    "train_limit_ns": 50_000,
}
"""A direction of which nothing is said: no limit, no delay."""

KEYS = ("rate", "delay", "queue", "overhead", "train_limit")


def changes_of(options: Mapping[str, object], what: str) -> dict[str, int | None]:
    """The values of a direction that the options name.

    Args:
        options: some of KEYS: ``rate`` (text with its unit, or ``"none"`` for no limit), ``delay`` and
            ``train_limit`` (with their unit), ``queue`` (``100``, ``"100 packets"`` or ``"150 kB"``),
            ``overhead`` (``"24 B"``, added to every frame on the wire). None stands for "not said".
        what: the object, for errors, for example ``"wire eth1-eth2, forward"``.

    Raises:
        UnitError: a quantity has no unit, or is out of range.
        UsageError: an option that does not exist.

    Example:
        >>> changes_of({"rate": "10 Mbit/s", "queue": 50}, "wire a-b")
        {'rate_bps': 10000000, 'queue_packets': 50, 'queue_bytes': None}
    """
    changes: dict[str, int | None] = {}
    for key, value in options.items():
        if key not in KEYS:
            raise UsageError(
                f"{what}: there is no option {key!r}; there are {', '.join(KEYS).replace('_', '-')}"
            )
        if value is None:
            continue
        of = f"{what}: {key}"
        match key:
            case "rate":
                changes["rate_bps"] = None if value == "none" else parse_rate(value, of)
            case "delay":
                changes["delay_ns"] = parse_delay(value, of)
            case "queue":
                changes["queue_packets"], changes["queue_bytes"] = parse_queue(_number(value), of)
            case "overhead":
                changes["overhead_bytes"] = parse_size(value, of)
            case "train_limit":
                changes["train_limit_ns"] = parse_delay(value, of)
    return changes


def parse_list(text: str, what: str) -> dict[str, object]:
    """The options in a text such as ``"rate=10 Mbit/s,delay=5ms"``.

    Raises:
        UsageError: a part is no ``key=value``, or a key comes twice.

    Example:
        >>> parse_list("rate=10 Mbit/s,train-limit=0", "wire a-b")
        {'rate': '10 Mbit/s', 'train_limit': '0'}
    """
    options: dict[str, object] = {}
    for part in text.split(","):
        key, equals, value = part.partition("=")
        key = key.strip().replace("-", "_")
        if not equals or not value.strip():
            raise UsageError(
                f'{what}: "{part.strip()}" is no option with its value; write for example delay=5ms'
            )
        if key in options:
            raise UsageError(f'{what}: {key} comes twice in "{text}"')
        options[key] = value.strip()
    return options


def describe_direction(direction: Mapping[str, Any]) -> str:
    """One line about a direction.

    Example:
        >>> describe_direction({**DEFAULTS, "rate_bps": 10**8, "delay_ns": 10**7})
        '100 Mbit/s, 10 ms, queue 1000 packets'
    """
    rate, delay = format_rate(direction["rate_bps"]), format_delay(direction["delay_ns"])
    bounds = [
        f"{direction[key]} {unit}"
        for key, unit in (("queue_packets", "packets"), ("queue_bytes", "bytes"))
        if direction[key] is not None
    ]
    return f"{rate}, {delay}, queue {' and '.join(bounds)}"


def _number(value: object) -> object:
    """A queue length without its unit comes from the command line as text."""
    return int(value) if isinstance(value, str) and value.strip().isdigit() else value
