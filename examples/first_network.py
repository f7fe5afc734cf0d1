# SPDX-License-Identifier: MIT
"""Two hosts at one switch, under the default controller.

sudo hybridnet run examples/first_network.py
"""

from hybridnet import Net, Topo, setLogLevel


class FirstTopo(Topo):
    def build(self):
        h1, h2, s1 = self.addHost("h1"), self.addHost("h2"), self.addSwitch("s1")
        self.addLink(h1, s1)
        self.addLink(h2, s1, bw=10, delay="5ms")  # has a rate and a delay, so it is simulated


if __name__ == "__main__":
    setLogLevel("info")
    with Net(FirstTopo()) as net:
        net.pingAll()
        print(net["h1"].cmd("ping -c3", net["h2"].IP()))
