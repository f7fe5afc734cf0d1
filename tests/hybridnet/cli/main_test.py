# SPDX-License-Identifier: MIT
"""The command line: every mistake is one line and its exit code; verbs do what they say without root."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from hybridnet.cli import execute, reproduce
from hybridnet.cli.main import VERBS, main
from hybridnet.errors import UsageError
from hybridnet.observe.results import Check, Verdict, Word
from hybridnet.system.journal import start_time

MY_TOPOLOGIES = """
from hybridnet import Topo
class Pair(Topo):
    def build(self, bw=10):
        self.addLink(self.addHost("h1"), self.addHost("h2"), bw=bw)
topos = {"pair": Pair}
if __name__ == "__main__":
    raise SystemExit("must not run")
"""


def failing(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str]:
    code = main(argv)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert captured.err.count("\n") == 1, "one line"
    return code, captured.err


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["fly"], "invalid choice: 'fly'"),
        (["plan"], "no topology is named"),
        (["plan", "--topo", "treee"], "there is no topology 'treee'"),
        (["plan", "--topo", "tree,1,2,m1,9"], "--topo tree,1,2,m1,9: too many positional arguments"),
        (["plan", "--topo", "twotrees,delay=5"], 'delay: "5" has no unit; write "5s", "5ms" or "5us"'),
        (["plan", "--topo", "tree,depth=2,depth=3"], "tree,depth=2,depth=3: depth is given twice"),
        (["plan", "--topo", "minimal", "--cut-delay", "5"], '--cut-delay: "5" has no unit'),
        (
            ["plan", "--topo", "minimal", "--wait", "long"],
            '"long" is not one of "auto", "sleep", "adaptive", ',
        ),
        (["plan", "/"], "/: it is a folder; name a file in it"),
        (["run", "--topo", "minimal", "--series", "0"], "--series '0': write 1 ms or more"),
        (["mn", "--cluster", ""], "--cluster : write HOST,HOST"),
        (
            ["mn", "--topo", "tree,x"],
            "--topo tree,x: depth 'x' is not a whole number; it takes (depth=1, fanout=2)",
        ),
        (
            ["mn", "--topo", "torus,2,2"],
            "--topo torus,2,2: a torus needs x and y of at least 3; it takes (x, y, n=1)",
        ),
        (["replay", "none.pcapng", "--plan", "none.json"], "none.json: it cannot be read: No such file"),
        (["plan", "--topo", "twotrees,delay=5us"], "cannot hide the transit between them"),
        (["plan", "--topo", "tree,2", "--port-type", "dpdk"], "invalid choice: 'dpdk'"),
        (["plan", "nowhere.py"], "nowhere.py: there is no such file"),
        (["run", "nowhere.py"], "nowhere.py: there is no such file"),
        (["run", __file__.replace("_test", "_tset")], "there is no such file; did you mean "),
        (["run", "/etc/passwd"], "/etc/passwd is no script of Python; name one, or a topology's file"),
        (["run", sys.executable], " is no script of Python; name one, or a topology's file"),
        (["reproduce", "nothing"], "there is no experiment 'nothing'; there are "),
        (["reproduce", "maxinett"], "there is no experiment 'maxinett'; did you mean maxinet? there are "),
        (["simulate", "mine.py", "--until", "-1s"], "a value that begins with - is written --until=VALUE;"),
        (["mn", "--topo", "liner,3"], "liner does not exist; did you mean linear? there are "),
        (["exec", "m1"], "no command is given"),
        (["plan", "--topo", "tree,x"], "--topo tree,x: tree: depth 'x' is not a whole number"),
        (
            ["plan", "--topo", "minimal", "--machines", "2", "--cut-delay", "1us"],
            "--cut-delay 1us: write 200 us or more",
        ),
        (
            ["plan", "--topo", "minimal", "--machines", "m1,"],
            "--machines m1,: write a number from 1 to 1000, or names",
        ),
        (
            ["run", "--topo", "minimal", "--controller", "remote,port=x"],
            "write remote,ip=ADDRESS,port=NUMBER",
        ),
        (["run", "--topo", "minimal", "--controller", "nowhere.py"], "nowhere.py: there is no such file"),
        (["mn", "--instances", "0"], "--instances 0: write a number from 1 to"),
        (["mn", "--peering", "transport"], "--peering transport: write NAME=VALUE"),
        (["plan", "--topo", "minimal", "--switches", "ovs"], "choose from openvswitch, simulated"),
        (["plan", "/dev/null"], "/dev/null: it is not a regular file"),
        (["plan", "--topo", "minimal", "--foo", "1"], "arguments: --foo; see `hybridnet plan --help`"),
        (["simulate", "--topo", "minimal", "--seed", "5"], "unrecognized arguments: --seed;"),
        (["plan", __file__], "it has no topology; write a class of Topo in it, or name one, such as"),
        (["run", "--topo", "minimal", "--dask", "here"], "--dask here: write tls://HOST:PORT"),
        (["rnu", "--topo", "minimal"], "invalid choice: 'rnu'; did you mean run?; see `hybridnet --help`"),
        (["run", "mine.py", "--until", "1s"], "--until 1s; --until is an option of simulate, sweep; see"),
        (["run", "--tpo", "minimal"], "unrecognized arguments: --tpo; did you mean --topo?"),
        (["plan", "--topo", "tre,2"], "there is no topology 'tre'; did you mean tree? there are"),
        (
            ["plan", "--topo", "tree,detph=2"],
            "detph is none of its arguments, which are depth, fanout, machine, nor an option of links; did you mean "
            "depth?",
        ),
        (["plan", "--topo", "mine.py"], "a Python file comes before the options"),
        (["plan", "--topo", "minimal", "--foo\x1b]0;x\x07"], r"arguments: --foo\x1b]0;x\x07; see"),
        ([], "no verb is given; `hybridnet --help` lists the verbs"),
        (["help"], "help is no verb; `hybridnet --help` lists the verbs"),
        (
            ["--version"],
            "--version: a verb comes first; did you mean `hybridnet version`? `hybridnet --help`",
        ),
        (["-v"], "-v: a verb comes first; `hybridnet --help` lists"),
        (["plan", "tree,2"], "tree,2: there is no such file; the topology of this name is --topo tree,2"),
        (["run", "minimal"], "minimal: there is no such file; the topology of this name is --topo minimal"),
        (["sweep", "tree", "--until", "1s"], "the topology of this name is --topo tree"),
        (["run", "--topo", "tree,2", "pingall"], "the test of this name is --test pingall"),
        (
            ["plan", "--topo", "tree depth=2"],
            "arguments come after commas, without spaces: tree,VALUE or tree,NAME",
        ),
        (
            ["plan", "--topo", "tree(2)"],
            "arguments come after commas, without spaces: tree,VALUE or tree,NAME",
        ),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_two(
    argv: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, text = failing(capsys, *argv)
    assert code == 2
    assert says in text


def test_what_the_computer_refuses_is_one_line_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "runs/one/series.parquet")

    monkeypatch.setattr("hybridnet.cli.version.run", full)
    code, text = failing(capsys, "version")
    assert code == 3
    assert text.startswith("error: runs/one/series.parquet: No space left on device; ")
    monkeypatch.setenv("HYBRIDNET_DEBUG", "1")
    with pytest.raises(OSError, match="No space left"):
        main(["version"])


@pytest.mark.parametrize(
    ("error", "lack"),
    [
        (MemoryError(), "memory"),
        (SystemError("<function f> returned NULL without setting an exception"), "memory"),
        (RuntimeError("can't start new thread"), "threads"),
    ],
)
def test_what_the_system_does_not_give_is_one_line_with_the_limits(
    error: Exception, lack: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def short(*_: Any) -> None:
        raise error

    monkeypatch.setattr("hybridnet.cli.version.run", short)
    code, text = failing(capsys, "version")
    assert code == 3
    assert text.startswith(f"error: the system gives no more {lack} (ulimit -v is ")
    monkeypatch.setenv("HYBRIDNET_DEBUG", "1")
    with pytest.raises(type(error)):
        main(["version"])


def test_debug_shows_where_an_error_was_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYBRIDNET_DEBUG", "1")
    with pytest.raises(UsageError):
        main(["plan"])


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_verb_has_help_with_an_example(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([verb, "--help"])
    assert end.value.code == 0
    assert re.search(
        rf"^  (sudo |ssh SERVER sudo )?hybridnet {verb}\b", capsys.readouterr().out, re.MULTILINE
    )


def test_plan_prints_a_tree_or_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--topo", "twotrees,depth=1,join=routed"]) == 0
    assert "r1: router" in capsys.readouterr().out
    assert main(["plan", "--topo", "twotrees,depth=1", "--port-type", "afxdp", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert sorted(plan["machines"]) == ["m1", "m2"]
    assert plan["machines"]["m1"]["port_type"] == "afxdp"


def test_a_terminal_without_box_drawing_characters_gets_question_marks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    printed = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(printed, encoding="ascii"))
    assert main(["plan", "--topo", "minimal"]) == 0
    assert b"??? h1: h1-eth0 10.0.0.1/8" in printed.getvalue()


def test_plan_takes_topologies_from_a_file_without_running_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(MY_TOPOLOGIES)
    assert main(["plan", str(file)]) == 0
    assert "10 Mbit/s" in capsys.readouterr().out
    assert main(["plan", str(file), "--topo", "pair,bw=20"]) == 0
    assert "20 Mbit/s" in capsys.readouterr().out
    code, text = failing(capsys, "plan", str(file), "--topo", "triple")
    assert code == 2
    assert "pair" in text


def test_run_runs_a_script_with_its_arguments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys\nif __name__ == '__main__':\n    print(sys.argv[1:])\n    sys.exit(5)\n")
    assert main(["run", str(script), "--", "--fast", "3"]) == 5
    assert capsys.readouterr().out == "['--fast', '3']\n"


def test_a_script_that_describes_a_network_and_starts_none_is_told_how_to_build_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.py"
    script.write_text("from hybridnet import Topo\nclass Visited(Topo):\n    pass\n")
    code, text = failing(capsys, "run", str(script))
    assert code == 2
    assert (
        f"only describes topologies; choose one with --topo: Visited, as in `hybridnet run {script} --topo V"
        in text
    )
    script.write_text("from hybridnet import Topo\nclass Visited(Topo):\n    pass\nprint(Visited())\n")
    assert main(["run", str(script)]) == 0
    assert "has started no network; --topo builds one of its topologies: Visited" in capsys.readouterr().err


def test_the_last_words_of_a_script_are_printed_as_python_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys\nsys.exit('no flow came through')\n")
    assert main(["run", str(script)]) == 1
    assert capsys.readouterr().err == "no flow came through\n"
    script.write_text("import sys\nsys.exit()\n")
    assert main(["run", str(script)]) == 0


def test_run_says_that_a_file_only_describes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.py"
    file.write_text(MY_TOPOLOGIES.split("if __name__")[0])
    code, text = failing(capsys, "run", str(file))
    assert code == 2
    assert "choose one with --topo: pair" in text


def test_errors_of_a_script_end_in_one_line_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "script.py"
    script.write_text("from hybridnet import Topo\nTopo().addLink('h1', 'h2')\n")
    code, text = failing(capsys, "run", str(script))
    assert code == 2
    assert "there is no node 'h1'" in text


def test_a_file_whose_name_says_neither_script_nor_topology_is_told_which_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "net.json").write_text('{"hosts": {"h1": {}}}')  # for Python an expression
    code, text = failing(capsys, "plan", str(tmp_path / "net.json"))
    assert code == 2
    assert (
        "net.json: it has no topology; the name of a script ends with .py, that of a topology with .yaml, "
        in text
    )


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("Net(A())", ": A: its build has no parameter; write def build(self)"),
        ("Net(Topo)", "is not a description; give Topo()"),
        ("Net(Two()).h1", """'Net' object has no attribute 'h1'; write ["h1"] instead of .h1"""),
        (
            "Net(Two(), controller='10.0.0.5:6653').start()",
            "or RemoteController('c0', ip='10.0.0.5', port=6653)",
        ),
        (
            "from hybridnet import Mininet",
            "; scripts import from hybridnet itself: from hybridnet import Net, Topo",
        ),
        (
            "from hybridnet.topo import Topo",
            "; scripts import from hybridnet itself: from hybridnet import Net, Topo",
        ),
        ("Net(Two(), bw=10)", "Net: bw= is an option of links; write addLink(node1, node2, bw=...)"),
        (
            "Two().addLink('h1', 'h2', queue=50)",
            "option 'queue' is not supported; write max_queue_size= (packets)",
        ),
        (
            "Two().addLink('h1', 'h2', '10', '5ms')",
            "port '10' of h1 is out of range; write 0 to 65279; an option has",
        ),
    ],
)
def test_what_a_first_script_gets_wrong_is_told_with_its_cure(
    line: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "mine.py"
    script.write_text(
        "from hybridnet import Net, Topo\nclass A(Topo):\n    def build():\n        pass\n"
        "class Two(Topo):\n    def build(self):\n        self.addHost('h1'), self.addHost('h2')\n" + line
    )
    _, text = failing(capsys, "run", str(script))
    assert says in text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = 1\nprint(undefined)\n", "mine.py:2: NameError: name 'undefined' is not defined"),
        ("x = (\n", "mine.py:1: SyntaxError: '(' was never closed"),
        ("x = '\0'\n", "Error: source code string cannot contain null bytes"),  # a ValueError before 3.12
        ("raise OSError('one\\ntwo')\n", "mine.py:1: OSError: one two"),
        ("import hybridnet_no_such_module\n", "mine.py:1: ModuleNotFoundError: No module named"),
        ("from beside import f\nf()\n", "beside.py:2: ZeroDivisionError: division by zero"),
        ("from hybridnet import Topo\nTopo().addHost(3)\n", "mine.py:2: node 3: a name starts with"),
    ],
)
@pytest.mark.parametrize(("verb", "code"), [("run", 1), ("plan", 2)])
def test_a_mistake_in_a_users_file_is_one_line_that_says_where(
    verb: str, code: int, text: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "beside.py").write_text("def f():\n    1 / 0\n")
    script = tmp_path / "mine.py"
    script.write_text(text)
    got, told = failing(capsys, verb, str(script))
    assert says in told
    assert got == (2 if "a name starts" in says else code)
    assert str(tmp_path) not in sys.path
    sys.modules.pop("beside", None)


def test_options_that_a_script_would_not_see_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.py"
    script.write_text("print('must not run')\n")
    code, text = failing(capsys, "run", str(script), "--test", "pingall")
    assert code == 2
    assert "--test needs --topo" in text


def test_options_that_no_network_of_a_script_obeyed_are_refused_at_its_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys\n")
    code, text = failing(capsys, "run", str(script), "--instances", "2", "--wait", "sleep")
    assert code == 2
    assert "--instances, --wait: the script has started no network" in text
    code, text = failing(capsys, "run", str(script), "--wait", "long")
    assert code == 2
    assert '"long" is not one of' in text


def test_plan_shows_the_switches_simulated_that_leave_it_open(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--topo", "minimal", "--switches", "simulated"]) == 0
    assert "s1: openflow" in capsys.readouterr().out


def test_reproduce_lists_the_experiments(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce"]) == 0
    assert "maxinet " in capsys.readouterr().out
    assert main(["reproduce", "--json"]) == 0
    assert "maxinet" in [listed["name"] for listed in json.loads(capsys.readouterr().out)]


def test_version_is_printed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["version", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)) == {"hybridnet", "python", "kernel"}


@pytest.mark.parametrize(("rounds", "code"), [("4", 0), ("0", 1)])
def test_reproduce_hands_the_rest_to_the_experiment_and_ends_with_its_checks(
    rounds: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Experiment:
        SUMMARY = "figure 1"
        WITHOUT_MACHINES = "it is a drawing"

        @staticmethod
        def add_arguments(parser: Any) -> None:
            parser.add_argument("--rounds", type=int)
            parser.add_argument("--out", type=Path, default=Path("runs/figure1"))

        @staticmethod
        def run(arguments: Any) -> list[Check]:
            return [Check("rounds", str(arguments.rounds), None, "at least 1", arguments.rounds >= 1)]

    monkeypatch.setattr(reproduce, "experiment_names", lambda: ["figure1"])
    monkeypatch.setattr(reproduce, "load", lambda name: Experiment)
    assert main(["reproduce", "figure1", "--rounds", rounds, "--json"]) == code
    told = json.loads(capsys.readouterr().out)
    assert told == {
        "checks": [
            {
                "what": "rounds", "measured": rounds, "published": None, "bound": "at least 1", "holds": code == 0,
                "disturbed": False,
            }
        ],
        "earlier_tries": [],
    }  # fmt: skip
    assert main(["reproduce", "figure1", "--rounds", rounds]) == code
    assert "at least 1" in capsys.readouterr().out


@pytest.mark.parametrize(("tries", "code", "made"), [(1, 1, 1), (2, 1, 2), (3, 0, 3), (9, 0, 3)])
def test_what_the_computer_broke_is_tried_again_and_every_try_is_reported(
    tries: int, code: int, made: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first two of its runs are broken."""
    words = [Word.BROKEN, Word.BROKEN, Word.TRUSTED]
    folders: list[Path] = []

    class Experiment:
        SUMMARY = "figure 1"
        WITHOUT_MACHINES = "it is a drawing"

        @staticmethod
        def add_arguments(parser: Any) -> None:
            parser.add_argument("--out", type=Path, default=Path("runs/figure1"))

        @staticmethod
        def run(arguments: Any) -> list[Check]:
            folders.append(arguments.out)
            return [Check.of_verdicts("verdict", [Verdict(words[len(folders) - 1], [])])]

    monkeypatch.setattr(reproduce, "experiment_names", lambda: ["figure1"])
    monkeypatch.setattr(reproduce, "load", lambda name: Experiment)
    assert main(["reproduce", "figure1", "--tries", str(tries), "--json"]) == code
    told = json.loads(capsys.readouterr().out)
    holds = [checks[0]["holds"] for checks in (*told["earlier_tries"], told["checks"])]
    assert holds == [False, False, True][:made]
    assert folders == [Path(f"runs/figure1{end}") for end in ("", "-try-2", "-try-3")][:made]
    folders.clear()
    assert main(["reproduce", "--tries", str(tries), "figure1"]) == code
    assert capsys.readouterr().out.count("verdict") == made


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--only", "mm1"], "--only: it goes with --all"),
        (["--within", "5", "mm1"], "--within: it goes with --all; options of mm1 come after its name"),
        (["--all", "mm1"], "write `--all --only mm1`"),
        (["--all", "--only", "mm2"], "no experiment 'mm2'"),
        (["--all", "--only", "scale", "--virtual-time"], "no experiment is left"),
        (["--all", "--tries", "0"], "not a whole number of at least 1"),
    ],
)
def test_words_for_all_experiments_that_do_not_go_together_are_refused(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reproduce", *words]) == 2
    assert complaint in capsys.readouterr().err


# exec: machines are found in the journals of running networks


def write_journal(state: Path, run: str, **entry: Any) -> None:
    (state / run).mkdir(parents=True)
    (state / run / "journal.jsonl").write_text(json.dumps({"make": "process", **entry}) + "\n")


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(tmp_path))
    return tmp_path


def test_exec_finds_the_machine_of_the_only_run(state: Path) -> None:
    own = os.getpid()
    write_journal(state, "run1", pid=own, start=start_time(own), what="init of machine m1")
    assert execute.find_machine("m1", None).init_pid == own
    with pytest.raises(
        UsageError, match="there is no machine or host m7 on this computer; the machines are m1"
    ):
        execute.find_machine("m7", None)


def test_exec_does_not_take_another_process_with_the_same_number(state: Path) -> None:
    write_journal(state, "run1", pid=os.getpid(), start=1, what="init of machine m1")
    with pytest.raises(UsageError, match="no network is running"):
        execute.find_machine("m1", None)


def test_exec_asks_which_run_where_several_have_the_machine(state: Path) -> None:
    own = os.getpid()
    for run in ("run1", "run2"):
        write_journal(state, run, pid=own, start=start_time(own), what="init of machine m1")
    with pytest.raises(UsageError, match="choose with --run: run1, run2"):
        execute.find_machine("m1", None)
    assert execute.find_machine("m1", "run2").init_pid == own
    with pytest.raises(UsageError, match="there is no run run3; there are: run1, run2"):
        execute.find_machine("m1", "run3")


def test_exec_reaches_a_machine_on_another_computer_by_its_own_way_in(state: Path) -> None:
    host = {
        "target": "root@far",
        "port": 2222,
        "python": "/opt/python",
        "state": "/run/there",
        "options": ["-v"],
    }
    (state / "run1").mkdir()
    entry = {"make": "ssh_machine", "name": "m1", "clean": [], "host": host}
    (state / "run1" / "journal.jsonl").write_text(json.dumps(entry) + "\n")
    place = execute.find_machine("m1", None)
    *ssh, remote = place.enter(["ls", "a b"])
    assert ssh[0] == "ssh"
    assert ssh[-5:] == ["-p", "2222", "-v", "--", "root@far"]
    assert remote.startswith("python=/opt/python; ")
    assert "\"$python\" -m hybridnet.machines.workers.enter run1 m1 ls 'a b'" in remote


def test_exec_says_that_it_needs_root_where_root_has_runs(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["exec", "m1", "true"]) == 2
    assert "no network is running" in capsys.readouterr().err
    monkeypatch.setattr(execute, "root_runs_something", lambda: True)
    assert main(["exec", "m1", "true"]) == 3
    assert "needs root; run with sudo" in capsys.readouterr().err


def test_exec_leaves_out_runs_whose_head_is_dead(state: Path) -> None:
    write_journal(state, "run1", pid=os.getpid(), start=start_time(os.getpid()), what="init of machine m1")
    with (state / "run1" / "journal.jsonl").open("a") as journal:
        journal.write(json.dumps({"make": "owner", "pid": os.getpid(), "start": 1, "what": "head"}) + "\n")
    with pytest.raises(UsageError, match="no network is running"):
        execute.find_machine("m1", None)


OF_MININET = """
from functools import partial
from mininet.topo import Topo
from mininet.link import TCLink

class Mine(Topo):
    def build(self, n=2):
        s1 = self.addSwitch("s1", dpid="7")
        for i in range(n):
            self.addLink(self.addHost("h%d" % (i + 1)), s1, cls=TCLink, bw=10, delay="5ms")
        self.addLink(self.addHost("h9", ip="10.0.0.9"), s1, port2=9, cls=partial(TCLink, bw=3))

topos = {"mytopo": lambda n=2: Mine(n=n)}
"""


def planned(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["plan", *words, "--json"]) == 0
    plan: dict[str, Any] = json.loads(capsys.readouterr().out)["machines"]["m1"]
    return plan


@pytest.mark.parametrize("text", [OF_MININET, OF_MININET.rpartition("\n\ntopos")[0]], ids=["topos", "class"])
def test_plan_takes_topologies_that_were_written_for_mininet(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "custom.py"
    script.write_text(text)
    name = "mytopo" if "topos" in text else "Mine"
    plan = planned(capsys, str(script), "--topo", f"{name},n=3")
    assert [host["name"] for host in plan["hosts"]] == ["h1", "h2", "h3", "h9"]
    assert plan["switches"][0]["dpid"] == "0000000000000007"
    [instance] = plan["instances"]
    rates = {link["name"]: link["a_to_b"]["rate_bps"] for link in instance["links"]}
    assert rates == {"h1-s1": 10e6, "h2-s1": 10e6, "h3-s1": 10e6, "h9-s1": 3e6}


def test_a_class_of_a_mininet_script_that_has_code_of_its_own_is_refused_with_the_way_to_run_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "custom.py"
    script.write_text(
        "from mininet.topo import Topo\nfrom mininet.node import Node\nclass Router(Node): pass\n"
        "class Mine(Topo):\n    def build(self):\n        self.addHost('r', cls=Router)\n"
    )
    code, text = failing(capsys, "plan", str(script))
    assert code == 2
    assert (
        "node r: cls=Router has code of its own, which Mininet's network runs: start it with `hybridnet mn"
        in text
    )


@pytest.mark.parametrize(
    "text",
    [
        "from hybridnet import Net\nfrom hybridnet.topologies import TreeTopo\n"
        "with Net(TreeTopo(depth=2)) as net:\n    print('STARTED')\n",
        "from hybridnet import Net\nfrom hybridnet.topologies import TreeTopo\nnet = Net(TreeTopo(depth=2))\n"
        "try:\n    net.start()\nexcept Exception:\n    print('STARTED')\nfinally:\n    net.stop()\n",
        "from mininet.net import Mininet\nfrom mininet.topo import Topo\nclass Two(Topo):\n    def build(self):\n"
        "        s = [self.addSwitch(f's{n}') for n in (1, 2, 3)]\n"
        "        for n in (1, 2): self.addLink(s[n], s[0])\n"
        "        for n in range(4): self.addLink(self.addHost(f'h{n}'), s[1 + n // 2])\n"
        "net = Mininet(Two(), controller=None)\nnet.start()\nprint('STARTED')\n",
    ],
    ids=["with", "try", "Mininet"],
)
def test_plan_shows_the_network_of_a_script_that_starts_one_and_starts_nothing(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.py"
    script.write_text(text)
    plan = planned(capsys, str(script))
    assert (len(plan["hosts"]), len(plan["switches"])) == (4, 3)
    assert main(["plan", str(script)]) == 0
    assert "STARTED" not in capsys.readouterr().out


def test_an_attribute_that_a_network_does_not_have_is_told_the_nearest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.py"
    script.write_text("from hybridnet import Net, Topo\nNet(Topo()).setLink('a', 'b', bw=1)\n")
    _, text = failing(capsys, "run", str(script))
    assert "'Net' object has no attribute 'setLink'; did you mean set_link?" in text
