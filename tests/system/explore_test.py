# SPDX-License-Identifier: MIT
"""`hybridnet explore` finds the mistakes of the applications in examples/controllers, and none in the correct one.

Time is simulated, so a busy computer changes nothing but how long this takes.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from hybridnet.cli import main
from hybridnet.cli.topology import find_topology
from hybridnet.errors import ControllerError, EnvironmentLackError
from hybridnet.kernel.build import find_kernel
from hybridnet.run.controllers.frameworks import OSKEN, RYU, find_python
from hybridnet.tools.explore import Explore, affinity, controller, reaches
from hybridnet.tools.explore.schedule import draw
from hybridnet.topologies import LinearTopo, SingleSwitchTopo

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
        (
            "old_connection",
            "[{at: 2s, do: switch-times-out, switch: s2, after: 100ms, behind: 200ms}]",
            "all-reach-all",
            ["switch-times-out"],
        ),
        (
            "kept_flows",
            "[{at: 2s, do: ping, from: h3, to: h2}, {at: 2.1s, do: controller-times-out, switch: s3, after: 300ms, "
            "behind: 500ms}, {at: 2.5s, do: host-moves, host: h3, to: s3}]",
            "all-reach-all",
            ["ping", "controller-times-out", "host-moves"],
        ),
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
    assert "shows in 2 of 2 repetitions, which are equal byte for byte" in report.text()


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


def test_an_application_under_os_ken_is_judged_as_under_ryu() -> None:
    for app, invariant in (("learning_switch", None), ("stale_rule", "all-reach-all")):
        reports = []
        for framework in (RYU, OSKEN):
            with Explore(APPS / f"{app}.py", topo=LinearTopo(k=3), framework=framework) as explore:
                report = explore.run([1], schedule=explore.read(APPS / "host_moves.yaml"), repetitions=2)
            found = report.counterexample
            reports.append(None if found is None else (found.found, found.schedule, found.runs, found.traces))
        assert reports[0] == reports[1], app
        assert (None if reports[0] is None else reports[0][0][0].invariant) == invariant


def test_faucet_is_explored_by_its_configuration(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["--topo", "linear,2", "--without", "full-table", "--seeds", "2", "--json"]
    reports = []
    for _ in range(2):
        assert main(["explore", f"faucet:{APPS / 'faucet.yaml'}", *words]) == 0
        reports.append(json.loads(capsys.readouterr().out))
    assert reports[0] == reports[1]
    assert reports[0]["held"] == 2
    wrong = tmp_path / "wrong.yaml"
    text = (APPS / "faucet.yaml").read_text().replace("{vid: 100}", "{vid: 100}\n  guest: {vid: 200}")
    wrong.write_text(text.replace("native_vlan: office", "native_vlan: guest", 1))  # port 1 of s1
    assert (
        main(["explore", f"faucet:{wrong}", *words, "--repeat", "1", "--pytest", str(tmp_path / "a.py")]) == 1
    )
    found = json.loads(capsys.readouterr().out)["counterexample"]
    assert found["schedule"] == []
    assert "packets from h1 to h2" in found["findings"][0]["text"]
    assert f"'faucet:{wrong}'" in (tmp_path / "a.py").read_text()


@pytest.mark.parametrize(
    ("app", "said"),
    [
        (
            "gauge:gauge.yaml",
            "it only watches switches; explore what commands them, such as faucet:FILE.yaml",
        ),
        ("remote,ip=10.0.0.1", "its clock is not that of a trial"),
        ("faucet:nothing.yaml", "Faucet's configuration 'nothing.yaml' is no file"),
    ],
)
def test_what_cannot_be_explored_is_refused(app: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", app]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--web", "nowhere/found.html"), "--web nowhere/found.html: there is no such folder; make it first"),
        (
            ("--time", "simulated", "--web", "/tmp/found.html", "--pytest", "found_test.py"),
            "--pytest and --web: in simulated time, name files of one folder",
        ),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_anything_runs(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explore", str(APPS / "stale_rule.py"), *words]) == 2
    assert said in capsys.readouterr().err


def test_switches_that_forward_by_what_they_have_learned_loop_in_a_ring_and_not_in_a_line(
    tmp_path: Path,
) -> None:
    app = learning(
        tmp_path,
        "    def begin(self, switch):\n"
        "        self.places[switch.id] = {}\n"
        "        parser, protocol = switch.ofproto_parser, switch.ofproto\n"
        "        send = [parser.OFPActionOutput(protocol.OFPP_NORMAL)]\n"
        "        does = [parser.OFPInstructionActions(protocol.OFPIT_APPLY_ACTIONS, send)]\n"
        "        switch.send_msg(parser.OFPFlowMod(switch, priority=1, instructions=does))\n",
    )
    with Explore(app, topo=LinearTopo(k=3)) as explore:
        report = explore.run(range(1, 6))
    assert report.counterexample is None, report.text()
    with Explore(app, topo=find_topology(None, str(APPS / "ring.yaml"))) as explore:
        found, _ = explore.trial(())
    assert found[0].invariant == "no-loops"
    assert found[0].way is not None
    assert {hop.switch for hop in found[0].way.hops} == {"s1", "s2", "s3"}


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


@pytest.mark.parametrize(
    ("app", "invariant", "needed"),
    [
        ("same_priority", "no-ambiguous-rules", []),
        ("hidden_rule", "no-shadowed-rules", []),
        ("more_pollers", "bounded-messages-per-s-100-memory-mib-20", ["switch-restarts"]),
        ("firewall", None, None),
    ],
)
def test_flows_that_contradict_each_other_and_a_controller_out_of_bounds_are_found(
    app: str,
    invariant: str | None,
    needed: list[str] | None,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    schedule = tmp_path / "schedule.yaml"
    schedule.write_text(
        "[{at: 2s, do: ping, from: h2, to: h1}, {at: 3s, do: switch-restarts, switch: s1, for: 50ms}]"
    )
    words = ["--invariants", str(APPS / "rule_invariants.py"), "--seeds", "1", "--repeat", "1", "--json"]
    main(["explore", str(APPS / f"{app}.py"), *words, "--schedule", str(schedule)])
    found = json.loads(capsys.readouterr().out)["counterexample"]
    assert (None if found is None else found["findings"][0]["invariant"]) == invariant
    assert (None if found is None else [each["do"] for each in found["schedule"]]) == needed


def test_a_file_of_invariants_may_ask_that_all_reach_all_as_well(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "invariants.py"
    for named, code in (("", 0), ("all_reach_all, ", 1)):
        file.write_text(f"from hybridnet.tools.explore import {named}no_shadowed_rules\n")
        words = ["--invariants", str(file), "--schedule", str(APPS / "host_moves.yaml"), "--seeds", "1"]
        assert main(["explore", str(APPS / "stale_rule.py"), *words, "--repeat", "1"]) == code
        assert ("all-reach-all does not hold" in capsys.readouterr().out) == bool(code)


def test_memory_that_an_application_keeps_is_measured_and_too_many_messages_are_no_loop(
    tmp_path: Path,
) -> None:
    keeps = learning(
        tmp_path,
        "    def learn(self, switch, address, port):\n"
        "        super().learn(switch, address, port)\n"
        "        self.kept = [*getattr(self, 'kept', []), bytearray(b'x' * (1 << 20))]\n",
    )
    with Explore(keeps, topo=LinearTopo(k=2)) as explore:
        _, seen = explore.trial(())
    asked = sum(
        text.endswith("-> controller: PACKET_IN") for at_ns, text in seen.timeline if at_ns > 1_400_000_000
    )
    assert asked << 20 <= seen.grown <= (asked + 4) << 20
    asks = tmp_path / "asks.py"
    asks.write_text((APPS / "more_pollers.py").read_text().replace("EVERY_S = 0.02", "EVERY_S = 0.001"))
    (tmp_path / "learning_switch.py").write_text((APPS / "learning_switch.py").read_text())
    with Explore(asks, topo=LinearTopo(k=2)) as explore:
        found, _ = explore.trial(())
    assert found[0].invariant == "controller-runs"
    assert "exchange more than 10000 messages" in found[0].text
    assert "MULTIPART_REQUEST" in found[0].text


FAILOVER = (
    "[{at: 2s, do: ping, from: h3, to: h2}, {at: 2.2s, do: %s, controller: c1, for: 1500ms}, "
    "{at: 3s, do: host-moves, host: h2, to: s3}]"
)


@pytest.mark.parametrize(
    ("app", "happens", "needed"),
    [
        ("new_master", "controller-fails", ["ping", "controller-fails", "host-moves"]),
        ("new_master", "controller-cut-off", ["ping", "controller-cut-off", "host-moves"]),
        ("standby", "controller-fails", None),
        ("standby", "controller-cut-off", None),
    ],
)
def test_a_master_that_takes_over_what_it_does_not_know_is_found(
    app: str, happens: str, needed: list[str] | None, tmp_path: Path
) -> None:
    file = tmp_path / "schedule.yaml"
    file.write_text(FAILOVER % happens)
    with Explore(APPS / f"{app}.py", topo=LinearTopo(k=3), controllers=2) as explore:
        report = explore.run([1], schedule=explore.read(file), repetitions=2)
    found = report.counterexample
    assert (None if found is None else [event.do for event in found.schedule]) == needed
    if found is not None:
        assert found.found[0].invariant == "all-reach-all"
        assert (found.shown, found.traces) == (2, 1)


def test_a_slave_is_asked_nothing_and_the_other_takes_its_place_when_the_master_ends(tmp_path: Path) -> None:
    file = tmp_path / "schedule.yaml"
    file.write_text("[{at: 2s, do: controller-fails, controller: c1, for: 2s}]")
    with Explore(APPS / "standby.py", topo=LinearTopo(k=2), controllers=2) as explore:
        found, seen = explore.trial(explore.read(file))
    assert not found
    asked = [(at_ns, text.split()[2]) for at_ns, text in seen.timeline if text.endswith(": PACKET_IN")]
    # The master writes that it is there each 0.1 s, and is missed after 0.35 s; so is c1, which comes back at 4 s.
    assert {who for at_ns, who in asked if at_ns < 2e9} == {"c1:"}
    assert {who for at_ns, who in asked if 2e9 < at_ns < 4e9} <= {"c2:"}
    assert {who for at_ns, who in asked if at_ns > 4.5e9} == {"c1:"}


def test_an_application_without_roles_may_have_several_controllers_and_a_single_one_may_start_again(
    tmp_path: Path,
) -> None:
    file = tmp_path / "schedule.yaml"
    file.write_text(FAILOVER % "controller-fails")
    for controllers in (2, 1):
        with Explore(APPS / "learning_switch.py", topo=LinearTopo(k=3), controllers=controllers) as explore:
            found, seen = explore.trial(explore.read(file))
        assert not found, controllers
        starts = [text for _, text in seen.timeline if text.endswith("starts again")]
        assert starts == ["c1 starts again" if controllers == 2 else "the controller starts again"]


def test_a_controller_that_starts_again_has_the_time_of_the_trial_and_what_it_has_written(
    tmp_path: Path,
) -> None:
    file = tmp_path / "schedule.yaml"
    file.write_text("[{at: 2s, do: controller-fails, controller: c1, for: 500ms}]")
    app = learning(
        tmp_path,
        "    def __init__(self, *args, **kwargs):\n"
        "        super().__init__(*args, **kwargs)\n"
        "        import os, pathlib, time\n"
        "        file = pathlib.Path(os.environ['HYBRIDNET_SHARED'], 'starts')\n"
        "        before = file.read_text() if file.exists() else ''\n"
        "        file.write_text(f'{before} {time.monotonic()}')\n"
        "        print('STARTS', os.environ['HYBRIDNET_CONTROLLER'], file.read_text())\n",
    )
    with Explore(app, topo=LinearTopo(k=2)) as explore:
        for _ in range(2):  # the folder is a new one for each trial
            _, seen = explore.trial(explore.read(file))
            said = [line for line in seen.log.splitlines() if line.startswith("STARTS")]
            assert said == ["STARTS c1  0.0", "STARTS c1  0.0 2.5"]


def test_an_application_that_cannot_be_loaded_is_an_error_that_quotes_its_exception(tmp_path: Path) -> None:
    app = tmp_path / "lacking.py"
    app.write_text("import nothing_there\n")
    with Explore(app, topo=LinearTopo(k=2)) as explore, pytest.raises(ControllerError) as refused:
        explore.run([1])
    said = str(refused.value)
    assert "controller lacking.py ended: ModuleNotFoundError: No module named 'nothing_there'" in said
    assert said.endswith("run: hybridnet setup-ryu --with nothing_there")


def test_a_file_without_an_application_is_told_what_an_application_is(tmp_path: Path) -> None:
    app = tmp_path / "idle.py"
    app.write_text("print('hello')\n")
    says = r"idle\.py ended: no app has anything to do: .*ryu\.base\.app_manager\.RyuApp"
    with Explore(app, topo=LinearTopo(k=2)) as explore, pytest.raises(ControllerError, match=says):
        explore.run([1])


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


@pytest.mark.parametrize(
    ("work", "said"),
    [
        ("while True: pass", "does not come to rest: it is busy for 0.2 s at one instant"),
        (
            "__import__('eventlet').patcher.original('time').sleep(3600)",
            "does not come to rest: it waits for 0.2 s at one instant",
        ),
    ],
)
def test_an_application_that_does_not_come_to_rest_is_found(
    work: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = learning(tmp_path, f"    def forward(self, message, frame):\n        {work}\n")
    with Explore(app, topo=LinearTopo(k=2)) as explore:
        monkeypatch.setattr(controller, "PATIENCE_S", 0.2)
        found, _ = explore.trial(())
    assert [each.invariant for each in found] == ["controller-runs"]
    assert said in found[0].text


def test_a_framework_that_takes_longer_to_load_than_a_step_may_is_awaited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "python"
    slow.write_text(f'#!/bin/sh\nsleep 1\nexec {find_python(RYU)} "$@"\n')
    slow.chmod(0o755)
    monkeypatch.setenv(RYU.variable, str(slow))
    with monkeypatch.context() as patience:
        patience.setattr(controller, "PATIENCE_S", 0.2)
        explore = Explore(APPS / "learning_switch.py", topo=LinearTopo(k=2))
    with explore:
        assert explore.trial(())[0] == []


def test_a_timer_of_the_application_is_never_lost(tmp_path: Path) -> None:
    app = tmp_path / "ticks.py"
    app.write_text(
        "from ryu.base import app_manager\n"
        "from ryu.lib import hub\n\n\n"
        "class Ticks(app_manager.RyuApp):\n"
        "    def start(self):\n"
        "        super().start()\n"
        "        return hub.spawn(self.tick)\n\n"
        "    def tick(self):\n"
        "        while True:\n"
        "            hub.sleep(0.07)\n"
        "            print('tick', flush=True)\n"
    )
    with Explore(app, topo=LinearTopo(k=2), invariants=()) as explore:
        _, seen = explore.trial(())
    assert seen.log.count("tick\n") == 142  # in 10 s: each 0.07 s or some nanoseconds later


def test_all_that_an_application_says_at_one_instant_comes_at_one_instant(tmp_path: Path) -> None:
    """A connection holds some 280 messages; the others came with the next thing that happened, seconds later."""
    app = learning(
        tmp_path,
        "    def begin(self, switch):\n"
        "        super().begin(switch)\n"
        "        for number in range(1000):\n"
        "            match = switch.ofproto_parser.OFPMatch(eth_dst='02:00:00:00:00:01')\n"
        "            self.add(switch, number + 1, match, [])\n",
    )
    with Explore(app, topo=LinearTopo(k=2)) as explore:
        found, seen = explore.trial(())
    assert found == []
    told = [at_ns for at_ns, what in seen.timeline if what == "controller -> s1: FLOW_MOD add"]
    first = [at_ns for at_ns in told if at_ns == told[0]]
    assert len(first) == 1 + 1000  # the table-miss flow, and these


def test_what_is_due_at_one_instant_is_done_in_the_order_in_which_it_was_asked_for(tmp_path: Path) -> None:
    app = tmp_path / "order.py"
    app.write_text(
        "from eventlet.event import Event\n"
        "from ryu.base import app_manager\n"
        "from ryu.lib import hub\n\n\n"
        "class Order(app_manager.RyuApp):\n"
        "    def start(self):\n"
        "        super().start()\n"
        "        self.queue, self.over = hub.Queue(), Event()\n"
        "        for number in range(50):\n"
        "            hub.spawn_after(1, print, 'timer', number, flush=True)\n"
        "            hub.spawn(self.take, number)\n"
        "            hub.spawn(self.wait, number)\n"
        "        return hub.spawn_after(2, self.give)\n\n"
        "    def take(self, number):\n"
        "        self.queue.get()\n"
        "        print('queue', number, flush=True)\n\n"
        "    def wait(self, number):\n"
        "        self.over.wait()\n"
        "        print('event', number, flush=True)\n\n"
        "    def give(self):\n"
        "        self.over.send()\n"
        "        for number in range(50):\n"
        "            self.queue.put(number)\n"
        "        hub.sleep(60)\n"  # Ryu ends when all that its apps have begun is over
    )
    with Explore(app, topo=LinearTopo(k=2), invariants=()) as explore:
        _, seen = explore.trial(())
    for what in ("timer", "queue", "event"):
        said = [line for line in seen.log.splitlines() if line.startswith(what)]
        assert said == [f"{what} {number}" for number in range(50)]


@pytest.mark.parametrize(
    ("app", "topo", "seeds"),
    [
        (str(APPS / "learning_switch.py"), "linear,3", range(1, 11)),
        (str(APPS / "early_tree.py"), str(APPS / "ring.yaml"), range(1, 5)),
        ("ryu.app.simple_switch_stp_13", "linear,3", range(1, 5)),  # timers of many ports are due together
        pytest.param(str(APPS / "learning_switch.py"), "linear,3", range(1, 101), marks=pytest.mark.thorough),
        pytest.param("ryu.app.simple_switch_13", "linear,3", range(1, 101), marks=pytest.mark.thorough),
    ],
)
def test_the_same_seeds_in_another_process_give_the_same_verdicts_and_traces_byte_for_byte(
    app: str, topo: str, seeds: range
) -> None:
    runs = []
    for _ in range(2):
        with Explore(app, topo=find_topology(None, topo)) as explore:
            trials = [explore.trial(draw(explore.site, seed), seed) for seed in seeds]
        runs.append([(found, seen.trace, seen.timeline, seen.log) for found, seen in trials])
    assert runs[0] == runs[1]
    assert len({trace for _, trace, _, _ in runs[0]}) == len(seeds)


def test_an_application_that_is_not_deterministic_is_said_to_be_so(tmp_path: Path) -> None:
    app = learning(
        tmp_path,
        "    def begin(self, switch):\n"
        "        switch.send_msg(switch.ofproto_parser.OFPEchoRequest(switch, __import__('os').urandom(8)))\n",
    )
    with Explore(app, topo=LinearTopo(k=2)) as explore:
        said = explore.run([1], schedule=(), repetitions=3).text()
    assert (
        "shows in 3 of 3 repetitions, with 3 different traces: the application is not deterministic" in said
    )


@pytest.mark.thorough
def test_in_simulated_time_the_counterexample_is_the_same_whatever_the_application_asks_its_computer(
    tmp_path: Path,
) -> None:
    try:
        find_kernel()
    except EnvironmentLackError as error:
        pytest.skip(str(error))
    app = learning(
        tmp_path,
        "    def begin(self, switch):\n"
        "        import datetime, os\n"
        "        print(datetime.datetime.now(), id(switch), flush=True)\n"
        "        switch.send_msg(switch.ofproto_parser.OFPEchoRequest(switch, os.urandom(8)))\n",
    )
    test = tmp_path / "found" / "found_test.py"
    test.parent.mkdir()
    words = ["explore", str(app), "--seeds", "1", "--repeat", "2", "--json", "--pytest", str(test)]
    command = [sys.executable, "-m", "hybridnet.cli", *words, "--time", "simulated"]
    outputs = []
    for _ in range(2):
        ended = subprocess.run(
            command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False
        )
        assert ended.returncode == 1, ended.stdout + ended.stderr
        outputs.append((ended.stdout, test.read_text()))
        test.unlink()
    assert outputs[0] == outputs[1]
    found = json.loads(outputs[0][0])["counterexample"]
    assert found["different_traces"] == 2  # the second repetition has other random numbers than the first
    assert "'--time', 'simulated'" in outputs[0][1]


def learning(tmp_path: Path, body: str) -> Path:
    """An application that is the learning switch of the examples, but for what the body of its class says."""
    app = tmp_path / "own.py"
    app.write_text(
        f"import sys\nsys.path.insert(0, {str(APPS)!r})\n"
        "from learning_switch import LearningSwitch\nfrom ryu.lib import hub\n\n\n"
        f"class Own(LearningSwitch):\n{body}"
    )
    return app


def test_a_switch_whose_connection_the_application_ends_connects_again(tmp_path: Path) -> None:
    app = learning(
        tmp_path,
        "    ended = False\n\n"
        "    def forward(self, message, frame):\n"
        "        if not self.ended:\n"
        "            self.ended = True\n"
        "            message.datapath.close()\n"
        "        super().forward(message, frame)\n",
    )
    with Explore(app, topo=LinearTopo(k=2)) as explore:
        found, seen = explore.trial(())
    assert found == []
    ended = next(at_ns for at_ns, what in seen.timeline if what == "the controller ends the connection of s1")
    again = [at_ns for at_ns, what in seen.timeline if what == "s1 connects"]
    assert again == [0, ended + 1_000_000_000]  # as Open vSwitch, which waits for a second


def test_connections_that_time_out_do_no_harm_to_the_correct_application(tmp_path: Path) -> None:
    file = tmp_path / "schedule.yaml"
    events = [
        f"{{at: {at}s, do: {who}-times-out, switch: s{number}, after: 200ms, behind: 300ms}}"
        for at, who, number in (
            (2, "switch", 1),
            (2.1, "controller", 2),
            (2.2, "switch", 1),
            (3.9, "switch", 3),
        )
    ]
    file.write_text(f"[{', '.join(events)}, {{at: 2.1s, do: ping, from: h1, to: h3}}]")
    with Explore(APPS / "learning_switch.py", topo=LinearTopo(k=3)) as explore:
        found, seen = explore.trial(explore.read(file))
    assert found == []
    # the second of s1 comes when it hears nothing anyway
    assert [sum(what == f"s{each} connects" for _, what in seen.timeline) for each in (1, 2, 3)] == [2, 2, 2]


def test_an_application_that_is_slow_to_be_ready_is_said_to_be_so_and_not_accused_when_it_has_the_time(
    tmp_path: Path,
) -> None:
    app = learning(
        tmp_path,
        "    def begin(self, switch):\n"
        "        self.places[switch.id] = {}\n"
        "        hub.spawn_after(20, super().begin, switch)\n",
    )
    with Explore(app, topo=LinearTopo(k=2)) as explore:
        report = explore.run([1], schedule=(), repetitions=1)
    assert report.counterexample is not None
    assert report.counterexample.ready_s == 60
    assert "It holds with --settle 60s" in report.text()
    with Explore(app, topo=LinearTopo(k=2), settle_s=25) as explore:
        assert explore.run(range(1, 4)).counterexample is None
        _, seen = explore.trial(())
    assert seen.timeline[0] == (-25_000_000_000, "s1 connects")


def test_requests_come_to_the_applications_rest_interface_and_its_port_is_nobody_elses(
    tmp_path: Path,
) -> None:
    always = tmp_path / "always.yaml"
    path = "/simpleswitch/mactable/000000000000000"
    always.write_text(
        f"- {{at: 1.2s, do: request, method: GET, path: {path}1}}\n"
        f"- {{at: 1.3s, do: request, method: GET, path: {path}9}}\n"
    )
    with socket.create_server(("127.0.0.1", 0)) as taken:
        arguments = ["--wsapi-host", "127.0.0.1", "--wsapi-port", str(taken.getsockname()[1])]
        topo = LinearTopo(k=2)
        with Explore(
            "ryu.app.simple_switch_rest_13", topo=topo, arguments=arguments, always=always
        ) as explore:
            found, seen = explore.trial(())
    assert found == []
    first, second = seen.requests
    assert (first.status, second.status) == (200, 404)
    assert json.loads(first.answer) == {"00:00:00:00:00:01": 1, "00:00:00:00:00:02": 2}


def test_a_request_to_an_application_without_a_rest_interface_is_found(tmp_path: Path) -> None:
    always = tmp_path / "always.yaml"
    always.write_text("[{at: 1s, do: request, method: GET, path: /stats}]")
    with Explore(APPS / "learning_switch.py", topo=LinearTopo(k=2), always=always) as explore:
        found, _ = explore.trial(())
    assert [each.invariant for each in found] == ["requests-are-answered"]


@pytest.mark.parametrize("request_s", [1.9, 2.1])
def test_a_request_to_a_controller_that_fails_need_not_be_answered(request_s: float, tmp_path: Path) -> None:
    schedule = tmp_path / "schedule.yaml"
    schedule.write_text(
        f"- {{at: {request_s}s, do: request, method: GET, path: /stats}}\n"
        "- {at: 2s, do: controller-fails, controller: c1, for: 1s}\n"
    )
    with Explore(APPS / "learning_switch.py", topo=LinearTopo(k=2)) as explore:
        found, _ = explore.trial(explore.read(schedule))
    assert not found


def test_without_the_disturbance_that_shows_a_mistake_it_is_not_found(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["explore", str(APPS / "stale_rule.py"), "--repeat", "1", "--seeds", "1-3"]
    assert main(words) == 1
    assert "do: host-moves" in capsys.readouterr().out
    assert main([*words, "--without", "host-moves"]) == 0
    assert main([*words, "--without", "host-move"]) == 2
    assert "did you mean host-moves?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("app", "schedule", "said"),
    [
        ("load_balancer", "switch-restarts, switch: s1, for: 300ms", None),
        ("forgotten_server", "switch-restarts, switch: s1, for: 300ms", "has begun at"),
        ("load_balancer", "ping, from: h1, to: h3", None),
        ("hidden_answer", "ping, from: h1, to: h3", "and its answer not to h1"),
        ("load_balancer", "ping, from: h1, to: h2", None),
        ("expired_flow", "ping, from: h1, to: h2", "has begun at"),
    ],
)
def test_a_load_balancer_that_takes_a_flow_to_another_server_is_found(
    app: str, schedule: str, said: str | None, tmp_path: Path
) -> None:
    file = tmp_path / "schedule.yaml"
    every = "1500ms" if "h2" in schedule else "200ms"  # longer than its entries last
    flow = f"{{at: 2s, do: flow, from: h1, to: 10.0.0.100, segments: 4, every: {every}}}"
    file.write_text(f"[{flow}, {{at: 2.3s, do: {schedule}}}]")
    one_server = (affinity("10.0.0.100", ["h3", "h4"]),)
    with Explore(APPS / f"{app}.py", topo=SingleSwitchTopo(k=4), invariants=one_server) as explore:
        found, seen = explore.trial(explore.read(file))
    assert seen.flows[1].sent == 4
    if said is None:
        assert found == []
    else:
        assert said in found[0].text


def test_a_host_that_moves_twice_to_a_switch_is_where_it_was_at_first(tmp_path: Path) -> None:
    file = tmp_path / "schedule.yaml"
    file.write_text(
        "[{at: 2s, do: host-moves, host: h1, to: s2}, {at: 3s, do: host-moves, host: h1, to: s2}]"
    )
    with Explore(APPS / "learning_switch.py", topo=LinearTopo(k=2)) as explore:
        found, seen = explore.trial(explore.read(file))
    assert found == []
    assert seen.homes["h1"] == explore.site.homes["h1"]
