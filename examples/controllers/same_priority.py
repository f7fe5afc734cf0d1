# SPDX-License-Identifier: MIT
"""A mistake: the firewall's flow and those that are learned have the same priority, and some packets match both.

Which of the two counts is undefined (OpenFlow 1.3.5, 5.3): one kind of switch drops the packet, another one does not.
"""

from firewall import FROM, TO, Firewall


class SamePriority(Firewall):
    """As `Firewall`, but what it learns is for a destination, whoever sends."""

    def block(self, switch):
        self.add(switch, 1, switch.ofproto_parser.OFPMatch(eth_src=FROM, eth_dst=TO), [])

    def add(self, switch, priority, match, actions):
        if actions and "eth_dst" in match:
            match = switch.ofproto_parser.OFPMatch(eth_dst=match["eth_dst"])
        super().add(switch, priority, match, actions)
