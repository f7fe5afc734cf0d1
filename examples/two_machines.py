# SPDX-License-Identifier: MIT
"""One Ethernet over two machines: two trees of switches, joined by a simulated link of 10 ms.

sudo hybridnet run examples/two_machines.py
"""

from hybridnet import Net, setLogLevel
from hybridnet.topologies import TwoTrees

if __name__ == "__main__":
    setLogLevel("info")
    with Net(TwoTrees(depth=2, bw=100, delay="10ms")) as net:
        print(net.plan)
        net.pingAll()
        print(net["h1"].cmd("ping -c5 -i0.2", net["h8"].IP()))
        net.iperf()
