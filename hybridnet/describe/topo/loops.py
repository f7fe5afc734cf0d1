# SPDX-License-Identifier: MIT
"""Whether frames can run in circles: a description's loops of switches."""

from __future__ import annotations

from hybridnet.describe.topo.topo import Topo

__all__ = ["find_loop"]


def find_loop(topo: Topo) -> list[str]:
    """The switches of one loop, emulated and simulated, in their order; empty if there is none.

    Routers and hosts end a segment, so no loop goes through them; nor through a switch that runs a spanning tree itself
    (stp=). Two links between the same two switches are a loop.

    Example:
        >>> topo = Topo()
        >>> switches = [topo.addSwitch(f"s{number}") for number in (1, 2, 3)]
        >>> for one, other in ("s1", "s2"), ("s2", "s3"), ("s3", "s1"):
        ...     _ = topo.addLink(one, other)
        >>> find_loop(topo)
        ['s1', 's2', 's3']
    """
    switches = {
        spec.name for spec in topo.node_specs() if spec.forwards_frames and spec.resolved.get("stp") is None
    }
    parent: dict[str, str] = {}  # of a switch, toward the first of those that it is joined with
    joined: dict[str, dict[str, None]] = {name: {} for name in switches}
    for one, other in topo.iterLinks():
        if one not in switches or other not in switches:
            continue
        if _root(one, parent) == _root(other, parent):
            return _path(other, one, joined)
        parent[_root(one, parent)] = _root(other, parent)
        joined[one][other] = joined[other][one] = None
    return []


def _root(name: str, parent: dict[str, str]) -> str:
    while name in parent:
        above = parent[name]
        if above in parent:
            parent[name] = parent[above]  # so that long lines are not walked again and again
        name = above
    return name


def _path(start: str, end: str, joined: dict[str, dict[str, None]]) -> list[str]:
    """The names from `start` to `end`; backwards, as `end` was written first."""
    came_from: dict[str, str] = {end: end}
    level = [end]
    while start not in came_from:
        following = []
        for name in level:
            for other in joined[name]:
                if other not in came_from:
                    came_from[other] = name
                    following.append(other)
        level = following
    path = [start]
    while path[-1] != end:
        path.append(came_from[path[-1]])
    return path
