# SPDX-License-Identifier: MIT
"""``hybridnet doctor``: checks of this computer, what each missing thing means, and how to fix it.

With machines (``--ssh`` and the like): the same of each, and what the ways between them are like.
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from hybridnet.cli.places import add_place_arguments, places_of

if TYPE_CHECKING:
    from hybridnet.cli.doctor_machines import Way
    from hybridnet.cli.doctor_opinions import Finding
    from hybridnet.machines.cluster.places import Places

SUMMARY = "Check this computer, and say how to fix what is missing."
EXAMPLES = """  hybridnet doctor
  hybridnet doctor --json
  hybridnet doctor --ssh me@node1,me@node2   each of them, and the connections between them
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--json, and where the machines are."""
    add_place_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print the findings as a JSON list")


def run(arguments: argparse.Namespace) -> int:
    """Print the findings. Return 3 if something that the main job needs is missing."""
    places = places_of(arguments)
    if places.elsewhere or places.names:
        return _of_machines(places, as_json=arguments.json)
    from hybridnet.cli.doctor_checks import examine
    from hybridnet.cli.doctor_opinions import installing
    from hybridnet.observe.results.console import print_table

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
        if line := installing(findings):
            print(f"all that Debian has packages for: {line}")
    return 3 if missing else 0


def _of_machines(places: Places, *, as_json: bool) -> int:
    from hybridnet.cli.doctor_machines import examine_machines, measure_ways
    from hybridnet.cli.progress import tell

    with places.open() as cluster:
        tell(f"examining {', '.join(cluster.machines)}")
        found = examine_machines(cluster)
        ways = measure_ways(cluster, lambda pair: tell(f"measuring the connection between {pair}"))
    missing = [
        f"{finding.what} on {machine}"
        for machine, findings in found.items()
        for finding in findings
        if finding.needed and finding.state == "lacks"
    ]
    if as_json:
        findings = {machine: [each.to_json() for each in of_one] for machine, of_one in found.items()}
        print(json.dumps({"machines": findings, "pairs": [way.to_json() for way in ways]}, indent=2))
    else:
        _print_machines(found)
        _print_ways(ways)
        if missing:
            print(f"needed and missing: {', '.join(missing)}")
    return 3 if missing else 0


def _print_machines(found: dict[str, list[Finding]]) -> None:
    """One column for each machine, and then what each lack means, with its cure."""
    from hybridnet.observe.results.console import print_table

    cells = {
        machine: {each.what: f"{each.state}: {each.found}" for each in of_one}
        for machine, of_one in found.items()
    }
    rows = dict.fromkeys(each.what for of_one in found.values() for each in of_one)
    print_table(
        ("what", *found), [(what, *(cells[machine].get(what, "") for machine in found)) for what in rows]
    )
    opinions: dict[tuple[str, str, str], list[str]] = {}
    for machine, of_one in found.items():
        for each in of_one:
            if each.means:
                opinions.setdefault((each.what, each.means, each.cure), []).append(machine)
    cures = [
        (", ".join(machines), what, f"{means}\n→ {cure}")
        for (what, means, cure), machines in opinions.items()
    ]
    if cures:
        print_table(("on", "what", "what it means, and → the cure"), cures)


def _print_ways(ways: list[Way]) -> None:
    """One row for each pair."""
    from hybridnet.cli.doctor_machines import opinions_of
    from hybridnet.observe.results.console import print_table

    head = ("pair", "round trip", "there", "back", "clock offset", "drift", "what it means, and → the cure")
    rows = [
        (
            f"{way.a} {way.b}",
            f"{way.rtt_s * 1e3:.3f} ms",
            f"{way.bandwidth_bps / 1e9:.2f} Gbit/s",
            f"{way.back_bps / 1e9:.2f} Gbit/s",
            f"{way.clock_offset_s * 1e3:.3f} ms",
            f"{way.drift_ppm:.0f} ± {way.drift_error_ppm:.0f} ppm",
            "\n".join(opinions_of(way)),
        )
        for way in ways
    ]
    if rows:
        print_table(head, rows)
