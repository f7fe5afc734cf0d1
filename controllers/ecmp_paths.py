# SPDX-License-Identifier: MIT
"""Paths between switches: a spanning tree for what goes to all, and every shortest path for what goes to one.

Where all segments are plain links, unicast frames take all shortest paths. Where one joins more than two ports, a
switch of somebody else's is in the middle, which would see the same sender come from several sides: then everything
follows the tree.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

Port = tuple[int, int]  # datapath id, port number
Adjacency = Mapping[int, Mapping[int, frozenset[int]]]  # switch -> port number -> the switches beyond

LEAST_BUCKETS, MOST_BUCKETS = 16, 64


class Paths(NamedTuple):
    """What the segments of a network allow."""

    tree: frozenset[Port]  # ports between switches by which frames to all pass
    beyond: Adjacency  # by which ports unicast frames may pass, and whom they reach


def find_paths(segments: Collection[frozenset[Port]]) -> Paths:
    """The tree and the ways beside it."""
    tree = spanning_tree(segments)
    plain = all(len(segment) == 2 for segment in segments)
    used = segments if plain else [segment & tree for segment in segments]
    return Paths(tree, _adjacency(used))


def spanning_tree(segments: Collection[frozenset[Port]]) -> frozenset[Port]:
    """Ports that join all switches that can be joined, without a loop: breadth first from the lowest datapath id.

    Each switch is joined to a segment by one port at most; of a segment whose other ports are of switches that are in
    the tree already, no port is in it.
    """
    of_switch: dict[int, list[frozenset[Port]]] = {}
    for segment in sorted(segments, key=sorted):
        for switch in sorted({switch for switch, _ in segment}):
            of_switch.setdefault(switch, []).append(segment)
    tree: set[Port] = set()
    visited: set[int] = set()
    for root in sorted(of_switch):
        if root in visited:
            continue
        visited.add(root)
        level = [root]
        while level:
            following = []
            for switch in level:
                for segment in of_switch[switch]:
                    new = sorted({other for other, _ in segment} - visited)
                    if new:
                        tree |= {min(port for port in segment if port[0] == end) for end in (switch, *new)}
                        visited.update(new)
                        following += new
            level = following
    return frozenset(tree)


class Onward(NamedTuple):
    """Where frames to one switch go on at another."""

    ports: tuple[int, ...]  # at which a shortest path begins
    stride: int  # of how many flows in a row, by their hash, take the same port; see `spread`


class Backup(NamedTuple):
    """Where frames to one switch go on at another: by the first of these ports that is up, else back."""

    ports: tuple[int, ...]
    witness: int | None  # a port that is up as long as frames can go back; None: they never do


def next_ports(beyond: Adjacency, target: int) -> dict[int, Onward]:
    """Of each switch that reaches `target`, the ports at which a shortest path begins."""
    distance = {target: 0}
    level = [target]
    while level:
        found = set()
        for switch in level:
            for others in beyond.get(switch, {}).values():
                found |= {other for other in others if other not in distance}
        distance.update(dict.fromkeys(found, distance[level[0]] + 1))
        level = sorted(found)
    ports = {
        switch: tuple(
            sorted(
                port
                for port, others in beyond[switch].items()
                if any(distance.get(other) == at - 1 for other in others)
            )
        )
        for switch, at in distance.items()
        if switch != target
    }
    onward = {target: Onward((), 1)}
    for switch in sorted(ports, key=distance.__getitem__):
        nearer = {
            other
            for port in ports[switch]
            for other in beyond[switch][port]
            if distance[other] == distance[switch] - 1
        }
        stride = max(onward[other].stride * max(1, len(onward[other].ports)) for other in nearer)
        onward[switch] = Onward(ports[switch], stride)
    del onward[target]
    return onward


def spread(onward: Onward) -> list[int]:
    """The ports of a select group's buckets, in order.

    Switches choose a bucket by a hash of the flow, and all by the same: Open vSwitch takes bucket i for hash i. If each
    switch dealt its ports out by the same bits of it, flows that took the first port at one switch would all take the
    first at the next one, and half of the paths would stay empty. So each distance from the target has bits of its own:
    the switches next to a choice take the lowest, those before it the next ones. All paths then get the same number of
    hashes, where the numbers of ports are powers of two; else within one of `MOST_BUCKETS`.
    """
    ports, stride = onward
    paths = stride * len(ports)
    buckets = LEAST_BUCKETS
    while buckets < paths:
        buckets *= 2
    if buckets % paths:
        buckets = MOST_BUCKETS
    buckets = min(buckets, MOST_BUCKETS)
    return [ports[bucket // stride % len(ports)] for bucket in range(buckets)]


def _adjacency(segments: Iterable[frozenset[Port]]) -> Adjacency:
    beyond: dict[int, dict[int, frozenset[int]]] = {}
    for segment in segments:
        for switch, port in segment:
            beyond.setdefault(switch, {})[port] = frozenset(other for other, _ in segment if other != switch)
    return beyond
