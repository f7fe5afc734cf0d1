# SPDX-License-Identifier: MIT
"""The files around the code, which tools of others read, hold what these expect, and name what there is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from hybridnet.cli.experiments import experiment_names

ROOT = Path(__file__).resolve().parent.parent
FORMS = [path for path in sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")) if path.stem != "config"]


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def version() -> str:
    found = re.search(r"project\(hybridnet VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert found is not None
    return found[1]


def test_the_citation_is_of_this_version() -> None:
    citation = read("CITATION.cff")
    assert citation["cff-version"] == "1.2.0"
    assert citation["type"] == "software"
    assert citation["version"] == version()
    assert citation["license"] == "MIT"
    assert {"message", "title", "authors"} <= citation.keys()  # required by CFF 1.2.0


def test_every_paper_has_what_a_reference_needs() -> None:
    """CFF 1.2.0 requires type, title and authors of a reference; an author is a person or an entity."""
    citation = read("CITATION.cff")
    for work in [citation, *citation["references"]]:
        assert {"type", "title", "authors"} <= work.keys(), work
        for author in work["authors"]:
            assert author.keys() <= {"family-names", "given-names", "name-particle"} or author.keys() == {
                "name"
            }
        assert re.fullmatch(r"10\.\d{4,}/\S+", work.get("doi", "10.1000/1"))
        for entity in ("conference", "institution", "publisher"):
            assert "name" in work.get(entity, {"name": ""})


def test_the_citation_names_experiments_that_there_are() -> None:
    notes = [work["notes"] for work in read("CITATION.cff")["references"]]
    named = {name for note in notes for name in note.partition("hybridnet reproduce ")[2].split(", ")}
    assert named <= set(experiment_names())


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_an_issue_asks_for_the_computer_and_the_verdict(path: Path) -> None:
    form = yaml.safe_load(path.read_text())
    assert {"name", "description", "body"} <= form.keys()  # what GitHub requires
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert all(field["attributes"]["label"] for field in fields)
    labels = [field["attributes"]["label"].lower() for field in fields]
    assert any("hybridnet doctor --json" in label for label in labels)
    assert any("verdict" in label for label in labels)
    assert len({field["id"] for field in fields}) == len(fields)


def test_the_workflow_runs_the_same_checks_on_each_debian() -> None:
    job = read(".github/workflows/ci.yml")["jobs"]["checks"]
    assert job["strategy"]["matrix"]["debian"] == [12, 13]
    assert job["container"] == {"image": "debian:${{ matrix.debian }}", "options": "--privileged"}
    assert job["steps"][-1]["run"].splitlines()[-1] == ".ci/run"
    assert (ROOT / ".ci/run").stat().st_mode & 0o100
    for step in job["steps"]:  # of others' code, exactly what was looked at
        assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step.get("uses", f"a/b@{'0' * 40}"))


def test_hooks_before_a_commit_fetch_nothing() -> None:
    repositories = read(".pre-commit-config.yaml")["repos"]
    assert [repository["repo"] for repository in repositories] == ["local"]
    hooks = repositories[0]["hooks"]
    assert {hook["language"] for hook in hooks} == {"system"}
    assert {hook["entry"].split()[0] for hook in hooks} == {".venv/bin/python", "clang-format"}


def test_each_set_up_ends_before_the_packages_that_only_a_greater_one_needs() -> None:
    """`setup/debian` cuts its table there: neither `make demo` nor a wheel waits for a browser or a kernel."""
    sections = re.findall(
        r"^# (.+?)(?:: .*)?$", (ROOT / "setup/debian-packages.txt").read_text(), re.MULTILINE
    )
    ends = re.findall(r"\bend='# (.+?)'", (ROOT / "setup/debian").read_text())
    first, second = map(sections.index, ends)
    assert first == second - 1
    assert all(each.startswith(("testing ", "building the kernel")) for each in sections[second:])
    assert not any(each.startswith(("testing ", "building the kernel")) for each in sections[:second])


def test_the_container_has_what_set_up_reads() -> None:
    container = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())
    lines = (ROOT / ".devcontainer" / container["build"]["dockerfile"]).read_text().splitlines()
    copied = {name for line in lines if line.startswith("COPY") for name in line.split()[1:-1]}
    sourced = re.findall(r"^\. (\S+)$", (ROOT / "setup/debian").read_text(), re.MULTILINE)
    assert {*sourced, "setup/debian", "setup/debian-packages.txt"} == copied
    assert "FROM debian:12" in lines
    assert container["postCreateCommand"].endswith("make install")
