# SPDX-License-Identifier: MIT
from __future__ import annotations

import os
import queue
import socket
import sys
from pathlib import Path

import pytest

from hybridnet.errors import ControllerError, UsageError
from hybridnet.run.controllers.process import (
    CONTROLLERS,
    ControllerProcess,
    _Tail,
    exception_in,
    find_app,
    free_port,
    listens,
    with_files,
)


@pytest.fixture
def any_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Python that exists; whether it has Ryu does not matter to what is tested here."""
    monkeypatch.setenv("HYBRIDNET_RYU_PYTHON", sys.executable)


def test_app_is_a_file_one_of_ours_or_a_module_of_ryus(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.touch()
    assert find_app(mine) == str(mine)
    assert find_app("tree_switch") == str(CONTROLLERS / "tree_switch.py")
    assert find_app("ryu.app.ofctl_rest") == "ryu.app.ofctl_rest"


def test_files_among_the_arguments_are_found_in_both_forms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "flags.py").touch()
    monkeypatch.setattr(
        "hybridnet.run.controllers.process.user_file", lambda name: tmp_path / Path(name).name
    )
    words = [
        "--user-flags",
        "flags.py",
        "--user-flags=x/flags.py",
        "--observe-links",
        "--rate",
        "10",
        "--name=",
    ]
    found = f"{tmp_path}/flags.py"
    assert with_files(words) == [
        "--user-flags", found, f"--user-flags={found}", "--observe-links", "--rate", "10", "--name="
    ]  # fmt: skip


def test_it_listens_at_each_address_that_it_is_given_and_at_no_other() -> None:
    port = free_port("0.0.0.0")
    with ControllerProcess(["setup_switch"], address="127.0.0.1", others=["127.0.0.2"], port=port):
        for address, hears in (("127.0.0.1", True), ("127.0.0.2", True), ("127.0.0.3", False)):
            with socket.create_connection((address, port), timeout=10) as switch:
                assert bool(switch.recv(1)) == hears  # its hello, or the end


def test_a_module_that_an_app_lacks_is_named_with_the_command_that_adds_it(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import no_such_module\n")
    with pytest.raises(
        ControllerError,
        match=r"No module named 'no_such_module' \(.*mine\.py, line 1\); .* setup-ryu --with no_such_module",
    ):
        ControllerProcess([tmp_path / "mine.py"], port=free_port()).start()


def test_a_file_without_an_app_is_told_what_an_app_is(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("print('hello')\n")
    says = (
        r"ended with status 1: no app has anything to do: .*class derived from ryu\.base\.app_manager\.RyuApp"
    )
    with pytest.raises(ControllerError, match=says):
        ControllerProcess([tmp_path / "mine.py"], port=free_port()).start()


def test_missing_app_file_is_named() -> None:
    with pytest.raises(UsageError, match=r"controller nowhere/app\.py: there is no such file"):
        find_app("nowhere/app.py")


@pytest.mark.usefixtures("any_python")
@pytest.mark.parametrize("port", [0, -1, 65536])
def test_port_out_of_range_is_named(port: int) -> None:
    with pytest.raises(UsageError, match=f"{port} is not a TCP port"):
        ControllerProcess(["tree_switch"], port=port)


@pytest.mark.usefixtures("any_python")
def test_controller_without_an_app_is_refused() -> None:
    with pytest.raises(UsageError, match="no app is named"):
        ControllerProcess([])


@pytest.mark.usefixtures("any_python")
def test_controller_that_was_not_started_cannot_be_checked_but_stopped() -> None:
    controller = ControllerProcess(["tree_switch"])
    with pytest.raises(UsageError, match="is not started"):
        controller.check()
    controller.stop()
    assert controller.pid is None


@pytest.mark.usefixtures("any_python")
def test_command_that_does_not_exist_is_named() -> None:
    controller = ControllerProcess(["tree_switch"], prefix=["/nonexistent/command"])
    with pytest.raises(ControllerError, match="/nonexistent/command: No such file"):
        controller.start()


@pytest.mark.usefixtures("any_python")
def test_log_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    controller = ControllerProcess(["tree_switch"], log=tmp_path / "no such folder" / "ryu.log")
    with pytest.raises(
        ControllerError, match=r"cannot write its log .*no such folder/ryu\.log: No such file"
    ):
        controller.start()


def test_listening_socket_is_found_by_its_owner_only() -> None:
    port = free_port()
    assert not listens(os.getpid(), port)
    with socket.create_server(("127.0.0.1", port)):
        assert listens(os.getpid(), port)
        assert not listens(1, port)
    assert not listens(os.getpid(), port)


def test_log_lines_are_handed_on_whole_and_in_order(tmp_path: Path) -> None:
    path, lines = tmp_path / "log", queue.Queue[str]()
    with path.open("w", buffering=1) as log:
        log.write("early\n")
        tail = _Tail(path, lines.put)
        log.write("first half, ")
        log.flush()
        log.write("second half\nlast\n")
        assert [lines.get(timeout=10) for _ in range(3)] == ["early", "first half, second half", "last"]
        log.write("at the very end\n")
        tail.close()
    assert lines.get_nowait() == "at the very end"


def test_what_takes_the_lines_may_fail_and_gets_the_others_and_its_failure_is_told_once(
    tmp_path: Path,
) -> None:
    path = tmp_path / "log"
    path.write_text("1\nno number\n3\nnone either\n")
    taken: list[int] = []
    tail = _Tail(path, lambda line: taken.append(int(line)))
    tail.close()
    assert taken == [1, 3]
    said = tail.take_failure()
    assert said.startswith("on_line raises ValueError: invalid literal")
    assert said.endswith("for the line 'no number'; correct that function")
    assert tail.take_failure() == ""


def test_a_log_that_ends_with_an_exception_is_told_in_one_line() -> None:
    trace = (
        'Traceback (most recent call last):\n  File "/x/controllers/mine.py", line 3, in start\n'
        '  File "/usr/lib/python3.11/json/decoder.py", line 9, in decode\n    raise\nValueError: no such luck\n'
    )
    assert exception_in(trace) == "ValueError: no such luck (/x/controllers/mine.py, line 3)"
    assert exception_in("loading app\ncannot listen\n") is None
    nothing = "no app has anything to do: an app is a class"
    assert exception_in(f"loading app\n{nothing}\n") == nothing
    assert (
        exception_in(f"{trace}\n{nothing}\n") == "ValueError: no such luck (/x/controllers/mine.py, line 3)"
    )


def test_where_what_an_app_imports_is_no_python_that_is_the_reason() -> None:
    log = (
        "Traceback (most recent call last):\n"
        '  File "/x/app.py", line 8, in <module>\n'
        "    import nat\n"
        '  File "/x/nat.py", line 5\n'
        "    print 1\n"
        "SyntaxError: Missing parentheses in call to 'print'\n"
        "\nDuring handling of the above exception, another exception occurred:\n\n"
        "Traceback (most recent call last):\n"
        '  File "/v/lib/python3.11/site-packages/ryu/utils.py", line 104, in import_module\n'
        "    return importlib.import_module(modname)\n"
        "ModuleNotFoundError: No module named '/x/app'\n"
    )
    assert exception_in(log) == "SyntaxError: Missing parentheses in call to 'print' (/x/nat.py, line 5)"


def test_only_the_last_lines_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("".join(f"line {number}\n" for number in range(100)))
    tail = _Tail(path, None)
    assert tail.last_lines().splitlines() == [f"line {number}" for number in range(85, 100)]
    tail.close()


def test_a_free_port_is_one_that_the_kernel_gives_to_nobody_who_asks_for_any() -> None:
    lowest_given_out = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    ports = {free_port() for _ in range(20)}
    assert len(ports) > 1
    assert all(10000 <= port < lowest_given_out for port in ports)
