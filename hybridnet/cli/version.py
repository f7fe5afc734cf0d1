# SPDX-License-Identifier: MIT
"""``hybridnet version``."""

from __future__ import annotations

import argparse
import json
import platform

import hybridnet

SUMMARY = "Print the versions of hybridnet and of what it runs on."
EXAMPLES = "  hybridnet version --json\n"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--json."""
    parser.add_argument("--json", action="store_true", help="print as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print them."""
    versions = {
        "hybridnet": hybridnet.__version__,
        "python": platform.python_version(),
        "kernel": platform.release(),
    }
    if arguments.json:
        print(json.dumps(versions))
    else:
        for name, version in versions.items():
            print(f"{name} {version}")
    return 0
