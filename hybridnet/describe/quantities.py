# SPDX-License-Identifier: MIT
"""Quantities as people write them, turned into integers: bit/s, nanoseconds, bytes, packets.

Text carries its unit (``"10 Mbit/s"``, ``"5ms"``). The only bare numbers allowed are those whose
unit Mininet fixed: ``bw`` in Mbit/s and queue lengths in packets. A bare delay is refused unless it is 0:
``tc`` would read 5 as microseconds, most people mean milliseconds. Arithmetic is decimal, so 0.1 Gbit/s is
100000000 bit/s exactly; a result that is not whole is rounded to the nearest integer, except that a rate
which that would change by more than one in a thousand is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

from hybridnet.errors import UnitError

__all__ = [
    "format_delay",
    "format_rate",
    "parse_bandwidth",
    "parse_delay",
    "parse_percent",
    "parse_queue",
    "parse_rate",
    "parse_size",
]

# The C++ side holds all of these in signed 64-bit integers; these bounds leave it room to multiply.
MAX_RATE_BPS = 10**12
MAX_DELAY_NS = 365 * 86_400 * 10**9
MAX_SIZE_BYTES = 2**40
MAX_QUEUE_PACKETS = 10**7

RATE_UNITS: Mapping[str, int] = {
    "bit/s": 1,
    "kbit/s": 10**3,
    "Mbit/s": 10**6,
    "Gbit/s": 10**9,
    "B/s": 8,
    "kB/s": 8 * 10**3,
    "MB/s": 8 * 10**6,
    "GB/s": 8 * 10**9,
}
_RATE_ALIASES: Mapping[str, str] = {
    "bps": "bit/s",
    "kbps": "kbit/s",
    "Mbps": "Mbit/s",
    "Gbps": "Gbit/s",
    "bit": "bit/s",
    "kbit": "kbit/s",
    "Mbit": "Mbit/s",
    "mbit": "Mbit/s",
    "Gbit": "Gbit/s",
    "gbit": "Gbit/s",
}
DELAY_UNITS: Mapping[str, int] = {
    "ns": 1,
    "us": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "min": 60 * 10**9,
    "h": 3600 * 10**9,
    "d": 86_400 * 10**9,
}
_DELAY_ALIASES: Mapping[str, str] = {"usec": "us", "µs": "us", "μs": "us", "msec": "ms", "sec": "s"}
SIZE_UNITS: Mapping[str, int] = {
    "B": 1,
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
}

_NUMBER_AND_UNIT = re.compile(
    r"\s*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,2})?)\s*([^\s\d.]\S*)?\s*", re.ASCII
)


def parse_rate(value: object, what: str) -> int:
    """A rate with its unit, in bit/s.

    Args:
        value: text such as ``"10 Mbit/s"``.
        what: the object and option that it belongs to, for the error; for example ``"link h1-s1: bw"``.

    Returns:
        bit/s, from 1 to 10^12.

    Raises:
        UnitError: no number, no unit, an unknown unit, zero, negative, out of range, or below 1000 bit/s and not whole.

    Example:
        >>> parse_rate("2.5 Gbit/s", "link h1-s1: bw")
        2500000000
    """
    number, unit = _split(value, what, "a rate", RATE_UNITS)
    if unit is None:
        text = str(value).strip()
        raise UnitError(
            f'{what}: rate "{text}" has no unit; write "{text} Mbit/s" (bits) or "{text} MB/s" (bytes)'
        )
    factor = _factor(unit, RATE_UNITS, _RATE_ALIASES, value, what, "rate")
    return _checked_rate(number * factor, value, what)


def parse_bandwidth(value: object, what: str) -> int:
    """Mininet's ``bw``: a bare number is Mbit/s, text carries its unit. Returns bit/s; raises UnitError.

    Example:
        >>> parse_bandwidth(0.5, "link h1-s1: bw")
        500000
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _checked_rate(_decimal(value, what) * 10**6, value, what)
    return parse_rate(value, what)


def parse_delay(value: object, what: str) -> int:
    """A duration with its unit, in nanoseconds; a bare 0 needs none.

    Raises:
        UnitError: no number, no unit, an unknown unit, negative, or more than 365 days.

    Example:
        >>> parse_delay("73us", "link h1-s1: delay"), parse_delay("0", "link h1-s1: delay")
        (73000, 0)
    """
    number, unit = _split(value, what, "a time", DELAY_UNITS)
    if unit is None:
        if number != 0:
            text = str(value).strip()
            raise UnitError(f'{what}: "{text}" has no unit; write "{text}s", "{text}ms" or "{text}us"')
        return 0
    nanoseconds = _whole(number * _factor(unit, DELAY_UNITS, _DELAY_ALIASES, value, what, "time"))
    if number < 0 or nanoseconds > MAX_DELAY_NS:
        raise UnitError(f'{what}: "{value}" is out of range; write 0 to 365 d')
    return nanoseconds


def parse_size(value: object, what: str) -> int:
    """A number of bytes with its unit (``"64 KiB"``, ``"1500 B"``), in bytes.

    Raises:
        UnitError: no number, no unit, an unknown unit, negative, or more than 1 TiB.

    Example:
        >>> parse_size("64 KiB", "link h1-s1: max_queue_size")
        65536
    """
    number, unit = _split(value, what, "a size", SIZE_UNITS)
    if unit is None:
        raise UnitError(f'{what}: size "{value}" has no unit; write "{str(value).strip()} B"')
    size = _whole(number * _factor(unit, SIZE_UNITS, {"KB": "kB"}, value, what, "size"))
    if number < 0 or size > MAX_SIZE_BYTES:
        raise UnitError(f'{what}: size "{value}" is out of range; write 0 B to 1024 GiB')
    return size


def parse_queue(value: object, what: str) -> tuple[int | None, int | None]:
    """A queue bound: a bare number or ``"100 packets"`` counts packets, ``"150 kB"`` counts bytes.

    Returns:
        (packets, bytes), one of them None.

    Raises:
        UnitError: no whole number, less than one packet or byte, or out of range.

    Example:
        >>> parse_queue(100, "queue of h1-s1"), parse_queue("150 kB", "queue of h1-s1")
        ((100, None), (None, 150000))
    """
    number, unit = _split(value, what, "a queue length", {"packets": 1, **SIZE_UNITS})
    if unit in (None, "packets", "packet"):
        if number != number.to_integral_value() or not 1 <= number <= MAX_QUEUE_PACKETS:
            raise UnitError(
                f'{what}: queue "{value}" is not a length in packets; write 1 to {MAX_QUEUE_PACKETS}'
            )
        return int(number), None
    size = parse_size(value, what)
    if size == 0:
        raise UnitError(
            f'{what}: a queue of "{value}" holds nothing; write at least one packet, for example "1514 B"'
        )
    return None, size


def parse_percent(value: object, what: str) -> float:
    """Mininet's ``loss``: a percentage from 0 to 100, as number or text (``1``, ``"0.1%"``). Returns a
    probability.

    Raises:
        UnitError: no number, or outside 0 to 100.

    Example:
        >>> parse_percent("0.1%", "link h1-s1: loss")
        0.001
    """
    number, unit = _split(value, what, "a percentage", {"%": 1})
    if unit not in (None, "%") or not 0 <= number <= 100:
        raise UnitError(f'{what}: "{value}" is not a percentage; write a number from 0 to 100')
    return float(number / 100)


def format_rate(rate_bps: int | None) -> str:
    """The rate in the largest unit that keeps it short.

    Example:
        >>> format_rate(1_500_000), format_rate(None)
        ('1.5 Mbit/s', 'no limit')
    """
    if rate_bps is None:
        return "no limit"
    for unit in ("Gbit/s", "Mbit/s", "kbit/s"):
        if rate_bps >= RATE_UNITS[unit]:
            return f"{_short(Decimal(rate_bps) / RATE_UNITS[unit])} {unit}"
    return f"{rate_bps} bit/s"


def format_delay(delay_ns: int) -> str:
    """The delay in the largest unit that keeps it short.

    Example:
        >>> format_delay(1_500_000), format_delay(0)
        ('1.5 ms', '0 ms')
    """
    if delay_ns == 0:
        return "0 ms"
    for unit in ("s", "ms", "us"):
        if delay_ns >= DELAY_UNITS[unit]:
            return f"{_short(Decimal(delay_ns) / DELAY_UNITS[unit])} {unit}"
    return f"{delay_ns} ns"


def _split(value: object, what: str, kind: str, units: Mapping[str, int]) -> tuple[Decimal, str | None]:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _decimal(value, what), None
    match = _NUMBER_AND_UNIT.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise UnitError(f"{what}: {value!r} is not {kind}; write a number and {_listed(units)}")
    return Decimal(match[1]), match[2]


def _decimal(value: int | float, what: str) -> Decimal:
    number = Decimal(repr(value))
    if not number.is_finite():
        raise UnitError(f"{what}: {value!r} is not a finite number")
    return number


def _factor(
    unit: str, units: Mapping[str, int], aliases: Mapping[str, str], value: object, what: str, kind: str
) -> int:
    name = aliases.get(unit, unit)
    if name not in units:
        raise UnitError(f'{what}: {kind} "{value}" has the unknown unit "{unit}"; write {_listed(units)}')
    return units[name]


def _checked_rate(bits_per_second: Decimal, value: object, what: str) -> int:
    if bits_per_second <= 0:
        raise UnitError(f'{what}: rate "{value}" is not above 0; leave it out (or None) for no limit')
    rate = _whole(bits_per_second)
    if abs(rate - bits_per_second) * 1000 > bits_per_second:
        raise UnitError(
            f'{what}: rate "{value}" is {bits_per_second.normalize():f} bit/s; write a whole number of them, at least 1'
        )
    if rate > MAX_RATE_BPS:
        raise UnitError(f'{what}: rate "{value}" is above 1000 Gbit/s, the most that can be simulated')
    return rate


def _whole(number: Decimal) -> int:
    return int(number.to_integral_value())


def _listed(units: Mapping[str, int]) -> str:
    return f"one of {', '.join(units)}" if len(units) > 1 else "".join(units)


def _short(number: Decimal) -> str:
    return f"{number.normalize():f}"
