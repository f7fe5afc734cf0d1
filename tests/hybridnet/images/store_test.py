# SPDX-License-Identifier: MIT
"""Images are unpacked once for each content, and removed once nobody uses them."""

from __future__ import annotations

import fcntl
import itertools
import os
import tempfile
from pathlib import Path

import pytest

from hybridnet.describe.images import parse_image
from hybridnet.errors import EnvironmentLackError, MachineError
from hybridnet.images import store
from hybridnet.images.store import prune, stored, unpacked
from hybridnet.system.interruption import Interruption
from tests.image_files import docker_archive, layer, oci_folder

NOBODY = 65534
LAYERS = [layer(("a", b"1")), layer(("b", b"22"))]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "data_folder", lambda: tmp_path / "data")


def test_the_same_content_is_unpacked_once_whatever_it_is_called(tmp_path: Path) -> None:
    folder = oci_folder(tmp_path / "oci", LAYERS, {"Cmd": ["/a"]})
    archive = docker_archive(tmp_path / "a.tar", LAYERS, {"Cmd": ["/a"]})
    one = unpacked(parse_image(f"oci:{folder}", "image"))
    before = (one.root / "a").stat().st_ino
    two = unpacked(parse_image(str(archive), "image"))
    assert (two.root, (two.root / "a").stat().st_ino) == (one.root, before)
    assert sorted(each.name for each in one.root.iterdir()) == ["a", "b"]
    [about] = stored()
    assert about.names == [f"oci:{folder}", f"archive:{archive}"]
    assert (about.entries, about.bytes, about.config) == (2, 3, {"Cmd": ["/a"]})
    for each in (one, two):
        os.close(each.hold)


def test_an_image_in_use_is_not_pruned(tmp_path: Path) -> None:
    image = unpacked(parse_image(str(docker_archive(tmp_path / "a.tar", LAYERS)), "image"))
    assert prune() == []
    assert image.root.is_dir()
    os.close(image.hold)
    assert [each.digest for each in prune()] == [image.about.digest]
    assert list((tmp_path / "data/images").iterdir()) == []
    assert stored() == prune() == []


def test_a_user_prunes_an_image_with_folders_that_are_read_only(tmp_path: Path) -> None:
    image = unpacked(parse_image(str(docker_archive(tmp_path / "a.tar", [layer(("d/f", b"1"))])), "image"))
    os.close(image.hold)
    (image.root / "d/away").symlink_to("/")
    for each in (image.root / "d", image.root):
        each.chmod(0o555)
    mode = os.stat("/").st_mode
    if os.geteuid() == 0:
        for each in (tmp_path, *tmp_path.rglob("*")):
            os.chown(each, NOBODY, NOBODY, follow_symlinks=False)
        for each in itertools.takewhile(lambda path: path != Path(tempfile.gettempdir()), tmp_path.parents):
            each.chmod(0o711)
        os.seteuid(NOBODY)
    try:
        assert len(prune()) == 1
    finally:
        os.seteuid(os.getuid())
    assert not image.root.exists()
    assert os.stat("/").st_mode == mode


def test_an_image_that_is_refused_leaves_nothing(tmp_path: Path) -> None:
    archive = docker_archive(tmp_path / "a.tar", [layer(("ok", b"")), layer(("../out", b""))])
    with pytest.raises(
        MachineError, match=f"image archive:{archive}: entry '../out' leaves the image's root"
    ):
        unpacked(parse_image(str(archive), "image"))
    assert [path for path in (tmp_path / "data/images").iterdir() if not path.name.endswith(".lock")] == []


def test_what_an_interrupted_unpacking_has_left_is_replaced_and_pruned(tmp_path: Path) -> None:
    archive = docker_archive(tmp_path / "a.tar", LAYERS)
    image = unpacked(parse_image(str(archive), "image"))
    os.close(image.hold)
    half = image.root.parent.with_name(f".{image.about.digest}.new")
    image.root.parent.rename(half)
    (half / "root/a").unlink()
    again = unpacked(parse_image(str(archive), "image"))
    os.close(again.hold)
    assert (again.root / "a").read_bytes() == b"1"
    assert not half.exists()
    half.mkdir()
    prune()
    assert not half.exists()


@pytest.mark.parametrize("left", ["", '{"digest": "to', "{}"])
def test_an_image_whose_description_is_damaged_is_unpacked_again(tmp_path: Path, left: str) -> None:
    archive = docker_archive(tmp_path / "a.tar", LAYERS)
    image = unpacked(parse_image(str(archive), "image"))
    about = image.root.parent / "image.json"
    about.write_text(left)
    with pytest.raises(
        MachineError, match=f"{about} is damaged, and a network uses that image; end the network"
    ):
        unpacked(parse_image(str(archive), "image"))
    assert prune() == []
    os.close(image.hold)
    os.close(unpacked(parse_image(str(archive), "image")).hold)
    assert [each.digest for each in stored()] == [image.about.digest]


def test_an_unpacking_that_is_interrupted_leaves_nothing(tmp_path: Path) -> None:
    interruption = Interruption()
    interruption.ask()
    archive = docker_archive(tmp_path / "a.tar", LAYERS)
    with interruption.heeded(), pytest.raises(MachineError, match="interrupted"):
        unpacked(parse_image(str(archive), "image"))
    assert [path for path in (tmp_path / "data/images").iterdir() if not path.name.endswith(".lock")] == []


def test_who_waits_for_another_that_unpacks_can_be_interrupted(tmp_path: Path) -> None:
    archive = docker_archive(tmp_path / "a.tar", LAYERS)
    image = unpacked(parse_image(str(archive), "image"))
    os.close(image.hold)
    interruption = Interruption()
    interruption.ask()
    with open(tmp_path / "data/images" / f".{image.about.digest}.lock") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with interruption.heeded(), pytest.raises(MachineError, match="interrupted"):
            unpacked(parse_image(str(archive), "image"))


def test_a_fetching_that_is_interrupted_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "skopeo").write_text("#!/bin/sh\nexec sleep 1000\n")
    (tmp_path / "skopeo").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    before = set(Path("/var/tmp").glob("hybridnet-image-*"))
    interruption = Interruption()
    with interruption.heeded(), pytest.raises(MachineError, match="interrupted"):
        unpacked(parse_image("docker://example.org/web:1", "image"), lambda text: interruption.ask())
    assert set(Path("/var/tmp").glob("hybridnet-image-*")) == before


def test_what_skopeo_says_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "skopeo").write_text("#!/bin/sh\necho no such host >&2; exit 1\n")
    (tmp_path / "skopeo").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with pytest.raises(MachineError, match=r"image docker://example.org/web:1: .*skopeo copy .*no such host"):
        unpacked(parse_image("docker://example.org/web:1", "image"))


def test_without_skopeo_a_registry_is_refused_with_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(
        EnvironmentLackError, match="skopeo, which fetches it, is not installed; run `apt-get install"
    ):
        unpacked(parse_image("docker://example.org/web:1", "image"))
