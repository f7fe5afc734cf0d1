# SPDX-License-Identifier: MIT
"""``hybridnet doctor``: what this computer has and lacks, what each lack means, and how to cure it."""

from __future__ import annotations

import argparse
import json

SUMMARY = "Say what this computer has and lacks, what each lack means, and the cure."
EXAMPLES = """  hybridnet doctor
  hybridnet doctor --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--json."""
    parser.add_argument("--json", action="store_true", help="print the findings as a JSON list")


def run(arguments: argparse.Namespace) -> int:
    """Print the findings. Return 3 if something that the main job needs is missing."""
    from hybridnet.cli.doctor_checks import examine
    from hybridnet.cli.tables import print_table

    findings = examine()
    missing = [finding for finding in findings if finding.needed and finding.state == "lacks"]
    if arguments.json:
        print(json.dumps([finding.to_json() for finding in findings], indent=2))
    else:
        rows = [
            (
                finding.what,
                finding.state,
                finding.found,
                "\n".join(filter(None, (finding.means, finding.cure and f"→ {finding.cure}"))),
            )
            for finding in findings
        ]
        print_table(("what", "", "found", "what it means, and → the cure"), rows)
        if missing:
            print(f"needed and missing: {', '.join(finding.what for finding in missing)}")
    return 3 if missing else 0
