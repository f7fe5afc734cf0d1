# SPDX-License-Identifier: MIT
"""Programs beside each other: a UDP flow in the background, pings in front of it.

sudo hybridnet run examples/background_flows.py
"""

from hybridnet import Net, setLogLevel
from hybridnet.topologies import DumbbellTopo

if __name__ == "__main__":
    setLogLevel("info")
    with Net(DumbbellTopo(n=2, bw=10, delay="5ms", max_queue_size=20)) as net:
        h1, h2, h3, h4 = net.get("h1", "h2", "h3", "h4")
        print("idle link:", h1.cmd("ping -c5 -i0.2", h3.IP(), "| tail -1"))
        server = h4.popen("iperf3 -s -1 --forceflush")
        while "listening" not in server.stdout.readline():
            pass
        client = h2.popen(f"iperf3 -c {h4.IP()} -u -b 9M -t 3")
        print("busy link:", h1.cmd("ping -c10 -i0.2", h3.IP(), "| tail -1"))
        client.wait()
        server.close()
