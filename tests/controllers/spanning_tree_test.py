# SPDX-License-Identifier: MIT
"""What a port says of its link: in Ryu's own environment, as the app imports Ryu."""

from __future__ import annotations

import json
import subprocess

from hybridnet.run.controllers.frameworks import RYU, find_python
from hybridnet.run.controllers.process import CONTROLLERS

PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
from types import SimpleNamespace
import eventlet.wsgi
eventlet.wsgi.ALREADY_HANDLED = b""  # as ryu_manager does: Ryu imports it
import spanning_tree
from ryu.ofproto import ofproto_v1_3 as ofproto

heard = []
spanning_tree.stplib.Stp.port_status_handler = lambda self, ev: heard.append(ev.msg.desc.state)
tree = spanning_tree.SpanningTree.__new__(spanning_tree.SpanningTree)
bridge = SimpleNamespace(ports_state={1: ofproto.OFPPS_LIVE})
tree.bridge_list = {5: bridge}
for reason, state in json.loads(sys.argv[2]):
    datapath = SimpleNamespace(id=5, ofproto=ofproto)
    port = SimpleNamespace(port_no=1, state=state)
    before = len(heard)
    tree.port_status_handler(SimpleNamespace(msg=SimpleNamespace(datapath=datapath, desc=port, reason=reason)))
    if len(heard) > before:
        bridge.ports_state[1] = state
print(json.dumps(heard))
"""
ADD, DELETE, MODIFY = 0, 1, 2
DOWN, LIVE = 1, 4  # OpenFlow 1.3.5, section 7.2.1


def heard(*told: tuple[int, int]) -> list[int]:
    """The states of a live port that reach Ryu's spanning tree."""
    done = subprocess.run(
        [str(find_python(RYU)), "-c", PROGRAM, str(CONTROLLERS), json.dumps(told)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    states: list[int] = json.loads(done.stdout)
    return states


def test_a_port_that_is_no_longer_live_has_no_link_that_came_up() -> None:
    assert heard((MODIFY, 0), (MODIFY, DOWN), (MODIFY, DOWN), (MODIFY, 0), (MODIFY, LIVE)) == [DOWN, 0]


def test_ports_that_come_and_go_are_told_in_any_state() -> None:
    assert heard((DELETE, LIVE), (ADD, LIVE)) == [LIVE, LIVE]
