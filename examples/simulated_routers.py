# SPDX-License-Identifier: MIT
"""A real host on each machine, and three simulated routers between them; traceroute shows them.

h1 ─ r1 ─ r2 ─ r3 ─ h2          h1, r1, r2 on m1; r3, h2 on m2

sudo hybridnet run examples/simulated_routers.py
"""

from hybridnet import Net, Topo, setLogLevel


class RoutersTopo(Topo):
    def build(self):
        self.addHost("h1", machine="m1")
        self.addHost("h2", machine="m2")
        for router, machine in (("r1", "m1"), ("r2", "m1"), ("r3", "m2")):
            self.addSimRouter(router, machine=machine)
        self.addLink("h1", "r1")
        self.addLink("r1", "r2", bw=50, delay="2ms")
        self.addLink("r2", "r3", bw=20, delay="5ms", max_queue_size=100)  # the cut link
        self.addLink("r3", "h2")


if __name__ == "__main__":
    setLogLevel("info")
    with Net(RoutersTopo()) as net:
        print(net["h1"].cmd("traceroute -n -q1", net["h2"].IP()))
        net.iperf(seconds=3)
