# SPDX-License-Identifier: MIT
"""A mistake: a new master leaves the flows of the one before it, of which it knows nothing, so it deletes none."""

from learning_switch import LearningSwitch
from standby import Standby


class NewMaster(Standby):
    """As `Standby`, but what a master takes over goes on as it is."""

    def own(self, switch):
        self.places[switch.id] = {}
        to_controller = switch.ofproto_parser.OFPActionOutput(switch.ofproto.OFPP_CONTROLLER, 65535)
        LearningSwitch.add(self, switch, 0, switch.ofproto_parser.OFPMatch(), [to_controller])
