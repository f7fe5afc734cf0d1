# SPDX-License-Identifier: MIT
"""What the first process of a kernel brings home, and how it names what computes."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridnet.kernel import first as tested


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    """What only the kernel has of a directory, and the directory."""
    made = tmp_path / "upper", tmp_path / "home"
    for each in made:
        each.mkdir()
    return made


def test_new_and_changed_files_are_copied(places: tuple[Path, Path]) -> None:
    upper, home = places
    (upper / "results/__pycache__").mkdir(parents=True)
    (upper / "results/a.csv").write_text("new")
    (upper / "results/__pycache__/a.pyc").write_text("compiled")
    (upper / "run.sh").write_text("new")
    (upper / "run.sh").chmod(0o755)
    (home / "run.sh").write_text("old")
    assert tested.copy_over(upper, home) == (["run.sh", "results/a.csv"], {})
    assert sorted(str(each.relative_to(home)) for each in home.rglob("*")) == [
        "results",
        "results/a.csv",
        "run.sh",
    ]
    assert ((home / "run.sh").read_text(), (home / "run.sh").stat().st_mode & 0o777) == ("new", 0o755)


def test_a_file_that_has_taken_the_place_of_a_link_does_so_at_home(places: tuple[Path, Path]) -> None:
    """What the link leads to stays as it is, as it did for the command."""
    upper, home = places
    (home / "other").write_text("other")
    (home / "log").symlink_to("other")
    (upper / "log").write_text("log")
    assert tested.copy_over(upper, home) == (["log"], {})
    assert ((home / "other").read_text(), (home / "log").read_text()) == ("other", "log")
    assert not (home / "log").is_symlink()


def test_nothing_is_written_through_a_link_to_a_folder(places: tuple[Path, Path]) -> None:
    upper, home = places
    (home / "elsewhere/deep").mkdir(parents=True)
    (home / "results").symlink_to("elsewhere")
    (upper / "results/deep").mkdir(parents=True)
    (upper / "results/deep/a.csv").write_text("new")
    assert tested.copy_over(upper, home) == ([], {"results/deep/a.csv": "results is a link here"})
    assert not list((home / "elsewhere/deep").iterdir())


def test_what_cannot_be_copied_is_named_with_the_reason(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    upper, home = places
    monkeypatch.setattr(tested, "BROUGHT_MOST", 3)
    for name, text in (("a", "12"), ("b", "34"), ("c", "5")):
        (upper / name).write_text(text)
    (home / "c").mkdir()
    brought, left = tested.copy_over(upper, home)
    assert brought == ["a"]
    assert left == {"b": "it has 2 bytes, and 3 of all files are brought at most", "c": "Is a directory"}


def test_a_node_is_named_whatever_other_programs_have_made_their_root(tmp_path: Path) -> None:
    """/run/netns may be a file there, or have links to nothing."""
    for number in ("7", "8", "9"):
        (tmp_path / number / "root/run").mkdir(parents=True)
    (tmp_path / "9/ns").mkdir()
    (tmp_path / "9/ns/net").touch()
    (tmp_path / "7/root/run/netns").touch()
    names = tmp_path / "8/root/run/netns"
    names.mkdir()
    (names / "gone").symlink_to("/no/such")
    assert tested.node_of(tmp_path / "9") == ""
    (names / "h1").hardlink_to(tmp_path / "9/ns/net")
    assert tested.node_of(tmp_path / "9") == "h1: "
