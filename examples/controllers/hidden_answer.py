# SPDX-License-Identifier: MIT
"""A mistake: what was learned of a server that somebody pinged hides its answers from the load balancer.

They match the learned flow, so nobody gives them the virtual address, and the client takes them for somebody else's.
"""

from load_balancer import LoadBalancer


class HiddenAnswer(LoadBalancer):
    """As `LoadBalancer`, but it counts on segments to come to it because there is no flow for them."""

    def watch(self, switch):
        pass
