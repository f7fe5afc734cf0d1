# SPDX-License-Identifier: MIT
"""Sphinx: the documents of this repository and the API reference, from docstrings. Run by `make docs`."""

from __future__ import annotations

import sys
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

project = "hybridnet"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "README"
include_patterns = [
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "benchmarks/README.md",
    "docs/*.md",
    "docs/inside/*.md",
    "docs/api/*",
]
html_theme = "furo"
html_title = "hybridnet"
html_copy_source = False

myst_heading_anchors = 4  # links to headings, as GitHub makes them
myst_enable_extensions = ["colon_fence"]
default_role = "code"  # docstrings write `name`
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the signature has them
autodoc_default_options = {"members": True, "show-inheritance": True}
suppress_warnings = ["misc.highlighting_failure"]  # JSON with comments and "…" in it

SECTIONS = {
    "": ["docs/tutorial"],
    "How to": [
        "docs/topologies",
        "docs/editor",
        "docs/timelines",
        "docs/simulated",
        "docs/flows",
        "docs/time",
        "docs/nodes",
        "docs/controllers",
        "docs/rootless",
        "docs/containers",
        "docs/ubuntu",
        "docs/machines",
        "docs/cloudlab",
        "docs/forecast",
        "docs/verdict",
        "docs/live",
        "docs/rest",
        "docs/record",
        "docs/wire",
        "docs/join",
        "docs/generate",
        "docs/plugins",
    ],
    "Reproduced results": ["docs/maxinet", "docs/tcp_validation", "docs/inet", "docs/mm1", "docs/tlem"],
    "Inside": [
        "CONTRIBUTING",
        "ARCHITECTURE",
        "benchmarks/README",
        "CHANGELOG",
        "SECURITY",
        "CODE_OF_CONDUCT",
        *sorted(f"docs/inside/{file.stem}" for file in (ROOT / "docs" / "inside").glob("*.md")),
    ],
}
NAMED = {page for pages in SECTIONS.values() for page in pages}
PAGES = sorted(f"docs/{file.stem}" for file in (ROOT / "docs").glob("*.md"))
SECTIONS["Reference"] = ["docs/api/index", *(page for page in PAGES if page not in NAMED)]


def add_contents(app: Sphinx, docname: str, source: list[str]) -> None:
    """Give the README a table of contents, which only this site needs."""
    if docname == root_doc:
        for caption, pages in SECTIONS.items():
            lines = [":hidden:", f":caption: {caption}" if caption else "", "", *pages]
            source[0] += "\n```{toctree}\n" + "\n".join(lines) + "\n```\n"


def setup(app: Sphinx) -> None:
    app.connect("source-read", add_contents)
