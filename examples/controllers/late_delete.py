# SPDX-License-Identifier: MIT
"""A mistake: flows to a host that has moved are deleted by a timer, long after they have become wrong."""

from learning_switch import LearningSwitch
from ryu.lib import hub

LATER_S = 10


class LateDelete(LearningSwitch):
    """As `LearningSwitch`, but it deletes the flows to an address some seconds later."""

    def delete(self, switch, match):
        if match.get("eth_dst") is None:
            super().delete(switch, match)
        else:
            hub.spawn_after(LATER_S, super().delete, switch, match)
