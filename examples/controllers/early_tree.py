# SPDX-License-Identifier: MIT
"""A mistake: a link comes back, and packets go around in a loop until the spanning tree is computed again.

That is some time after a change, so that several changes make one tree. Meanwhile the new link is used already.
"""

from ryu.lib import hub
from tree_flood import TreeFlood

LATER_S = 1


class EarlyTree(TreeFlood):
    """As `TreeFlood`, but it goes by the tree that was computed last."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.last = set()

    def begin_anew(self):
        super().begin_anew()
        if self.hosts:
            hub.spawn_after(LATER_S, self.compute)
        else:  # there is nothing to send yet
            self.compute()

    def compute(self):
        self.last = super().blocked()

    def blocked(self):
        return self.last
