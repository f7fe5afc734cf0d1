# SPDX-License-Identifier: MIT
"""A load balancer for one switch: hosts ask a virtual address, and each flow goes to one of two servers, in turn.

What the variants beside it do wrong is right here: a flow keeps its server, also when its entries have expired, or the
switch has lost its connection. A switch whose table is full is told no more flows: it would be busy with refusing them.

hybridnet explore examples/controllers/load_balancer.py --topo single,4 --invariants examples/controllers/affinity.py
"""

from learning_switch import LearningSwitch
from ryu.controller import ofp_event
from ryu.controller.handler import MAIN_DISPATCHER, set_ev_cls
from ryu.lib.packet import arp, ether_types, ethernet, ipv4, packet, tcp

VIRTUAL_IP, VIRTUAL_MAC = "10.0.0.100", "02:00:00:00:01:00"
SERVERS = [("10.0.0.3", "00:00:00:00:00:03"), ("10.0.0.4", "00:00:00:00:00:04")]
LEARNED = 1  # the priority of what a learning switch adds
IDLE_S = 1  # a flow without packets for so long leaves the table, and may go on


class LoadBalancer(LearningSwitch):
    """As `LearningSwitch`, for all that is not to or from the virtual address."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.servers = {}  # by client's address and port: the server of its flow
        self.turn = 0
        self.full = set()  # switches; their packets go through the controller

    def begin(self, switch):
        self.full.discard(switch.id)
        super().begin(switch)
        self.watch(switch)

    @set_ev_cls(ofp_event.EventOFPErrorMsg, MAIN_DISPATCHER)
    def refused(self, event):
        error, switch = event.msg, event.msg.datapath
        if (error.type, error.code) == (
            switch.ofproto.OFPET_FLOW_MOD_FAILED,
            switch.ofproto.OFPFMFC_TABLE_FULL,
        ):
            self.full.add(switch.id)

    def add(self, switch, priority, match, actions):
        if priority != LEARNED or switch.id not in self.full:
            super().add(switch, priority, match, actions)

    def watch(self, switch):
        """Have segments without a flow of their own come here, also where a learned flow is for their addresses."""
        parser, ofproto = switch.ofproto_parser, switch.ofproto
        here = [parser.OFPActionOutput(ofproto.OFPP_CONTROLLER, 65535)]
        for match in ({"ipv4_dst": VIRTUAL_IP}, *({"ipv4_src": address} for address, _ in SERVERS)):
            segments = parser.OFPMatch(eth_type=ether_types.ETH_TYPE_IP, ip_proto=6, **match)
            self.add(switch, 5, segments, here)

    def forward(self, message, frame):
        came = packet.Packet(message.data)
        asked, ip, segment = (
            came.get_protocol(arp.arp),
            came.get_protocol(ipv4.ipv4),
            came.get_protocol(tcp.tcp),
        )
        if asked is not None and asked.opcode == arp.ARP_REQUEST and asked.dst_ip == VIRTUAL_IP:
            self.answer(message, asked)
        elif segment is not None and ip.dst == VIRTUAL_IP:
            flow = ip.src, segment.src_port
            self.to_server(message, frame.src, flow, self.server_of(flow))
        elif segment is not None and self.servers.get((ip.dst, segment.dst_port), (None,))[0] == ip.src:
            self.to_client(message, frame.dst, (ip.dst, segment.dst_port), (ip.src, frame.src))
        else:
            super().forward(message, frame)

    def server_of(self, flow):
        """The server that a flow has; the next one for a flow that begins."""
        if flow not in self.servers:
            self.servers[flow] = self.next_server()
        return self.servers[flow]

    def next_server(self):
        self.turn += 1
        return SERVERS[self.turn % len(SERVERS)]

    def answer(self, message, asked):
        """Say who has the virtual address."""
        parser, ofproto = message.datapath.ofproto_parser, message.datapath.ofproto
        reply = packet.Packet()
        reply.add_protocol(ethernet.ethernet(asked.src_mac, VIRTUAL_MAC, ether_types.ETH_TYPE_ARP))
        reply.add_protocol(
            arp.arp(
                opcode=arp.ARP_REPLY,
                src_mac=VIRTUAL_MAC,
                src_ip=VIRTUAL_IP,
                dst_mac=asked.src_mac,
                dst_ip=asked.src_ip,
            )
        )
        reply.serialize()
        message.datapath.send_msg(
            parser.OFPPacketOut(
                datapath=message.datapath,
                buffer_id=ofproto.OFP_NO_BUFFER,
                in_port=ofproto.OFPP_CONTROLLER,
                actions=[parser.OFPActionOutput(message.match["in_port"])],
                data=reply.data,
            )
        )

    def to_server(self, message, client, flow, server):
        address, mac = server
        to = {"eth_dst": mac, "ipv4_dst": address}
        match = {"eth_src": client, "ipv4_src": flow[0], "ipv4_dst": VIRTUAL_IP, "tcp_src": flow[1]}
        self.rewrite(message, mac, match, to)

    def to_client(self, message, client, flow, server):
        address, mac = server
        by = {"eth_src": VIRTUAL_MAC, "ipv4_src": VIRTUAL_IP}
        match = {
            "eth_src": mac,
            "eth_dst": client,
            "ipv4_src": address,
            "ipv4_dst": flow[0],
            "tcp_dst": flow[1],
        }
        self.rewrite(message, client, match, by)

    def rewrite(self, message, mac, match, fields):
        """Send a packet to who has an address, with other fields; and those that match, if it is known where."""
        switch = message.datapath
        parser, ofproto = switch.ofproto_parser, switch.ofproto
        port = self.places[switch.id].get(mac, ofproto.OFPP_FLOOD)
        actions = [parser.OFPActionSetField(**{name: value}) for name, value in fields.items()]
        actions.append(parser.OFPActionOutput(port))
        if port != ofproto.OFPP_FLOOD and switch.id not in self.full:
            apply = parser.OFPInstructionActions(ofproto.OFPIT_APPLY_ACTIONS, actions)
            all_of_it = parser.OFPMatch(
                in_port=message.match["in_port"], eth_type=ether_types.ETH_TYPE_IP, ip_proto=6, **match
            )
            switch.send_msg(
                parser.OFPFlowMod(
                    datapath=switch, priority=10, idle_timeout=IDLE_S, match=all_of_it, instructions=[apply]
                )
            )
        self.send(message, actions)

    def learn(self, switch, address, port):
        """A server or client that has moved: its flows still go to where it was."""
        if self.places[switch.id].get(address, port) != port:
            self.forget_flows(switch)
        super().learn(switch, address, port)

    def forget_port(self, switch, port):
        self.forget_flows(switch)
        super().forget_port(switch, port)

    def forget_flows(self, switch):
        """Delete those of the virtual address; the next segment of each makes it again."""
        parser = switch.ofproto_parser
        self.delete(switch, parser.OFPMatch(eth_type=ether_types.ETH_TYPE_IP, ip_proto=6))
        self.watch(switch)
