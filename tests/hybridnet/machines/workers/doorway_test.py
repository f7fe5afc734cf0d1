# SPDX-License-Identifier: MIT
"""Strangers who connect to a run's scheduler and say nothing hold nobody up, with a real scheduler."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from hybridnet.machines.workers.doorway import AT_ONCE, UNPROVEN_LIMIT

STRANGERS = 400
ANSWER_S = 20.0
ITS_OWN = 30  # descriptors: 19 when this was written

# Says its port; for each line that comes, asks its own scheduler something and says how many descriptors it has.
PROGRAM = """
import os, resource, sys
from pathlib import Path
limit = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
from hybridnet.machines.cluster.messenger import Messenger
from hybridnet.system.journal import Journal

nothing = lambda *_: None
messenger = Messenger(Journal(Path(sys.argv[1]), "run"), nothing, nothing, nothing)
messenger.start("127.0.0.1")
print(messenger.meeting("x")["scheduler"].rpartition(":")[2], flush=True)
for line in sys.stdin:
    assert messenger.find("nobody") == ""
    print(len(os.listdir("/proc/self/fd")), flush=True)
messenger.end()
"""


@pytest.mark.parametrize("descriptors", [1000, 120])
def test_the_head_hears_its_scheduler_beside_silent_strangers(tmp_path: Path, descriptors: int) -> None:
    argv = [sys.executable, "-c", PROGRAM, str(tmp_path), str(descriptors)]
    pipe = subprocess.PIPE
    head = subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    assert head.stdin is not None
    assert head.stdout is not None
    try:
        port = int(head.stdout.readline())
        with contextlib.ExitStack() as strangers:
            for _ in range(STRANGERS):
                stranger = strangers.enter_context(socket.socket())
                stranger.setblocking(False)
                with contextlib.suppress(BlockingIOError):
                    stranger.connect(("127.0.0.1", port))
            head.stdin.write("\n")
            head.stdin.flush()
            said, errors = head.communicate(timeout=ANSWER_S)
        assert head.returncode == 0, errors
        assert int(said) <= min(descriptors // 4, UNPROVEN_LIMIT) + AT_ONCE + ITS_OWN
        assert len(errors) < 10_000  # it was 8 MB a second
    finally:
        head.kill()
        head.wait()
