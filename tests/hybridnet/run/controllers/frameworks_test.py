# SPDX-License-Identifier: MIT
"""Where the environments of frameworks are looked for, and what is said when none can be made."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from hybridnet.errors import EnvironmentLackError
from hybridnet.run.controllers import frameworks
from hybridnet.run.controllers.frameworks import (
    OSKEN,
    RYU,
    add_packages,
    environment_folder,
    find_python,
    make_environment,
    python_of,
)

pytestmark = pytest.mark.thorough


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """As an installed package of an ordinary user sees it: no repository around it, and an empty data folder."""
    package = tmp_path / "site-packages" / "hybridnet"
    (package / "requirements").mkdir(parents=True)
    for name in (*RYU.lists, *OSKEN.lists):
        (package / "requirements" / name).write_text("")
    monkeypatch.setattr(frameworks, "PACKAGE", package)
    monkeypatch.delenv("HYBRIDNET_RYU_PYTHON", raising=False)
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path


def test_the_environment_that_is_named_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYBRIDNET_RYU_PYTHON", sys.executable)
    assert find_python(RYU) == python_of(RYU) == Path(sys.executable)


def test_a_named_environment_that_is_missing_is_an_error_and_none_is_made(
    monkeypatch: pytest.MonkeyPatch, installed: Path
) -> None:
    monkeypatch.setenv("HYBRIDNET_RYU_PYTHON", str(installed / "python"))
    with pytest.raises(EnvironmentLackError, match=rf"names {installed}/python.*`hybridnet setup-ryu`"):
        python_of(RYU)
    assert not (installed / "data").exists()


def test_without_one_the_cure_is_named(installed: Path) -> None:
    with pytest.raises(EnvironmentLackError, match=r"none in .*data/hybridnet/ryu-.*`hybridnet setup-ryu`"):
        find_python(RYU)


def test_one_is_made_on_first_need_even_over_a_half_made_one_and_said_so_and_then_kept(
    installed: Path,
) -> None:
    half_made = environment_folder(RYU) / "bin" / "python"
    half_made.parent.mkdir(parents=True)
    half_made.symlink_to(sys.executable)
    with pytest.raises(EnvironmentLackError):
        find_python(RYU)
    told: list[str] = []
    python = python_of(RYU, told.append)  # of empty lists: an environment without packages
    assert python == environment_folder(RYU) / "bin" / "python"
    assert python.exists()
    assert "pip downloads" in told[0]
    assert str(environment_folder(RYU)) in told[0]
    told.clear()
    assert python_of(RYU, told.append) == python
    assert told == []


def test_what_pip_says_is_quoted(installed: Path) -> None:
    (installed / "site-packages/hybridnet/requirements/ryu.txt").write_text("./no-such-folder # ==\n")
    with pytest.raises(
        EnvironmentLackError, match=r"pip install .* ended with status 1(.|\n)*no-such-folder"
    ):
        make_environment(RYU, lambda line: None)
    with pytest.raises(EnvironmentLackError):
        find_python(RYU)


def test_a_folder_that_cannot_be_written_is_named(installed: Path) -> None:
    (installed / "data").write_text("a file")
    with pytest.raises(EnvironmentLackError, match=r"cannot be made in .*data/hybridnet/ryu-"):
        make_environment(RYU, lambda line: None)


def test_roots_environment_is_no_users(monkeypatch: pytest.MonkeyPatch, installed: Path) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert environment_folder(RYU).parent == Path("/var/lib/hybridnet")


def test_each_framework_has_an_environment_a_variable_and_a_command_of_its_own(installed: Path) -> None:
    assert environment_folder(OSKEN).name.startswith("osken-")
    with pytest.raises(
        EnvironmentLackError,
        match=r"os-ken has no environment.*`hybridnet setup-ryu --framework osken`, or set HYBRIDNET_OSKEN_PYTHON",
    ):
        find_python(OSKEN)


def test_a_package_that_apps_import_is_added(installed: Path, tmp_path: Path) -> None:
    wheel = tmp_path / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("tiny.py", "WORD = 'here'\n")
        file.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        file.writestr(
            "tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        file.writestr("tiny-1.0.dist-info/RECORD", "")
    python = add_packages(RYU, [str(wheel)], lambda line: None)
    assert subprocess.check_output([python, "-c", "import tiny; print(tiny.WORD)"], text=True) == "here\n"


def test_a_package_that_does_not_exist_is_said_by_pip(installed: Path) -> None:
    with pytest.raises(
        EnvironmentLackError, match=r"\./nothing cannot be added to Ryu's environment: .*status 1"
    ):
        add_packages(RYU, ["./nothing"], lambda line: None)
