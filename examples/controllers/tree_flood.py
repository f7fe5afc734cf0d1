# SPDX-License-Identifier: MIT
"""Floods along a spanning tree, which is that of the links of this moment; see `early_tree` for a mistake.

hybridnet explore examples/controllers/tree_flood.py --topo examples/controllers/ring.yaml --seeds 200
"""

from shortest_paths import ShortestPaths


class TreeFlood(ShortestPaths):
    """As `ShortestPaths`, but what goes to everybody goes from switch to switch, each of which asks."""

    def flood(self, place, data):
        blocked = self.blocked()
        for port in sorted(self.ports[place[0]]):
            here = (place[0], port)
            along = here not in self.inner or (here in self.links and here not in blocked)
            if along and here != place:
                self.send_out(here, data)

    def blocked(self):
        """The ends of links that would close a loop."""
        tree_of = {switch: switch for switch in self.ports}
        found = set()
        for one, other in sorted(self.links.items()):
            if one > other:
                continue
            here, there = tree_of[one[0]], tree_of[other[0]]
            if here == there:
                found |= {one, other}
            tree_of = {switch: here if tree == there else tree for switch, tree in tree_of.items()}
        return found
