# SPDX-License-Identifier: MIT
"""``make test-stock``: the system tests that Debian's packaged kernel makes possible, in a guest of its own.

All of them, or the smoke tier, end with what the arms of the comparison carry there, and the ratios.

python tests/stock/run.py --smoke
python tests/stock/run.py -k bridged
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from guest import Guest

ROOT = Path(__file__).resolve().parents[2]

SMOKE = ["tests/system/arms_test.py", "tests/system/machine_test.py"]
ALL = [
    *SMOKE,
    *(
        f"tests/system/{name}_test.py"
        for name in (
            "bridged",
            "routed",
            "fragments",
            "here",
            "mininet",
            "mininet_nodes",
            "nat",
            "nodes",
            "ssh",
            "switches",
        )
    ),
]

HEAD = """
cd {root} || exit 1
export HYBRIDNET_TEST_PORT_TYPE=system PYTHONDONTWRITEBYTECODE=1
.venv/bin/hybridnet doctor
"""
TESTS = """
.venv/bin/python -m pytest -v --no-header -p no:cacheprovider -m 'system and not slow' -o timeout=1200 -rfE \\
  --durations=5 {chosen}
tests=$?
"""
RATIOS = """
.venv/bin/python tests/stock/ratios.py "$(</stock/accelerator)" || tests=1
"""
END = """
exit "$tests"
"""


def main() -> int:
    """Boot, test, report. Returns pytest's exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--smoke", action="store_true", help="only the arms of the comparison and the agent")
    parser.add_argument(
        "--limit", type=float, default=3600, metavar="SECONDS", help="for all of it (default 3600)"
    )
    parser.add_argument(
        "-k", metavar="EXPRESSION", default="", help="only tests whose names match, as in pytest"
    )
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        parser.error("the guest reads every file of this computer, so this needs root")
    began = time.monotonic()
    guest = Guest(ROOT / "build" / "stock")
    print(f"Linux {guest.version} of Debian under qemu", flush=True)
    chosen = [*(SMOKE if arguments.smoke else ALL), *(["-k", arguments.k] if arguments.k else [])]
    command = HEAD.format(root=shlex.quote(str(ROOT))) + TESTS.format(chosen=shlex.join(chosen))
    command += END if arguments.k else RATIOS + END
    status = guest.run(command, arguments.limit, lambda line: print(line, flush=True))
    print(f"took {time.monotonic() - began:.0f} s, the start of the guest included")
    return status


if __name__ == "__main__":
    sys.exit(main())
