# SPDX-License-Identifier: MIT
"""Mininet's prompt: what names no node is told, and the network stays."""

from __future__ import annotations

from unittest.mock import MagicMock

import pytest

from hybridnet.mininet.cli import CLI


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("iperf h1 h9", "*** iperf: there is no node h9; `nodes` lists them"),
        ("iperfudp 5M h9 h1", "*** iperf: there is no node h9; `nodes` lists them"),
        ("switch s9 stop", "*** s9 is not a switch; `nodes` lists them"),
        ("switch h1 stop", "*** h1 is not a switch; `nodes` lists them"),
        ("switch h1", "*** write: switch SWITCH start|stop"),
    ],
)
def test_a_name_that_is_no_node_is_told_and_the_prompt_goes_on(
    line: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    net = MagicMock(nameToNode={"h1": MagicMock()}, switches=[])
    net.__contains__.side_effect = net.nameToNode.__contains__
    CLI(net, cmd=f"{line}\npy 6*7")
    text = capsys.readouterr().err
    assert says in text
    assert "42" in text
    net.iperf.assert_not_called()
