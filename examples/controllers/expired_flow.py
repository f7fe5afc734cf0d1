# SPDX-License-Identifier: MIT
"""A mistake: only the switch's table knows which server a flow has, and its entries expire.

A flow with a pause that is longer, or with a second segment before its entry is there, goes to another server. NICE
found such flows in a load balancer (Canini and others, NSDI 2012, 8.2).
"""

from load_balancer import LoadBalancer


class ExpiredFlow(LoadBalancer):
    """As `LoadBalancer`, but each segment that comes to the controller is taken to begin a flow."""

    def server_of(self, flow):
        self.servers[flow] = self.next_server()
        return self.servers[flow]
