# SPDX-License-Identifier: MIT
"""--rootless: a network of one's own in a user namespace, without root."""

from __future__ import annotations

import argparse

from hybridnet.cli.places import places_of
from hybridnet.cli.time_options import SIMULATED
from hybridnet.errors import UsageError
from hybridnet.system.rootless import is_rootless

__all__ = ["add_rootless_argument", "begins_as_user"]

_ROOTLESS = "--rootless"


def add_rootless_argument(parser: argparse.ArgumentParser) -> None:
    """Add --rootless."""
    parser.add_argument(
        _ROOTLESS,
        action="store_true",
        help="run without root, in a user namespace: the network is cut off from the computer's, and switches forward "
        "in user space (docs/rootless.md)",
    )


def begins_as_user(arguments: argparse.Namespace) -> bool:
    """Whether the command wants a user namespace and is not in it yet.

    Raises:
        UsageError: an option needs what such a run does not have, or needs no root by itself.
    """
    if not arguments.rootless or is_rootless():
        return False
    if arguments.time == SIMULATED:
        raise UsageError(f"{_ROOTLESS}: --time {SIMULATED} needs no root; leave {_ROOTLESS} out")
    if places_of(arguments).elsewhere:
        raise UsageError(
            f"{_ROOTLESS}: a network that is cut off from the computer's does not reach machines elsewhere; leave "
            f"{_ROOTLESS} out: a run on these needs no root here"
        )
    if arguments.port_type in ("system", "afxdp"):
        raise UsageError(
            f"{_ROOTLESS}: --port-type {arguments.port_type} needs the computer's root; leave it out: without root "
            "ports are packet sockets (afpacket)"
        )
    return True
