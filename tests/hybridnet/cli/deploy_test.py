# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet.cli.main import main


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["a", "--proxy", "10.0.0.1:3128"], "--proxy 10.0.0.1:3128: write http://HOST:PORT"),
        (["-"], "user@host"),
        ([], "HOST"),
    ],
)
def test_what_makes_no_sense_is_refused(
    capsys: pytest.CaptureFixture[str], words: list[str], says: str
) -> None:
    assert main(["deploy", *words]) == 2
    assert says in capsys.readouterr().err


def test_hosts_that_cannot_be_reached_are_all_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hybridnet.machines.workers.bundle.pack_bundle", lambda: b"")
    assert main(["deploy", "nobody@host1.invalid", "nobody@host2.invalid"]) == 3
    said = capsys.readouterr().err
    assert "host nobody@host1.invalid: " in said
    assert "host nobody@host2.invalid: " in said
