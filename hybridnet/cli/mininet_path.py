# SPDX-License-Identifier: MIT
"""``hybridnet mininet-path``: the folder that makes `import mininet` mean hybridnet."""

from __future__ import annotations

import argparse

from hybridnet.compat.mininet.loading.importing import path_of_mininet

SUMMARY = "Print the folder that makes `import mininet` mean hybridnet, for PYTHONPATH."
EXAMPLES = """  hybridnet mininet-path
  sudo PYTHONPATH=$(hybridnet mininet-path) python3 their_script.py
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add nothing: it takes no options."""


def run(arguments: argparse.Namespace) -> int:
    """Print it."""
    print(path_of_mininet())
    return 0
