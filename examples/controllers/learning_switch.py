# SPDX-License-Identifier: MIT
"""A learning switch without the mistakes of those beside it: what each of them does wrong is right here.

hybridnet explore examples/controllers/learning_switch.py --topo linear,3 --seeds 200
"""

from ryu.base import app_manager
from ryu.controller import ofp_event
from ryu.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from ryu.lib.packet import ethernet, packet
from ryu.ofproto import ofproto_v1_3


class LearningSwitch(app_manager.RyuApp):
    """Learns where each host is, and lets switches forward by themselves what it knows."""

    OFP_VERSIONS = [ofproto_v1_3.OFP_VERSION]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.places = {}  # by switch: the port of each address

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def connected(self, event):
        """A switch connects, for the first time or again: nobody knows what it has been told."""
        self.begin(event.msg.datapath)

    def begin(self, switch):
        self.places[switch.id] = {}
        self.delete(switch, switch.ofproto_parser.OFPMatch())
        to_controller = switch.ofproto_parser.OFPActionOutput(switch.ofproto.OFPP_CONTROLLER, 65535)
        self.add(switch, 0, switch.ofproto_parser.OFPMatch(), [to_controller])

    @set_ev_cls(ofp_event.EventOFPPortStatus, MAIN_DISPATCHER)
    def port_changed(self, event):
        switch, port = event.msg.datapath, event.msg.desc
        if port.state & switch.ofproto.OFPPS_LINK_DOWN:
            self.forget_port(switch, port.port_no)

    def forget_port(self, switch, port):
        places = self.places[switch.id]
        for address in [address for address, place in places.items() if place == port]:
            del places[address]
            self.delete(switch, switch.ofproto_parser.OFPMatch(eth_dst=address))

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_came(self, event):
        message = event.msg
        frame = packet.Packet(message.data).get_protocol(ethernet.ethernet)
        self.learn(message.datapath, frame.src, message.match["in_port"])
        self.forward(message, frame)

    def learn(self, switch, address, port):
        places = self.places[switch.id]
        if places.get(address, port) != port:  # it has moved: flows still go to where it was
            self.delete(switch, switch.ofproto_parser.OFPMatch(eth_dst=address))
        places[address] = port

    def forward(self, message, frame):
        switch = message.datapath
        port = self.places[switch.id].get(frame.dst, switch.ofproto.OFPP_FLOOD)
        actions = [switch.ofproto_parser.OFPActionOutput(port)]
        if port != switch.ofproto.OFPP_FLOOD:
            match = switch.ofproto_parser.OFPMatch(
                in_port=message.match["in_port"], eth_src=frame.src, eth_dst=frame.dst
            )
            self.add(switch, 1, match, actions)
        self.send(message, actions)

    def send(self, message, actions):
        """The packet itself goes on, too."""
        switch = message.datapath
        switch.send_msg(
            switch.ofproto_parser.OFPPacketOut(
                datapath=switch,
                buffer_id=switch.ofproto.OFP_NO_BUFFER,
                in_port=message.match["in_port"],
                actions=actions,
                data=message.data,
            )
        )

    def add(self, switch, priority, match, actions):
        parser = switch.ofproto_parser
        apply = parser.OFPInstructionActions(switch.ofproto.OFPIT_APPLY_ACTIONS, actions)
        switch.send_msg(
            parser.OFPFlowMod(datapath=switch, priority=priority, match=match, instructions=[apply])
        )

    def delete(self, switch, match):
        switch.send_msg(
            switch.ofproto_parser.OFPFlowMod(
                datapath=switch,
                command=switch.ofproto.OFPFC_DELETE,
                table_id=switch.ofproto.OFPTT_ALL,
                out_port=switch.ofproto.OFPP_ANY,
                out_group=switch.ofproto.OFPG_ANY,
                match=match,
            )
        )
