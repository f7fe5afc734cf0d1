# SPDX-License-Identifier: MIT
"""Mininet's log: `info`, `output` ... on standard error without added newlines, and the logger `lg` behind them."""

from __future__ import annotations

import logging

from hybridnet.system import log
from hybridnet.system.log import LEVELS, debug, error, info, output, setLogLevel, warn

__all__ = [
    "LEVELS", "OUTPUT", "MininetLogger", "critical", "debug", "error", "info", "lg", "output", "setLogLevel", "warn",
    "warning",
]  # fmt: skip

OUTPUT = LEVELS["output"]
LOGLEVELDEFAULT = OUTPUT

warning = warn


def critical(*parts: object) -> None:
    """What ends the program."""
    error(*parts)


class MininetLogger(logging.Logger):
    """The logger that scripts know as `lg`: it shows what the functions of this module show, in the same place."""

    def __init__(self, name: str = "mininet") -> None:
        super().__init__(name, level=1)
        self.addHandler(_Shown())

    def setLogLevel(self, levelname: str | None = None) -> None:
        """Show messages from this level on."""
        setLogLevel(levelname)

    def output(self, msg: object, *args: object) -> None:
        """Print results that were asked for."""
        self.log(OUTPUT, msg, *args)

    @property
    def _shown_from(self) -> int:
        return log.log_level()

    def isEnabledFor(self, level: int) -> bool:
        """Whether messages of this level are shown."""
        return level >= self._shown_from

    def getEffectiveLevel(self) -> int:
        """The level from which messages are shown."""
        return self._shown_from


class _Shown(logging.Handler):
    """Gives each record to the function of its level."""

    def emit(self, record: logging.LogRecord) -> None:
        show = {logging.DEBUG: debug, logging.INFO: info, OUTPUT: output, logging.WARNING: warn}
        show.get(record.levelno, error)(record.getMessage())


lg = MininetLogger()
