# SPDX-License-Identifier: MIT
"""Options of verbs that run a controller's app against switches of their own."""

from __future__ import annotations

import argparse


def add_app_arguments(parser: argparse.ArgumentParser) -> None:
    """What the switches speak, and what the app's framework is given."""
    parser.add_argument(
        "--protocols",
        default="OpenFlow13",
        metavar="NAME[,NAME]",
        help="what switches speak: OpenFlow13, OpenFlow10 (default: OpenFlow13)",
    )
    parser.add_argument(
        "--controller-arguments",
        metavar="WORDS",
        help="options of the app's framework, such as '--observe-links'",
    )
