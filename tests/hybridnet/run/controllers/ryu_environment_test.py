# SPDX-License-Identifier: MIT
"""Where Ryu's environment is looked for, and what is said when none can be made."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hybridnet.errors import EnvironmentLackError
from hybridnet.run.controllers import ryu_environment
from hybridnet.run.controllers.ryu_environment import (
    environment_folder,
    find_ryu_python,
    make_ryu_environment,
    ryu_python,
)

pytestmark = pytest.mark.thorough


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """As an installed package of an ordinary user sees it: no repository around it, and an empty data folder."""
    package = tmp_path / "site-packages" / "hybridnet"
    (package / "requirements").mkdir(parents=True)
    for name in ryu_environment.REQUIREMENTS:
        (package / "requirements" / name).write_text("")
    monkeypatch.setattr(ryu_environment, "PACKAGE", package)
    monkeypatch.delenv("HYBRIDNET_RYU_PYTHON", raising=False)
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path


def test_the_environment_that_is_named_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYBRIDNET_RYU_PYTHON", sys.executable)
    assert find_ryu_python() == ryu_python() == Path(sys.executable)


def test_a_named_environment_that_is_missing_is_an_error_and_none_is_made(
    monkeypatch: pytest.MonkeyPatch, installed: Path
) -> None:
    monkeypatch.setenv("HYBRIDNET_RYU_PYTHON", str(installed / "python"))
    with pytest.raises(EnvironmentLackError, match=rf"names {installed}/python.*`hybridnet setup-ryu`"):
        ryu_python()
    assert not (installed / "data").exists()


def test_without_one_the_cure_is_named(installed: Path) -> None:
    with pytest.raises(EnvironmentLackError, match=r"none in .*data/hybridnet/ryu-.*`hybridnet setup-ryu`"):
        find_ryu_python()


def test_one_is_made_on_first_need_even_over_a_half_made_one_and_said_so_and_then_kept(
    installed: Path,
) -> None:
    half_made = environment_folder() / "bin" / "python"
    half_made.parent.mkdir(parents=True)
    half_made.symlink_to(sys.executable)
    with pytest.raises(EnvironmentLackError):
        find_ryu_python()
    told: list[str] = []
    python = ryu_python(told.append)  # of empty lists: an environment without packages
    assert python == environment_folder() / "bin" / "python"
    assert python.exists()
    assert "pip downloads" in told[0]
    assert str(environment_folder()) in told[0]
    told.clear()
    assert ryu_python(told.append) == python
    assert told == []


def test_what_pip_says_is_quoted(installed: Path) -> None:
    (installed / "site-packages/hybridnet/requirements/ryu.txt").write_text("./no-such-folder # ==\n")
    with pytest.raises(
        EnvironmentLackError, match=r"pip install .* ended with status 1(.|\n)*no-such-folder"
    ):
        make_ryu_environment(lambda line: None)
    with pytest.raises(EnvironmentLackError):
        find_ryu_python()


def test_a_folder_that_cannot_be_written_is_named(installed: Path) -> None:
    (installed / "data").write_text("a file")
    with pytest.raises(EnvironmentLackError, match=r"cannot be made in .*data/hybridnet/ryu-"):
        make_ryu_environment(lambda line: None)


def test_roots_environment_is_no_users(monkeypatch: pytest.MonkeyPatch, installed: Path) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert environment_folder().parent == Path("/var/lib/hybridnet")
