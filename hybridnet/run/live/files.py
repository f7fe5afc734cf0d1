# SPDX-License-Identifier: MIT
"""The static files of the page: read once, and found by name in a table, so no path ever comes from a request."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

from hybridnet.errors import EnvironmentLackError

__all__ = ["Files", "library"]

DIRECTORY = Path(__file__).parent / "static"
VENDORED = ("cytoscape.min.js", "uPlot.iife.min.js", "uPlot.min.css", "xterm.js", "xterm.css", "addon-fit.js")
_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
}


class Files:
    """All files of the page. Raises EnvironmentLackError: those of others have not been fetched.

    Args:
        over: a folder whose files stand in place of those of the same name here, for another page.
    """

    def __init__(self, over: Path | None = None, directory: Path = DIRECTORY) -> None:
        _check_fetched(VENDORED, directory)
        self._files = {
            str(path.relative_to(folder)): (_KINDS[path.suffix], path.read_bytes())
            for folder in (directory, *([] if over is None else [over]))
            for path in sorted(folder.rglob("*"))
            if path.suffix in _KINDS
        }

    def get(self, name: str) -> tuple[str, bytes] | None:
        """The media type and the content of a file; the empty name is the page itself. None: there is none."""
        return self._files.get(name or "index.html")

    def inline_scripts(self) -> list[str]:
        """The hashes of the scripts that stand in the page itself, as Content-Security-Policy writes them."""
        page = self._files["index.html"][1]
        digests = [
            hashlib.sha256(script).digest() for script in re.findall(rb"<script>(.*?)</script>", page, re.S)
        ]
        return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]


def library(name: str) -> str:
    """The text of one of the files of others. Raises EnvironmentLackError: it has not been fetched."""
    _check_fetched((name,), DIRECTORY)
    return (DIRECTORY / "vendor" / name).read_text(encoding="utf-8")


def _check_fetched(names: tuple[str, ...], directory: Path) -> None:
    missing = [name for name in names if not (directory / "vendor" / name).is_file()]
    if missing:
        raise EnvironmentLackError(
            f"pages lack {', '.join(missing)}; fetch them: setup/page (or make install)"
        )
