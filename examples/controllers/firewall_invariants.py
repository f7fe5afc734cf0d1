# SPDX-License-Identifier: MIT
"""What must hold of `firewall`, as hybridnet explore --invariants takes it."""

from hybridnet.tools.explore import isolated, reaches

blocked = isolated("h3", "h1")
free = [reaches("h1", "h2"), reaches("h2", "h1"), reaches("h2", "h3"), reaches("h3", "h2")]
