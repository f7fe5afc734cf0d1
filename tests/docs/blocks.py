# SPDX-License-Identifier: MIT
"""The examples in the documents: ```python, ```console and ```cpp blocks, and what a comment before one says of it.

    <!-- test: system -->                 it needs root, and builds something
    <!-- test: file NAME -->              it is the file NAME of the later blocks of its document, and is not run
    <!-- test: exits 2 -->                its commands end with this exit code (or: exits 0 or 3)
    <!-- test: repository -->             it is run in the repository, all others in a folder of their own
    <!-- test: skip, REASON -->           it is not run, and why

A console block has commands, ``$ ...``, each followed by lines of which every one is a part of what the
command prints, in this order; how many spaces there are does not matter. All blocks of a document that are
files are there when one of its blocks is run.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMUNITY = [ROOT / name for name in ("CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md")]
DOCUMENTS = sorted([ROOT / "README.md", *COMMUNITY, *(ROOT / "docs").glob("*.md")])
FOLDERS = ("examples", "controllers")  # what the examples name
SECONDS = 120

_BLOCK = re.compile(
    r"^(?:<!-- test: (?P<says>[^\n]*?) -->\n)?```(?P<kind>python|console|cpp)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_SAYS = re.compile(r"system|repository|file \S+|exits \d+(?: or \d+)*|skip, \S.{9,}")


@dataclass(frozen=True)
class Block:
    """One example."""

    document: Path
    line: int
    kind: str  # "python", "console", "cpp"
    text: str
    says: str  # the comment, or nothing

    @property
    def name(self) -> str:
        return f"{self.document.name}:{self.line}"

    @property
    def file(self) -> str | None:
        return self.says.removeprefix("file ") if self.says.startswith("file ") else None

    @property
    def skipped(self) -> str | None:
        return self.says.removeprefix("skip, ") if self.says.startswith("skip, ") else None

    @property
    def exit_codes(self) -> set[int]:
        return (
            {int(code) for code in re.findall(r"\d+", self.says)} if self.says.startswith("exits ") else {0}
        )


def blocks_of(document: Path, text: str | None = None) -> list[Block]:
    """The examples of a document; ValueError for a comment that is none of the above."""
    text = document.read_text() if text is None else text
    found = []
    for match in _BLOCK.finditer(text):
        says = match["says"] or ""
        line = text.count("\n", 0, match.start("kind")) + 1
        if says and not _SAYS.fullmatch(says):
            raise ValueError(
                f"{document.name}:{line}: the comment {says!r} is not understood; see tests/docs/blocks.py"
            )
        if match["kind"] == "cpp" and not says.startswith("file "):
            raise ValueError(
                f"{document.name}:{line}: C++ is built by a later example; write <!-- test: file NAME -->"
            )
        if "$ sudo " in match["text"] and says != "system" and not says.startswith("skip, "):
            raise ValueError(
                f"{document.name}:{line}: what needs root is for the system tier; write <!-- test: system -->"
            )
        found.append(Block(document, line, match["kind"], match["text"], says))
    return found


def all_blocks(*, system: bool) -> list[Block]:
    """What is to be run: in the system tier, or in the other."""
    blocks = [block for document in DOCUMENTS for block in blocks_of(document)]
    runnable = [block for block in blocks if block.file is None and block.skipped is None]
    return [block for block in runnable if (block.says == "system") is system]


def run_block(block: Block, folder: Path) -> None:
    """Run an example in an empty folder, or in the repository, and compare."""
    if block.says == "repository":
        folder = ROOT
    else:
        _prepare(block, folder)
    if block.kind == "python":
        done = _run([sys.executable, "-c", block.text], folder)
        assert done.returncode == 0, f"{block.name}:\n{done.stdout}"
        return
    for command, expected in commands_of(block.text):
        done = _run(["sh", "-c", command.removeprefix("sudo ")], folder)
        assert done.returncode in block.exit_codes, f"{block.name}: {command}\n{done.stdout}"
        assert missing_line(expected, done.stdout) is None, f"{block.name}: {command}\n{done.stdout}"


def _prepare(block: Block, folder: Path) -> None:
    """What an example finds in its folder: the files of its document, and what the examples name."""
    for other in blocks_of(block.document):
        if other.file is not None:
            (folder / other.file).write_text(other.text)
    for name in FOLDERS:
        (folder / name).symlink_to(ROOT / name)


def commands_of(text: str) -> list[tuple[str, list[str]]]:
    """The commands of a console block, each with the lines that follow it."""
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line.strip():
            found[-1][1].append(line.strip())
    return found


def missing_line(expected: list[str], printed: str) -> str | None:
    """The first of the lines that is not part of what was printed, after the one before it."""
    at = 0
    printed = re.sub(" +", " ", printed)
    for line in expected:
        line = re.sub(" +", " ", line)
        at = printed.find(line, at)
        if at < 0:
            return line
        at += len(line)
    return None


def _run(argv: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        argv,
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
