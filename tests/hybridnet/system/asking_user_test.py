# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet.system.asking_user import asking_user


@pytest.mark.parametrize(
    ("euid", "environment", "found"),
    [
        (0, {"SUDO_UID": "1000", "SUDO_GID": "1001"}, (1000, 1001)),
        (0, {"SUDO_UID": "1000"}, (1000, 1000)),
        (0, {}, (0, 0)),
        (0, {"SUDO_UID": "me"}, (0, 0)),
        (33, {"SUDO_UID": "1000"}, (33, 0)),  # who is no root gives nothing away
    ],
)
def test_behind_sudo_files_belong_to_who_asked(
    monkeypatch: pytest.MonkeyPatch, euid: int, environment: dict[str, str], found: tuple[int, int]
) -> None:
    for name in ("SUDO_UID", "SUDO_GID"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("os.geteuid", lambda: euid)
    monkeypatch.setattr("os.getegid", lambda: 0)
    assert asking_user() == found
