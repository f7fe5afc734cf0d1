# SPDX-License-Identifier: MIT
"""The examples in the documents do what is written beside them. Those that build something need root."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.docs.blocks import ROOT, Block, all_blocks, blocks_of, commands_of, missing_line, run_block

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("block", all_blocks(system=False), ids=lambda block: block.name)
def test_an_example_that_builds_nothing(block: Block, tmp_path: Path) -> None:
    run_block(block, tmp_path)


@pytest.mark.slow
@pytest.mark.system
@pytest.mark.skipif(os.geteuid() != 0, reason="system tests make namespaces and switches; run them as root")
@pytest.mark.parametrize("block", all_blocks(system=True), ids=lambda block: block.name)
def test_an_example_that_builds_a_network(block: Block, tmp_path: Path) -> None:
    run_block(block, tmp_path)


# What runs them


def test_a_comment_must_be_understood_and_a_skip_has_a_reason() -> None:
    for says in ("skip", "skip, no", "sytem", "exits two"):
        with pytest.raises(ValueError, match=r"x\.md:2: the comment .* is not understood"):
            blocks_of(Path("x.md"), f"<!-- test: {says} -->\n```python\n1\n```\n")
    with pytest.raises(ValueError, match=r"x\.md:1: C\+\+ is built by a later example"):
        blocks_of(Path("x.md"), "```cpp\nint x;\n```\n")
    with pytest.raises(ValueError, match=r"x\.md:1: what needs root is for the system tier"):
        blocks_of(Path("x.md"), "```console\n$ sudo hybridnet clean\n```\n")
    (block,) = blocks_of(Path("x.md"), "<!-- test: skip, needs CloudLab -->\n```python\n1\n```\n")
    assert block.skipped == "needs CloudLab"


def test_an_example_that_does_something_else_fails(tmp_path: Path) -> None:
    wrong = {
        "python": ("```python\nassert 1 == 2\n```\n", "AssertionError"),
        "code": ("<!-- test: exits 3 -->\n```console\n$ true\n```\n", "true"),
        "text": ("```console\n$ echo one; echo two\ntwo\none\n```\n", "echo"),
    }
    for name, (text, says) in wrong.items():
        (tmp_path / name).mkdir()
        document = tmp_path / f"{name}.md"
        document.write_text(text)
        (block,) = blocks_of(document)
        with pytest.raises(AssertionError, match=says):
            run_block(block, tmp_path / name)


def test_files_of_a_document_are_there_for_its_other_examples(tmp_path: Path) -> None:
    document = tmp_path / "x.md"
    document.write_text(
        "<!-- test: file one.py -->\n```python\nONE = 1\n```\n```python\nfrom one import ONE\nassert ONE == 1\n```\n"
    )
    _, block = blocks_of(document)
    (tmp_path / "folder").mkdir()
    run_block(block, tmp_path / "folder")


def test_an_example_of_the_repository_runs_in_it(tmp_path: Path) -> None:
    for says, folder in (("<!-- test: repository -->\n", ROOT), ("", tmp_path)):
        (block,) = blocks_of(Path("x.md"), f"{says}```console\n$ pwd\n{folder}\n```\n")
        (tmp_path / "x.md").write_text("")
        run_block(Block(tmp_path / "x.md", block.line, block.kind, block.text, block.says), tmp_path)


def test_commands_and_what_follows_them() -> None:
    assert commands_of("$ a b\n  one\n\n$ c\n") == [("a b", ["one"]), ("c", [])]
    assert missing_line(["one", "two"], "it is one,\nand two") is None
    assert missing_line(["two", "one"], "it is one,\nand two") == "one"
