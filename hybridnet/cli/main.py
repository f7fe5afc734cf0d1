# SPDX-License-Identifier: MIT
"""Finds the verb, runs it, and turns errors into one line and an exit code."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import math
import os
import re
import resource
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from hybridnet.describe.user_files import forget_files
from hybridnet.describe.values import nearest, printable
from hybridnet.errors import HybridnetError, UsageError
from hybridnet.run.prompt.exit_codes import code_of_error, lacking
from hybridnet.run.prompt.output import OUTPUT_CLOSED, mute, unread_outputs
from hybridnet.system.standard_streams import occupy_closed_streams

__all__ = ["VERBS", "Parser", "main"]

TOLD_TWICE_S = 5.0
# The verb and its file.
VERBS = {
    "run": "run",
    "mn": "mn",
    "plan": "plan",
    "edit": "edit",
    "calibrate": "calibrate",
    "simulate": "simulate",
    "reproduce": "reproduce",
    "wire": "wire",
    "join": "join",
    "ticket": "ticket",
    "generate": "generate",
    "sweep": "sweep",
    "explore": "explore",
    "controller-bench": "controller_bench",
    "plot": "plot",
    "compare": "compare",
    "rerun": "rerun",
    "pack": "pack",
    "replay": "replay",
    "plugin": "plugin",
    "exec": "execute",
    "extcap-install": "extcap_install",
    "extcap": "extcap",
    "attach": "attach",
    "status": "status",
    "stop": "stop",
    "deploy": "deploy",
    "cloudlab": "cloudlab",
    "doctor": "doctor",
    "setup-ryu": "setup_ryu",
    "setup-kernel": "setup_kernel",
    "images": "images",
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
  130  interrupted by ^C; hybridnet has removed what it made
  141  the reader closed its output early, as `| head -3` does
"""


class Parser(argparse.ArgumentParser):
    """A parser whose mistakes are UsageErrors, printed in one line like all others. It takes no abbreviations: `--seed`
    is not `--seeds`.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"allow_abbrev": False, **options})
        self.of_verbs: dict[str, Parser] = {}

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{_with_what_was_meant(message)}; see `{self.prog} --help`")

    def meant(self, verb: str, unknown: str) -> str:
        """What the user may have meant by an option that a verb has not, as words to add; empty: nothing is like it."""
        known = self.of_verbs[verb]._option_string_actions if verb in self.of_verbs else ()
        names = [each.removeprefix("--") for each in known if each.startswith("--")]
        near = nearest(unknown.removeprefix("--").partition("=")[0], names)
        if not unknown.startswith("--"):
            return ""
        if near:
            return f"; did you mean --{near}?"
        having = _verbs_with(unknown.partition("=")[0])
        return f"; {unknown} is an option of {', '.join(having)}" if having else ""


def _verbs_with(option: str) -> list[str]:
    """The verbs that have an option."""
    every = _parser(()).of_verbs
    return [verb for verb, parser in every.items() if option in parser._option_string_actions]


def _with_what_was_meant(message: str) -> str:
    """argparse's words for a choice that there is not are a list, which may be long, and quoted before Python 3.12."""
    if option := re.fullmatch(r"argument ([^:]*--([\w-]+)): expected one argument", message):
        return f"{message}; a value that begins with - is written --{option[2]}=VALUE"
    found = re.fullmatch(r"(.*invalid choice: '?([^' ]+)'?) \(choose from (.+)\)", message)
    if not found:
        return message
    choices = re.findall(r"[^', ]+", found[3])
    near = nearest(found[2], choices)
    return found[1] + (f"; did you mean {near}?" if near else f" (choose from {', '.join(choices)})")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line. Returns its exit code."""
    code = 0
    occupy_closed_streams()
    _print_what_can_be_printed()
    try:
        code = _code_of(argv)
        if sys.stdout is not None:
            sys.stdout.flush()  # at exit it would be too late to say so
        return code
    except BrokenPipeError:
        unread = unread_outputs()
        if not unread:  # another pipe broke: a failure
            raise
        for stream in unread:
            mute(stream)
        return code or OUTPUT_CLOSED


def _print_what_can_be_printed() -> None:
    """A terminal or a pipe that knows no box-drawing characters gets question marks, and no UnicodeEncodeError."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")


def _code_of(argv: Sequence[str] | None) -> int:
    try:
        with _heeding(signal.SIGTERM, signal.SIGHUP):
            words = sys.argv[1:] if argv is None else argv
            _require_verb(words)
            forget_files()
            parser = _parser(words[:1])
            arguments, unknown = parser.parse_known_args(words)
            if unknown:
                meant = parser.meant(words[0], unknown[0])
                raise UsageError(
                    f"unrecognized arguments: {' '.join(unknown)}{meant}; see `hybridnet {words[0]} --help`"
                )
            arguments.command_line = list(words)
            return int(arguments.run(arguments))
    except HybridnetError as error:
        if os.environ.get("HYBRIDNET_DEBUG"):
            raise
        _say(f"error: {error}")
        return code_of_error(error)
    except BrokenPipeError:
        raise
    except OSError as error:  # a disk that is full, a folder of somebody else's: no defect, wherever it shows
        if os.environ.get("HYBRIDNET_DEBUG") or error.strerror is None:
            raise
        file = f"{error.filename}: " if error.filename else ""
        _say(
            f"error: {file}{error.strerror}; fix this and try again; HYBRIDNET_DEBUG=1 shows the whole trace"
        )
        return code_of_error(error)
    except (MemoryError, RuntimeError, SystemError) as error:
        lack = lacking(error)
        if os.environ.get("HYBRIDNET_DEBUG") or lack is None:
            raise
        _say(
            f"error: the system gives no more {lack} ({_limits()}); raise the limit or end other programs; "
            "HYBRIDNET_DEBUG=1 shows the whole trace"
        )
        return code_of_error(error)
    except KeyboardInterrupt as error:
        _say("interrupted")
        return code_of_error(error)


def _require_verb(words: Sequence[str]) -> None:
    """Raise UsageError for a command line that begins with something else, such as an option that other programs have.
    What begins with a letter is the parser's: it knows which verb may be meant.
    """
    cure = "`hybridnet --help` lists the verbs, and `hybridnet VERB --help` says what one takes"
    if not words:
        raise UsageError(f"no verb is given; {cure}")
    first = words[0]
    if first == "help":
        raise UsageError(f"help is no verb; {cure}")
    if first.startswith("-") and first not in ("-h", "--help"):
        near = nearest(first.strip("-"), VERBS)
        question = f"did you mean `hybridnet {near}`? " if near else ""
        raise UsageError(f"{first}: a verb comes first; {question}{cure}")


def _limits() -> str:
    """The limits of this process that can be what it met, as a shell sets them: a thread needs memory for its stack."""
    kinds = (("ulimit -v", resource.RLIMIT_AS, 1024), ("ulimit -u", resource.RLIMIT_NPROC, 1))
    found = [(name, resource.getrlimit(kind)[0], unit) for name, kind, unit in kinds]
    return ", ".join(
        f"{name} is {'unlimited' if limit == resource.RLIM_INFINITY else limit // unit}"
        for name, limit, unit in found
    )


def _say(text: str) -> None:
    """Print a line on standard error; the exit code stands, whether somebody reads the line or not."""
    try:
        print(printable(text), file=sys.stderr)
    except BrokenPipeError:
        mute(sys.stderr)


@contextlib.contextmanager
def _heeding(*numbers: signal.Signals) -> Iterator[None]:
    """Let these signals end the command as ^C does, so that networks are stopped; by default they end it at once.

    A verb may have handlers of its own. What is ignored, as SIGHUP is after `nohup`, stays ignored. Who ends a command
    often says so twice (`timeout` tells the process and its group, a login that ends sends both signals): the second
    one does not disturb what the first one has begun to end.
    """
    told = -math.inf

    def end(number: int, _: object) -> None:
        nonlocal told
        if time.monotonic() - told > TOLD_TWICE_S:
            told = time.monotonic()
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
        parser.of_verbs[name] = verb
    return parser
