# SPDX-License-Identifier: MIT
"""The names by which Ryu's manager is told its apps."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hybridnet.ryu_apps.ryu_manager import require_python, whole_name


def test_an_app_of_ryus_own_is_found_by_its_last_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (
        "ryu/__init__.py",
        "ryu/app/__init__.py",
        "ryu/app/simple.py",
        "ryu/app/mine.py",
        "mine.py",
    ):
        (tmp_path / module).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / module).touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    for known in [name for name in sys.modules if name.split(".")[0] == "ryu"]:
        monkeypatch.delitem(sys.modules, known)
    assert whole_name("simple") == "ryu.app.simple"
    for whole in ("ryu.app.simple", "mine", "nowhere", "--verbose", "6653", "apps/simple.py"):
        assert whole_name(whole) == whole


def test_an_app_that_is_no_python_is_told_with_its_line(tmp_path: Path) -> None:
    app = tmp_path / "mine.py"
    app.write_text("x = 1\nclass Mine(object)\n    pass\n")
    with pytest.raises(SyntaxError) as raised:
        require_python(str(app))
    assert (raised.value.filename, raised.value.lineno) == (str(app), 2)
    app.write_text("import nowhere\n")  # which is for the manager to find out
    require_python(str(app))
    other = tmp_path / "faucet.yaml"
    other.write_text("dps: {")
    require_python(str(other))
