# SPDX-License-Identifier: MIT
"""A script whose own classes override every public method of Mininet's: ``python overridden.py REPORT`` counts calls.

Each override counts and calls what it overrides. Counted is what Mininet itself calls, with what the script calls.
"""

from __future__ import annotations

import functools
import inspect
import json
import os
import sys
from collections import Counter

from mininet.cli import CLI
from mininet.link import Intf, Link, TCIntf, TCLink
from mininet.log import setLogLevel
from mininet.net import Mininet
from mininet.node import Host, OVSSwitch, RemoteController
from mininet.topo import Topo

calls: Counter[str] = Counter()


def counted(base: type) -> type:
    """A subclass that overrides every public method of its base, and of the bases of that."""
    own = {}
    for name in dir(base):
        method = inspect.getattr_static(base, name)
        if name.startswith("_") or not inspect.isfunction(method):
            continue

        def override(self: object, *args: object, _name: str = name, **kwargs: object) -> object:
            calls[f"{base.__name__}.{_name}"] += 1
            return getattr(super(kind, self), _name)(*args, **kwargs)

        own[name] = override
    kind = type(f"Own{base.__name__}", (base,), own)
    return kind


OwnHost, OwnSwitch, OwnController = counted(Host), counted(OVSSwitch), counted(RemoteController)
OwnLink, OwnIntf, OwnTCLink, OwnTCIntf = counted(Link), counted(Intf), counted(TCLink), counted(TCIntf)
OwnTopo, OwnMininet, OwnCLI = counted(Topo), counted(Mininet), counted(CLI)


def main() -> None:
    """Describe, start, try, change and stop a network of these classes."""
    setLogLevel("error")
    topo = OwnTopo()
    for name in ("h1", "h2"):
        topo.addHost(name, privateDirs=["/mnt"] if name == "h1" else [])
    topo.addSwitch("s1")
    topo.addLink("h1", "s1", cls=OwnLink, intf=OwnIntf)
    topo.addLink("h2", "s1", cls=OwnTCLink, cls1=OwnTCIntf, cls2=OwnTCIntf, bw=10)
    switch = functools.partial(OwnSwitch, datapath="user", failMode="standalone")
    net = OwnMininet(
        topo,
        host=OwnHost,
        switch=switch,
        controller=functools.partial(OwnController, port=6699),
        autoStaticArp=True,
    )
    net.start()
    net.pingAll(timeout="1")
    with open("lines", "w") as lines:
        lines.write("nodes\nh1 echo a\npy 1\nexit\n")
    OwnCLI(net, script="lines")
    net.stop()


if __name__ == "__main__":
    report = os.path.abspath(sys.argv[1])
    main()
    with open(report, "w") as file:
        json.dump(calls, file)
