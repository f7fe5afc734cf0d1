# SPDX-License-Identifier: MIT
"""One TCP flow between real hosts through 12 simulated switches in a row: learning switches, and OpenFlow switches.

Both rows are in the same instance, and take turns. Goal: through OpenFlow switches, each with a flow for either
direction, 80 % of what goes through learning switches. Beside it: the instance's processor time for each gigabyte,
which a busy computer hardly changes; the segments of a train, which no switch takes apart; and what share of the trains
found their way in a switch's cache.
"""

from __future__ import annotations

from statistics import median

from benchmarks import traffic
from benchmarks.result import Result
from hybridnet import Host, Net, Topo

SWITCHES = 12
TURNS = 3
ROWS = ("learning", "openflow")
SHARE = 0.8


class Rows(Topo):
    """h1 - 12 learning switches - h2; h3 - 12 OpenFlow switches - h4."""

    def build(self) -> None:
        for row, (first, last) in zip(ROWS, (("h1", "h2"), ("h3", "h4")), strict=True):
            before, port = self.addHost(first), None
            for number in range(1, SWITCHES + 1):
                if row == "learning":
                    name = self.addSimSwitch(f"w{number}")
                else:
                    name = self.addSwitch(f"s{number}", kind="simulated", failMode="secure")
                self.addLink(before, name, port1=port, port2=1)
                before, port = name, 2
            self.addLink(before, self.addHost(last), port1=port)


def run() -> list[Result]:
    gbps: dict[str, list[float]] = {row: [] for row in ROWS}
    seconds: dict[str, list[float]] = {row: [] for row in ROWS}
    with Net(Rows(), controller=None, autoStaticArp=True) as net:
        for number in range(1, SWITCHES + 1):
            for here, there in ((1, 2), (2, 1)):
                net[f"s{number}"].dpctl("add-flow", f"in_port={here},actions=output:{there}")
        hosts = {"learning": net.get("h1", "h2"), "openflow": net.get("h3", "h4")}
        for pair in hosts.values():
            traffic.raise_windows(*pair)
        for _ in range(TURNS):
            for row, (source, target) in hosts.items():
                before_s, before_bytes = _processor_s(net), _received_bytes(target)
                gbps[row].append(traffic.tcp(source, target, f"openflow_path/{row}").value or 0.0)
                gigabytes = (_received_bytes(target) - before_bytes) / 1e9
                seconds[row].append((_processor_s(net) - before_s) / gigabytes)
        snapshot = next(iter(net.snapshot().values()))
        fidelity = traffic.fidelity(net, "openflow_path")
    middle = next(row for row in snapshot["nodes"] if row["name"] == f"s{SWITCHES // 2}")
    looked_up = middle["cache_hits"] + middle["cache_misses"]
    carried = next(link["accepted_packets"] for link in snapshot["links"] if link["name"].startswith("s6-s7"))
    return [
        *(Result(f"openflow_path/{row}/tcp", median(found), "Gbit/s") for row, found in gbps.items()),
        Result("openflow_path/share", median(gbps["openflow"]) / median(gbps["learning"]), "", SHARE),
        *(
            Result(f"openflow_path/{row}/instance", median(found), "s/GB", less_is_better=True)
            for row, found in seconds.items()
        ),
        Result(
            "openflow_path/instance_share",
            median(seconds["learning"]) / median(seconds["openflow"]),
            "",
            SHARE,
        ),
        Result("openflow_path/segments_per_lookup", carried / looked_up, "segments"),
        Result("openflow_path/cache_hits", middle["cache_hits"] / looked_up, "", 0.99),
        *fidelity,
    ]


def _processor_s(net: Net) -> float:
    return next(iter(net.snapshot().values()))["loop"]["cpu_ns"] / 1e9


def _received_bytes(host: Host) -> int:
    return int(host.execute(["cat", f"/sys/class/net/{host.name}-eth0/statistics/rx_bytes"]))
