# SPDX-License-Identifier: MIT
"""``hybridnet setup-ryu``: make Ryu's environment now, instead of when a controller is first started."""

from __future__ import annotations

import argparse

SUMMARY = "Make the Python environment in which Ryu's controllers run."
EXAMPLES = "  hybridnet setup-ryu\n  sudo hybridnet setup-ryu\n"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None: where it is made follows from who asks."""


def run(arguments: argparse.Namespace) -> int:
    """Make it, unless there is one."""
    from hybridnet.run.controllers.ryu_environment import ryu_python

    print(ryu_python(print))
    return 0
