# SPDX-License-Identifier: MIT
"""Two trees of 15 switches, the first of Open vSwitch and the second simulated, under Ryu: flows between them, and a
link that fails meanwhile. In simulated time each run writes the same bytes, on a busy computer too.

hybridnet run --time simulated --out runs/trees examples/same_on_every_computer.py
"""

import itertools
import json

from hybridnet import Net, Ryu, Topo, setLogLevel

LEVELS = 4
SIDE = 2**LEVELS
SECONDS = 3


class OneOfEach(Topo):
    def build(self):
        hosts, switches = itertools.count(1), itertools.count(1)

        def tree(levels, kind):
            if levels == 0:
                return self.addHost(f"h{next(hosts)}")
            switch = self.addSwitch(f"s{next(switches)}", kind=kind)
            for _ in range(2):
                self.addLink(switch, tree(levels - 1, kind))
            return switch

        self.roots = tree(LEVELS, "openvswitch"), tree(LEVELS, "simulated")
        self.addLink(*self.roots, bw=50, delay="5ms")


if __name__ == "__main__":
    setLogLevel("info")
    topo = OneOfEach()
    with Net(topo, controller=Ryu("c0", "ryu.app.simple_switch_13"), record_series="100ms") as net:
        pairs = [(f"h{number}", f"h{number + SIDE}") for number in range(1, SIDE + 1)]
        for client, server in pairs:
            print(net[client].cmd("ping -c 2", net[server].IP()).splitlines()[-1])
        net.run_all({server: "iperf3 -s -D -1" for _, server in pairs})
        changes = ((1.0, "down"), (1.5, "up"))
        net.timeline([(at, {"link": topo.roots, "status": status}) for at, status in changes])
        flows = {
            client: f"iperf3 -J -t {SECONDS} -c {net[server].IP()}" + (" -u -b 1M" if number % 2 else "")
            for number, (client, server) in enumerate(pairs)
        }
        for client, ended in net.run_all(flows).items():
            last = json.loads(ended.output)["end"]
            received = last.get("sum_received") or last["sum"]
            print(f"{client}: {received['bits_per_second'] / 1e6:.6f} Mbit/s")
