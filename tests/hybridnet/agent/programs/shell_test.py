# SPDX-License-Identifier: MIT
"""The shell itself needs no namespace: here it runs where the test does."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet.agent.programs.shell import Output, Shell
from hybridnet.errors import MachineError
from hybridnet.system.ways import Way


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    made = Shell("h1", Way(), dict(os.environ), tmp_path)
    yield made
    made.close()


def test_output_status_and_background_process_come_back(shell: Shell) -> None:
    output = shell.run("echo one; sleep 100 & echo two; (exit 4)", 10)
    assert (output.text, output.status) == ("one\ntwo\n", 4)
    assert output.last_pid is not None
    os.kill(output.last_pid, 0)
    shell.run(f"kill {output.last_pid}", 10)


def test_characters_survive_wherever_they_are_cut(shell: Shell) -> None:
    text = "aé€🙂" * 20_000
    assert shell.run(f"cat <<'END'\n{text}\nEND", 10).text == text + "\n"


def test_output_that_looks_like_the_beginning_of_a_mark_is_output(shell: Shell) -> None:
    assert shell.run(r"printf 'a\x1db\x1d'", 10).text == "a\x1db\x1d"


def test_faults_of_a_command_are_told_as_an_interactive_shell_tells_them(shell: Shell) -> None:
    assert shell.run("no-such-program", 10) == Output(
        "bash: no-such-program: command not found\n", True, 127, None
    )
    assert shell.run("true\ncd /no/such", 10).text == "bash: cd: /no/such: No such file or directory\n"
    assert shell.run("echo )", 10).text.startswith("bash: syntax error near unexpected token `)'\n")


def test_a_fault_that_is_told_in_pieces_is_told_the_same(shell: Shell) -> None:
    shell.start('printf "x %s: line 7" "$HYBRIDNET_COMMAND"; read; printf ": y"')
    words = ""
    while not words:
        words = shell.read(10).text
    os.write(shell._master, b"\n")
    while not (output := shell.read(10)).done:
        words += output.text
    assert words + output.text == "x bash: y"


def test_a_program_sees_a_terminal_without_echo_or_carriage_returns(shell: Shell) -> None:
    assert shell.run("test -t 0 && test -t 1 && echo terminal", 10).text == "terminal\n"


def test_programs_that_see_a_terminal_are_told_to_print_no_colours(shell: Shell) -> None:
    """As Debian 13's ip does, to whom scripts listen."""
    assert shell.run("echo $TERM $NO_COLOR", 10).text == "dumb 1\n"
    assert "\x1b" not in shell.run("ip address show dev lo", 10).text


def test_a_shell_and_what_it_starts_are_ordinary_processes(shell: Shell) -> None:
    of = "cut -d' ' -f18,19,40,41 /proc/{}/stat"  # priority, niceness, real-time priority, policy
    assert shell.run(f"{of.format('$$')}; {of.format('self')}", 10).text == "20 0 0 0\n" * 2


def test_a_shell_that_cannot_be_started_says_why(tmp_path: Path) -> None:
    broken = Shell("h1", Way(["env", "-C", "/no/such"]), dict(os.environ), tmp_path)
    with pytest.raises(MachineError, match=r"node h1: its shell ended with status 125: .*/no/such"):
        broken.run("true", 10)
    broken.close()


def test_a_shell_hangs_up_though_its_agent_was_started_by_nohup(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        made = Shell("h1", Way(), dict(os.environ), tmp_path)
        made.run("true", 10)
    finally:
        signal.signal(signal.SIGHUP, before)
    made.hang_up()
    assert made.process.wait(10) == -signal.SIGHUP
    made.close()


def test_exit_ends_the_shell_with_its_status(shell: Shell) -> None:
    output = shell.run("echo last; exit 5", 10)
    assert (output.text, output.status, shell.process.poll()) == ("last\n", 5, 5)


# Says so from within: a ^C between the shell's fork and the program would be lost.
SLEEPING = "sh -c 'echo ready; exec sleep 100'"


def test_a_command_finds_how_the_one_before_has_ended(shell: Shell) -> None:
    assert shell.run("sh -c 'exit 7'", 10).status == 7
    assert shell.run("echo $?", 10).text == "7\n"
    assert shell.run("echo $?", 10).text == "0\n"


@pytest.fixture
def as_mininet(tmp_path: Path) -> Iterator[Shell]:
    made = Shell("h1", Way(), dict(os.environ), tmp_path, as_mininet=True)
    yield made
    made.close()


def test_a_shell_as_mininet_s_is_found_by_its_name(as_mininet: Shell) -> None:
    said = as_mininet.run("echo $0 $1; nosuch", 10).text
    assert said == "bash mininet:h1\r\nbash: nosuch: command not found\r\n"
    assert Path(f"/proc/{as_mininet.process.pid}/cmdline").read_bytes().endswith(b"\0mininet:h1\0")


def test_a_shell_as_mininet_s_tells_each_job_as_it_begins(as_mininet: Shell) -> None:
    def run(text: str) -> tuple[str, str]:
        done = as_mininet.run(text, 10)
        return done.text, str(done.last_pid)

    said, pid = run("sleep 100 &")
    assert said == f"[1] {pid}\r\n"
    assert run("echo $!") == (f"{pid}\r\n", pid)
    said, pid = run("sleep 1 | sleep 100 & echo $!")
    assert said == f"[2] {pid}\r\n{pid}\r\n"
    said, pid = run("sleep 100 & sleep 101 & echo both")
    first, second, both = said.splitlines()
    assert (first[:4], second, both) == ("[3] ", f"[4] {pid}", "both")
    assert run("cat <(echo no job); (sleep 100 &)")[0] == "no job\r\n"
    assert run("sh -c 'exit 3'; echo $?")[0] == "3\r\n"
    as_mininet.run("sh -c 'exit 4'", 10)
    assert run("echo $?")[0] == "4\r\n"
    run("kill %1 %2 %3 %4")


def test_lines_of_a_shell_as_mininet_s_end_as_at_its_terminal_and_files_keep_theirs(
    as_mininet: Shell, tmp_path: Path
) -> None:
    assert as_mininet.run("echo a; echo b >&2; printf c", 10).text == "a\r\nb\r\nc"
    assert as_mininet.run("sh -c 'kill -SEGV $$'", 10).text == "Segmentation fault\r\n"
    as_mininet.run(f"echo a > {tmp_path}/out; echo b | cat >> {tmp_path}/out", 10)
    assert (tmp_path / "out").read_bytes() == b"a\nb\n"


def test_interrupt_ends_the_command_and_not_the_shell(shell: Shell) -> None:
    shell.start(SLEEPING)
    text = ""
    while "ready" not in text:
        text += shell.read(5).text
    shell.interrupt()
    while not shell.read(5).done:
        pass
    assert shell.run("echo alive", 10).text == "alive\n"


@pytest.mark.parametrize("kind", ["shell", "as_mininet"])
@pytest.mark.parametrize(
    "command",
    [
        "echo ready; while :; do :; done",
        "echo ready; while :; do sleep 0.01; done",
        f"{SLEEPING}; sleep 100",
    ],
)
def test_interrupt_ends_all_that_the_command_still_had_to_do(
    command: str, kind: str, request: pytest.FixtureRequest
) -> None:
    shell: Shell = request.getfixturevalue(kind)
    shell.start(f"{command}; echo went on")
    text = ""
    while "ready" not in text:
        text += shell.read(5).text
    shell.interrupt()
    output = shell.read(5)
    while not output.done:
        text += output.text
        output = shell.read(5)
    assert (text + output.text, output.status) == ("ready\r\n" if kind == "as_mininet" else "ready\n", 130)


def test_a_shell_that_waits_for_input_heeds_every_interrupt(shell: Shell) -> None:
    for command in ("echo ready; sleep 100", "echo ready; read x", "echo ready; read x"):
        shell.start(command)
        text = ""
        while "ready" not in text:
            text += shell.read(5).text
        time.sleep(0.1)  # until it waits
        shell.interrupt()
        deadline = time.monotonic() + 5
        while not (output := shell.read(1)).done:
            assert time.monotonic() < deadline, command
        assert output.status == 130


def test_interrupt_between_commands_changes_nothing(shell: Shell) -> None:
    shell.interrupt()
    assert shell.run("echo alive", 10).text == "alive\n"


def test_a_command_out_of_time_is_an_error_with_its_last_words(shell: Shell) -> None:
    with pytest.raises(MachineError, match=r"node h1: .* did not end within 0\.2 s .*words"):
        shell.run("echo words; sleep 100", 0.2)
    assert shell.run("echo alive", 10).text == "alive\n"


def test_what_is_typed_at_once_goes_to_the_command_and_not_to_the_shell(shell: Shell) -> None:
    for number in range(20):
        shell.start("read typed; echo got $typed")
        os.write(shell.terminal(), f"{number}\n".encode())
        said = ""
        while not (output := shell.read(10)).done:
            said += output.text
        assert said + output.text == f"got {number}\n"


@pytest.mark.parametrize(
    "typed", [b"echo typed\nand more\n", b"half a line", b"/proc/self/exe", b"with\0zero\0bytes"]
)
def test_what_is_typed_and_read_by_no_command_is_none(shell: Shell, typed: bytes) -> None:
    shell.run("true", 10)
    os.write(shell.terminal(), typed)
    for count in range(3):  # the first one, too, has its own output
        assert shell.run(f"echo {count}", 10).text == f"{count}\n"


def test_an_interrupt_while_the_shell_closes_reaches_nobody_else(tmp_path: Path) -> None:
    """The number of a descriptor that is closed is another one's at once."""
    shell = Shell("h1", Way(), dict(os.environ), tmp_path)
    shell.run("true", 10)
    shell.close()
    shell.interrupt()  # nothing, and no error
    taken = [os.open(tmp_path / "another", os.O_RDWR | os.O_CREAT) for _ in range(8)]
    shell.interrupt()
    assert (tmp_path / "another").read_bytes() == b""
    for descriptor in taken:
        os.close(descriptor)


def test_an_interrupt_reaches_a_program_that_does_not_read_what_was_typed(shell: Shell) -> None:
    shell.start("sleep 100")
    end = os.dup(shell.terminal())
    os.set_blocking(end, False)
    try:
        while os.write(end, b"x" * 1000):
            pass
    except BlockingIOError:
        os.set_blocking(end, True)
    deadline = time.monotonic() + 20
    output = shell.read(0)
    while not output.done:
        shell.interrupt()
        output = shell.read(0.5)
        assert time.monotonic() < deadline
    assert output.status == 130
    os.close(end)
