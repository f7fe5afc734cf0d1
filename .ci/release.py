# SPDX-License-Identifier: MIT
"""Makes the packages of a release and says what to tag. `make release` runs it.

::

    .ci/release.py FOLDER

FOLDER gets a source distribution, a wheel and their checksums; what was in it is removed. `make check-wheel` builds and
checks them. They are then built once more, without the compiler's cache, and must be the same bytes. The exit code is 1
if a check does not hold, or if this commit cannot be tagged; the last lines say why.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SUMS = "SHA256SUMS"


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    version = version_of(ROOT)
    missing = missing_for_tag(ROOT, version)  # before anything is built
    shutil.rmtree(folder, ignore_errors=True)
    checked = subprocess.run(
        ["make", "check-wheel"], cwd=ROOT, env={**os.environ, "HYBRIDNET_DIST": str(folder)}
    )
    if checked.returncode != 0:
        return 1
    if different := differences(folder):
        print("a second build is different:", *different, file=sys.stderr)
        return 1
    for package in sorted(folder.iterdir()):
        print(f"{package.stat().st_size:>10,} bytes  {os.path.relpath(package)}")
    if missing:
        print(f"not to be tagged v{version} yet:", *missing, sep="\n  ", file=sys.stderr)
        return 1
    print(f"the packages hold. Tag this commit:\n  git tag -a v{version} -m 'hybridnet {version}'")
    return 0


def differences(folder: Path) -> list[str]:
    """The packages that are not the same bytes when they are built again."""
    with tempfile.TemporaryDirectory() as again:
        command = [sys.executable, ".ci/packages.py", again]
        subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, "CCACHE_DISABLE": "1"},
            check=True,
            stdout=subprocess.DEVNULL,
        )
        first, second = ((Path(place) / SUMS).read_text().splitlines() for place in (folder, again))
    return [line.split()[1] for line in second if line not in first]


def version_of(root: Path) -> str:
    """The version of the package."""
    found = re.search(r"project\(hybridnet VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text())
    assert found is not None, "CMakeLists.txt has no version"
    return found[1]


def missing_for_tag(root: Path, version: str) -> list[str]:
    """What must be done before the commit that is checked out can be tagged as this version; empty: nothing."""
    missing = []
    if git(root, "status", "--porcelain"):
        missing.append("files are not committed: commit them, or take them away (git status)")
    if not re.search(rf"^## {re.escape(version)}( |$)", (root / "CHANGELOG.md").read_text(), re.MULTILINE):
        missing.append(
            f"CHANGELOG.md has no heading `## {version}`: give the section of the release its name"
        )
    if git(root, "tag", "--list", f"v{version}"):
        missing.append(f"the tag v{version} exists: raise the version in CMakeLists.txt and CITATION.cff")
    return missing


def git(root: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
