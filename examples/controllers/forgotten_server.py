# SPDX-License-Identifier: MIT
"""A mistake: a switch connects again, and the controller forgets which server each flow has, with all it knew of it.

The next segment of a flow that has begun goes to the server whose turn it is, which knows nothing of the flow.
"""

from load_balancer import LoadBalancer


class ForgottenServer(LoadBalancer):
    """As `LoadBalancer`, but a switch that connects is taken to be a new one."""

    def begin(self, switch):
        self.servers.clear()
        super().begin(switch)
