# SPDX-License-Identifier: MIT
"""A mistake: each time that a switch connects one more thread asks for its statistics, and none of them ever ends."""

from learning_switch import LearningSwitch
from ryu.lib import hub

EVERY_S = 0.02


class MorePollers(LearningSwitch):
    """As `LearningSwitch`, and it asks each switch for the counters of its ports."""

    def begin(self, switch):
        super().begin(switch)
        hub.spawn(self.poll, switch.id)
        self.switches = {**getattr(self, "switches", {}), switch.id: switch}

    def poll(self, number):
        while True:
            hub.sleep(EVERY_S)
            switch = self.switches[number]
            switch.send_msg(switch.ofproto_parser.OFPPortStatsRequest(switch, 0, switch.ofproto.OFPP_ANY))
