# SPDX-License-Identifier: MIT
"""A mistake: the packet is let go where it came from, before the switches on its way have their flows.

At a slow switch it comes before its flow and is sent to the controller again, which takes that for somebody else's and
does nothing. Energy-aware routing has been published with this mistake (Canini and others, NSDI 2012).
"""

from shortest_paths import ShortestPaths


class WrongOrder(ShortestPaths):
    """As `ShortestPaths`, but it waits for no flow, and hears only the switch where a packet enters the network."""

    def route(self, place, frame, data):
        if place in self.inner:
            return
        path = self.path(place[0], self.hosts[frame.dst])
        for switch, port in path:
            self.add_route(switch, port, frame)
        if path:
            self.send_out(path[0], data)
