# SPDX-License-Identifier: MIT
"""A commit is tagged only if it is the release: committed, with its section of the changelog, and not tagged before."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("release", ROOT / ".ci/release.py")
assert spec is not None
assert spec.loader is not None
release = importlib.util.module_from_spec(spec)
spec.loader.exec_module(release)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "CMakeLists.txt").write_text("project(hybridnet VERSION 1.20.3 LANGUAGES CXX)\n")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n\n## 1.20.3 (2027-01-31)\n")
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    return tmp_path


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@y", *words], cwd=folder, check=True)


def commit(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "all")


def test_the_version_is_that_of_cmake(repository: Path) -> None:
    assert release.version_of(repository) == "1.20.3"


def test_a_commit_that_is_the_release_can_be_tagged(repository: Path) -> None:
    assert release.missing_for_tag(repository, "1.20.3") == []


def test_what_is_not_committed_is_not_released(repository: Path) -> None:
    (repository / "new.py").touch()
    [missing] = release.missing_for_tag(repository, "1.20.3")
    assert "files are not committed" in missing


@pytest.mark.parametrize("heading", ["Unreleased", "1.20.30", "1.20.3rc1", "1-20-3"])
def test_a_changelog_without_the_version_is_told(repository: Path, heading: str) -> None:
    (repository / "CHANGELOG.md").write_text(f"# Changelog\n\n## {heading}\n")
    commit(repository)
    [missing] = release.missing_for_tag(repository, "1.20.3")
    assert "no heading `## 1.20.3`" in missing


def test_a_version_is_tagged_once(repository: Path) -> None:
    git(repository, "tag", "v1.20.3")
    [missing] = release.missing_for_tag(repository, "1.20.3")
    assert "the tag v1.20.3 exists" in missing
