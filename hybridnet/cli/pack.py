# SPDX-License-Identifier: MIT
"""``hybridnet pack``: a run directory as one file to publish."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

SUMMARY = "Pack a run directory into one file, to publish it; keys, certificates and tokens are left out."
EXAMPLES = """  hybridnet pack runs/one
  hybridnet pack runs/one --to one.hybridnet.tar.gz
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The run, and where to."""
    parser.add_argument("directory", type=Path, metavar="RUN", help="a run directory")
    parser.add_argument(
        "--to", type=Path, metavar="FILE", help="what to write (default: RUN.hybridnet.tar.gz, beside RUN)"
    )
    parser.add_argument("--json", action="store_true", help="print what was packed as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Pack it."""
    from hybridnet.observe.recording.pack import pack

    packed = pack(arguments.directory, arguments.to)
    if arguments.json:
        print(json.dumps({"path": str(packed.path), "files": packed.files, "left_out": packed.left_out}))
        return 0
    print(f"{packed.path}: {packed.files} files, {packed.path.stat().st_size / 1e6:.2f} MB")
    for name in packed.left_out:
        print(f"left out, as it may be a secret: {name}")
    return 0
