# SPDX-License-Identifier: MIT
"""The verb `images`: what is unpacked, and the removal of what nobody uses."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet.cli.main import main
from hybridnet.describe.images import parse_image
from hybridnet.images import store
from hybridnet.images.store import Unpacked, unpacked
from tests.image_files import docker_archive, layer

FILE_BYTES = 3_000_000


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(store, "data_folder", lambda: tmp_path / "data")
    return tmp_path / "data/images"


@pytest.fixture
def image(tmp_path: Path) -> Iterator[Unpacked]:
    """One in use."""
    archive = docker_archive(tmp_path / "web.tar", [layer(("page", os.urandom(FILE_BYTES)))])
    found = unpacked(parse_image(str(archive), "image"))
    yield found
    os.close(found.hold)


def out(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(["images", *argv]) == 0
    return capsys.readouterr().out


def test_the_list_says_digest_name_size_last_use_and_whether_it_is_in_use(
    image: Unpacked, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.utime(image.root.parent / "image.json", (1e9, 1e9))
    heading, row = out(capsys).splitlines()
    assert heading.split() == ["digest", "name", "size", "last", "used", "in", "use"]
    digest, name, size, unit, *used, in_use = row.split()
    assert (digest, name) == (image.about.digest[:12], f"archive:{tmp_path}/web.tar")
    # A file system takes whole blocks, and some for the folders and image.json.
    assert 3.0 <= float(size) <= 3.1
    assert (unit, in_use) == ("MB", "yes")
    assert " ".join(used) == time.strftime("%F %T", time.localtime(1e9))


def test_json_has_the_same_with_whole_figures(
    image: Unpacked, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    began = time.time()
    [row] = json.loads(out(capsys, "list", "--json"))
    assert row["digest"] == image.about.digest
    assert row["names"] == [f"archive:{tmp_path}/web.tar"]
    assert FILE_BYTES <= row["disk_bytes"] <= FILE_BYTES + 100_000
    assert began - 60 < row["last_used"] <= began
    assert row["in_use"] is True


def test_an_image_that_is_used_again_was_last_used_then(
    image: Unpacked, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.utime(image.root.parent / "image.json", (1e9, 1e9))
    began = time.time() - 1  # a file system's clock is a tick behind
    os.close(unpacked(parse_image(str(tmp_path / "web.tar"), "image")).hold)
    assert json.loads(out(capsys, "--json"))[0]["last_used"] >= began


def test_prune_removes_what_nobody_uses_and_says_what_was_freed(
    image: Unpacked, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unused = docker_archive(tmp_path / "old.tar", [layer(("page", os.urandom(2 * FILE_BYTES)))])
    other = unpacked(parse_image(str(unused), "image"))
    os.close(other.hold)
    (folder / ".abc.new").mkdir()
    half, whole, freed = out(capsys, "prune").splitlines()
    assert half.startswith("removed abc, 0.0 MB: what an interrupted unpacking had left")
    assert whole == f"removed {other.about.digest[:12]}, 6.0 MB: archive:{unused}"
    assert freed == "freed 6.0 MB; 1 in use"
    assert image.root.is_dir()
    assert not other.root.exists()


def test_what_was_removed_is_a_list_in_json(
    image: Unpacked, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert json.loads(out(capsys, "prune", "--json")) == []
    unused = docker_archive(tmp_path / "old.tar", [layer(("page", b"x"))])
    os.close(unpacked(parse_image(str(unused), "image")).hold)
    [row] = json.loads(out(capsys, "prune", "--json"))
    assert row["names"] == [f"archive:{unused}"]
    assert row["disk_bytes"] > 0


def test_without_images_both_say_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert out(capsys) == f"no image is unpacked in {folder}\n"
    assert out(capsys, "prune") == "freed 0.0 MB\n"
    assert json.loads(out(capsys, "--json")) == []


def test_another_action_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["images", "prnue"]) == 2
    assert "did you mean prune?" in capsys.readouterr().err
