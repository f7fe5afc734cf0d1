# SPDX-License-Identifier: MIT
"""A mistake: a dictionary is changed while it is read, which raises an error only when a port with a host goes down."""

from learning_switch import LearningSwitch


class ChangedWhileRead(LearningSwitch):
    """As `LearningSwitch`, but it forgets a port's addresses while it goes through them."""

    def forget_port(self, switch, port):
        places = self.places[switch.id]
        for address, place in places.items():
            if place == port:
                del places[address]
                self.delete(switch, switch.ofproto_parser.OFPMatch(eth_dst=address))
