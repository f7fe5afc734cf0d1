# SPDX-License-Identifier: MIT
"""A learning switch with a spanning tree, as a Ryu app, OpenFlow 1.3: Ryu's `simple_switch_stp_13`, which also notices
a link that fails (see `spanning_tree`).
"""

from __future__ import annotations

from ryu.app import simple_switch_stp_13
from spanning_tree import SpanningTree  # of its own module: Ryu runs the first app that it finds in this one


class SpanningTreeSwitch(simple_switch_stp_13.SimpleSwitch13):
    """`simple_switch_stp_13` with this spanning tree."""

    _CONTEXTS = {**simple_switch_stp_13.SimpleSwitch13._CONTEXTS, "stplib": SpanningTree}
