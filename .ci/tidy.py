# SPDX-License-Identifier: MIT
"""Runs clang-tidy over the sources of a folder that have changed since they last passed.

::

    .ci/tidy.py BUILD FOLDER [--deep]

BUILD holds compile_commands.json. The static analyzer takes most of the time: without --deep it follows fewer paths.
A source that passed leaves an empty file in the cache, named by the hash of all that clang-tidy saw: its own text and
that of every header of ours that it includes, the command that compiles it, the checks, and clang-tidy's version. It is
not looked at again, in whatever clone, until one of these changes.

Most of the time goes into headers, so sources that BUILD has in one unit (CMAKE_UNITY_BUILD) and that have changed are
looked at as one. Where that does not pass, each is looked at alone, which says whose fault it is.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


SHALLOW = [f"--extra-arg={word}" for word in ("-Xclang", "-analyzer-config", "-Xclang", "mode=shallow")]


class Compiled(NamedTuple):
    """How a source is compiled."""

    unit: Path  # as one text: a source, or what includes several
    flags: tuple[str, ...]


def main(build: Path, folder: Path, options: list[str]) -> int:
    """Returns 1 where a source does not pass."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hybridnet" / "clang-tidy"
    cache.mkdir(parents=True, exist_ok=True)
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    common = version + " ".join(options).encode() + (ROOT / ".clang-tidy").read_bytes()
    sources = {
        source: how
        for source, how in sorted(compiled(build).items())
        if source.is_relative_to(folder.resolve())
    }
    stamps = {source: cache / hash_of(source, how.flags, common) for source, how in sources.items()}
    if not stamps:
        print(f"{build}/compile_commands.json names no source in {folder}", file=sys.stderr)
        return 1
    changed = [source for source, stamp in stamps.items() if not stamp.exists()]
    print(f"{len(changed)} of {len(stamps)} sources have changed since they passed", flush=True)
    units = defaultdict(list)
    for source in changed:
        units[sources[source]].append(source)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        list(pool.map(lambda how: check(units[how], build, options, how.flags, stamps), units))
    failed = sum(not stamp.exists() for stamp in stamps.values())
    print(f"{len(stamps) - failed} passed, {failed} failed")
    return 1 if failed else 0


def compiled(build: Path) -> dict[Path, Compiled]:
    """The sources that are compiled, and how."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = Path(entry["file"])
        words = shlex.split(entry["command"])
        how = Compiled(file, tuple(words[1 : words.index("-o")]))
        made = file.is_relative_to(build.resolve())  # a file of CMake's that includes its sources
        for source in map(Path, INCLUDE.findall(file.read_text())) if made else [file]:
            found[source] = how
    return found


def hash_of(source: Path, flags: tuple[str, ...], common: bytes) -> str:
    """Of everything that decides what clang-tidy says of the source; libraries' headers are taken as they are."""
    total = hashlib.sha256(common + " ".join(flags).replace(str(ROOT), ".").encode())
    for file in sorted(closure(source)):
        total.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes() + b"\0")
    return total.hexdigest()


def closure(source: Path) -> set[Path]:
    """The source and the headers of ours that it includes, directly or not."""
    seen = {source}
    waiting = [source]
    while waiting:
        file = waiting.pop()
        for name in INCLUDE.findall(file.read_text()):
            included = ROOT / name
            if included.is_file() and included not in seen:
                seen.add(included)
                waiting.append(included)
    return seen


def check(
    unit: list[Path], build: Path, options: list[str], flags: tuple[str, ...], stamps: dict[Path, Path]
) -> None:
    """Leaves the stamps of those that pass; prints what clang-tidy says where one does not."""
    if len(unit) > 1:
        with tempfile.NamedTemporaryFile("w", suffix=".cc", dir=build) as together:
            # Their text, since the analyzer passes over what is included.
            together.writelines(source.read_text() for source in unit)
            together.flush()
            if not said_of(Path(together.name), options, flags):
                for source in unit:
                    stamps[source].touch()
                return
    for source in unit:
        if said := said_of(source, options, flags):
            print(said, flush=True)
        else:
            stamps[source].touch()


def said_of(source: Path, options: list[str], flags: tuple[str, ...]) -> str:
    """What clang-tidy says of it; nothing if it passes."""
    ended = subprocess.run(
        ["clang-tidy", "--quiet", *options, str(source), "--", *flags],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    return (ended.stdout or ended.stderr or f"{source}: no word of why not") if ended.returncode != 0 else ""


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), [] if "--deep" in sys.argv[3:] else SHALLOW))
