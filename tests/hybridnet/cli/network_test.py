# SPDX-License-Identifier: MIT
from __future__ import annotations

import argparse
import os

import pytest

from hybridnet.cli.network import add_network_arguments, controllers_of, plan_options
from hybridnet.run.controllers.kinds import Ryu
from hybridnet.run.net import Net
from hybridnet.topologies import SingleSwitchTopo


def test_a_network_takes_what_the_command_line_says_of_its_plan() -> None:
    parser = argparse.ArgumentParser()
    add_network_arguments(parser)
    arguments = parser.parse_args(["--ip-base", "10.7.0.0/16", "--mac"])
    net = Net(SingleSwitchTopo(2), controller=None, **plan_options(arguments))
    assert net._options.ip_base == "10.7.0.0/16"
    assert net._options.auto_set_macs


def test_a_controllers_log_is_followed_though_nobody_reads_what_is_printed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    [controller] = controllers_of(None, SingleSwitchTopo(2))
    assert isinstance(controller, Ryu)
    with open(os.dup(writing), "w", buffering=1) as unread:
        monkeypatch.setattr("sys.stdout", unread)
        controller._line("loading app")
        controller._line("another line")
        monkeypatch.undo()
        os.dup2(os.open(os.devnull, os.O_WRONLY), unread.fileno())  # what it still holds goes nowhere
    os.close(writing)
