# SPDX-License-Identifier: MIT
"""A switch for topologies with loops whose switches go around a dead link by themselves, as a Ryu app, OpenFlow 1.3.

It is `ecmp_switch`, but unicast frames take one shortest path, chosen by the destination's switch, and groups of the
type fast failover hold the other ones ready: a switch whose port goes down takes the next port at once, and asks
nobody. Where a switch has no other port toward a destination, it sends the frame back, and the switch before it, which
sees it come by the port at which its way begins, takes another way. So the loss of a link between core and aggregation
of a fat tree, or of any link of a leaf-spine, is repaired where it is noticed. The app then tells all switches the new
shortest paths, as `ecmp_switch` does.
"""

from __future__ import annotations

from ecmp_paths import Backup
from ecmp_switch import EcmpSwitch


class FailoverSwitch(EcmpSwitch):
    """Groups with ways in reserve."""

    def toward(self, switch):
        if switch not in self.onward:
            found = {}
            for other, onward in super().toward(switch).items():
                ports = rotated(onward.ports, switch)
                spare = [port for port in self.paths.beyond[other] if port not in ports]
                found[other] = Backup(ports, min(spare, default=None))
            self.onward[switch] = found
        return self.onward[switch]

    def host_rules(self, switch, host, port):
        rules = super().host_rules(switch, host, port)
        backup = self.toward(port[0]).get(switch)
        for number, used in enumerate(backup.ports if backup else ()):
            others = backup.ports[number + 1 :] + backup.ports[:number]
            if others:
                rules.append((("back", used, host), others[0]))
        return rules


def rotated(ports, number):
    """The ports, beginning with another one for another number."""
    first = number % len(ports) if ports else 0
    return ports[first:] + ports[:first]
