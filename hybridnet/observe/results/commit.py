# SPDX-License-Identifier: MIT
"""Which sources a result comes from."""

from __future__ import annotations

import subprocess
from pathlib import Path

__all__ = ["commit"]

_PACKAGE = Path(__file__).resolve().parents[2]


def commit() -> str:
    """The commit of the sources that run, with a + where files differ from it; empty if they are in no repository."""
    if (
        _git("ls-files", "--error-unmatch", "__init__.py") is None
    ):  # installed, perhaps in somebody else's repository
        return ""
    return _git("describe", "--always", "--dirty=+", "--exclude=*") or ""


def _git(*words: str) -> str | None:
    try:
        done = subprocess.run(["git", *words], cwd=_PACKAGE, capture_output=True, text=True, check=False)
    except OSError:  # there is no git
        return None
    return done.stdout.strip() if done.returncode == 0 else None
