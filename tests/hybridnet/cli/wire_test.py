# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet.cli.main import main


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["wire", "a", "b", "--rate", "10"], 'wire a-b, forward: rate: rate "10" has no unit'),
        (["wire", "a", "b", "--forward", "delay=5"], 'wire a-b, forward: delay: "5" has no unit'),
        (["wire", "a", "b", "--backward", "5ms"], "is not an option with its value"),
        (["wire", "a", "b", "--backward", "ecn=yes"], "wire a-b, backward: ecn=True marks where"),
        (["wire", "a", "b", "--aqm", "red:least=3x", "--rate", "1 Mbit/s"], 'has the unknown unit "x"'),
        (["wire", "a", "b", "--batch", "0"], "--batch 0 is not a whole number from 1 to 100000"),
        (["wire", "a", "b", "--batch", "100001"], "--batch 100001 is not a whole number from 1 to 100000"),
        (["wire", "a", "b", "--wait", "foo"], "wire: --wait 'foo' does not exist; write one of"),
        (["wire", "a", "b", "--duration", "0s"], "--duration '0s' is not above 0"),
        (["wire", "a", "b", "--duration", "5"], "has no unit"),
        (["wire", "a", "b", "--portal", "dpdk"], "invalid choice: 'dpdk'"),
        (["wire", "a", "a"], "both ends are a"),
        (["wire", "set", "a-b", "--record", "x.pcapng"], "--record cannot be changed while a wire runs"),
        (["wire", "a"], "the following arguments are required: B"),
        (["wire", "set", "no-such-wire", "--delay", "1ms"], "there is no wire of this name"),
        (["wire", "set", "no-such-wire", "--portal", "pcap"], "--portal cannot be changed while a wire runs"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_two(
    argv: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(argv) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert says in captured.err
    assert captured.err.count("\n") == 1
