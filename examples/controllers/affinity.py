# SPDX-License-Identifier: MIT
"""What must hold of `load_balancer`, as hybridnet explore --invariants takes it."""

from hybridnet.tools.explore import affinity, reaches

one_server = affinity("10.0.0.100", servers=["h3", "h4"])
clients = [reaches("h1", "h2"), reaches("h2", "h1")]
