# SPDX-License-Identifier: MIT
"""Ryu apps of your own, or of Ryu's, with its REST interface.

hybridnet run examples/my_controller.py
"""

import json
import urllib.request

from hybridnet import Net, Ryu, setLogLevel
from hybridnet.topologies import TreeTopo

if __name__ == "__main__":
    setLogLevel("info")
    ryu = Ryu("c0", "ryu.app.simple_switch_13", "ryu.app.ofctl_rest", rest_port=8080)
    with Net(TreeTopo(depth=2), controller=ryu) as net:
        net.pingAll()
        with urllib.request.urlopen(f"http://{ryu.process.address}:8080/stats/switches") as answer:
            print("Ryu sees the switches", sorted(json.load(answer)))
