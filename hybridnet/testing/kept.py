# SPDX-License-Identifier: MIT
"""What is kept of a test that fails: its network, as it was then, in a folder that is made anew each time."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from hybridnet.errors import HybridnetError
from hybridnet.observe.results.verdict import Verdict
from hybridnet.run.net import Net
from hybridnet.run.node import Switch

__all__ = ["FOLDER", "folder_of", "keep"]

FOLDER = "hybridnet-failures"
"""In the directory in which pytest was started."""

LONGEST = 120  # characters of a folder's name


def folder_of(start: Path, test: str) -> Path:
    """Where what is kept of a test goes.

    Example:
        >>> folder_of(Path("/home/me"), "tests/test_app.py::test_all[tree,2]").name
        'tests-test_app.py-test_all-tree-2'
    """
    name = re.sub(r"[^\w.=-]+", "-", test).strip("-")
    # Others may begin alike, and the folder of one that fails is not theirs to remove.
    if len(name) > LONGEST:
        name = f"{name[: LONGEST - 9]}-{hashlib.sha256(test.encode()).hexdigest()[:8]}"
    return start / FOLDER / name


def keep(folder: Path, test: str, said: str, net: Net | None, verdict: Verdict) -> None:
    """Write it.

    Args:
        test: its name, with which it can be run again.
        said: what is said of the failure.
        net: None: it does not run.
        verdict: on it, or on this computer.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "failure.txt").write_text(f"pytest --hybridnet '{test}'\n\n{said}\n")
    (folder / "verdict.txt").write_text(f"{verdict}\n")
    if net is None:
        return
    _write(folder / "network.json", lambda: json.dumps(net.snapshot(), indent=1, default=str) + "\n")
    if net.plan is not None:
        (folder / "plan.txt").write_text(f"{net.plan}\n")
    for name, node in net.items():
        if isinstance(node, Switch):
            _write(folder / f"{name}.flows.txt", _flows(node))


def _flows(switch: Switch) -> Callable[[], str]:
    return lambda: switch.dpctl("dump-flows")


def _write(file: Path, text: Callable[[], str]) -> None:
    """What cannot be had any more is left out: the network may be what failed."""
    with contextlib.suppress(HybridnetError):
        file.write_text(text())
