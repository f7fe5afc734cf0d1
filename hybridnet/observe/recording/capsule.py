# SPDX-License-Identifier: MIT
"""The capsule: what a run directory holds so that the command can be repeated elsewhere.

    hybridnet run scripts/my.py -- x.csv  ─▶  manifest.json   "arguments": ["files/my.py", "--", "files/x.csv"]
                                              files/my.py, files/x.csv, and the modules beside my.py that it imports

Files are found in the words of the command: each word, or a part of it between commas and equals signs, that names a
file there is. Those that the script names and hybridnet reads (`hybridnet.describe.user_files`) are added while it
runs. Files that a script opens by itself are not found; name them on its command line.
"""

from __future__ import annotations

import ast
import hashlib
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hybridnet.errors import UsageError
from hybridnet.system.simulated_time import time_is_simulated

__all__ = ["FILES", "Capsule", "capsule_of"]

FILES = "files"
FILE_LIMIT = 256 << 20
_OUTPUT_OPTIONS = ("--out", "--record")  # they name what a run writes
_PARTS = re.compile(r"([,=])")


@dataclass
class Capsule:
    """How a command is repeated.

    Args:
        verb, arguments: the command line, with the files as they are named in the capsule.
        files: of each file of the capsule, below ``files``, where it was when it was found.
        named: of those that the script names, by what: as it does, and as seen from its folder.
        folder: of the script.
    """

    verb: str
    arguments: list[str]
    files: dict[str, Path] = field(default_factory=dict)
    named: dict[str, list[str]] = field(default_factory=dict)
    folder: Path | None = None
    _hashes: dict[str, str] = field(default_factory=dict)

    def facts(self) -> dict[str, object]:
        """What the manifest says."""
        for name, path in self.files.items():
            if name not in self._hashes:
                self._hashes[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        return {
            "verb": self.verb,
            "arguments": self.arguments,
            "files": dict(self._hashes),
            "named": {name: list(ways) for name, ways in self.named.items()},
            **self._stage(),
        }

    def _stage(self) -> dict[str, object]:
        """Where everything was. In simulated time a run is repeated exactly there: a path that is longer takes other
        system calls."""
        if not time_is_simulated():
            return {}
        return {
            "directory": str(Path.cwd()),
            "places": {name: str(path.absolute()) for name, path in self.files.items()},
        }

    def add(self, named: str, path: Path) -> None:
        """Add a file that the script names, and its modules, under the name that it has from the script's folder if it
        is below that. Raises UsageError: it is too large.
        """
        place = path.resolve()
        seen = os.path.relpath(place, self.folder) if self.folder is not None else place.name
        name = self.kept(Path(place.name if seen.startswith("..") else seen), place, named)
        ways = self.named.setdefault(name, [])
        ways += [way for way in dict.fromkeys((named, seen)) if way not in ways]
        self.facts()  # the file may change, and go

    def keep(self, run: Path) -> None:
        """Copy the files that are not there yet into a run directory."""
        for name, path in self.files.items():
            target = run / FILES / name
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, target)

    def kept(self, wanted: Path, place: Path, named: str) -> str:
        """Add a file and its modules, under the name that is wanted or one like it. Returns the name."""
        if (size := place.stat().st_size) > FILE_LIMIT:
            raise UsageError(
                f"{named} has {size} bytes, and a run directory takes files up to {FILE_LIMIT}; run without --out"
            )
        name = next((known for known, there in self.files.items() if there == place), None)
        name = name or self._free_name(wanted, place)
        self.files[name] = place
        if place.suffix == ".py":
            for module in _modules_beside(place):
                beside = str(Path(name).parent / module.relative_to(place.parent))
                self.files.setdefault(beside, module)
        return name

    def _free_name(self, wanted: Path, place: Path) -> str:
        name, number = str(wanted), 1
        while self.files.get(name, place) != place:
            number += 1
            name = str(wanted.with_stem(f"{wanted.stem}-{number}"))
        return name


def capsule_of(words: Sequence[str]) -> Capsule:
    """The capsule of a command line. Reads files, writes nothing.

    Args:
        words: from the verb on.

    Raises:
        UsageError: a file is too large.
    """
    verb, *rest = words
    capsule = Capsule(verb, [])
    written = False  # whether the word before names what a run writes
    for word in rest:
        option, equals, _ = word.partition("=")
        if written or (equals and option in _OUTPUT_OPTIONS):
            written = False
            if not equals:
                capsule.arguments.pop()
            continue
        written = word in _OUTPUT_OPTIONS
        capsule.arguments.append("".join(_kept(capsule, part) for part in _PARTS.split(word)))
    return capsule


def _kept(capsule: Capsule, part: str) -> str:
    """The part of a word, or, if it names a file, the name of its copy."""
    path = Path(part)
    if part in ("", ".", ",", "=") or part.startswith("-") or not path.is_file():
        return part
    if path.suffix == ".py" and capsule.folder is None:
        capsule.folder = path.resolve().parent
    return f"{FILES}/{capsule.kept(Path(path.name), path.resolve(), part)}"


def _modules_beside(script: Path) -> Iterator[Path]:
    """The modules in the script's folder that it imports, and those that these import."""
    seen = {script}
    waiting = [script]
    while waiting:
        for name in _imported(waiting.pop()):
            base = script.parent.joinpath(*name.split("."))
            for found in (base.with_suffix(".py"), base / "__init__.py"):
                if found.is_file() and found not in seen:
                    seen.add(found)
                    waiting.append(found)
                    yield found


def _imported(script: Path) -> Iterator[str]:
    """The names that a file imports; of a file that is no Python 3, none."""
    try:
        tree = ast.parse(script.read_bytes())
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names if alias.name != "*")
