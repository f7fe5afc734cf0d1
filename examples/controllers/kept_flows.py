# SPDX-License-Identifier: MIT
"""A mistake: a switch comes back after its connection was lost, and the controller forgets what it knew, not the flows.

A host that has moved meanwhile is learned as if it were new, so nothing deletes the flows to where it was.
"""

from learning_switch import LearningSwitch


class KeptFlows(LearningSwitch):
    """As `LearningSwitch`, but a switch that connects keeps the flows that it has."""

    def begin(self, switch):
        self.places[switch.id] = {}
        to_controller = switch.ofproto_parser.OFPActionOutput(switch.ofproto.OFPP_CONTROLLER, 65535)
        self.add(switch, 0, switch.ofproto_parser.OFPMatch(), [to_controller])
