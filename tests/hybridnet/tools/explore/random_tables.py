# SPDX-License-Identifier: MIT
"""Random tables in three simulated switches, and the truth about them: every header of a small space is sent."""

from __future__ import annotations

import itertools
import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from hybridnet import _simcore
from hybridnet.experiments.openflow_differential import wire
from hybridnet.tools.explore.header import Cube, cube_of
from hybridnet.tools.explore.messages import MULTIPART_REPLY, PACKET_IN, hello, message, split
from hybridnet.tools.explore.reading import Reader
from hybridnet.tools.explore.walk import Fabric, Place

SWITCHES = ("s1", "s2", "s3")
HOSTS = {"h1": ("s1", 3), "h2": ("s2", 3), "h3": ("s3", 3)}
LINKS = {"s1-s2": (("s1", 1), ("s2", 2)), "s2-s3": (("s2", 1), ("s3", 2)), "s3-s1": (("s3", 1), ("s1", 2))}
DELAY_NS = 1_000_000
MOST_HOPS = 60  # of a way that ends; the test sees to it
ETHERTYPE = 0x88B5  # for local experiments (IEEE 802)
BITS_DST, BITS_SRC = 2, 2
VLANS = (0, 0x1001)
DIRECTION = {"delay_ns": DELAY_NS, "rate_bps": 1_000_000, "queue_packets": 3}  # a storm stays small
ROOMY = DIRECTION | {"rate_bps": 10_000_000, "queue_packets": 64}
"""For NORMAL, which makes more copies: a copy that a full queue loses may be the one that arrives, or goes around."""
CONTROLLER, ALL, IN_PORT, NORMAL = 0xFFFFFFFD, 0xFFFFFFFC, 0xFFFFFFF8, 0xFFFFFFFA
GROUP_ADDRESSES = 0x01 << 40  # the first one; no switch learns where one of them is
MULTIPART_REQUEST, PORT_COUNTERS, ANY = 18, 4, 0xFFFFFFFF


@dataclass
class Truth:
    """What became of one frame: who got it and as what, which switches asked a controller, whether it runs for ever."""

    hosts: set[tuple[str, int]] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    loops: bool = False


def header_of(frame: bytes) -> int:
    """The number of a frame's header."""
    dst, src = (int.from_bytes(frame[at : at + 6], "big") for at in (0, 6))
    [kind] = struct.unpack_from("!H", frame, 12)
    vlan = 0
    if kind == 0x8100:
        tag, kind = struct.unpack_from("!HH", frame, 14)
        vlan = 0x1000 | tag & 0xFFF
    return cube_of(eth_dst=dst, eth_src=src, eth_type=kind, vlan_vid=vlan).value


def frame_of(dst: int, src: int, vlan: int) -> bytes:
    tag = b"" if vlan == 0 else struct.pack("!HH", 0x8100, vlan & 0xFFF)
    frame = dst.to_bytes(6, "big") + src.to_bytes(6, "big") + tag + struct.pack("!H", ETHERTYPE)
    return frame + bytes(60 - len(frame))


def every_header(destinations: int = 0) -> Iterator[tuple[int, bytes]]:
    """The numbers of all headers of the space, with a frame of each; the first address of the destinations."""
    for dst, src, vlan in itertools.product(range(1 << BITS_DST), range(1 << BITS_SRC), VLANS):
        frame = frame_of(destinations + dst, src, vlan)
        yield header_of(frame), frame


def space() -> Cube:
    """A cube that holds all of them."""
    return cube_of(eth_type=ETHERTYPE)


class Sample:
    """Three switches in a ring with random tables of a seed, each with one host.

    With `normal`, some rules and groups output to NORMAL, and frames go to group addresses.
    """

    def __init__(self, seed: int, *, normal: bool = False) -> None:
        self._random = random.Random(seed)
        self._normal = normal
        self.destinations = GROUP_ADDRESSES if normal else 0
        direction = ROOMY if normal else DIRECTION
        self.bench: Any = _simcore.SwitchBench(seed)
        for number, name in enumerate(SWITCHES, 1):
            self.bench.add_openflow_switch(name, {"dpid": f"{number:016x}"})
            for port in (1, 2, 3):
                self.bench.add_interface(
                    name, f"{name}-eth{port}", mac=f"02:00:00:00:{number:02x}:{port:02x}", number=port
                )
        for host, (name, port) in HOSTS.items():
            self.bench.add_host(host)
            self.bench.add_link(f"{host}-{name}", host, f"{name}-eth{port}", direction, direction)
        for link, ends in LINKS.items():
            self.bench.add_link(link, *(f"{name}-eth{port}" for name, port in ends), direction, direction)
        self.readers = {name: Reader(self.bench, name, ["OpenFlow13"]) for name in SWITCHES}
        self._controllers = {name: self.bench.connect(name) for name in SWITCHES}
        for connection in self._controllers.values():
            self.bench.hear(connection, hello())
            self.bench.said(connection)
        self.down = [link for link in LINKS if self._random.random() < 0.1]
        for name in SWITCHES:
            self.readers[name].tell(self._tables())
        self._set_links()

    def fabric(self) -> Fabric:
        """As the switches tell it."""
        peers: dict[Place, Place | str] = {place: host for host, place in HOSTS.items()}
        for one, other in LINKS.values():
            peers[one], peers[other] = other, one
        return Fabric({name: reader.tables() for name, reader in self.readers.items()}, peers)

    def send(self, host: str, frame: bytes) -> Truth:
        """What becomes of a frame of a host: so long that what does not end is in a loop."""
        self.bench.send(host, frame)
        truth = Truth()
        self._watch(truth, MOST_HOPS * 2)
        before = self._counters()
        self._watch(truth, 20)
        truth.loops = self._counters() != before
        if truth.loops:
            for link in LINKS:
                self.bench.set_link_up(link, False)
            self._watch(Truth(), 40)
            self._set_links()
            self._watch(Truth(), 2)
        return truth

    def _set_links(self) -> None:
        for link in LINKS:
            self.bench.set_link_up(link, link not in self.down)

    def _watch(self, truth: Truth, hops: int) -> None:
        end_ns = self.bench.now_ns + hops * DELAY_NS
        while self.bench.now_ns < end_ns:
            self.bench.run(end_ns)
            truth.hosts |= {(host, header_of(frame)) for host, _, frame in self.bench.received()}
            for name, connection in self._controllers.items():
                asked, _ = split(self.bench.said(connection))
                if any(each.type == PACKET_IN for each in asked):
                    truth.asked.add(name)

    def _counters(self) -> list[bytes]:
        """Packets that came to the ports of all switches."""
        found = []
        request = message(MULTIPART_REQUEST, struct.pack("!HHxxxxIxxxx", PORT_COUNTERS, 0, ANY))
        for connection in self._controllers.values():
            self.bench.hear(connection, request)
            answered, _ = split(self.bench.said(connection))
            [body] = [each.data[16:] for each in answered if each.type == MULTIPART_REPLY]
            found += [body[at + 8 : at + 16] for at in range(0, len(body), 112)]
        return found

    def _tables(self) -> bytes:
        chance = self._random
        data = [
            wire.group(1, 0, [wire.bucket(self._actions(False)) for _ in range(chance.randint(1, 2))]),
            wire.group(
                2, 3, [wire.bucket([wire.output(port)], port) for port in chance.sample((1, 2, 3), 2)]
            ),
        ]
        priorities = chance.sample(range(1, 100), 12)
        for number, priority in enumerate(priorities):
            table = 0 if number < 8 else 1
            instructions = []
            if chance.random() < 0.85:
                instructions.append(wire.apply(self._actions(True)))
            if chance.random() < 0.15:
                instructions.append(wire.write([wire.output(chance.randint(1, 3))]))
            if table == 0 and chance.random() < 0.3:
                instructions.append(wire.goto(1))
            data.append(wire.flow(table, priority, number, self._match(), instructions))
        return b"".join(data)

    def _match(self) -> dict[str, int | tuple[int, int]]:
        chance = self._random
        match: dict[str, int | tuple[int, int]] = {}
        if chance.random() < 0.3:
            match["in_port"] = chance.randint(1, 3)
        for name, bits, first in (("eth_dst", BITS_DST, self.destinations), ("eth_src", BITS_SRC, 0)):
            if chance.random() < 0.5:
                mask = chance.randrange(1, 1 << bits)
                wild = (1 << 48) - 1 & ~((1 << bits) - 1 & ~mask)
                match[name] = (first + chance.randrange(1 << bits) & wild, wild)
        if chance.random() < 0.2:
            match["vlan_vid"] = chance.choice(VLANS)
        return match

    def _actions(self, groups: bool) -> list[bytes]:
        """Few copies, so that a loop is no storm."""
        chance = self._random
        actions = []
        if chance.random() < 0.25:
            name, bits, first = chance.choice(
                (("eth_dst", BITS_DST, self.destinations), ("eth_src", BITS_SRC, 0))
            )
            actions.append(wire.set_field(name, first + chance.randrange(1 << bits)))
        if chance.random() < 0.1:
            actions.append(wire.plain(wire.POP_VLAN))
        draw = chance.random()
        if self._normal and draw < 0.3:
            actions.append(wire.output(NORMAL))
        elif draw < 0.65:
            actions.append(wire.output(chance.randint(1, 3)))
        elif draw < 0.7:
            actions.append(wire.output(chance.choice((CONTROLLER, IN_PORT, ALL))))
        elif draw < 0.85 and groups:
            actions.append(wire.to_group(chance.choice((1, 2))))
        return actions
