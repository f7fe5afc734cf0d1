# SPDX-License-Identifier: MIT
"""A mistake: a switch's table is full, its errors are ignored, and the controller believes that its flow is there."""

from learning_switch import LearningSwitch


class FullTable(LearningSwitch):
    """As `LearningSwitch`, but packets for which it has added a flow are not sent on: the switch is to do that."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.added = set()

    def begin(self, switch):
        self.added = {each for each in self.added if each[0] != switch.id}
        super().begin(switch)

    def learn(self, switch, address, port):
        if self.places[switch.id].get(address, port) != port:
            self.added = {each for each in self.added if each[:2] != (switch.id, address)}
        super().learn(switch, address, port)

    def forget_port(self, switch, port):
        self.added = {each for each in self.added if each[0] != switch.id}
        super().forget_port(switch, port)

    def forward(self, message, frame):
        flow = (message.datapath.id, frame.dst, frame.src, message.match["in_port"])
        if flow in self.added:
            return
        if frame.dst in self.places[message.datapath.id]:
            self.added.add(flow)
        super().forward(message, frame)
