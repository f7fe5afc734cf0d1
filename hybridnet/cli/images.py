# SPDX-License-Identifier: MIT
"""``hybridnet images``: the container images that this computer has unpacked, and their removal."""

from __future__ import annotations

import argparse
import json
import time

SUMMARY = "List the container images that are unpacked on this computer, or remove those that nobody uses."
EXAMPLES = """  sudo hybridnet images           root's, which runs with sudo use
  hybridnet images --json         your own, which runs with --rootless use
  sudo hybridnet images prune     remove those that no run uses now
"""

_SHOWN_OF_A_DIGEST = 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to do, and --json."""
    parser.add_argument(
        "action", nargs="?", choices=("list", "prune"), default="list", help="what to do (default: list)"
    )
    parser.add_argument("--json", action="store_true", help="print them, or what was removed, as a JSON list")


def run(arguments: argparse.Namespace) -> int:
    """Do it."""
    if arguments.action == "prune":
        _prune(as_json=arguments.json)
    else:
        _list(as_json=arguments.json)
    return 0


def _list(*, as_json: bool) -> None:
    from hybridnet.images.store import images_folder, kept
    from hybridnet.observe.results.console import print_table

    images = kept()
    if as_json:
        rows = [
            {
                "digest": each.about.digest,
                "names": each.about.names,
                "disk_bytes": each.disk_bytes,
                "last_used": each.last_used,
                "in_use": each.in_use,
            }
            for each in images
        ]
        print(json.dumps(rows, indent=2))
    elif not images:
        print(f"no image is unpacked in {images_folder()}")
    else:
        print_table(
            ("digest", "name", "size", "last used", "in use"),
            [
                (
                    each.about.digest[:_SHOWN_OF_A_DIGEST],
                    each.about.names[-1],
                    _size(each.disk_bytes),
                    time.strftime("%F %T", time.localtime(each.last_used)),
                    "yes" if each.in_use else "no",
                )
                for each in images
            ],
        )


def _prune(*, as_json: bool) -> None:
    from hybridnet.images.store import kept, prune

    removed = prune()
    if as_json:
        rows = [
            {"digest": each.digest, "names": each.names, "disk_bytes": each.disk_bytes} for each in removed
        ]
        print(json.dumps(rows, indent=2))
        return
    for each in removed:
        name = each.names[-1] if each.names else "what an interrupted unpacking had left"
        print(f"removed {each.digest[:_SHOWN_OF_A_DIGEST]}, {_size(each.disk_bytes)}: {name}")
    left = len(kept())
    in_use = f"; {left} in use" if left else ""
    print(f"freed {_size(sum(each.disk_bytes for each in removed))}{in_use}")


def _size(size: int) -> str:
    return f"{size / 1e6:.1f} MB"
