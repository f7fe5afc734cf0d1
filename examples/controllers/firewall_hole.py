# SPDX-License-Identifier: MIT
"""A mistake: the first host moves, its flows are deleted, and the firewall's flow has the same destination.

OpenFlow deletes every flow whose match is as narrow or narrower (1.3.5, 6.4), whoever has added it.
"""

from firewall import Firewall
from learning_switch import LearningSwitch


class FirewallHole(Firewall):
    """As `Firewall`, but it does not tell its flows from those that it has learned."""

    add = LearningSwitch.add
    delete = LearningSwitch.delete
