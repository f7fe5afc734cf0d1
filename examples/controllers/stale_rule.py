# SPDX-License-Identifier: MIT
"""A mistake: a host moves, and flows still go to where it was. Nothing deletes them, and they never expire.

Seen in many learning switches, Ryu's own simple_switch_13 among them.
"""

from learning_switch import LearningSwitch


class StaleRule(LearningSwitch):
    """As `LearningSwitch`, but what it has told a switch stays."""

    def learn(self, switch, address, port):
        self.places[switch.id][address] = port

    def forget_port(self, switch, port):
        pass
