# SPDX-License-Identifier: MIT
"""The documents lead somewhere, and tell all: links, verbs, options of nodes and links, what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hybridnet.cli.main import EXIT_CODES, VERBS
from hybridnet.describe.topo.direction import direction_options
from hybridnet.describe.topo.node_options import NODE_OPTIONS, UNSUPPORTED_NODE_OPTIONS
from hybridnet.describe.topo.options import UNSUPPORTED_LINK_OPTIONS
from hybridnet.topologies import TOPOS
from tests.docs.blocks import COMMUNITY, DOCUMENTS, ROOT

PAGES = [
    *DOCUMENTS,
    ROOT / "ARCHITECTURE.md",
    ROOT / "CHANGELOG.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *(ROOT / "docs" / "inside").glob("*.md"),
]


def anchors(text: str) -> set[str]:
    """The anchors of a document's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead_links(page: Path, text: str) -> list[str]:
    dead = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"https?://", target):
            continue
        file, _, anchor = target.partition("#")
        path = page.parent / file if file else page
        if not path.exists() or (anchor and anchor not in anchors(path.read_text())):
            dead.append(target)
    return dead


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    assert dead_links(page, page.read_text()) == []


def test_a_dead_link_is_found() -> None:
    text = (
        "[a](docs/nowhere.md) [b](README.md#nothing) [c](README.md#a-first-network) [d](https://example.org)"
    )
    assert dead_links(ROOT / "README.md", text) == ["docs/nowhere.md", "README.md#nothing"]


def test_every_document_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    assert [page.name for page in (ROOT / "docs").glob("*.md") if f"(docs/{page.name})" not in readme] == []
    assert [page.name for page in COMMUNITY if f"({page.name})" not in readme] == []


_REMARK = re.compile(r"(?:\$ )?(?:sudo )?(?:make|hybridnet|pip|ln|apt|git)\b.*?\S {2,}(?!#)\S")


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.name)
def test_commands_can_be_copied_with_their_remarks(page: Path) -> None:
    blocks = re.findall(r"^```(?:console|sh|bash)?\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    assert [line for block in blocks for line in block.splitlines() if _REMARK.match(line)] == []


def test_files_that_documents_name_exist() -> None:
    folders = "docs|examples|controllers|topologies|experiments|cloudlab|setup|tests|hybridnet|simcore"
    missing = [
        f"{page.name}: {name}"
        for page in DOCUMENTS
        for name in re.findall(rf"`((?:{folders})/[\w./-]+)`", page.read_text())
        if not (ROOT / name).exists()
    ]
    assert missing == []


def test_the_command_line_is_told_whole() -> None:
    text = (ROOT / "docs/cli.md").read_text()
    for verb in VERBS:
        assert f"\n## {verb}\n" in text
        assert f"hybridnet {verb}" in text
    for code, meaning in re.findall(r"^  (\d)  ([^;\n]*)", EXIT_CODES, re.MULTILINE):
        assert f"| {code} | " in text
        assert meaning.split(",")[0].split(";")[0] in text


def test_every_option_of_a_topology_is_told() -> None:
    text = (ROOT / "docs/topologies.md").read_text()
    options = set().union(*NODE_OPTIONS.values(), direction_options())
    assert [option for option in sorted(options) if f"`{option}`" not in text] == []
    assert [name for name in TOPOS if f"`{name}`" not in text] == []


def test_every_refused_option_is_told() -> None:
    text = (ROOT / "docs/limitations.md").read_text()
    cures = {**UNSUPPORTED_LINK_OPTIONS, **UNSUPPORTED_NODE_OPTIONS}
    refused = {name for name, cure in cures.items() if not cure.startswith("write ")} - {"fast"}
    assert [option for option in sorted(refused) if f"{option}=" not in text] == []
