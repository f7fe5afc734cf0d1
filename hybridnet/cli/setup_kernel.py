# SPDX-License-Identifier: MIT
"""``hybridnet setup-kernel``: make the kernel of simulated time, once for each computer."""

from __future__ import annotations

import argparse
from pathlib import Path

SUMMARY = "Build the kernel that `--time simulated` runs in."
EXAMPLES = (
    "  hybridnet setup-kernel                             from the newest linux-source package, ten minutes\n"
    "  hybridnet setup-kernel --source linux-6.12.tar.xz  from a tarball of kernel.org\n"
    "  hybridnet setup-kernel --binary linux              one that was built on another computer\n"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--source or --binary; where it is kept follows from who asks."""
    whence = parser.add_mutually_exclusive_group()
    whence.add_argument(
        "--source",
        type=Path,
        metavar="FILE",
        help="tarball of a kernel's source, 6.1 or newer (default: the newest package linux-source-* that apt knows)",
    )
    whence.add_argument(
        "--binary", type=Path, metavar="FILE", help="the kernel that this command made on another computer"
    )


def run(arguments: argparse.Namespace) -> int:
    """Make it, unless there is one. Prints its file."""
    from hybridnet.cli.progress import steps
    from hybridnet.kernel.build import keep_binary, make_kernel

    if arguments.binary is not None:
        print(keep_binary(arguments.binary))
        return 0
    with steps("the kernel of simulated time") as tell:
        kernel = make_kernel(tell, arguments.source)
    print(kernel)
    return 0
