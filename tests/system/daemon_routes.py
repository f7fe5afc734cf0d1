# SPDX-License-Identifier: MIT
"""What routing daemons say of OSPF: by subnet the cost and the next routers, which a router's own links have not."""

from __future__ import annotations

import json
import re

from hybridnet import Net

Routes = dict[str, tuple[int, set[str]]]


def routes_of_bird(net: Net, router: str) -> Routes:
    found: Routes = {}
    for block in re.split(r"^(?=\d)", net[router].birdc("show route protocol ospf1"), flags=re.MULTILINE):
        if head := re.match(r"(\S+)\s.*\(150/(\d+)\)", block):
            found[head[1]] = int(head[2]), set(re.findall(r"via (\S+) on", block))
    return found


def routes_of_frr(net: Net, router: str) -> Routes:
    told = json.loads(net[router].vtysh("show ip route ospf json"))
    return {
        subnet: (row["metric"], {hop["ip"] for hop in row["nexthops"] if "ip" in hop})
        for subnet, [row] in told.items()
    }
