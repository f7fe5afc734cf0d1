# SPDX-License-Identifier: MIT
"""Runs clang-tidy over the sources of a folder that have changed since they last passed.

::

    .ci/tidy.py BUILD FOLDER [--deep]

BUILD holds compile_commands.json. The static analyzer takes most of the time: without --deep it follows fewer paths.
A source that passed leaves an empty file in the cache, named by the hash of all that clang-tidy saw: its own text and
that of every header of ours that it includes, the command that compiles it, the checks, and clang-tidy's version. It is
not looked at again, in whatever clone, until one of these changes.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


SHALLOW = [f"--extra-arg={word}" for word in ("-Xclang", "-analyzer-config", "-Xclang", "mode=shallow")]


def main(build: Path, folder: Path, options: list[str]) -> int:
    """Returns 1 where a source does not pass."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hybridnet" / "clang-tidy"
    cache.mkdir(parents=True, exist_ok=True)
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    common = version + " ".join(options).encode() + (ROOT / ".clang-tidy").read_bytes()
    stamps = {
        source: cache / hash_of(source, command, common)
        for source, command in sorted(commands(build).items())
        if source.is_relative_to(folder.resolve())
    }
    if not stamps:
        print(f"{build}/compile_commands.json names no source in {folder}", file=sys.stderr)
        return 1
    changed = [source for source, stamp in stamps.items() if not stamp.exists()]
    print(f"{len(changed)} of {len(stamps)} sources have changed since they passed", flush=True)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        passed = pool.map(lambda source: check(source, build, options, stamps[source]), changed)
        failed = len(changed) - sum(passed)
    print(f"{len(stamps) - failed} passed, {failed} failed")
    return 1 if failed else 0


def commands(build: Path) -> dict[Path, str]:
    """The sources that are compiled, and with which options; paths of this clone are left out of these."""
    entries = json.loads((build / "compile_commands.json").read_text())
    return {
        Path(entry["file"]): " ".join(
            word for word in shlex.split(entry["command"].replace(str(ROOT), ".")) if not word.startswith("/")
        )
        for entry in entries
    }


def hash_of(source: Path, command: str, common: bytes) -> str:
    """Of everything that decides what clang-tidy says of the source; libraries' headers are taken as they are."""
    total = hashlib.sha256(common + command.encode())
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


def check(source: Path, build: Path, options: list[str], stamp: Path) -> bool:
    """Whether it passes; prints what clang-tidy says where it does not."""
    command = ["clang-tidy", "-p", str(build), "--quiet", *options, str(source)]
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode != 0:
        print(ended.stdout or ended.stderr, flush=True)
        return False
    stamp.touch()
    return True


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), [] if "--deep" in sys.argv[3:] else SHALLOW))
