# SPDX-License-Identifier: MIT
"""The kernel's build, as far as it does not compile: what is found, kept and refused."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from hybridnet.errors import EnvironmentLackError, MachineError, UsageError
from hybridnet.kernel import build
from hybridnet.kernel.build import VARIABLE, find_kernel, keep_binary, kernel_folder, make_kernel


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where this test's user keeps kernels."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(build, "data_folder", lambda: tmp_path / "own")
    monkeypatch.setattr(build, "OF_THE_COMPUTER", tmp_path / "of-root")
    return kernel_folder()


def put(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "linux").write_bytes(b"")
    return folder / "linux"


def test_without_a_kernel_the_error_says_how_to_make_one() -> None:
    with pytest.raises(EnvironmentLackError, match=r"run `hybridnet setup-kernel`"):
        find_kernel()


def test_the_kernel_of_root_is_everybodys_and_ones_own_comes_first(folder: Path, tmp_path: Path) -> None:
    of_root = put(tmp_path / "of-root" / folder.name)
    assert find_kernel() == of_root
    own = put(folder)
    assert find_kernel() == own


def test_the_environment_names_another_kernel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(VARIABLE, "/bin/true")
    assert find_kernel() == Path("/bin/true")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))
    with pytest.raises(EnvironmentLackError, match=f"{VARIABLE} names .*none, which cannot be run"):
        find_kernel()


def test_another_recipe_is_another_kernel(
    monkeypatch: pytest.MonkeyPatch, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "recipe").mkdir()
    for path in build.RECIPE.iterdir():
        (tmp_path / "recipe" / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(build, "RECIPE", tmp_path / "recipe")
    assert kernel_folder() == folder
    with (tmp_path / "recipe" / "kernel.config").open("a") as config:
        config.write("IPV6_MROUTE\n")
    assert kernel_folder() != folder


@pytest.mark.parametrize("content", [b"", b"#!/bin/sh\n", Path("/bin/true").read_bytes()])
def test_what_is_no_kernel_is_not_kept(tmp_path: Path, folder: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(UsageError, match="file is no kernel that hybridnet's recipe made"):
        keep_binary(tmp_path / "file")
    assert not (folder / "linux").exists()


def test_missing_programs_are_named_with_the_command_that_installs_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    for tool in ("gcc", "make", "bison", "xz"):
        (tmp_path / "bin" / tool).symlink_to("/bin/true")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(EnvironmentLackError, match=r"without flex, bc; run: apt-get install flex bc$"):
        make_kernel(lambda step, percent: None)


def test_another_kind_of_processor_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build.platform, "machine", lambda: "aarch64")
    with pytest.raises(EnvironmentLackError, match=r"x86-64 kind.* this one is aarch64"):
        make_kernel(lambda step, percent: None)


def test_a_tarball_of_something_else_is_refused_and_nothing_is_kept(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "other-1.0").mkdir()
    (tmp_path / "other-1.0" / "Kconfig").touch()
    with tarfile.open(tmp_path / "other.tar.xz", "w:xz") as tarball:
        tarball.add(tmp_path / "other-1.0", "other-1.0")
    with pytest.raises(UsageError, match=r"other.tar.xz is no source of Linux: it has no arch/um"):
        make_kernel(lambda step, percent: None, tmp_path / "other.tar.xz")
    assert [path.name for path in folder.parent.iterdir()] == [f"{folder.name}.lock"]


def test_a_file_that_is_no_tarball_is_refused_with_what_tar_says(tmp_path: Path) -> None:
    (tmp_path / "file.tar.xz").write_bytes(b"no archive")
    with pytest.raises(MachineError, match=r"file.tar.xz cannot be unpacked(.|\n)*tar:"):
        make_kernel(lambda step, percent: None, tmp_path / "file.tar.xz")


def test_a_source_that_the_recipe_does_not_know_is_refused_by_what_it_lacks(tmp_path: Path) -> None:
    drivers = tmp_path / "arch" / "um" / "drivers"
    drivers.mkdir(parents=True)
    (drivers / "Makefile").write_text("obj-$(CONFIG_X) := x.o\n")
    with pytest.raises(UsageError, match=r"Makefile has no 'obj-y := '; take Linux 6\.1 or 6\.12"):
        build._change(tmp_path)


def test_the_recipe_names_each_option_once() -> None:
    lines = (build.RECIPE / "kernel.config").read_text().splitlines()
    words = [word for line in lines if not line.startswith("#") for word in line.split()]
    assert len(words) == len(set(words))


def test_what_runs_in_a_kernel_dies_with_it_in_each_source_that_the_recipe_knows(tmp_path: Path) -> None:
    """Linux 6.1 traces a new program at two places, 6.12 at one."""
    changes = [
        each
        for each in json.loads((build.RECIPE / "changes.json").read_text())
        if "PTRACE_O_EXITKILL" in each["new"]
    ]
    for forms in (
        ["(void *) PTRACE_O_TRACESYSGOOD)", "(void *)PTRACE_O_TRACESYSGOOD)"],
        ["(void *) PTRACE_O_TRACESYSGOOD)"],
    ):
        source = tmp_path / str(len(forms))
        file = source / "arch/um/os-Linux/skas/process.c"
        file.parent.mkdir(parents=True)
        file.write_text("".join(f"ptrace(PTRACE_SETOPTIONS, pid, NULL, {form};\n" for form in forms))
        build._change_lines(source, changes)
        lines = file.read_text().splitlines()
        assert len(lines) == len(forms)
        assert all("(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));" in line for line in lines)
