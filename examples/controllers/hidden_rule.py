# SPDX-License-Identifier: MIT
"""A mistake: a flow that shows the controller what goes to one host hides the firewall's, which nothing meets then."""

from firewall import TO, Firewall


class HiddenRule(Firewall):
    """As `Firewall`, but the controller sees all that goes to the host, to count it."""

    def block(self, switch):
        super().block(switch)
        to_controller = switch.ofproto_parser.OFPActionOutput(switch.ofproto.OFPP_CONTROLLER, 65535)
        self.add(switch, 20, switch.ofproto_parser.OFPMatch(eth_dst=TO), [to_controller])
