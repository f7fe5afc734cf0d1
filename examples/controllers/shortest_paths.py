# SPDX-License-Identifier: MIT
"""Routes along shortest paths, in networks with loops too: it finds the links by probes, and needs no spanning tree,
because what goes to everybody is sent to each port with hosts. The mistakes of those beside it are not in it.

hybridnet explore examples/controllers/shortest_paths.py --topo examples/controllers/ring.yaml --seeds 200
"""

from collections import deque

from ryu.base import app_manager
from ryu.controller import ofp_event
from ryu.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from ryu.lib import hub
from ryu.lib.packet import ethernet, packet
from ryu.ofproto import ofproto_v1_3

PROBE = 0x88B5  # EtherType for experiments (IEEE 802)
EVERY_S = 0.3
NOBODY = "00:00:00:00:00:00"
LEARNED, WHOLE = 1, 0xFFFFFFFFFFFFFFFF  # a cookie, and its mask


class ShortestPaths(app_manager.RyuApp):
    """Knows where hosts are and how switches are joined. When either changes, it deletes all flows."""

    OFP_VERSIONS = [ofproto_v1_3.OFP_VERSION]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.switches = {}
        self.ports = {}  # of a switch: those that are up
        self.links = {}  # from (switch, port) to (switch, port)
        self.inner = set()  # ports that have led to a switch: no host is learned there
        self.hosts = {}  # of an address: (switch, port)
        hub.spawn(self.probe_for_ever)

    # Switches and links
    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def connected(self, event):
        switch = event.msg.datapath
        parser = switch.ofproto_parser
        self.switches[switch.id] = switch
        self.ports.setdefault(switch.id, set())
        self.delete(switch, cookie_mask=0)
        to_controller = parser.OFPActionOutput(switch.ofproto.OFPP_CONTROLLER, 65535)
        self.add(switch, 0, parser.OFPMatch(), [to_controller])

    @set_ev_cls(ofp_event.EventOFPPortDescStatsReply, [CONFIG_DISPATCHER, MAIN_DISPATCHER])
    def ports_told(self, event):
        switch = event.msg.datapath
        for port in event.msg.body:
            if port.port_no < switch.ofproto.OFPP_MAX:
                self.set_port(switch, port)

    @set_ev_cls(ofp_event.EventOFPPortStatus, MAIN_DISPATCHER)
    def port_changed(self, event):
        self.set_port(event.msg.datapath, event.msg.desc)

    def set_port(self, switch, port):
        place = (switch.id, port.port_no)
        if port.state & switch.ofproto.OFPPS_LINK_DOWN:
            self.ports[switch.id].discard(port.port_no)
            self.port_down(place)
        else:
            self.ports[switch.id].add(port.port_no)
            self.port_up(place)

    def port_down(self, place):
        links = [each for each in self.links.items() if place in each]
        hosts = [address for address, home in self.hosts.items() if home == place]
        for one, _ in links:
            del self.links[one]
        for address in hosts:
            del self.hosts[address]
        if links or hosts:
            self.begin_anew()

    def port_up(self, place):
        self.probe(place)

    def probe_for_ever(self):
        """A probe may be lost: the switch at the other end asks only when it has its first flow."""
        while True:
            for switch, ports in sorted(self.ports.items()):
                for port in sorted(ports):
                    self.probe((switch, port))
            hub.sleep(EVERY_S)

    def probe(self, place):
        """Its source says where it came out."""
        number, port = place
        source = f"02:{number:06x}{port:04x}"
        source = ":".join(["02"] + [source[at : at + 2] for at in range(3, 13, 2)])
        frame = packet.Packet()
        frame.add_protocol(ethernet.ethernet(dst="01:80:c2:00:00:0e", src=source, ethertype=PROBE))
        frame.serialize()
        self.send_out(place, bytes(frame.data) + bytes(46))

    def probe_came(self, place, source):
        digits = source.replace(":", "")
        other = (int(digits[2:8], 16), int(digits[8:], 16))
        if self.links.get(place) == other:
            return
        self.links[place], self.links[other] = other, place
        self.inner |= {place, other}
        self.hosts = {address: home for address, home in self.hosts.items() if home not in self.inner}
        self.begin_anew()

    # Packets
    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def packet_came(self, event):
        message = event.msg
        frame = packet.Packet(message.data).get_protocol(ethernet.ethernet)
        place = (message.datapath.id, message.match["in_port"])
        if frame.ethertype == PROBE:
            self.probe_came(place, frame.src)
            return
        if place not in self.inner:
            self.learn(frame.src, place)
        if frame.dst in self.hosts:
            self.route(place, frame, message.data)
        else:
            self.flood(place, message.data)

    def learn(self, address, place):
        if self.hosts.get(address, place) != place:
            self.begin_anew()
        self.hosts[address] = place

    def route(self, place, frame, data):
        """The flows of the whole path, and the packet where its host is: it overtakes no flow."""
        goal = self.hosts[frame.dst]
        for switch, port in reversed(self.path(place[0], goal)):
            self.add_route(switch, port, frame)
        self.send_out(goal, data)

    def add_route(self, switch, port, frame):
        if switch in self.switches:
            to = self.switches[switch]
            match = to.ofproto_parser.OFPMatch(eth_src=frame.src, eth_dst=frame.dst)
            self.add(to, 1, match, [to.ofproto_parser.OFPActionOutput(port)], cookie=LEARNED)

    def path(self, start, goal):
        """Pairs of a switch and the port out of it; none: there is no path. The same for all that go to a switch."""
        out = {goal[0]: goal[1]}
        waiting = deque([goal[0]])
        while waiting:
            here = waiting.popleft()
            for (switch, _), (other, other_port) in sorted(self.links.items()):
                if switch == here and other not in out:
                    out[other] = other_port
                    waiting.append(other)
        pairs, at = [], start
        while at in out:
            pairs.append((at, out[at]))
            if at == goal[0]:
                return pairs
            at = self.links[(at, out[at])][0]
        return []

    def flood(self, place, data):
        if place in self.inner:
            return  # the others have it already
        for switch, ports in sorted(self.ports.items()):
            for port in sorted(ports):
                if (switch, port) != place and (switch, port) not in self.inner:
                    self.send_out((switch, port), data)

    # What switches are told
    def begin_anew(self):
        for switch in self.switches.values():
            self.delete(switch)

    def send_out(self, place, data):
        switch = self.switches.get(place[0])
        if switch is not None:
            parser, protocol = switch.ofproto_parser, switch.ofproto
            switch.send_msg(
                parser.OFPPacketOut(
                    datapath=switch,
                    buffer_id=protocol.OFP_NO_BUFFER,
                    in_port=protocol.OFPP_CONTROLLER,
                    actions=[parser.OFPActionOutput(place[1])],
                    data=data,
                )
            )

    def add(self, switch, priority, match, actions, cookie=0):
        parser = switch.ofproto_parser
        apply = parser.OFPInstructionActions(switch.ofproto.OFPIT_APPLY_ACTIONS, actions)
        switch.send_msg(
            parser.OFPFlowMod(
                datapath=switch, cookie=cookie, priority=priority, match=match, instructions=[apply]
            )
        )

    def delete(self, switch, cookie_mask=WHOLE):
        """What was learned; with 0 as the mask, everything."""
        protocol = switch.ofproto
        switch.send_msg(
            switch.ofproto_parser.OFPFlowMod(
                datapath=switch,
                cookie=LEARNED,
                cookie_mask=cookie_mask,
                command=protocol.OFPFC_DELETE,
                table_id=protocol.OFPTT_ALL,
                out_port=protocol.OFPP_ANY,
                out_group=protocol.OFPG_ANY,
            )
        )
