# SPDX-License-Identifier: MIT
"""The program goes where Wireshark looks, and only what is ours is replaced or removed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hybridnet.errors import UsageError
from hybridnet.tools.extcap.install import folder_of, install, remove


def test_the_program_answers_wireshark_from_any_folder_and_can_be_removed(tmp_path: Path) -> None:
    folder = tmp_path / "a folder" / "extcap"
    program = install(folder)
    assert [path.name for path in folder.iterdir()] == ["hybridnet"]
    said = subprocess.run(
        [program, "--extcap-interfaces", "--extcap-version=4.0"],
        capture_output=True, text=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    assert said.stdout.startswith("extcap {version=")
    assert install(folder) == program  # a second time, over the first
    assert remove(folder) == program
    assert list(folder.iterdir()) == []
    assert remove(folder) is None


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_what_is_not_ours_stays(tmp_path: Path, kind: str) -> None:
    other, target = tmp_path / "hybridnet", tmp_path / "target"
    target.write_text("#!/bin/sh\n")
    if kind == "file":
        other.write_text("#!/bin/sh\n")
    elif kind == "folder":
        other.mkdir()
    else:
        other.symlink_to(target)
    for act in (install, remove):
        with pytest.raises(UsageError, match="is not hybridnet's; move it away"):
            act(tmp_path)
    assert target.read_text() == "#!/bin/sh\n"


def test_the_users_own_folder_comes_before_that_of_all() -> None:
    own = Path("/home/me/.local/lib/wireshark/extcap")
    newer = "Temp:\t/tmp\nPersonal Extcap path:\t/x/extcap\nGlobal Extcap path:\t/usr/lib/extcap\n"
    assert folder_of(newer, own) == Path("/x/extcap")
    assert folder_of("Extcap path:         \t/nowhere/extcap\n", own) == Path("/nowhere/extcap")
    assert folder_of("", own) == own
