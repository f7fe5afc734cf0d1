# SPDX-License-Identifier: MIT
"""``hybridnet setup-ryu``: make the environment of controllers' apps now, instead of when one is first started."""

from __future__ import annotations

import argparse

from hybridnet.run.controllers.frameworks import FRAMEWORKS, RYU

SUMMARY = "Make the Python environment in which controllers' apps run."
EXAMPLES = (
    "  hybridnet setup-ryu\n"
    "  sudo hybridnet setup-ryu --with networkx        for apps that import it\n"
    "  sudo hybridnet setup-ryu --framework osken      os-ken and Faucet\n"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--framework and --with; where it is made follows from who asks."""
    parser.add_argument(
        "--framework",
        choices=list(FRAMEWORKS),
        default=RYU.name,
        help="what the apps run under; the environment of osken also has Faucet (default: %(default)s)",
    )
    parser.add_argument(
        "--with",
        dest="packages",
        metavar="PACKAGE",
        action="append",
        default=[],
        help="install a package there that apps import, as pip knows it; may be repeated",
    )


def run(arguments: argparse.Namespace) -> int:
    """Make it, unless there is one, and add packages. Prints its Python."""
    from hybridnet.run.controllers.frameworks import add_packages, python_of

    framework = FRAMEWORKS[arguments.framework]
    if arguments.packages:
        print(add_packages(framework, arguments.packages))
    else:
        print(python_of(framework, print))
    return 0
