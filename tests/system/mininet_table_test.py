# SPDX-License-Identifier: MIT
"""Every public name of Mininet's, called on Mininet itself and on ours: the same, or different for a reason.

The rows are in `mininet_rows`. Each group of them runs on two computers of its own: on one under Debian's Mininet, on
the other under ``hybridnet run``.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.system.computer import run_on_a_computer
from tests.system.mininet_rows.differences import DIFFERENCES
from tests.system.mininet_rows.rows import Group, Row
from tests.system.mininet_rows.table import GROUPS

pytestmark = [pytest.mark.system, pytest.mark.slow, pytest.mark.timeout(600)]

RUNNER = Path(__file__).parent / "mininet_rows" / "runner.py"
PAGE = Path(__file__).parents[2] / "docs" / "mininet.md"
COMPARED = ("value", "printed", "changed")
NOT_INSTALLED = {
    f"{kind}.{name}"
    for kind, names in (
        ("UserSwitch", "dpctl connected TCReapply start stop"),
        ("IVSSwitch", "batchShutdown start stop attach detach dpctl"),
        ("LinuxBridge", "connected start stop dpctl"),
    )
    for name in names.split()
}
"""What needs the reference switch, Indigo's switch or brctl, which Mininet does not find on the tests' computers."""
ARGUMENTS_NOT_GIVEN = {
    *(f"LinuxBridge({name}=)" for name in ("name", "stp", "prio")),
    *(f"Ryu({name}=)" for name in ("name", "ryuArgs", "command")),
    *(f"Singleton({name}=)" for name in ("name", "bases", "dict_")),
    *(f"MininetWithControlNet.configureRoutedControlNetwork({name}=)" for name in ("ip", "prefixLen")),
    "MininetLogger(name=)",
    "OVSController(name=)",
    "Node(name=)",
    "Node(inNamespace=)",
}
"""Of what is not installed, and of what scripts do not call themselves."""


def results(command: list[str], group: str) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        ended = run_on_a_computer([*command, str(RUNNER), str(report), group], with_ovs=True, timeout_s=280)
        assert report.exists(), ended.err
        return json.loads(report.read_text())


@cache
def on_mininet(group: str) -> dict[str, Any]:
    return results(["/usr/bin/python3"], group)


def on_ours(group: str) -> dict[str, Any]:
    return results([sys.executable, "-m", "hybridnet.cli", "run"], group)


def are_equal(theirs: dict[str, Any], ours: dict[str, Any]) -> bool:
    """Whether two results are the same: an error is, if it is of a class that catches it on both."""
    assert "setup failed" not in theirs, theirs
    if "setup failed" in ours:
        return False
    if theirs["raised"] and theirs["raised"][0] not in ours["raised"]:
        return False
    return bool(theirs["raised"]) == bool(ours["raised"]) and all(
        theirs[part] == ours[part] for part in COMPARED
    )


def told(row: Row, theirs: dict[str, Any], ours: dict[str, Any]) -> str:
    """What differs, for people."""
    parts = [part for part in ("raised", "why", *COMPARED) if theirs.get(part) != ours.get(part)]
    lines = [f"  {part}: Mininet {theirs.get(part)!r}, ours {ours.get(part)!r}" for part in parts]
    return "\n".join([f"{row.of}: {row.code}", *lines])


# Mininet's own control groups are the whole computer's, whatever the namespaces.
@pytest.mark.parametrize(
    "group",
    [
        pytest.param(each, id=each.name, marks=[pytest.mark.alone] * (each.name == "limited hosts"))
        for each in GROUPS
    ],
)
def test_what_is_called_does_what_mininet_s_does_or_is_listed_with_a_reason(group: Group) -> None:
    theirs, ours = on_mininet(group.name)["rows"][group.name], on_ours(group.name)["rows"][group.name]
    rows = list(zip(group.rows, theirs, ours, strict=True))
    equal = sum(are_equal(*both) for _, *both in rows)
    listed = sum(bool(row.differs) for row in group.rows)
    print(f"\n{group.name}: {len(rows)} rows, {equal} equal, {listed} listed")
    unlisted = [told(row, *both) for row, *both in rows if not row.differs and not are_equal(*both)]
    assert not unlisted, "not as Mininet does it, and no reason is given:\n" + "\n".join(unlisted)
    mended = [f"{row.of}: {row.code}" for row, *both in rows if row.differs and are_equal(*both)]
    assert not mended, "listed as different, and equal:\n" + "\n".join(mended)


def calls() -> Iterator[tuple[str, int, set[str]]]:
    """Every call in the rows: the name that is called, the number of arguments by place, the names of the others."""
    for group in GROUPS:
        for code in (group.setup, *(row.code for row in group.rows)):
            for node in ast.walk(ast.parse(code)):
                if isinstance(node, ast.Call):
                    function = node.func
                    args, keywords = node.args, node.keywords
                    name = (
                        function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
                    )
                    # `net.addHost("h1", cls=NAT, subnet=...)` hands the class its arguments.
                    names = [name, *(each.value.id for each in keywords if isinstance(each.value, ast.Name))]
                    for each in names:
                        yield each, len(args), {keyword.arg or "" for keyword in keywords}


def test_every_public_name_of_mininet_s_has_a_row_and_every_argument_is_given_in_one() -> None:
    public: dict[str, list[str]] = on_mininet("moduledeps")["names"]
    tried = {name for group in GROUPS for row in group.rows for name in row.of.split()}
    missing = [name for name in public if name not in tried | NOT_INSTALLED]
    assert not missing, f"no row tries {', '.join(missing)}"
    made = list(calls())
    lacking = set()
    for name, arguments in public.items():
        kind, _, last = name.rpartition(".")
        callers = {last, kind} if last == "build" else {last}  # a Topo hands `build` its arguments
        for place, argument in enumerate(arguments):
            given = (
                called in callers and (place < by_place or argument in named)
                for called, by_place, named in made
            )
            if not any(given):
                lacking.add(f"{name}({argument}=)")
    assert lacking <= ARGUMENTS_NOT_GIVEN, f"no row gives {sorted(lacking - ARGUMENTS_NOT_GIVEN)}"


def test_each_reason_of_a_difference_is_in_the_manual() -> None:
    page = " ".join(PAGE.read_text().split())
    used = {row.differs for group in GROUPS for row in group.rows if row.differs}
    assert used == set(DIFFERENCES)
    lacking = [reason for reason in DIFFERENCES.values() if reason not in page]
    assert not lacking, f"docs/mininet.md does not say: {lacking}"
