# SPDX-License-Identifier: MIT
"""What is made in an image before it is a host's root, tried in a folder: in which order, and nothing outside of it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from hybridnet.agent.hosts import image_root as tested

if TYPE_CHECKING:
    from hybridnet.agent.hosts.image_root import ImageRoot

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root changes its root")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "image"
    (made / "computer").mkdir(parents=True)
    (made / "etc").mkdir()
    return made


def image(root: Path, **more: object) -> ImageRoot:
    made: ImageRoot = {
        "root": str(root),
        "shell": "/tmp",
        "folder": "/",
        "volumes": [],
        "files": {"/etc/hostname": "h1\n"},
        **more,  # type: ignore[typeddict-item]
    }
    return made


def taken(root: Path, wanted: ImageRoot, scratch: Path, private: list[str]) -> list[str]:
    """Where something was mounted, in the order; last what it said if it was refused. Nothing is mounted in truth: the
    folder becomes the root of a process of its own, and in its /proc is the link to the computer's files.
    """
    scratch.mkdir()
    reading, writing = os.pipe()
    if (pid := os.fork()) == 0:
        try:
            said = _take(root, wanted, scratch, private)
        except Exception as error:
            said = [f"{type(error).__name__}: {error}"]
        os.write(writing, json.dumps(said).encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(pid, 0)
    with os.fdopen(reading) as told:
        found: list[str] = json.loads(told.read())
    return found


def _take(root: Path, wanted: ImageRoot, scratch: Path, private: list[str]) -> list[str]:
    mounted: list[str] = []

    def mount(source: str, target: str, kind: str | None, flags: int, data: str | None) -> None:
        mounted.append(target)
        if target == "/proc":
            os.makedirs("/proc/self", exist_ok=True)
            os.symlink("/computer", "/proc/self/cwd")

    def pivot(unused: str) -> None:
        os.chdir("/")
        old = os.open(".", os.O_RDONLY)
        os.chroot(root)
        os.fchdir(old)

    replacements: dict[str, Callable[..., object]] = {"_pivot": pivot, "_make_read_only": lambda at: None}
    for name, replacement in replacements.items():
        setattr(tested, name, replacement)
    tested._libc = SimpleNamespace(umount2=lambda *unused: 0)  # type: ignore[assignment]
    try:
        tested.take_root(wanted, str(scratch), private, None, mount)
    except OSError as error:
        mounted.append(str(error))
    return [each for each in mounted if not each.startswith((str(scratch), "/dev"))]


def test_proc_comes_after_all_that_is_not_in_it(root: Path, tmp_path: Path) -> None:
    volumes = [
        {"source": "/tmp", "at": at, "read_only": True}
        for at in ("/proc/self/one", "/data/deep", "/processes")
    ]
    found = taken(root, image(root, volumes=volumes, folder="/srv/site"), tmp_path / "scratch", ["/var/own"])
    before = ["/sys", "/var/own", "/data/deep", "/processes", tested.SHELL]
    assert found == [*before, "/proc", "/proc/self/one"]
    assert (root / "etc/hostname").read_text() == "h1\n"
    assert (root / "srv/site").is_dir()


@pytest.mark.parametrize(
    ("link", "more"),
    [
        ("etc", {}),
        ("srv", {"folder": "/srv/site", "files": {}}),
        ("data", {"volumes": [{"source": "/tmp", "at": "/data/deep", "read_only": False}], "files": {}}),
    ],
)
def test_no_link_of_an_image_leads_through_proc_to_the_computers_files(
    root: Path, tmp_path: Path, link: str, more: dict[str, object]
) -> None:
    (root / "etc").rmdir()
    (root / link).symlink_to("/proc/self/cwd")
    found = taken(root, image(root, **more), tmp_path / "scratch", [])
    assert "/proc" not in found
    assert f"'/{link}" in found[-1]  # the error names the place
    assert not list((root / "computer").iterdir())
