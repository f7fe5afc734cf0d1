# SPDX-License-Identifier: MIT
"""A learning switch that lets nothing through from the third host to the first; see `firewall_hole` for a mistake.

hybridnet explore examples/controllers/firewall.py --invariants examples/controllers/firewall_invariants.py
"""

from learning_switch import LearningSwitch

FROM, TO = "00:00:00:00:00:03", "00:00:00:00:00:01"
LEARNED, WHOLE = 1, 0xFFFFFFFFFFFFFFFF  # a cookie, and its mask


class Firewall(LearningSwitch):
    """As `LearningSwitch`, with a flow that drops, which nothing that is learned takes away."""

    def begin(self, switch):
        """The flow that drops comes before the one that asks: a packet between the two would get through."""
        parser = switch.ofproto_parser
        self.places[switch.id] = {}
        super().delete(switch, parser.OFPMatch())
        self.block(switch)
        to_controller = parser.OFPActionOutput(switch.ofproto.OFPP_CONTROLLER, 65535)
        super().add(switch, 0, parser.OFPMatch(), [to_controller])

    def block(self, switch):
        super().add(switch, 10, switch.ofproto_parser.OFPMatch(eth_src=FROM, eth_dst=TO), [])

    def add(self, switch, priority, match, actions):
        parser = switch.ofproto_parser
        apply = parser.OFPInstructionActions(switch.ofproto.OFPIT_APPLY_ACTIONS, actions)
        switch.send_msg(
            parser.OFPFlowMod(
                datapath=switch, cookie=LEARNED, priority=priority, match=match, instructions=[apply]
            )
        )

    def delete(self, switch, match):
        switch.send_msg(
            switch.ofproto_parser.OFPFlowMod(
                datapath=switch,
                cookie=LEARNED,
                cookie_mask=WHOLE,
                command=switch.ofproto.OFPFC_DELETE,
                table_id=switch.ofproto.OFPTT_ALL,
                out_port=switch.ofproto.OFPP_ANY,
                out_group=switch.ofproto.OFPG_ANY,
                match=match,
            )
        )
