# SPDX-License-Identifier: MIT
from __future__ import annotations

import os
from pathlib import Path

import pytest

from hybridnet.errors import UsageError
from hybridnet.observe.recording import capsule
from hybridnet.observe.recording.capsule import capsule_of


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    (tmp_path / "package").mkdir()
    (tmp_path / "my.py").write_text("import helper, os\nfrom package import part\n")
    (tmp_path / "helper.py").write_text("import package.other\n")
    (tmp_path / "unused.py").write_text("")
    for name in ("__init__", "part", "other"):
        (tmp_path / "package" / f"{name}.py").write_text("")
    (tmp_path / "data.csv").write_text("1,2")
    (tmp_path / "app.py").write_text("")
    return tmp_path


def test_files_among_the_words_are_kept_with_the_modules_that_they_import(scripts: Path) -> None:
    kept = capsule_of(
        ["run", "--series", "1s", f"{scripts}/my.py", "--", f"{scripts}/data.csv", "word", "--n=3"]
    )
    assert kept.verb == "run"
    assert kept.arguments == ["--series", "1s", "files/my.py", "--", "files/data.csv", "word", "--n=3"]
    modules = {"helper.py", "package/__init__.py", "package/part.py", "package/other.py"}
    assert set(kept.files) == {"my.py", "data.csv"} | modules
    kept.keep(scripts / "run")
    assert (scripts / "run" / "files" / "package" / "other.py").exists()
    assert len(kept.facts()["files"]["data.csv"]) == 64


def test_a_file_may_be_a_part_of_a_word(scripts: Path) -> None:
    kept = capsule_of(
        ["run", "--topo", f"{scripts}/data.csv,hosts=2", f"--controller={scripts}/app.py,ryu.app.rest"]
    )
    assert kept.arguments == ["--topo", "files/data.csv,hosts=2", "--controller=files/app.py,ryu.app.rest"]


def test_what_a_run_writes_is_not_an_argument_of_its_repetition(scripts: Path) -> None:
    kept = capsule_of(["run", "--out", str(scripts), "--record=x", f"{scripts}/my.py", "--out=y"])
    assert kept.arguments == ["files/my.py"]


def test_two_files_of_one_name_are_both_kept(scripts: Path) -> None:
    other = scripts / "package" / "my.py"
    other.write_text("# another")
    kept = capsule_of(["run", f"{scripts}/my.py", "--", str(other), f"{scripts}/my.py"])
    assert kept.arguments == ["files/my.py", "--", "files/my-2.py", "files/my.py"]


def test_a_script_that_is_no_python_3_is_kept_alone(scripts: Path) -> None:
    (scripts / "old.py").write_text("import helper\nprint 'Python 2'\n")
    assert set(capsule_of(["run", f"{scripts}/old.py"]).files) == {"old.py"}


def test_a_file_that_is_too_large_is_refused(scripts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capsule, "FILE_LIMIT", 2)
    with pytest.raises(UsageError, match=r"data.csv has 3 bytes, and a run directory takes files up to 2"):
        capsule_of(["run", f"{scripts}/data.csv"])


def test_files_that_the_script_names_are_added_as_they_are_seen_from_its_folder(
    scripts: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    away = tmp_path_factory.mktemp("away")
    (away / "app.py").write_text("import rules")
    (away / "rules.py").write_text("")
    (scripts / "package" / "flags.py").write_text("")
    kept = capsule_of(["run", f"{scripts}/my.py"])
    kept.add("package/flags.py", scripts / "package" / "flags.py")
    kept.add(str(away / "app.py"), away / "app.py")
    kept.add("my.py", scripts / "my.py")
    assert {"package/flags.py", "app.py", "rules.py"} <= set(kept.files)
    assert kept.named == {
        "package/flags.py": ["package/flags.py"],
        "app.py": [str(away / "app.py"), os.path.relpath(away / "app.py", scripts)],
        "my.py": ["my.py"],
    }
    kept.keep(scripts / "run")
    (away / "app.py").unlink()
    assert set(kept.facts()["files"]) == set(kept.files)
    assert (scripts / "run" / "files" / "rules.py").exists()
