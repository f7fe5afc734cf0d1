# SPDX-License-Identifier: MIT
"""What a generator is to send, as people write it, turned into numbers: rates in frames or bits, and schedules."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from hybridnet.describe.quantities import format_delay, format_rate, parse_delay, parse_rate
from hybridnet.errors import UnitError, UsageError

__all__ = ["FrameRate", "Step", "describe_steps", "parse_factor", "parse_frame_rate", "parse_steps"]

_FRAMES = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(k|M)?(?:pps|/s)\s*")
_FACTORS = {None: 1, "k": 1000, "M": 1_000_000}
MOST_FRAMES_PER_S = 10**8


@dataclass(frozen=True)
class FrameRate:
    """A rate in one of two units.

    Args:
        value: per second; may be zero.
        bits: the value counts bits of frames, headers of Ethernet included; else frames.
    """

    value: Fraction
    bits: bool = False

    def frames_per(self, frame_bytes: int) -> tuple[int, int]:
        """Return (frames, nanoseconds): so many frames of this size in so much time, exactly.

        Example:
            >>> FrameRate(Fraction(1_000_000_000), bits=True).frames_per(125)
            (1000000, 1000000000)
        """
        per_second = self.value / (frame_bytes * 8) if self.bits else self.value
        return per_second.numerator, per_second.denominator * 1_000_000_000

    def __str__(self) -> str:
        return (
            format_rate(round(self.value)) if self.bits and self.value else f"{float(self.value):,g} frames/s"
        )


@dataclass(frozen=True)
class Step:
    """A rate for a time; without a length, until something else ends it."""

    rate: FrameRate
    length_ns: int | None


def parse_frame_rate(value: object, what: str) -> FrameRate:
    """A rate in frames (``"12500pps"``, ``"12.5 kpps"``, ``"12500/s"``) or bits (``"1 Gbit/s"``).

    Raises:
        UnitError: no number, no unit, an unknown unit, or out of range.

    Example:
        >>> parse_frame_rate("12.5 kpps", "generate").value, parse_frame_rate("1 Mbit/s", "generate").bits
        (Fraction(12500, 1), True)
    """
    match = _FRAMES.fullmatch(value) if isinstance(value, str) else None
    if match is not None:
        frames = Fraction(match[1]) * _FACTORS[match[2]]
        if frames > MOST_FRAMES_PER_S or (frames and frames < Fraction(1, 1000)):
            raise UnitError(f'{what}: rate "{value}" is out of range; write 0.001 to {MOST_FRAMES_PER_S} pps')
        return FrameRate(frames.limit_denominator(1000))
    if isinstance(value, (int, float)) or (isinstance(value, str) and re.fullmatch(r"\s*[\d.]+\s*", value)):
        raise UnitError(
            f'{what}: rate "{value}" has no unit; write "{value} pps" (frames) or "{value} Mbit/s" (bits)'
        )
    try:
        return FrameRate(Fraction(parse_rate(value, what)), bits=True)
    except UnitError as error:
        raise UnitError(f"{error}; or pps for frames a second") from None


def parse_factor(value: object, what: str) -> Fraction:
    """A factor by which recorded times are scaled, 0.000001 to 1000000. Raises UsageError.

    Example:
        >>> parse_factor("2.5", "generate: --speed")
        Fraction(5, 2)
    """
    try:
        factor = Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        factor = Fraction(0)
    if not Fraction(1, 10**6) <= factor <= 10**6:
        raise UsageError(
            f'{what}: "{value}" is not a factor; write a number from 0.000001 to 1000000, 2 is twice as fast'
        )
    return factor.limit_denominator(10**6)


def parse_steps(text: str, what: str) -> tuple[Step, ...]:
    """A schedule: ``"12500pps for 10s, 0pps for 1s, 1 Gbit/s for 5s"``.

    Raises:
        UsageError: there is no step, or a step is not a rate for a time. UnitError: as `parse_frame_rate`.

    Example:
        >>> [str(step.rate) for step in parse_steps("100pps for 1s, 1 Mbit/s for 2s", "generate")]
        ['100 frames/s', '1 Mbit/s']
    """
    steps = []
    for part in text.split(","):
        rate, found, length = part.rpartition(" for ")
        if not found:
            raise UsageError(
                f'{what}: step "{part.strip()}" is not a rate for a time; write "12500pps for 10s"'
            )
        length_ns = parse_delay(length, what)
        if length_ns == 0:
            raise UsageError(f'{what}: step "{part.strip()}" takes no time; write more than 0 s')
        steps.append(Step(parse_frame_rate(rate, what), length_ns))
    return tuple(steps)


def describe_steps(steps: tuple[Step, ...]) -> str:
    """The steps as a person reads them.

    Example:
        >>> describe_steps(parse_steps("100pps for 1s", "generate"))
        '100 frames/s for 1 s'
    """
    return ", ".join(
        f"{step.rate}" + ("" if step.length_ns is None else f" for {format_delay(step.length_ns)}")
        for step in steps
    )
