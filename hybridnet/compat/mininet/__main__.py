# SPDX-License-Identifier: MIT
"""``python -m hybridnet.compat.mininet SCRIPT.py ARGUMENT...``: run a script for which `mininet` is this package."""

from __future__ import annotations

import sys
from pathlib import Path

from hybridnet.compat.mininet.loading.importing import take_the_name
from hybridnet.compat.mininet.loading.python2 import run_script
from hybridnet.run.prompt.ending import ending_with_verdict

if len(sys.argv) < 2:
    sys.exit("usage: python -m hybridnet.compat.mininet SCRIPT.py [ARGUMENT ...]")
take_the_name()
sys.argv = sys.argv[1:]
sys.path.insert(0, str(Path(sys.argv[0]).resolve().parent))


def _run() -> int:
    try:
        run_script(sys.argv[0])
    finally:
        from hybridnet.compat.mininet.network import remove_forgotten

        remove_forgotten()
    return 0


sys.exit(ending_with_verdict(_run, strict=False))
