# SPDX-License-Identifier: MIT
"""Dask's servers and clients as a run wants them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

# The interrupt comes as the constructor of the client has just heard of its scheduler, so nobody has the client, and
# something keeps it until the program's end.
PROGRAM = """
import sys
from pathlib import Path
from hybridnet.machines.cluster.messenger import Messenger
from hybridnet.machines.workers.dask_settings import QuietClient
from hybridnet.system.journal import Journal

kept = []
start = QuietClient.start
def interrupted(self, **options):
    start(self, **options)
    kept.append(self)
    raise KeyboardInterrupt
QuietClient.start = interrupted

nothing = lambda *_: None
messenger = Messenger(Journal(Path(sys.argv[1]), "run"), nothing, nothing, nothing)
try:
    messenger.start("127.0.0.1")
except KeyboardInterrupt:
    messenger.end()
    print("interrupted", flush=True)
"""


def test_a_client_that_an_interrupt_left_half_made_does_not_keep_its_program_from_ending(
    tmp_path: Path,
) -> None:
    argv = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    ended = subprocess.run(argv, capture_output=True, timeout=40, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "interrupted\n"), ended.stderr
