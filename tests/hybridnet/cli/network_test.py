# SPDX-License-Identifier: MIT
from __future__ import annotations

import argparse

from hybridnet.cli.network import add_network_arguments, plan_options
from hybridnet.net import Net
from hybridnet.topologies import SingleSwitchTopo


def test_a_network_takes_what_the_command_line_says_of_its_plan() -> None:
    parser = argparse.ArgumentParser()
    add_network_arguments(parser)
    arguments = parser.parse_args(["--ip-base", "10.7.0.0/16", "--mac"])
    net = Net(SingleSwitchTopo(2), controller=None, **plan_options(arguments))
    assert net._options.ip_base == "10.7.0.0/16"
    assert net._options.auto_set_macs
