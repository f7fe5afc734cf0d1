# SPDX-License-Identifier: MIT
"""A daemon that is harmed while a network starts, runs or ends is named, soon, and nothing is left. The whole table:
`python -m tests.system.daemons_harmed`.
"""

from __future__ import annotations

import pytest

from hybridnet.system.daemon import STOPPED_S
from tests.system.daemons_harmed import PATIENCE_S, can_freeze, trial

pytestmark = [
    pytest.mark.system,
    pytest.mark.thorough,
    pytest.mark.alone,
]  # what others leave for a moment is on this computer, too

ITSELF_S = 10.0  # for the removal, and what else the computer does


@pytest.mark.parametrize(
    ("daemon", "harm", "mark", "after_s", "words"),
    [
        ("ovsdb-server", "kill", "", 0.1, "ovsdb-server was killed by signal 9"),
        ("ovsdb-server", "stop", "", 0.1, "ovsdb-server (process"),
        ("ovs-vswitchd", "stop", "up", 0.5, "ovs-vswitchd"),
        ("ryu", "stop", "", 0.1, "is stopped, by a signal, a debugger or its control group"),
        # A quick computer has built the network by then.
        ("init", "stop", "", 0.1, ("its init (process", "the init was stopped")),
        ("init", "stop", "up", 0.5, "the init was stopped"),
        ("guardian", "stop", "up", 0.5, "the guardian was stopped"),
        ("agent", "kill", "up", 0.5, "machine m1: its agent"),
        ("agent", "stop", "up", 0.5, "machine m1: it has not answered for 10 s"),
    ],
)
def test_a_daemon_that_is_harmed_is_named_and_nothing_is_left(
    daemon: str, harm: str, mark: str, after_s: float, words: str | tuple[str, str]
) -> None:
    row = trial(daemon, harm, mark, after_s)
    assert row is not None
    assert row.interrupted_s is None, row  # it ended by itself
    assert row.code == 1, row
    assert any(each in row.said for each in ((words,) if isinstance(words, str) else words)), row
    if not mark:  # else what the script itself does comes before
        assert row.seconds < STOPPED_S + ITSELF_S, row
    assert row.left == [], row


@pytest.mark.skipif(not can_freeze(), reason="needs control groups of version 2")
@pytest.mark.parametrize(
    ("daemon", "mark", "after_s", "words"),
    [("ovs-vswitchd", "", 0.1, "ovs-vswitchd"), ("agent", "up", 0.5, "it has not answered for 10 s")],
)
def test_a_daemon_that_hangs_is_named(daemon: str, mark: str, after_s: float, words: str) -> None:
    row = trial(daemon, "hang", mark, after_s)
    assert row is not None
    assert row.interrupted_s is None, row
    assert row.seconds < PATIENCE_S, row
    assert words in row.said, row
    assert row.left == [], row
