# SPDX-License-Identifier: MIT
"""What a script does with Mininet's logger acts on all that hybridnet says."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator

import pytest

from hybridnet.compat.mininet.log import StreamHandlerNoNewline, debug, info, lg, output, setLogLevel
from hybridnet.system import log


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    handlers, level = list(lg.handlers), log.log_level()
    log.setLogLevel()  # another test of this process may have run a command, which shows more
    yield
    lg.handlers[:] = handlers
    setLogLevel(next(name for name, number in log.LEVELS.items() if number == level))


def test_a_handler_of_a_script_s_gets_what_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    taken = io.StringIO()
    lg.addHandler(StreamHandlerNoNewline(taken))
    info("not shown\n")
    setLogLevel("info")
    info("two", "words\n"), lg.info("three", "more", "words\n"), lg.warning("%d %%\n", 5), log.output("own\n")
    assert taken.getvalue() == "two words\nthree more words\n5 %\nown\n"
    assert capsys.readouterr().err == taken.getvalue()


def test_what_a_script_says_is_shown_once_it_asks_though_hybridnet_shows_more(
    capsys: pytest.CaptureFixture[str],
) -> None:
    setLogLevel()
    log.setLogLevel("info")  # as `hybridnet run` does
    info("hidden\n"), lg.info("hidden, too\n"), log.info("hybridnet's\n")
    assert not lg.isEnabledFor(log.LEVELS["info"])
    setLogLevel("info")
    info("shown\n")
    setLogLevel()
    log.setLogLevel("debug")  # as `hybridnet run -v debug` does
    debug("details\n")
    assert capsys.readouterr().err == "hybridnet's\nshown\ndetails\n"


def test_a_script_may_take_the_console_away(capsys: pytest.CaptureFixture[str]) -> None:
    lg.handlers = [each for each in lg.handlers if not isinstance(each, StreamHandlerNoNewline)]
    records: list[logging.LogRecord] = []
    kept = logging.Handler()
    kept.emit = records.append  # type: ignore[method-assign]
    lg.addHandler(kept)
    output("told\n")
    assert [(record.levelno, record.getMessage()) for record in records] == [(25, "told\n")]
    assert capsys.readouterr().err == ""
