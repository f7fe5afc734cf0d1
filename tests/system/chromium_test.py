# SPDX-License-Identifier: MIT
"""The browser is found under the name that a distribution gives it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.system import chromium


@pytest.mark.parametrize("name", chromium.NAMES)
def test_the_browser_is_the_one_on_the_path(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert chromium.program() == str(tmp_path / name)


def test_that_there_is_none_is_said_with_the_cure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(AssertionError, match="no chromium or chromium-browser on the PATH; apt-get install"):
        chromium.program()
