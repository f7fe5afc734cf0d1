# SPDX-License-Identifier: MIT
"""A mistake: a switch connects again while its old connection is still there, and the end of the old one takes the new.

A switch without an answer to its echo requests connects again, and the controller learns only later that the old
connection has ended. It asks for the switch's number, which the new connection has as well. Ryu's own stplib does so.
"""

from learning_switch import LearningSwitch
from ryu.controller import ofp_event
from ryu.controller.handler import DEAD_DISPATCHER, MAIN_DISPATCHER, set_ev_cls


class OldConnection(LearningSwitch):
    """As `LearningSwitch`, but it serves only the switches of a list of its own."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.switches = {}

    @set_ev_cls(ofp_event.EventOFPStateChange, [MAIN_DISPATCHER, DEAD_DISPATCHER])
    def state_changed(self, event):
        if event.state == MAIN_DISPATCHER:
            self.switches[event.datapath.id] = event.datapath
        else:
            self.switches.pop(event.datapath.id, None)

    def forward(self, message, frame):
        if message.datapath.id in self.switches:
            super().forward(message, frame)
