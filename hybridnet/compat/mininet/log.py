# SPDX-License-Identifier: MIT
"""Mininet's log: `info`, `output` ... on standard error without added newlines, and the logger `lg` behind them.

info, error ... ──▶ hybridnet.system.log, which knows the level ──▶ handlers of lg: the console's, a script's own

What a script says with `info` and `debug` is shown once it asks for that with `setLogLevel`, as in Mininet, though
``hybridnet run`` shows what hybridnet itself is doing.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import Any, TextIO

from hybridnet.system import log
from hybridnet.system.log import LEVELS, error, output, warn

__all__ = [
    "LEVELS", "LOGLEVELDEFAULT", "LOGMSGFORMAT", "OUTPUT", "MininetLogger", "Singleton", "StreamHandlerNoNewline",
    "critical", "debug", "error", "info", "lg", "makeListCompatible", "output", "setLogLevel", "warn", "warning",
]  # fmt: skip

OUTPUT = LEVELS["output"]
LOGLEVELDEFAULT = OUTPUT
LOGMSGFORMAT = "%(message)s"

warning = warn

_asked = LOGLEVELDEFAULT


def setLogLevel(levelname: str | None = None) -> None:
    """Show messages from this level on: those of the script, and hybridnet's."""
    global _asked
    log.setLogLevel(levelname)
    _asked = log.log_level()


def _level() -> int:
    """From which level on a script's messages are shown. The command line may ask for more than `info`, or for less."""
    of_all = log.log_level()
    return of_all if of_all < LEVELS["info"] else max(of_all, _asked)


def info(*parts: object) -> None:
    """Say what the script is doing."""
    if _level() <= LEVELS["info"]:
        log.info(*parts)


def debug(*parts: object) -> None:
    """Say details for finding faults."""
    if _level() <= LEVELS["debug"]:
        log.debug(*parts)


def critical(*parts: object) -> None:
    """What ends the program."""
    error(*parts)


def makeListCompatible(fn: Callable[[str], object]) -> Callable[..., object]:
    """A function of several words, which `fn` gets as one text."""
    return lambda *parts: fn(" ".join(str(part) for part in parts))


class Singleton(type):
    """The class of classes that have one object."""

    def __init__(cls, name: str, bases: tuple[type, ...], dict_: dict[str, object]) -> None:
        super().__init__(name, bases, dict_)
        cls.instance: Any = None

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls.instance is None:
            cls.instance = super().__call__(*args, **kwargs)
        return cls.instance


class StreamHandlerNoNewline(logging.StreamHandler[TextIO]):
    """Writes records as they are: their texts end their lines themselves."""

    terminator = ""


class _Console(StreamHandlerNoNewline):
    """Writes to what standard error is when it writes."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:  # type: ignore[override]
        """See the class."""
        return sys.stderr


class MininetLogger(logging.Logger):
    """The logger that scripts know as `lg`: the functions of this module, and handlers to which a script adds its
    own.
    """

    def __init__(self, name: str = "mininet") -> None:
        super().__init__(name, level=1)
        self.ch: logging.Handler = _Console()
        self.addHandler(self.ch)

    def setLogLevel(self, levelname: str | None = None) -> None:
        """Show messages from this level on."""
        setLogLevel(levelname)

    def isEnabledFor(self, level: int) -> bool:
        """Whether messages of this level are shown."""
        return level >= _level()

    def getEffectiveLevel(self) -> int:
        """The level from which messages are shown."""
        return _level()

    def _log(self, level: int, msg: object, args: Any, *_: Any, **__: Any) -> None:
        """Words that do not fill places of the message follow it, as in Mininet."""
        fills = "%" in str(msg) and args
        self.show(level, str(msg) % args if fills else " ".join(str(word) for word in (msg, *args)))

    def output(self, msg: object, *args: object) -> None:
        """Print results that were asked for."""
        self.log(OUTPUT, msg, *args)

    def show(self, level: int, text: str) -> None:
        """Give a message to the handlers."""
        self.handle(self.makeRecord(self.name, level, "", 0, text, (), None))


lg = MininetLogger()
log.show_by(lambda level, text: lg.show(level, text))
