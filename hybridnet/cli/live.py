# SPDX-License-Identifier: MIT
"""Options that ask for a page of the running network; see docs/live.md."""

from __future__ import annotations

import argparse
import contextlib

from hybridnet.run.live.page_options import Where, read_where, where

__all__ = ["LIVE", "add_live_arguments", "with_page"]

LIVE = {"live", "live_address"}


def add_live_arguments(
    parser: argparse.ArgumentParser, what: str = "serve a page of the running network, and print its link"
) -> None:
    """Add --live, which does `what`, and --live-address."""
    parser.add_argument("--live", action="store_true", help=what)
    parser.add_argument(
        "--live-address",
        metavar="[ADDRESS:]PORT",
        help="where the page listens (default: a free port of 127.0.0.1); visitors need the link's token",
    )


def with_page(arguments: argparse.Namespace) -> contextlib.AbstractContextManager[None]:
    """Networks that start within have a page, if the arguments ask for one. Raises UsageError."""
    if arguments.live_address is not None:
        return where(read_where(arguments.live_address))
    return where(Where() if arguments.live else None)
