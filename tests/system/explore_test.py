# SPDX-License-Identifier: MIT
"""`hybridnet explore` finds the mistakes of the applications in examples/controllers, and none in the correct one.

Time is simulated, so a busy computer changes nothing but how long this takes.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hybridnet.cli import main
from hybridnet.cli.topology import find_topology
from hybridnet.errors import ControllerError
from hybridnet.tools.explore import Explore, reaches
from hybridnet.topologies import LinearTopo

APPS = Path(__file__).parents[2] / "examples" / "controllers"
pytestmark = pytest.mark.system


@pytest.mark.parametrize(
    ("app", "schedule", "invariant", "needed"),
    [
        ("stale_rule", (APPS / "host_moves.yaml").read_text(), "all-reach-all", ["ping", "host-moves"]),
        ("forgotten_packet", "[{at: 2s, do: ping, from: h1, to: h2}]", "no-forgotten-packet", []),
        (
            "empty_switch",
            "[{at: 2s, do: switch-restarts, switch: s1, for: 200ms}, {at: 3s, do: ping, from: h1, to: h2}]",
            "all-reach-all",
            ["switch-restarts"],
        ),
        ("full_table", "[{at: 0s, do: full-table, switch: s2, flows: 4}]", "all-reach-all", ["full-table"]),
        (
            "changed_while_read",
            "[{at: 2s, do: port-flaps, host: h1, times: 2, every: 50ms}]",
            "no-exception",
            ["port-flaps"],
        ),
        (
            "wrong_order",
            "[{at: 0s, do: slow-flow-mods, switch: s2, rate: 20}]",
            "no-forgotten-packet",
            ["slow-flow-mods"],
        ),
        ("lost_link", "[{at: 2s, do: link-down, link: s2-s1, for: 100ms}]", "all-reach-all", ["link-down"]),
    ],
)
def test_a_planted_mistake_is_found_and_shrunk_to_what_it_needs(
    app: str, schedule: str, invariant: str, needed: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "schedule.yaml"
    file.write_text(schedule)
    with Explore(APPS / f"{app}.py", topo=LinearTopo(k=3)) as explore:
        report = explore.run([1], schedule=explore.read(file), repetitions=2)
    assert report.counterexample is not None
    found = report.counterexample
    assert found.found[0].invariant == invariant
    assert (found.shown, found.repeated) == (2, 2)
    assert [event.do for event in found.schedule] == needed
    assert "shows in 2 of 2 repetitions" in report.text()


def test_a_loop_that_lasts_for_a_second_is_found(tmp_path: Path) -> None:
    file = tmp_path / "schedule.yaml"
    file.write_text(
        "[{at: 2s, do: link-down, link: s1-s2, for: 1200ms}, {at: 3.4s, do: ping, from: h3, to: h1}]"
    )
    ring = find_topology(None, str(APPS / "ring.yaml"))
    for app, invariant in (("early_tree", "no-storms"), ("tree_flood", None), ("shortest_paths", None)):
        with Explore(APPS / f"{app}.py", topo=ring) as explore:
            found, _ = explore.trial(explore.read(file))
        assert [each.invariant for each in found] == ([] if invariant is None else [invariant]), app


def test_the_way_is_that_of_the_tables() -> None:
    ring = find_topology(None, str(APPS / "ring.yaml"))
    short = (reaches("h1", "h3", hops=2), reaches("h1", "h3", via="s2"))
    with Explore(APPS / "shortest_paths.py", topo=ring, invariants=short) as explore:
        found, _ = explore.trial(())
    assert [each.text for each in found] == [
        "packets from h1 come to h3 without crossing s2: they cross s1, s3"
    ]


def test_an_invariant_of_the_users_own_is_checked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    schedule = tmp_path / "schedule.yaml"
    schedule.write_text("[{at: 2s, do: host-moves, host: h1, to: s3}, {at: 3s, do: ping, from: h3, to: h1}]")
    own = ["--invariants", str(APPS / "firewall_invariants.py"), "--seeds", "1", "--repeat", "1"]
    for app, code in (("firewall", 0), ("firewall_hole", 1)):
        assert main(["explore", str(APPS / f"{app}.py"), *own, "--schedule", str(schedule)]) == code
    assert "h3-isolated-from-h1 does not hold: a ping from h3 arrived at h1" in capsys.readouterr().out


def test_an_application_that_cannot_be_loaded_is_an_error_that_quotes_its_exception(tmp_path: Path) -> None:
    app = tmp_path / "lacking.py"
    app.write_text("import nothing_there\n")
    with Explore(app, topo=LinearTopo(k=2)) as explore, pytest.raises(ControllerError) as refused:
        explore.run([1])
    assert "controller lacking.py ended: ModuleNotFoundError: No module named 'nothing_there'" in str(
        refused.value
    )


def test_the_correct_application_is_not_accused_and_a_trial_is_the_same_again() -> None:
    with Explore(APPS / "learning_switch.py", topo=LinearTopo(k=3)) as explore:
        report = explore.run(range(1, 6))
        assert report.counterexample is None, report.text()
        assert report.held == 5
        schedule = explore.read(APPS / "host_moves.yaml")
        [_, first], [_, second] = explore.trial(schedule), explore.trial(schedule)
        assert first.timeline == second.timeline


def test_the_command_says_what_it_found_and_writes_a_test(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    test = tmp_path / "found_test.py"
    words = ["explore", str(APPS / "stale_rule.py"), "--seeds", "1", "--repeat", "1", "--json"]
    code = main([*words, "--schedule", str(APPS / "host_moves.yaml"), "--pytest", str(test)])
    assert code == 1
    said = json.loads(capsys.readouterr().out)["counterexample"]
    assert [event["do"] for event in said["schedule"]] == ["ping", "host-moves"]
    assert said["findings"][0]["way"][-1] == "port 1 of s2 is down"
    compile(test.read_text(), str(test), "exec")
    assert "host-moves" in test.read_text()
