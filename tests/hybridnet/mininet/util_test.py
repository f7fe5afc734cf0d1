# SPDX-License-Identifier: MIT
"""Mininet's helpers give what Mininet's give."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from hybridnet.errors import UsageError
from hybridnet.mininet import util
from hybridnet.mininet.net import Mininet
from hybridnet.mininet.node import Ryu
from hybridnet.mininet.topo import SingleSwitchTopo


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
