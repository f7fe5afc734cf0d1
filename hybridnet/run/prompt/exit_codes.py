# SPDX-License-Identifier: MIT
"""The exit code of a command that ends with an error; docs/cli.md has the table."""

from __future__ import annotations

from hybridnet.errors import EnvironmentLackError, HybridnetError
from hybridnet.run.prompt.output import OUTPUT_CLOSED, unread_outputs

__all__ = ["INTERRUPTED", "code_of_error", "lacking"]

INTERRUPTED = 130
"""By ^C."""


def code_of_error(error: BaseException) -> int:
    """The exit code of a command that ends with this error.

    Example:
        >>> code_of_error(KeyboardInterrupt()), code_of_error(SystemExit(7)), code_of_error(ValueError("a defect"))
        (130, 7, 1)
    """
    if isinstance(error, HybridnetError):
        return error.exit_code
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    if isinstance(error, BrokenPipeError):  # of its own output, or of a program that died
        return OUTPUT_CLOSED if unread_outputs() else 1
    # A disk that is full, a folder of somebody else's.
    refused = (isinstance(error, OSError) and error.strerror is not None) or lacking(error) is not None
    return EnvironmentLackError.exit_code if refused else 1


def lacking(error: BaseException) -> str | None:
    """What the system did not give where it gave too little; None: the error is another one.

    Example:
        >>> lacking(MemoryError()), lacking(RuntimeError("can't start new thread")), lacking(RuntimeError("a defect"))
        ('memory', 'threads', None)
    """
    # CPython's words where memory ends inside an import.
    lost = isinstance(error, SystemError) and "returned NULL without setting an exception" in str(error)
    if isinstance(error, MemoryError) or lost:
        return "memory"
    # CPython's words of _thread.start_new_thread; it has no class of its own.
    return "threads" if isinstance(error, RuntimeError) and str(error) == "can't start new thread" else None
