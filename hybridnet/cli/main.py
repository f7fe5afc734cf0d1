# SPDX-License-Identifier: MIT
"""Finds the verb, runs it, and turns errors into one line and an exit code."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import NoReturn

from hybridnet.errors import HybridnetError, UsageError

__all__ = ["VERBS", "Parser", "main"]

# The verb and its file.
VERBS = {
    "run": "run",
    "mn": "mn",
    "plan": "plan",
    "simulate": "simulate",
    "reproduce": "reproduce",
    "wire": "wire",
    "generate": "generate",
    "sweep": "sweep",
    "plot": "plot",
    "compare": "compare",
    "rerun": "rerun",
    "pack": "pack",
    "replay": "replay",
    "plugin": "plugin",
    "exec": "execute",
    "attach": "attach",
    "status": "status",
    "stop": "stop",
    "deploy": "deploy",
    "cloudlab": "cloudlab",
    "doctor": "doctor",
    "setup-ryu": "setup_ryu",
    "clean": "clean",
    "mininet-path": "mininet_path",
    "version": "version",
}

EXIT_CODES = """exit codes:
  0  ok
  1  the experiment failed, or a check does not hold
  2  usage: the command line or the topology makes no sense
  3  the environment lacks something; the message says what, and how to get it
  4  it ran, but the verdict is broken: the results cannot be trusted (run and mn: only with --strict)
"""


class Parser(argparse.ArgumentParser):
    """A parser whose mistakes are UsageErrors, printed in one line like all others."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see `{self.prog} --help`")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line. Returns its exit code."""
    try:
        with _heeding(signal.SIGTERM, signal.SIGHUP):
            words = sys.argv[1:] if argv is None else argv
            arguments = _parser(words[:1]).parse_args(words)
            arguments.command_line = list(words)
            return int(arguments.run(arguments))
    except HybridnetError as error:
        if os.environ.get("HYBRIDNET_DEBUG"):
            raise
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of our output has closed it. Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


@contextlib.contextmanager
def _heeding(*numbers: signal.Signals) -> Iterator[None]:
    """Let these signals end the command as ^C does, so that networks are stopped; by default they end it at once.

    A verb may have handlers of its own. What is ignored, as SIGHUP is after `nohup`, stays ignored.
    """

    def end(number: int, _: object) -> NoReturn:
        raise SystemExit(128 + number)

    ours = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    if threading.current_thread() is not threading.main_thread():
        ours = []
    for number in ours:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def _parser(first: Sequence[str]) -> Parser:
    """The parser of a command line that begins so. One that begins with a verb needs no other's file, and all of them
    take longer to read than a small network to start.
    """
    parser = Parser(
        prog="hybridnet",
        description="Networks that are part emulated and part simulated in real time.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True)
    named = [verb for verb in VERBS if verb in first]
    for name in named or VERBS:
        module = importlib.import_module(f"hybridnet.cli.{VERBS[name]}")
        verb = verbs.add_parser(
            name,
            help=module.SUMMARY,
            description=module.SUMMARY,
            epilog=f"examples:\n{module.EXAMPLES}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(verb)
        verb.set_defaults(run=module.run)
    return parser
