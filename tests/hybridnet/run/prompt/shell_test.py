# SPDX-License-Identifier: MIT
"""The prompt: commands in nodes, names for addresses, errors that do not end it."""

from __future__ import annotations

import io
import os
import readline
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hybridnet.run.net import Net
from hybridnet.run.node import Node
from hybridnet.run.prompt import shell
from hybridnet.run.prompt.shell import CLI
from hybridnet.system.log import setLogLevel
from hybridnet.topologies import SingleSwitchTopo
from tests.hybridnet.run.net.support import FakeCluster


def run(tmp_path: Path, *lines: str) -> FakeCluster:
    setLogLevel("output")
    cluster = FakeCluster()
    script = tmp_path / "commands"
    script.write_text("\n".join(lines) + "\n")
    with Net(SingleSwitchTopo(k=2), controller=None, cluster=cluster) as net:  # type: ignore[arg-type]
        CLI(net, script=str(script))
    return cluster


def started(cluster: FakeCluster) -> list[dict[str, Any]]:
    return [arguments for _, verb, arguments in cluster.calls if verb == "start_command"]


def test_a_nodes_name_runs_the_rest_there_with_addresses_for_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster = run(tmp_path, "h1 ping -c1  h2")
    assert started(cluster) == [{"node": "h1", "text": "ping -c1  10.0.0.2"}]
    assert capsys.readouterr().out == "one\ntwo\n"


def test_looking_commands_print_the_network(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path, "nodes", "net", "links", "intfs", "machines", "dump", "plan")
    text = capsys.readouterr().err
    for part in (
        "h1 h2 s1",
        "h1 h1-eth0:s1-eth1",
        "h2-eth0<->s1-eth2 (veth)",
        "s1: s1-eth1,s1-eth2",
        "m1 127.0.0.1",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("fly", "*** Unknown command: fly"),
        ("h1", "*** Enter a command for node: h1 <command>"),
        ("link h1 s1 sideways", "status 'sideways' does not exist"),
        ("link h1", "*** write: link NODE NODE up|down"),
        ("iperf h1", "*** 1 hosts are given"),
        ("iperf h1 h9", "node 'h9' does not exist"),
        ("py 1/0", "*** ZeroDivisionError: division by zero"),
        ("source nowhere", "*** nowhere: No such file"),
        ("source /bin/true", "*** /bin/true: it is not text in UTF-8"),
        ("xterm h9", "*** xterm h9: it is neither a host nor a switch"),
        ("xterm", "*** write: xterm NODE ..."),
        ("pingall x", "ping: timeout 'x' is not a number of seconds"),
        ("dpctl 'show", "No closing quotation"),
        ("help", "  link NODE NODE up|down: set the links between two nodes."),
        ("iperfudp 5M h1", "*** 1 hosts are given"),
        ("dpctl", "*** write: dpctl COMMAND [ARGUMENTS]"),
        ("exec m1", "*** write: exec MACHINE COMMAND"),
        ("px 1/0", "*** ZeroDivisionError: division by zero"),
        ("pingmatrix few", "'few' is not a whole number; write for example 10"),
    ],
)
def test_errors_are_told_and_the_prompt_goes_on(
    line: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, line, "py 6*7")
    text = capsys.readouterr().err
    assert says in text
    assert "42" in text


def test_python_sees_the_net_and_keeps_variables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path, "px x = h1.IP()", "py x, len(net.hosts)")
    assert "('10.0.0.1', 2)" in capsys.readouterr().err


def test_comprehensions_see_the_net_and_variables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path, "px names = ['h1', 'h2']", "py [net[name].IP() for name in names if name in names]")
    assert "['10.0.0.1', '10.0.0.2']" in capsys.readouterr().err


def test_python_sees_the_nodes_that_are_there_now(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    same = "py h2 is net['h2']"
    run(
        tmp_path,
        "px h1 = 'mine'",
        same,
        "px net.delHost('h2'); net.addHost('h2')",
        same,
        "px net.delHost('h2')",
        "py h2",
        "py h1",
    )
    text = capsys.readouterr().err
    assert text.endswith("True\nTrue\n*** NameError: name 'h2' is not defined\nmine\n")


def test_text_is_shown_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path, "py 'two\\nlines\\n'", "py ['a\\n']")
    assert capsys.readouterr().err.endswith("two\nlines\n['a\\n']\n")


@pytest.mark.parametrize(("ends_at", "gives_up"), [(1, False), (2, False), (99, True)])
def test_an_interrupt_goes_to_the_command_and_loses_no_output(
    ends_at: int,
    gives_up: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pressed: list[str] = []

    def monitor(node: Node, timeoutms: float) -> str:
        signal.raise_signal(signal.SIGINT)  # ^C, while the output is on its way
        node.waiting = len(pressed) < ends_at
        return f"after {len(pressed)}\n"

    monkeypatch.setattr(Node, "monitor", monitor)
    monkeypatch.setattr(Node, "sendInt", lambda node: pressed.append(node.name))
    run(tmp_path, "h1 ping h2")
    out, err = capsys.readouterr()
    last = 2 if gives_up else ends_at
    assert out == "".join(f"after {count}\n" for count in range(last + 1))
    assert pressed == ["h1"] * (last + gives_up)
    assert ("*** h1: ^C does not end `ping 10.0.0.2`" in err) is gives_up


def test_an_interrupt_while_a_command_starts_goes_to_it_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pressed: list[str] = []

    def start(node: Node, text: str) -> None:
        node.waiting = True
        signal.raise_signal(signal.SIGINT)

    def monitor(node: Node, timeoutms: float) -> str:
        node.waiting = not pressed
        return ""

    monkeypatch.setattr(Node, "sendCmd", start)
    monkeypatch.setattr(Node, "monitor", monitor)
    monkeypatch.setattr(Node, "sendInt", lambda node: pressed.append(node.name))
    run(tmp_path, "h1 sleep 100")
    assert pressed == ["h1"]


def test_what_a_node_raises_does_not_end_the_prompt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> list[str]:
        raise LookupError("no such thing")

    monkeypatch.setattr(Node, "intfNames", broken)
    run(tmp_path, "intfs", "py 6*7")
    text = capsys.readouterr().err
    assert "*** LookupError: no such thing" in text
    assert "42" in text


def test_comments_and_everything_after_exit_are_left_out(tmp_path: Path) -> None:
    cluster = run(tmp_path, "# h1 ls", "", "exit", "h1 ls")
    assert started(cluster) == []


def test_link_and_exec_reach_the_machine(tmp_path: Path) -> None:
    cluster = run(tmp_path, "link h1 s1 down", "exec m1 ovs-vsctl show")
    assert [c[1] for c in cluster.calls if c[1].startswith("link")] == ["link_down", "link_down"]
    assert ("m1", "exec", {"argv": "ovs-vsctl show"}) in cluster.calls


def test_timing_a_command_tells_how_long_it_took(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path, "time nodes")
    assert "*** Elapsed time: " in capsys.readouterr().err


def test_help_lists_commands_that_say_nothing_of_themselves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Own(CLI):
        def do_silent(self, _: str) -> None:
            pass

        def default(self, line: str) -> None:
            pass

    script = tmp_path / "commands"
    script.write_text("help\n")
    with Net(SingleSwitchTopo(k=1), controller=None, cluster=FakeCluster()) as net:  # type: ignore[arg-type]
        Own(net, script=str(script))
    told = capsys.readouterr().err
    assert "\n  silent\n" in told
    assert "NODE COMMAND" in told


def test_one_command_is_explained_when_it_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, "help pingpair")
    assert capsys.readouterr().out.strip() == "pingpair: ping between the first two hosts."


def test_a_simulated_node_runs_no_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    topo = SingleSwitchTopo(k=1)
    topo.addLink(topo.addSimHost("v1"), "s1")
    script = tmp_path / "commands"
    script.write_text("v1 ls\n")
    with Net(topo, controller=None, cluster=FakeCluster()) as net:  # type: ignore[arg-type]
        CLI(net, script=str(script))
    assert "*** v1 is simulated and runs no commands; ping it from a host" in capsys.readouterr().err


def test_a_command_of_this_computer_and_one_of_every_switch_show_their_output(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    cluster = run(tmp_path, "sh echo $((6*7))", "dpctl dump-flows 'a b'")
    out, err = capfd.readouterr()
    assert out == "42\n"
    assert "*** s1 ---" in err
    assert [c[2]["argv"] for c in cluster.calls if c[1] == "exec"][-1][-1] == "a b"


def test_a_file_of_commands_that_runs_itself_is_an_error_and_the_prompt_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = tmp_path / "again"
    again.write_text(f"py 'once'\nsource {again}\n")
    run(tmp_path, f"source {again}", f"source {again}", "py 6*7")
    text = capsys.readouterr().err
    assert text.count("once") == 2
    assert text.count(f"*** {again}: it runs itself") == 2
    assert "42" in text


def prompted(monkeypatch: pytest.MonkeyPatch, stdin: Any, kind: type[CLI] = CLI) -> FakeCluster:
    setLogLevel("output")
    monkeypatch.setattr(sys, "stdin", stdin)
    cluster = FakeCluster()
    with Net(SingleSwitchTopo(k=2), controller=None, cluster=cluster) as net:  # type: ignore[arg-type]
        kind(net)
    return cluster


def test_commands_come_by_a_pipe_until_it_ends(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster = prompted(monkeypatch, io.StringIO("h1 ls\n\nnodes\n"))
    assert [arguments["text"] for arguments in started(cluster)] == ["ls"]
    out, err = capsys.readouterr()
    assert "available nodes are: \nh1 h2 s1" in err
    assert "mininet>" not in out + err, "who pipes commands in wants no prompt"


def test_an_interrupt_at_the_prompt_does_not_end_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupted(CLI):
        def do_interrupted(self, _: str) -> None:
            raise KeyboardInterrupt

    prompted(monkeypatch, io.StringIO("interrupted\npy 6*7\n"), Interrupted)
    assert "\nInterrupt\n42\n" in capsys.readouterr().err


def test_an_interrupt_while_a_command_runs_is_the_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = FakeCluster()
    reads: list[str] = []

    def read(machine: str, node: str, timeout: float) -> dict[str, Any]:
        reads.append(node)
        if len(reads) == 1:
            signal.raise_signal(signal.SIGINT)
        return {"output": "", "done": len(reads) > 1, "status": 0, "last_pid": None}

    cluster.answers["read_command"] = read
    monkeypatch.setattr(sys, "stdin", io.StringIO("h1 sleep 100\n"))
    with Net(SingleSwitchTopo(k=2), controller=None, cluster=cluster) as net:  # type: ignore[arg-type]
        CLI(net)
    assert ("m1", "interrupt", {"node": "h1"}) in cluster.calls
    assert reads == ["h1", "h1"]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A terminal at which somebody types; what the prompt would write at its end is not written."""
    master, slave = os.openpty()
    monkeypatch.setattr("atexit.register", lambda *_: None)
    with os.fdopen(master, "wb", buffering=0) as typing, os.fdopen(slave, "r") as reading:
        yield typing.write, reading
    readline.clear_history()


def test_what_was_typed_before_is_remembered_at_a_terminal(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, terminal: tuple[Callable[[bytes], int], Any]
) -> None:
    history = tmp_path / "history"
    history.write_text("pingall\nnodes\n")
    monkeypatch.setattr(shell, "HISTORY", history)
    readline.clear_history()
    typed, reading = terminal
    typed(b"quit\n")
    prompted(monkeypatch, reading)
    assert [readline.get_history_item(number) for number in (1, 2)] == ["pingall", "nodes"]


def test_a_history_that_cannot_be_read_keeps_nobody_from_the_prompt(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    terminal: tuple[Callable[[bytes], int], Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(shell, "HISTORY", tmp_path)  # a folder: root may read every file
    typed, reading = terminal
    typed(b"py 6*7\nquit\n")
    prompted(monkeypatch, reading)
    text = capsys.readouterr().err
    assert f"*** {tmp_path}: " in text
    assert "what is typed here is not remembered\n42\n" in text
