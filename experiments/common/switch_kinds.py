# SPDX-License-Identifier: MIT
"""The kinds of OpenFlow switches that experiments put into their networks, and the option that chooses among them."""

from __future__ import annotations

import argparse
from typing import Any

__all__ = ["SWITCH_KINDS", "add_switches_argument"]

SWITCH_KINDS: dict[str, dict[str, Any]] = {"openvswitch": {}, "simulated": {"kind": "simulated"}}
"""What `addSwitch` is told of each."""


def add_switches_argument(parser: argparse.ArgumentParser, of: str) -> None:
    """Add --switches, which names one kind.

    Args:
        of: what the switches are, for its help.
    """
    parser.add_argument(
        "--switches",
        choices=list(SWITCH_KINDS),
        default="openvswitch",
        help=f"switches of the {of} (default: %(default)s)",
    )
