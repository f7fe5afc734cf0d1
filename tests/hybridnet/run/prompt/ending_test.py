# SPDX-License-Identifier: MIT
"""The exit codes and the last line of commands that run networks."""

from __future__ import annotations

import signal
import sys
import threading
import time
from typing import NoReturn

import pytest

from hybridnet.errors import ExperimentError, MachineError
from hybridnet.observe.results.open_runs import began, ended, lost
from hybridnet.observe.results.verdict import Verdict
from hybridnet.run.prompt.ending import ending_with_verdict, verdict_line

TRUSTED, SATURATED, BROKEN = Verdict.of([]), Verdict.of([], saturated=["busy"]), Verdict.of(["late"])


def running(*verdicts: Verdict, code: int = 0, stopped: bool = True) -> int:
    """What a command does: networks that start and stop, or are left running."""
    for verdict in verdicts:

        def stop(verdict: Verdict = verdict) -> None:
            ended(stop, verdict)

        began(stop)
        if stopped:
            stop()
    return code


@pytest.mark.parametrize(
    ("verdict", "strict", "code", "expected"),
    [
        (TRUSTED, True, 0, 0),
        (SATURATED, True, 0, 0),
        (BROKEN, True, 0, 4),
        (BROKEN, False, 0, 0),
        (BROKEN, True, 3, 3),
        (TRUSTED, True, 3, 3),
    ],
)
def test_only_strict_and_broken_change_the_exit_code_and_never_that_of_a_failure(
    verdict: Verdict, strict: bool, code: int, expected: int
) -> None:
    assert ending_with_verdict(lambda: running(verdict, code=code), strict=strict) == expected


def test_without_a_network_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert ending_with_verdict(running, strict=True) == 0
    assert capsys.readouterr() == ("", "")


def test_what_still_runs_is_stopped_and_judged(capsys: pytest.CaptureFixture[str]) -> None:
    assert ending_with_verdict(lambda: running(BROKEN, stopped=False), strict=True) == 4
    assert capsys.readouterr().err == (
        "*** the script ended without net.stop(): its network is removed\n*** Verdict: broken: late\n"
    )


def test_the_verdict_is_said_before_an_error_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    def failing() -> int:
        running(SATURATED)
        raise ExperimentError("pings were lost")

    with pytest.raises(ExperimentError):
        ending_with_verdict(failing, strict=True)
    assert capsys.readouterr().err == "*** Verdict: saturated: busy\n"


@pytest.mark.parametrize("heeding", [True, False])
def test_a_loss_ends_what_runs_with_its_error(capsys: pytest.CaptureFixture[str], heeding: bool) -> None:
    """Also a script, whose SystemExit is an exit code."""

    def end(number: int, _: object) -> NoReturn:
        raise SystemExit(128 + number)

    def running_long() -> int:
        running(BROKEN, stopped=False)
        threading.Thread(target=lost, args=(MachineError("machine m2: it is gone"),)).start()
        try:
            deadline = time.monotonic() + 0.2 if not heeding else sys.float_info.max
            while time.monotonic() < deadline:
                time.sleep(0.01)
        except SystemExit as ended_by:
            return int(str(ended_by.code))
        return 0

    before = signal.signal(signal.SIGTERM, end if heeding else signal.SIG_DFL)
    try:
        if heeding:
            with pytest.raises(MachineError, match="machine m2: it is gone"):
                ending_with_verdict(running_long, strict=False)
        else:  # there is nothing that would end it in an orderly way
            assert ending_with_verdict(running_long, strict=False) == 0
    finally:
        signal.signal(signal.SIGTERM, before)
    assert capsys.readouterr().err.endswith("*** Verdict: broken: late\n")


def test_one_line_stands_for_many_networks_and_reasons() -> None:
    many = Verdict.of(["a", "b"], saturated=["c", "d", "e"])
    assert verdict_line([many]) == "*** Verdict: broken: a; b; c; and 2 more reasons"
    assert verdict_line([TRUSTED, TRUSTED]) == "*** Verdict: trusted: every limit held (2 networks)"
    assert verdict_line([TRUSTED, SATURATED]) == "*** Verdict: saturated: network 2: busy (2 networks)"


def test_the_line_says_what_the_word_does_not() -> None:
    lost = Verdict(TRUSTED.word, [], notes=["a ping from h1 to h2 got no answer"])
    assert (
        verdict_line([lost]) == "*** Verdict: trusted: every limit held; a ping from h1 to h2 got no answer"
    )
