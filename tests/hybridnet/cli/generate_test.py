# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet.cli.main import main


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        ([], "the following arguments are required: DEVICE"),
        (["x"], 'give a rate ("12500pps") or a schedule'),
        (["x", "--rate", "12500"], 'rate "12500" has no unit'),
        (["x", "--rate", "1pps"], "nothing ends it; give a duration or a count"),
        (["x", "--rate", "1pps", "--duration", "5"], 'duration: "5" has no unit; write "5s"'),
        (["x", "--rate", "1pps", "--duration", "0"], "a duration of 0 sends nothing"),
        (["x", "--rate", "1pps", "--count", "0"], "count 0 is not a whole number from 1"),
        (["x", "--rate", "1pps", "--schedule", "1pps for 1s"], "give a rate"),
        (["x", "--schedule", "1pps for 1s", "--duration", "1s"], "the schedule already has a length"),
        (["x", "--schedule", "1pps"], "is not a rate for a time"),
        (["x", "--rate", "1pps", "--count", "1", "--gaps", "odd"], "invalid choice: 'odd'"),
        (
            ["x", "--rate", "1pps", "--count", "1", "--speed", "2"],
            "speed and loop apply only to a recorded file",
        ),
        (["x", "--pcap", "f", "--rate", "1pps", "--speed", "2"], "a rate and a speed exclude each other"),
        (["x", "--pcap", "f", "--speed", "0"], "is not a factor"),
        (["x", "--pcap", "f", "--trains"], "trains applies only to programmed frames"),
        (["x", "--pcap", "f", "--size", "200"], "size applies only to programmed frames"),
        (["x", "--pcap", "f", "--port", "9"], "destination_port applies only to programmed frames"),
        (["x", "--pcap", "f", "--source", "192.0.2.1"], "source applies only to programmed frames"),
        (["x", "--pcap", "f", "--seed", "2"], "seed applies only to programmed frames"),
        (["x", "--rate", "1pps", "--count", "1", "--on", "1s"], "on and off apply only to on-off gaps"),
        (
            ["x", "--rate", "1pps", "--count", "1", "--destination", "y"],
            "destination 'y' is not an IPv4 address",
        ),
        (["x", "--pcap", "f", "--source-mac", "02:03"], "source_mac '02:03' is not a MAC address"),
        (
            ["x", "--receive", "--rate", "1pps"],
            "--rate is an option of sending; leave it out, or leave out --receive",
        ),
        (["x", "--silence", "1s"], "--silence is an option of counting; leave it out, or add --receive"),
        (["x", "--receive", "--count", "0"], "count 0 is not a whole number from 1"),
        (["x", "--receive", "--silence", "2"], '"2" has no unit'),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_two(
    argv: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["generate", *argv]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert says in captured.err
    assert captured.err.count("\n") == 1
