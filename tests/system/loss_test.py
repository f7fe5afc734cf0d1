# SPDX-License-Identifier: MIT
"""What becomes of a long run when a connection, an agent, a machine or the head is lost: on nodes apart.

Each fault is a round of its own: a run that is up, the fault, and what is seen of it: how long until it was told, what
was kept, how long until the run had ended, what was left behind. `test_ten_rounds_of_each_fault` prints the table.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.system.losing_runs import Run, cut, cut_ssh, mend, mend_ssh, switch_off, three_nodes
from tests.system.nodes_apart import Node

pytestmark = [pytest.mark.system, pytest.mark.slow, pytest.mark.timeout(3600)]

ROUNDS = 10
TOLD_S = 5.0
GRACE_S = 30.0


@dataclass
class Seen:
    """What was seen of one fault.

    Args:
        told_s: until the head said it; None: it need not.
        kept: results that were there afterwards.
        left: what the run left behind, of which there must be nothing.
        over_s: until the run had ended, or had gone on.
    """

    told_s: float | None
    kept: int
    left: list[str]
    over_s: float


def connection_cut_for_5_s(nodes: list[Node]) -> Seen:
    """It is named, it answers again, and the run goes on as if nothing had been."""
    run = Run(nodes)
    run.strike()
    cut(nodes[2], nodes[0])
    told_s = run.await_line("machine m2 has not answered for")
    time.sleep(max(0.0, 5 - (time.monotonic() - run.began)))
    mend(nodes[2], nodes[0])
    run.await_line("machine m2 answers again")
    over_s = run.await_more()
    run.interrupt()
    assert not [line for line in run.said if "is given up" in line.partition(";")[0]]
    return Seen(told_s, run.kept(), run.left()[0], over_s)


def connection_cut_for_60_s(nodes: list[Node]) -> Seen:
    """It is given up after the grace period: the run ends, and what its machine has, that removes by itself."""
    run = Run(nodes)
    run.strike()
    cut(nodes[2], nodes[0])
    told_s = run.await_line("machine m2 has not answered for")
    given_up_s = run.await_line("machine m2: it has not answered for")
    assert given_up_s > GRACE_S - 5  # since its last answer
    over_s = run.await_end()
    _ended_by(run, "m2")
    assert run.left([nodes[1]])[0] == []
    time.sleep(max(0.0, 60 - (time.monotonic() - run.began)))
    mend(nodes[2], nodes[0])
    return Seen(told_s, run.kept(), _cleaned(run), over_s)


def ssh_alone_cut_for_60_s(nodes: list[Node]) -> Seen:
    """The machine answers by its other connection: nothing happens, and at the end it is cleaned as ever."""
    run = Run(nodes)
    run.strike()
    cut_ssh(nodes[2], nodes[0])
    time.sleep(60)
    mend_ssh(nodes[2])
    over_s = run.await_more()
    run.interrupt()
    assert not [line for line in run.said if "machine m2: " in line]  # as a loss is told
    return Seen(None, run.kept(), run.left()[0], over_s)


def agent_killed(nodes: list[Node]) -> Seen:
    """Its machine is lost at once."""
    run = Run(nodes)
    run.strike()
    _kill_agent(nodes[2])
    told_s = run.await_line("*** machine m2: its agent")
    over_s = run.await_end()
    _ended_by(run, "m2")
    return Seen(told_s, run.kept(), run.left()[0], over_s)


def agent_killed_and_the_others_go_on(nodes: list[Node]) -> Seen:
    """The same, where it is asked that the others go on."""
    run = Run(nodes, "continue")
    run.strike()
    _kill_agent(nodes[2])
    told_s = run.await_line("*** machine m2: its agent")
    run.await_line("the others go on without machine m2; 1 links to it are down")
    over_s = run.await_more()
    run.interrupt()
    [verdict] = [line for line in run.said if "*** Verdict" in line]
    assert "broken: machine m2: its agent" in verdict
    assert "it was lost after " in verdict
    return Seen(told_s, run.kept(), run.left()[0], over_s)


def agent_killed_and_its_machine_returns(nodes: list[Node]) -> Seen:
    """What the dead one had made there is removed, and the run is whole again."""
    run = Run(nodes, "continue")
    run.strike()
    _kill_agent(nodes[2])
    told_s = run.await_line("*** machine m2: its agent")
    run.bring_back()
    run.await_line("*** machine m2 is back")
    over_s = run.await_line("lost 0.0 percent")
    run.interrupt()
    [verdict] = [line for line in run.said if "*** Verdict" in line]
    assert "broken: machine m2: its agent" in verdict
    assert "it was away for " in verdict
    return Seen(told_s, run.kept(), run.left()[0], over_s)


def machine_cut_off_and_it_returns(nodes: list[Node]) -> Seen:
    """While it is out of reach it cannot return; then its old agent, which may still live, is ended first."""
    run = Run(nodes, "continue")
    run.strike()
    cut(nodes[2], nodes[0])
    told_s = run.await_line("machine m2 has not answered for")
    run.await_line("machine m2: it has not answered for")
    run.bring_back()
    run.await_line("refused: machine m2 cannot return before what is left of it has ended: ")
    mend(nodes[2], nodes[0])
    run.bring_back()
    over_s = run.await_line("lost 0.0 percent")
    run.interrupt()
    return Seen(told_s, run.kept(), run.left()[0], over_s)


def head_killed(nodes: list[Node]) -> Seen:
    """Nobody is left who could tell it; its machines clean up, and its guardian removes what it has itself."""
    run = Run(nodes)
    run.strike()
    nodes[0].run("pkill -9 -f '[h]ybridnet.cli run'")
    left, over_s = run.left(nodes[1:])
    run.await_end()
    return Seen(None, run.kept(), left + run.left()[0], over_s)


def head_and_machines_partitioned(nodes: list[Node]) -> Seen:
    """All are given up, the run ends, and each machine cleans up by itself."""
    run = Run(nodes)
    run.strike()
    for node in nodes[1:]:
        cut(node, nodes[0])
    told_s = max(run.await_line("has not answered for") for _ in nodes[1:])
    over_s = run.await_end()
    left = run.left(nodes[1:])[0]
    for node in nodes[1:]:
        mend(node, nodes[0])
    return Seen(told_s, run.kept(), left + _cleaned(run), over_s)


def machine_switched_off(nodes: list[Node]) -> Seen:
    """As one that is out of reach: it is given up after the grace period, and there is nothing to clean."""
    run = Run(nodes)
    run.strike()
    switch_off(nodes[2])
    told_s = run.await_line("machine m2 has not answered for")
    over_s = run.await_end()
    _ended_by(run, "m2")
    return Seen(told_s, run.kept(), run.left(nodes[:2])[0], over_s)


def _kill_agent(node: Node) -> None:
    node.run("sudo pkill -9 -n -f [h]ybridnet.machines.workers.worker")


def _ended_by(run: Run, machine: str) -> None:
    """It ended with the error of the loss, although nothing asked that machine, and the verdict names it."""
    assert run.head.returncode == 1
    assert f"*** without machine {machine} the run ends" in run.said
    assert [line for line in run.said if line.startswith(f"error: machine {machine}: ")]
    assert [line for line in run.said if line.startswith(f"*** Verdict: broken: machine {machine}: ")]


def _cleaned(run: Run) -> list[str]:
    """What is left once the machines that were out of reach have cleaned up, and `hybridnet clean` has run."""
    left = run.left(run.nodes[1:])[0]
    run.nodes[0].run("hybridnet clean")
    return left + run.left()[0]


LASTING = [
    connection_cut_for_5_s,
    connection_cut_for_60_s,
    ssh_alone_cut_for_60_s,
    agent_killed,
    agent_killed_and_the_others_go_on,
    agent_killed_and_its_machine_returns,
    machine_cut_off_and_it_returns,
    head_killed,
    head_and_machines_partitioned,
]
Fault = Callable[[list[Node]], Seen]


@dataclass
class Table:
    """The rounds of all faults, printed at the end."""

    rows: dict[str, list[Seen]] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [f"{'fault':36} rounds  told after s (most)  over after s (most)  kept (least)  left behind"]
        for fault, seen in self.rows.items():
            told = [each.told_s for each in seen if each.told_s is not None]
            over = [each.over_s for each in seen]
            said = f"{statistics.median(told):.1f} ({max(told):.1f})" if told else "-"
            took = f"{statistics.median(over):.1f} ({max(over):.1f})"
            left = sum(len(each.left) for each in seen)
            name = fault.replace("_", " ")
            lines.append(
                f"{name:36} {len(seen):6}  {said:>19}  {took:>19}  {min(e.kept for e in seen):12}  {left:11}"
            )
        return "\n".join(lines)


@pytest.fixture(scope="module")
def table(request: pytest.FixtureRequest) -> Iterator[Table]:
    made = Table()
    yield made
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        print(f"\n{made}")


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Node]]:
    with three_nodes(tmp_path_factory.mktemp("nodes")) as made:
        yield made


def _check(rounds: list[Seen]) -> None:
    """How long it took at most depends on what else the computer does, too; the table has it."""
    for seen in rounds:
        assert seen.left == []
        assert seen.kept > 0
    told = [seen.told_s for seen in rounds if seen.told_s is not None]
    assert not told or statistics.median(told) < TOLD_S


@pytest.mark.parametrize("fault", LASTING, ids=lambda fault: fault.__name__)
def test_ten_rounds_of_each_fault(nodes: list[Node], table: Table, fault: Fault) -> None:
    rounds = table.rows[fault.__name__] = []
    for _ in range(ROUNDS):
        rounds.append(fault(nodes))
    _check(rounds)


def test_ten_machines_that_are_switched_off(tmp_path_factory: pytest.TempPathFactory, table: Table) -> None:
    """None comes back, so each round has nodes of its own."""
    rounds = table.rows[machine_switched_off.__name__] = []
    for number in range(ROUNDS):
        folder: Path = tmp_path_factory.mktemp(f"nodes-{number}")
        with three_nodes(folder) as nodes:
            rounds.append(machine_switched_off(nodes))
    _check(rounds)
