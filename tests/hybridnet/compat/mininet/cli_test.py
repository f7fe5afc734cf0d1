# SPDX-License-Identifier: MIT
"""Mininet's prompt: what names no node is told, and the network stays."""

from __future__ import annotations

from unittest.mock import MagicMock

import pytest

from hybridnet.compat.mininet.cli import CLI


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("iperf h1 h9", "node 'h9' not in network"),
        ("iperfudp 5M h9 h1", "node 'h9' not in network"),
        ("switch s9 stop", "invalid switch: s9"),
        ("switch h1 stop", "invalid switch: h1"),
        ("switch h1", "invalid number of args: switch <switch name>{start, stop}"),
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
