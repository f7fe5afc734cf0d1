# SPDX-License-Identifier: MIT
"""Options that several experiments have: name, unit, range and help of each. Its default is the experiment's own."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence

from hybridnet.observe.results import count, positive

__all__ = [
    "SEEDS_LIMIT",
    "add_arms_argument",
    "add_lead_argument",
    "add_rounds_argument",
    "add_seconds_argument",
    "add_seed_argument",
    "add_seeds_argument",
    "add_step_argument",
    "at_least",
]

SEEDS_LIMIT = 100_000
"""Of replications: days of simulation. What is above it is a slip of the pen."""
_FIRST_SEED_LIMIT = 2**62
"""So that the seeds that follow it fit into the simulator's and the tables' 63 bits."""


def at_least(least: float) -> Callable[[str], float]:
    """A number of at least so much, for argparse's ``type``."""

    def read(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not least <= number < math.inf:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least {least:g}")
        return number

    return read


def add_rounds_argument(parser: argparse.ArgumentParser, default: int, what: str = "rounds") -> None:
    """Add --rounds, how often all is measured.

    Args:
        what: what a round is, for its help.
    """
    parser.add_argument(
        "--rounds", type=count, default=default, metavar="N", help=f"{what} (default: %(default)s)"
    )


def add_seconds_argument(
    parser: argparse.ArgumentParser, default: float, what: str, *, least: float | None = None
) -> None:
    """Add --seconds, how long something is measured.

    Args:
        what: which seconds these are, for its help.
        least: that make sense; None: any above 0.
    """
    _add_seconds(parser, "--seconds", default, what, least)


def _add_seconds(
    parser: argparse.ArgumentParser,
    name: str,
    default: float,
    what: str,
    least: float | None,
    paper: str = "",
) -> None:
    bound = "" if least is None else f", at least {least:g}"
    parser.add_argument(
        name,
        type=positive if least is None else at_least(least),
        default=default,
        metavar="S",
        help=f"{what}{bound} (default: %(default)g{paper})",
    )


def add_step_argument(
    parser: argparse.ArgumentParser,
    default: float,
    what: str = "simulated seconds of each step",
    *,
    least: float | None = None,
    published: float | None = None,
) -> None:
    """Add --seconds-per-step, how long each step of a staircase of loads is.

    Args:
        what: which seconds these are, for its help.
        least: that make sense; None: any above 0.
        published: how long it is in the paper that is reproduced, if it is another time.
    """
    paper = "" if published is None else f"; the paper: {published:g}"
    _add_seconds(parser, "--seconds-per-step", default, what, least, paper)


def add_seeds_argument(parser: argparse.ArgumentParser, default: int) -> None:
    """Add --seeds, how many replications there are."""
    parser.add_argument(
        "--seeds",
        type=_seeds,
        default=default,
        metavar="N",
        help="replications, each with its own seed (default: %(default)s)",
    )


def add_seed_argument(parser: argparse.ArgumentParser, default: int, of: str) -> None:
    """Add --seed, that of the first; the others have those that follow.

    Args:
        of: what has a seed, for its help.
    """
    parser.add_argument(
        "--seed",
        type=_seed,
        default=default,
        metavar="N",
        help=f"seed of the first {of} (default: %(default)s)",
    )


def _seeds(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= SEEDS_LIMIT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to {SEEDS_LIMIT}")
    return int(text)


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) > _FIRST_SEED_LIMIT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to {_FIRST_SEED_LIMIT}")
    return int(text)


def add_arms_argument(parser: argparse.ArgumentParser, arms: Sequence[str]) -> None:
    """Add --arms, which of these are run."""
    parser.add_argument(
        "--arms",
        nargs="+",
        choices=arms,
        default=list(arms),
        metavar="ARM",
        help=f"the arms to run: {', '.join(arms)} (default: all)",
    )


def add_lead_argument(parser: argparse.ArgumentParser, default: float, of: str) -> None:
    """Add --lead, the time that a network takes to start before what is simulated in it begins.

    Args:
        of: which networks need it, for its help.
    """
    parser.add_argument(
        "--lead",
        type=positive,
        default=default,
        metavar="S",
        help=f"seconds for the start of {of}, before its first flow (default: %(default)g)",
    )
