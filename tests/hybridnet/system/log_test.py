# SPDX-License-Identifier: MIT
"""Messages: shown from the chosen level on, joined like print's arguments, without added newline."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hybridnet.errors import UsageError
from hybridnet.system import log


@pytest.fixture(autouse=True)
def level() -> Iterator[None]:
    yield
    log.setLogLevel("output")


def shown(level: str, capsys: pytest.CaptureFixture[str]) -> str:
    log.setLogLevel(level)
    for say in (log.debug, log.info, log.output, log.warn, log.error):
        say(say.__name__, 1)
    return capsys.readouterr().err


def test_each_level_shows_itself_and_what_is_graver(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown("debug", capsys) == "debug 1info 1output 1warn 1error 1"
    assert shown("info", capsys) == "info 1output 1warn 1error 1"
    assert shown("output", capsys) == "output 1warn 1error 1"
    assert shown("error", capsys) == "error 1"


def test_unknown_level_is_refused() -> None:
    with pytest.raises(UsageError, match="log level 'loud'"):
        log.setLogLevel("loud")
