# SPDX-License-Identifier: MIT
from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from hybridnet.cli.main import main
from hybridnet.errors import UsageError
from hybridnet.observe.recording.frames_text import frames_of, line_of, write_frames_text

SCRIPT = """
from hybridnet import Topo

class Traced(Topo):
    def build(self):
        self.addSimHost("a", applications=[
            {"kind": "tcp_bulk", "destination": "b", "port": 9, "size": "20 kB"},
            {"kind": "ping", "destination": "b", "count": 1},
            {"kind": "udp_source", "destination": "b", "port": 9, "rate": "800 kbit/s", "payload": 1000,
             "stop": "50ms"}])
        self.addSimHost("b", applications=[{"kind": "tcp_discard", "port": 9}, {"kind": "udp_sink", "port": 9}])
        self.addSimRouter("r")
        self.addLink("a", "r", delay="5ms")
        self.addLink("r", "b")
"""


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("traced")
    (folder / "traced.py").write_text(SCRIPT)
    words = [
        "simulate",
        str(folder / "traced.py"),
        "--until",
        "1s",
        "--trace",
        "a-eth0,a",
        "--out",
        str(folder / "one"),
    ]
    assert main(words) == 0
    return folder / "one" / "traces"


def test_each_frame_is_a_line_and_the_handshake_reads_as_one(traces: Path) -> None:
    lines = (traces / "a-eth0.txt").read_text().splitlines()
    assert len(lines) == len(list(frames_of(traces / "a-eth0.pcap")))
    tcp = [line for line in lines if "Flags" in line]
    assert "Flags [S], seq " in tcp[0]
    assert "Flags [S.], seq " in tcp[1]
    assert ", ack 1, " in tcp[1]
    assert any(", seq 1:1449, ack 1, " in line and line.endswith("length 1448") for line in tcp)
    sent_at, answered_at = (float(line.split()[0]) for line in tcp[:2])
    assert answered_at - sent_at == pytest.approx(0.010, abs=0.001)  # both ways of the link


def test_other_protocols_are_named(traces: Path) -> None:
    text = (traces / "a-eth0.txt").read_text()
    assert "ARP, request who-has" in text
    assert ": UDP, length 1000\n" in text
    assert "ICMP echo request, id " in text
    assert "ICMP echo reply, id " in text


def test_the_state_of_connections_is_a_line_whenever_it_changes(traces: Path) -> None:
    lines = (traces / "connections.txt").read_text().splitlines()
    states = [line.split()[2] for line in lines]
    assert (states[0], states[-1]) == ("SYN-SENT", "TIME-WAIT")
    assert all(line.split()[1].startswith("a:") for line in lines)
    assert all(one.split()[2:] != other.split()[2:] for one, other in itertools.pairwise(lines))
    assert "cwnd 14480" in "\n".join(lines)  # ten segments of 1448 bytes


def test_a_frame_that_is_cut_off_or_unknown_has_a_line_too() -> None:
    assert line_of(bytes(12) + b"\x88\xcc" + bytes(46), {}) == "ethertype 0x88cc, length 60"
    assert line_of(bytes(12) + b"\x08\x00" + bytes(4), {}) == "cut off, length 18"
    assert line_of(b"", {}) == "cut off, length 0"


def test_what_is_no_capture_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.pcap").write_bytes(b"no capture, and long enough to be one")
    with pytest.raises(UsageError, match="it is not a pcap file"):
        write_frames_text(tmp_path / "x.pcap", tmp_path / "x.txt")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--trace", "a-eth0"], "traces go into --out DIR"),
        (["--trace", "a-eth0", "--out", "x", "--seeds", "2"], "are of one seed"),
        (["--trace", "r", "--out", "x"], "it is not a simulated host; name its interfaces, such as r-eth1"),
        (["--trace", "nothing", "--out", "x"], "nothing"),
    ],
)
def test_what_cannot_be_traced_is_refused(
    tmp_path: Path, words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "traced.py").write_text(SCRIPT)
    assert main(["simulate", str(tmp_path / "traced.py"), "--until", "1s", *words]) == 2
    assert says in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
