# SPDX-License-Identifier: MIT
"""A mistake: a switch restarts and connects again, and the controller takes it for one that still has its flows."""

from learning_switch import LearningSwitch


class EmptySwitch(LearningSwitch):
    """As `LearningSwitch`, but it tells a switch what to do only when it sees it for the first time."""

    def begin(self, switch):
        if switch.id not in self.places:
            super().begin(switch)
