# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from hybridnet.describe.user_files import KEPT_VARIABLE, forget_files, named_files, told_of_files, user_file


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    forget_files()
    (tmp_path / "app.py").touch()
    return tmp_path


def test_a_file_is_where_its_name_says_and_is_told_once() -> None:
    told: list[tuple[str, Path]] = []
    assert user_file("app.py") == Path("app.py")
    with told_of_files(lambda name, path: told.append((name, path))):
        assert told == [("app.py", Path("app.py"))]
        user_file("app.py")
        user_file(Path("nowhere.py"))
        user_file(Path.cwd() / "app.py")
    user_file("./app.py")
    assert told == [("app.py", Path("app.py")), (f"{Path.cwd()}/app.py", Path.cwd() / "app.py")]
    assert set(named_files()) == {"app.py", f"{Path.cwd()}/app.py", "./app.py"}
    forget_files()
    assert named_files() == {}


def test_in_a_repetition_it_is_the_copy_whether_the_file_is_there_or_not(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = folder / "places.json"
    places.write_text(json.dumps({"app.py": "files/app.py", str(folder / "gone.yaml"): "files/gone.yaml"}))
    monkeypatch.setenv(KEPT_VARIABLE, os.fspath(places))
    assert user_file("app.py") == Path("files/app.py")
    assert user_file("gone.yaml") == Path("files/gone.yaml")
    assert user_file("other.py") == Path("other.py")


def test_a_name_that_no_file_can_have_is_left_to_who_reads_it() -> None:
    longest = "a" * 5000  # Linux allows 4096 in a path, and 255 in a name
    assert user_file(longest) == Path(longest)
    assert user_file("a\0b") == Path("a\0b")
    assert named_files() == {}
