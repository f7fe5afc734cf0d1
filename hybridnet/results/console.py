# SPDX-License-Identifier: MIT
"""A console for standard output: a pipe that nobody reads any more raises BrokenPipeError, as `print` does.

Rich's own ends the program with 1, so `hybridnet simulate ... | head -1` looked like a failure.
"""

from __future__ import annotations

import sys
from typing import NoReturn

from rich.console import Console

__all__ = ["PlainConsole"]


class PlainConsole(Console):
    """Rich's console, which leaves broken pipes to the command line."""

    def on_broken_pipe(self) -> NoReturn:
        """Raise the BrokenPipeError that rich has just caught."""
        raise sys.exception() or BrokenPipeError
