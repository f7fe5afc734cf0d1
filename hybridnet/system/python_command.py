# SPDX-License-Identifier: MIT
"""How programs of ours are started: they take no modules from the folder in which a user works.

Python looks there first for what `-m` and `-c` import, so a file of the user's named as one of its own modules, such as
`queue.py`, would be taken for that.
"""

from __future__ import annotations

import sys

__all__ = ["WITHOUT_MODULES", "python_code", "python_module"]

_NOT_FROM_HERE = "-P"

WITHOUT_MODULES = "/"
"""The folder in which an interpreter of somebody else is started, which may be older than Python 3.11 and lack -P."""


def python_module(module: str, python: str = sys.executable) -> list[str]:
    """Return the command that runs a module, with an interpreter of at least Python 3.11."""
    return [python, _NOT_FROM_HERE, "-m", module]


def python_code(code: str, python: str = sys.executable) -> list[str]:
    """Return the command that runs this code, with an interpreter of at least Python 3.11."""
    return [python, _NOT_FROM_HERE, "-c", code]
