# SPDX-License-Identifier: MIT
"""Ryu apps of your own, or of Ryu's, with its REST interface.

sudo hybridnet run examples/my_controller.py
"""

from hybridnet import Net, Ryu, setLogLevel
from hybridnet.topologies import TreeTopo

if __name__ == "__main__":
    setLogLevel("info")
    ryu = Ryu("c0", "ryu.app.simple_switch_13", "ryu.app.ofctl_rest")
    with Net(TreeTopo(depth=2), controller=ryu) as net:
        net.pingAll()
        print("Ryu sees the switches", sorted(ryu.rest("/stats/switches")))
