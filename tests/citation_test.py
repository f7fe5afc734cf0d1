# SPDX-License-Identifier: MIT
"""CITATION.cff can be read, has what the format requires, and names the version that is built."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_it_has_what_the_format_requires() -> None:
    """Citation File Format 1.2.0: required at the top are these; each reference needs authors, a title and a type."""
    assert CITATION["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= CITATION.keys()
    for reference in CITATION["references"]:
        assert {"authors", "title", "type", "year"} <= reference.keys()
        assert all({"family-names", "given-names"} <= author.keys() for author in reference["authors"])


def test_its_version_is_that_of_the_build() -> None:
    found = re.search(r"project\(hybridnet VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert found is not None
    assert CITATION["version"] == found[1]
    assert f"## {found[1]}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
