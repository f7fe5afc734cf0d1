# SPDX-License-Identifier: MIT
"""A mistake: a link that went down is not found again when it comes back, because its ends were probed once."""

from shortest_paths import ShortestPaths


class LostLink(ShortestPaths):
    """As `ShortestPaths`, but a port is probed no more once it has led to a switch, and packets wait for a path."""

    def probe(self, place):
        if place not in self.inner:
            super().probe(place)

    def route(self, place, frame, data):
        if self.path(place[0], self.hosts[frame.dst]):
            super().route(place, frame, data)
