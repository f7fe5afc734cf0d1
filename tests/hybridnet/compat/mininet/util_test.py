# SPDX-License-Identifier: MIT
"""Mininet's helpers give what Mininet's give."""

from __future__ import annotations

import resource
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from hybridnet.compat.mininet import util
from hybridnet.compat.mininet.net import Mininet
from hybridnet.compat.mininet.node import Ryu
from hybridnet.compat.mininet.topo import SingleSwitchTopo
from hybridnet.errors import EnvironmentLackError, UsageError


def test_irange_has_both_its_ends() -> None:
    assert list(util.irange(1, 3)) == [1, 2, 3]


def test_addresses_are_numbered_within_their_network() -> None:
    assert util.ipAdd(1) == "10.0.0.1"
    assert util.ipAdd(256, 8) == "10.0.1.0"
    assert util.ipAdd(3, 24, util.ipParse("192.168.7.0")) == "192.168.7.3"
    with pytest.raises(UsageError, match="no address number 256"):
        util.ipAdd(256, 24)


def test_networks_are_read_with_and_without_a_length() -> None:
    assert util.netParse("192.168.0.0/16") == ((192 << 24) + (168 << 16), 16)
    assert util.netParse("10.0.0.0/8")[1] == 8


def test_a_command_s_output_errors_and_status_are_told_apart() -> None:
    out, err, status = util.errRun(
        [sys.executable, "-c", "import sys; print('o'); sys.stderr.write('e'); sys.exit(3)"]
    )
    assert (out, err, status) == ("o\n", "e", 3)
    assert util.quietRun("echo two words") == "two words\n"
    assert util.errRun("echo $((20 + 1))", shell=True)[0] == "21\n"
    assert util.errRun("there-is-no-such-program")[2] == 127


def test_text_of_a_command_line_becomes_a_topology() -> None:
    topo = util.buildTopo({"single": SingleSwitchTopo}, "single,k=3")
    assert topo.hosts() == ["h1", "h2", "h3"]
    with pytest.raises(UsageError, match="no topology 'ring'"):
        util.buildTopo({"single": SingleSwitchTopo}, "ring,3")


def test_parameters_of_a_command_line_come_after_those_of_the_call() -> None:
    made = util.customClass({"ryu": Ryu}, "ryu,simple_switch_13,ofctl_rest,ip=127.0.0.2")("c0")
    assert (made.name, made.apps, made.ip) == ("c0", ["simple_switch_13", "ofctl_rest"], "127.0.0.2")
    assert util.customClass({"ryu": Ryu}, "ryu") is Ryu
    with pytest.raises(UsageError, match="nox is unknown; write one of ryu"):
        util.customClass({"ryu": Ryu}, "nox")


def test_connections_are_shown_also_where_nobody_asked_for_more(capsys: pytest.CaptureFixture[str]) -> None:
    net = Mininet(SingleSwitchTopo(1), controller=None)
    util.dumpNodeConnections(net.hosts)
    assert capsys.readouterr().err == "h1 h1-eth0:s1-eth1\n"


def test_lines_of_several_programs_come_with_their_keys_until_all_have_ended() -> None:
    programs = {
        word: subprocess.Popen(["echo", word], stdout=subprocess.PIPE, text=True) for word in ("one", "two")
    }
    said = [(key, line) for key, line in util.pmonitor(programs) if key is not None]
    assert sorted(said) == [("one", "one\n"), ("two", "two\n")]
    assert programs == {}


def test_lines_that_one_call_did_not_take_are_left_for_the_next() -> None:
    programs = {
        word: subprocess.Popen(["seq", first, last], stdout=subprocess.PIPE, text=True)
        for word, first, last in (("one", "1", "5"), ("two", "11", "15"))
    }
    said: list[tuple[str, str]] = []
    for key, line in util.pmonitor(programs):
        if key is not None:
            said.append((key, line.strip()))
        if len(said) == 3:
            break
    said += [(key, line.strip()) for key, line in util.pmonitor(programs) if key is not None]
    assert [line for key, line in said if key == "one"] == ["1", "2", "3", "4", "5"]
    assert [line for key, line in said if key == "two"] == ["11", "12", "13", "14", "15"]
    assert programs == {}


def test_limits_are_raised_and_not_lowered(tmp_path: Path) -> None:
    limit, words = tmp_path / "limit", tmp_path / "words"
    limit.write_text("100\n"), words.write_text("1 2 3\n")
    util.sysctlTestAndSet(str(limit), 50)
    assert limit.read_text() == "100\n"
    util.sysctlTestAndSet(str(limit), 200), util.sysctlTestAndSet(str(words), "4 5 6")
    assert (limit.read_text(), words.read_text()) == ("200", "4 5 6")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    util.rlimitTestAndSet(resource.RLIMIT_NOFILE, before[0] - 1)
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == before


def test_text_and_bytes_become_each_other_and_stay_what_they_are() -> None:
    assert (util.encode("é"), util.encode(b"x")) == (b"\xc3\xa9", b"x")
    assert (util.decode(b"\xc3\xa9"), util.decode("x")) == ("é", "x")
    decoder = util.getincrementaldecoder()
    assert [decoder.decode(piece) for piece in (b"a\xc3", b"\xa9")] == ["a", "é"]


def test_a_command_is_a_list_a_text_or_words_and_may_be_the_shells_own(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert util.errRun("echo", 1, "b")[0] == "1 b\n"
    assert util.errRun(["echo", "a  b"])[0] == "a  b\n"
    assert util.oldQuietRun("echo a b") == util.oldQuietRun("echo", "a", "b") == "a b\n"
    assert util.errRun("ulimit -n")[2] == 0, "no program has this name"
    assert util.errRun('echo "a  b"')[0] == '"a  b"\n', "a text is divided at each space, as Mininet does it"
    monkeypatch.setattr(util, "info", lambda *words: print(*words, end=""))
    monkeypatch.setattr(util, "output", lambda text: print(text, end=""))
    util.errRun("echo", "x", echo=True)
    assert capsys.readouterr().out == "('echo', 'x') \nx\n"


def test_a_command_that_fails_is_told_by_its_status_or_raises() -> None:
    assert (util.run("true"), util.checkRun("true"), util.run("false")) == (0, 0, 1)
    with pytest.raises(subprocess.CalledProcessError):
        util.checkRun("false")
    assert util.errFail("echo ok") == ("ok\n", "", 0)
    with pytest.raises(Exception, match="failed with return code 3: why"):
        util.errFail("echo why >&2; exit 3", shell=True)


def test_a_program_is_found_where_it_is_and_else_nowhere() -> None:
    assert Path(util.which("sh") or "").name == "sh"
    assert util.which("there-is-no-such-program") is None


def test_something_is_tried_again_until_it_goes_and_given_up_in_the_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    answers = iter([False, False, True])
    util.retry(3, 0.0, lambda: next(answers))
    assert list(answers) == []
    with pytest.raises(SystemExit):
        util.retry(2, 0.0, lambda: False)
    assert "gave up after 2 retries" in capsys.readouterr().err


def test_who_is_not_root_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getuid", lambda: 0)
    util.ensureRoot()
    monkeypatch.setattr("os.getuid", lambda: 1000)
    with pytest.raises(EnvironmentLackError, match="run with sudo"):
        util.ensureRoot()


def test_a_script_that_needs_pexpect_is_told_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pexpect", None)
    with pytest.raises(EnvironmentLackError, match="pip install pexpect"):
        util.pexpect.spawn("true")
    with pytest.raises(EnvironmentLackError, match="pip install pexpect"):
        _ = util.pexpect.EOF


@pytest.mark.parametrize(
    ("written", "number", "length"),
    [
        ("10.0.0.0/8", 10 << 24, 8),
        ("10", 10 << 24, 8),
        ("10.1", (10 << 24) + (1 << 16), 16),
        ("10.1.", (10 << 24) + (1 << 16), 16),
        ("10.1.2", (10 << 24) + (1 << 16) + (2 << 8), 24),
        ("10.1.2.3", (10 << 24) + (1 << 16) + (2 << 8) + 3, 24),
    ],
)
def test_a_network_without_a_length_is_as_long_as_the_bytes_that_are_given(
    written: str, number: int, length: int
) -> None:
    assert util.netParse(written) == (number, length)


def test_numbers_in_text_are_numbers() -> None:
    assert [util.makeNumeric(text) for text in ("7", "2.5", "1e3", "ten")] == [7, 2.5, 1000.0, "ten"]
    assert (util.checkInt("7"), util.checkInt("7.0"), util.checkFloat("x")) == (True, False, False)


def test_names_with_numbers_have_the_order_of_the_numbers() -> None:
    names = ["h10", "h2", "h1"]
    keys = dict(zip(names, util.naturalSeq(names), strict=True))
    assert sorted(names, key=keys.__getitem__) == ["h1", "h2", "h10"]


def test_a_special_class_puts_its_arguments_around_and_over_those_of_the_call() -> None:
    class Recorded:
        def __init__(self, *args: object, **params: object) -> None:
            self.given = (args, params)

    special = util.specialClass(
        Recorded, prepend=[1], append=[9], defaults={"a": 1, "b": 1}, override={"c": 3}
    )
    assert special.__name__ == "Recorded{'a': 1, 'b': 1}"
    assert special(5, b=2, c=2).given == ((1, 5, 9), {"a": 1, "b": 2, "c": 3})  # type: ignore[attr-defined]
    assert util.specialClass(Recorded)().given == ((), {})  # type: ignore[attr-defined]


def test_a_network_shows_its_connections_and_its_ports(capsys: pytest.CaptureFixture[str]) -> None:
    net = Mininet(SingleSwitchTopo(1), controller=None)
    util.dumpNetConnections(net)
    util.dumpPorts(net.switches)
    shown = capsys.readouterr().err
    assert shown == "s1 lo:  s1-eth1:h1-eth0\nh1 h1-eth0:s1-eth1\ns1 lo:0 s1-eth1:1\n"


def test_programs_that_say_nothing_leave_time_for_something_else_and_pieces_are_as_long_as_wanted() -> None:
    words = ["sh", "-c", "sleep 0.3; printf abcdef"]
    programs = {"one": subprocess.Popen(words, stdout=subprocess.PIPE, text=True)}
    said = list(util.pmonitor(programs, timeoutms=50, readline=False, readmax=4))
    assert said[0] == (None, "")
    assert "".join(text for key, text in said if key) == "abcdef"
    assert max(len(text) for _, text in said) <= 4


def test_a_program_whose_output_somebody_closes_has_ended() -> None:
    program = subprocess.Popen(["sleep", "0.2"], stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    program.stdout.close()
    programs = {"one": program}
    assert [key for key, _ in util.pmonitor(programs) if key] == []
    assert programs == {}


def test_a_server_that_listens_is_waited_for_and_one_that_does_not_is_given_up(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert util.waitListening(server="127.0.0.1", port=port, timeout=10)
    assert not util.waitListening(server="127.0.0.1", port=port, timeout=0.0)
    assert f"could not connect to 127.0.0.1 on port {port}" in capsys.readouterr().err


def test_a_setting_of_the_kernel_may_be_named_as_sysctl_names_it() -> None:
    before = Path("/proc/sys/net/core/somaxconn").read_text()
    util.sysctlTestAndSet("net.core.somaxconn", 1)
    assert Path("/proc/sys/net/core/somaxconn").read_text() == before


RAISED = """
import resource
from hybridnet.compat.mininet.util import rlimitTestAndSet
limit, unlimited = resource.RLIMIT_CORE, resource.RLIM_INFINITY
hard = resource.getrlimit(limit)[1]
wanted = 4096 if hard == unlimited else hard
resource.setrlimit(limit, (0, hard))
rlimitTestAndSet(limit, wanted)
assert resource.getrlimit(limit) == (wanted, hard), "raised, and may be raised further"
if hard == unlimited:
    resource.setrlimit(limit, (unlimited, hard))
    rlimitTestAndSet(limit, wanted)
    assert resource.getrlimit(limit) == (unlimited, hard), "no limit is above every limit"
"""


def test_a_limit_that_is_below_is_raised_and_none_is_put_where_there_was_none() -> None:
    subprocess.run([sys.executable, "-c", RAISED], check=True)  # in a process that ends with its limits


def test_versions_are_compared_part_by_part() -> None:
    first, second, third = (util.StrictVersion(text) for text in ("1.9.12", "1.12.0", "2.0"))
    assert first < second < third
    assert second == util.StrictVersion("1.12.0")
