# SPDX-License-Identifier: MIT
"""``hybridnet plugin``: build a model of your own, look at one, and find the header."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from hybridnet.errors import UsageError
from hybridnet.simulate.instance.plugin import build_plugin, describe_plugin, find_plugin, include_directory

SUMMARY = "Build a link model of your own (one C++ file), or look at one."
EXAMPLES = """  hybridnet plugin build bursty.cc    writes bursty.so here
  hybridnet plugin build bursty.cc -o models/bursty.so --flags="-O3 -march=native"
  hybridnet plugin show ./bursty.so   says what it is a model of
  hybridnet plugin include-dir        for another build system: -I that
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to do, and with which file."""
    parser.add_argument("action", choices=("build", "show", "include-dir"), help="what to do")
    parser.add_argument("file", nargs="?", metavar="FILE", help="build: the C++ source; show: the plug-in")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="build: the file to write (default: SOURCE.so, here)"
    )
    parser.add_argument("--flags", metavar="LIST", help="build: further options of the compiler, --flags=-g")


def run(arguments: argparse.Namespace) -> int:
    """Do it."""
    action, file = arguments.action, arguments.file
    if action != "build" and (arguments.output is not None or arguments.flags is not None):
        raise UsageError(f"plugin {action}: --output and --flags are options of build; leave them out")
    if action == "include-dir":
        if file is not None:
            raise UsageError(f"plugin include-dir: it takes no file; leave {file} out")
        print(include_directory())
        return 0
    if file is None:
        raise UsageError(f"plugin {action}: name the file, for example: hybridnet plugin {action} bursty.cc")
    if action == "show":
        print(describe_plugin(find_plugin(file)))
        return 0
    output = None if arguments.output is None else Path(arguments.output)
    written = build_plugin(Path(file), output, shlex.split(arguments.flags or ""))
    print(f"{written}: {describe_plugin(written)}")
    return 0
