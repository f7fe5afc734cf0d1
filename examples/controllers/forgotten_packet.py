# SPDX-License-Identifier: MIT
"""A mistake: a packet waits in the controller for ever. Those to come have a flow, and the first one is lost."""

from learning_switch import LearningSwitch


class ForgottenPacket(LearningSwitch):
    """As `LearningSwitch`, but a packet for which there is a flow now is not sent on."""

    def send(self, message, actions):
        if actions[0].port == message.datapath.ofproto.OFPP_FLOOD:
            super().send(message, actions)
