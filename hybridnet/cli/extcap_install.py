# SPDX-License-Identifier: MIT
"""``hybridnet extcap-install``: Wireshark lists the interfaces of running networks."""

from __future__ import annotations

import argparse
from pathlib import Path

SUMMARY = "Let Wireshark list the interfaces of running networks, simulated ones too."
EXAMPLES = """  hybridnet extcap-install
  hybridnet extcap-install --remove
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--remove, --folder."""
    parser.add_argument("--remove", action="store_true", help="remove what was installed")
    parser.add_argument(
        "--folder", type=Path, metavar="FOLDER", help="where Wireshark looks (default: what tshark says)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Install or remove the program."""
    from hybridnet.tools.extcap.install import install, remove, wireshark_folder

    folder = arguments.folder or wireshark_folder()
    if arguments.remove:
        removed = remove(folder)
        print(f"nothing of hybridnet's is in {folder}" if removed is None else f"removed {removed}")
    else:
        print(f"installed {install(folder)}; `tshark -D` lists what can be captured at")
    return 0
