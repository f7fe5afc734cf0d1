# SPDX-License-Identifier: MIT
"""What is walked of the live classes, on machines that make nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Any

from hypothesis import strategies as st

from hybridnet import (
    Client,
    Cluster,
    Condition,
    Controller,
    CPULimitedHost,
    FastForward,
    Faucet,
    Gauge,
    Generator,
    Host,
    Intf,
    Link,
    LinuxBridge,
    Net,
    Node,
    OsKen,
    OVSController,
    Receiver,
    RemoteController,
    Ryu,
    SshMachine,
    Switch,
    Topo,
    Wire,
    Workload,
    replay,
)
from hybridnet.plan.network import PlanOptions
from hybridnet.tools.wire.options import keys
from tests.bad_input.values import WRONG
from tests.bad_input.walk import Subject
from tests.hybridnet.run.net.net_test import Recorded
from tests.hybridnet.run.net.support import FakeCluster

PLAN_OPTIONS = {
    name: field.default
    for name, field in PlanOptions.__dataclass_fields__.items()
    if name not in ("token", "controllers", "captures", "realtime", "ip_base", "auto_set_macs", "auto_static_arp")
} | {"captures": {}, "realtime": None}  # fmt: skip
NO_DEVICE = "none-1"

# Of these a good value would start something.
NO_NAMES = WRONG.filter(lambda value: not _strings(value))
NO_OPTION = {"no_such_option": 1}


def _strings(value: Any) -> bool:
    return (
        isinstance(value, list | tuple | str) and bool(value) and all(isinstance(each, str) for each in value)
    )


def topo() -> Topo:
    made = Topo()
    for name in ("h1", "h2"):
        made.addHost(name)
    made.addSwitch("s1")
    made.addLink("h1", "s1", delay="5ms")
    made.addLink("h2", "s1")
    return made


def net(**options: Any) -> Net:
    options.setdefault("controller", None)
    cluster: Any = FakeCluster()
    cluster.answers["set_link"] = lambda **_: None
    cluster.answers["echo_pairs"] = lambda machine, pairs, count, **_: [[0.0] * count for _ in pairs]
    cluster.answers["run_commands"] = lambda machine, commands, timeout: {
        node: {"output": "", "status": 0, "last_pid": None} for node in commands
    }
    return Net(topo(), cluster=cluster, **options)


def making(**options: Any) -> None:
    """A network with these options, started and stopped: what the constructor takes works."""
    given = {name: value for name, value in options.items() if name != "realtime" or value is not None}
    given.setdefault("cluster", FakeCluster())
    if given["cluster"] is None:
        given["cluster"] = FakeCluster()
    with Net(**given):
        pass


def describing(method: str) -> Callable[..., object]:
    def call(**arguments: Any) -> object:
        return getattr(net(), method)(**arguments)

    return call


def using(method: str) -> Callable[..., object]:
    def call(*, args: Any = None, **arguments: Any) -> object:
        with net() as network:
            return getattr(network, method)(*(() if args is None else (args,)), **arguments)

    return call


def of_node(name: str, method: str) -> Callable[..., object]:
    def call(*, args: Any = None, **arguments: Any) -> object:
        with net() as network:
            return getattr(network[name], method)(*(() if args is None else (args,)), **arguments)

    return call


def of_interface(method: str) -> Callable[..., object]:
    def call(*, args: Any = None, **arguments: Any) -> object:
        with net() as network:
            return getattr(network["h1"].defaultIntf(), method)(
                *(() if args is None else (args,)), **arguments
            )

    return call


def of_stepper(method: str) -> Callable[..., object]:
    def call(**arguments: Any) -> object:
        described = Topo()
        described.addLink(described.addSimHost("a"), described.addSimHost("b"))
        with Net(described).stepping(until="1ms") as stepper:
            if method != "live":
                return getattr(stepper, method)(**arguments)
            with stepper.live(**arguments):
                return None

    return call


def program(method: str) -> Callable[..., object]:
    def call(**arguments: Any) -> object:
        with net() as network:
            started = network["h1"].popen("cat", stdin=-1)
            target = started
            for part in method.split(".")[:-1]:
                target = getattr(target, part)
            return getattr(target, method.split(".")[-1])(**arguments)

    return call


IGNORED = st.one_of(st.none(), st.integers(), st.floats(), st.binary(max_size=4), st.builds(object))
NET = {
    "topo": None, "switch": Switch, "host": Host, "controller": None, "autoSetMacs": False, "autoStaticArp": False,
    "ipBase": "10.0.0.0/8", "waitConnected": True, "cluster": None, "on_progress": None, "limits": None,
    "record_series": "100ms", "out": None, "reroute": False, "on_loss": "continue", **PLAN_OPTIONS, **NO_OPTION,
}  # fmt: skip
PAIR = {"node1": "h1", "node2": "h2"}
OF_NET = [
    Subject("Net", making, NET),
    Subject("Net.addNAT", describing("addNAT"), {"name": "h9", "connect": False, **NO_OPTION}),
    Subject("Net.addHost", describing("addHost"), {"name": "h9", "cls": None, "ip": None, **NO_OPTION}),
    Subject("Net.addGuest", describing("addGuest"), {"name": "g9", "ip": None, **NO_OPTION}),
    Subject("Net.addSwitch", describing("addSwitch"), {"name": "s9", "cls": None, "dpid": None, **NO_OPTION}),
    Subject("Net.addLink", describing("addLink"), {**PAIR, "port1": None, "port2": None, "bw": 1, "cls": None}),
    Subject("Net.addHost while it runs", using("addHost"), {"name": "h9", "cls": None, "ip": None, **NO_OPTION}),
    Subject("Net.addLink while it runs", using("addLink"), {**PAIR, "port1": None, "port2": None, "bw": 1}),
    Subject("Net.addSimHost", using("addSimHost"), {"name": "h9", "ip": None, **NO_OPTION}),
    Subject("Net.addRouter", describing("addRouter"), {"name": "r9", "ospf": True, "bgp": 65001, **NO_OPTION}),
    Subject("Net.addSimRouter", using("addSimRouter"), {"name": "r9", "machine": None, **NO_OPTION}),
    Subject("Net.addSimSwitch", using("addSimSwitch"), {"name": "s9", "machine": None, **NO_OPTION}),
    Subject("Net.delLink", using("delLink"), {"node1": "h1", "node2": "s1", "key": None}),
    Subject("Net.delNode", using("delNode"), {"node": "h1"}),
    Subject("Net.delController", using("delController"), {"controller": None}),
    Subject("Net.delHost", using("delHost"), {"node": "h1"}),
    Subject("Net.delSwitch", using("delSwitch"), {"node": "s1"}),
    Subject("Net.changes", using("changes"), {}),
    Subject("Net.addController", describing("addController"), {"name": "c0", "controller": Recorded, **NO_OPTION}),
    Subject("Net.build", describing("build"), {}),
    Subject("Net.start", describing("start"), {}),
    Subject("Net.stop", describing("stop"), {}),
    Subject("Net.check", using("check"), {}),
    Subject("Net.waitConverged", using("waitConverged"), {"timeout": 1}),
    Subject("Net.snapshot", using("snapshot"), {"of_elements": True}),
    Subject("Net.live", using("live"), {"host": "127.0.0.1", "port": 0, "names": ()}),
    Subject("Net.capture", using("capture"), {
        "interface": "h9-eth0", "file": "/tmp/h9.pcap", "filter": "", "most": "1 MB",
    }),
    Subject("Net.restart_instance", using("restart_instance"), {"name": "m9"}),
    Subject("Net.restart_machine", using("restart_machine"), {"name": "m9"}),
    Subject("Net.delMachine", using("delMachine"), {"name": "m9"}),
    Subject("Net.delInstance", using("delInstance"), {"name": "m9"}),
    Subject("Net.mark", using("mark"), {}),
    Subject("Net.verdict", using("verdict"), {"since": None, "limits": None}),
    Subject("Net.measured", using("measured"), {"limits": None}),
    Subject("Net.getNodeByName", using("getNodeByName"), {"args": "h1"}),
    Subject("Net.get", using("get"), {"args": "h1"}),
    Subject("Net.keys", using("keys"), {}),
    Subject("Net.values", using("values"), {}),
    Subject("Net.items", using("items"), {}),
    Subject("Net.linksBetween", using("linksBetween"), PAIR),
    Subject("Net.ping", using("ping"), {"hosts": ["h1", "h2"], "timeout": 1}),
    Subject("Net.pingAll", using("pingAll"), {"timeout": None}),
    Subject("Net.pingPair", using("pingPair"), {}),
    Subject("Net.ping_matrix", using("ping_matrix"), {
        "hosts": ["h1", "h2"], "count": 1, "interval": 0.0, "timeout": None,
    }),
    Subject("Net.ping_stream", using("ping_stream"), {
        "source": "h1", "target": "h2", "seconds": 1, "interval": 0.1,
    }),
    Subject("Net.iperf_matrix", using("iperf_matrix"), {
        "pairs": [("h1", "h2")], "l4Type": "TCP", "udpBw": "10M", "seconds": 1, "port": 5001, "parallel": 1,
    }),
    Subject("Net.simulate", describing("simulate"), {
        "until": "1ms", "seeds": 1, "parallel": 1, "mpi": None, "hosts": [], "real_time": False, "jobs": None,
        "trace_hash": False, "series": None, "workloads": [], "warmup": 0, "precision": None,
        "fast_forward": None,
    }),
    Subject("Net.stepping", describing("stepping"), {"seed": 1, "until": "1ms"}),
    Subject("Net.iperf", using("iperf"), {
        "hosts": ["h1", "h2"], "l4Type": "TCP", "udpBw": "10M", "fmt": None, "seconds": 1, "port": 5001,
    }),
    Subject("Net.run_all", using("run_all"), {"commands": {"h1": "true"}, "timeout": None}),
    Subject("Net.configLinkStatus", using("configLinkStatus"), {
        "src": "h1", "dst": "s1", "status": "down", "reroute": False,
    }),
    Subject("Net.timeline", using("timeline"), {
        "changes": [(1, {"link": ("h1", "s1"), "delay": "1ms"})], "lead": None,
    }),
    Subject("Net.set_link", using("set_link"), {
        "src": "h1", "dst": "s1", "key": None, "bw": 5, "delay": "1ms", "params1": None, "params2": None, **NO_OPTION,
    }),
]  # fmt: skip
CONDITION = {
    "section": "links",
    "element": "a-b:a-eth0>b-eth0",
    "figure": "dropped",
    "comparison": ">",
    "value": 0,
}
OF_STEPPER = [
    Subject("Condition", Condition, CONDITION),
    Subject("Workload", Workload, {
        "sizes": "web-search", "load": 0.5, "pattern": "all-to-all", "hosts": ["h1", "h2"], "start": "0", "stop": "1s",
        "tcp": "linux",
    }),
    Subject("Workload.incast", Workload, {
        "sizes": 20_000, "load": None, "pattern": "incast", "fan_in": 2, "interval": "1ms", "receiver": None,
    }),
    Subject("Workload.all-reduce", Workload, {
        "sizes": 20_000, "load": None, "pattern": "all-reduce", "rounds": 2, "hosts": ["h1", "h2"],
    }),
    Subject("FastForward", FastForward, {"error": "1%", "check": True}),
    Subject("Stepper.step", of_stepper("step"), {"events": 1}),
    Subject("Stepper.run", of_stepper("run"), {"until": "1ms", "condition": Condition(**CONDITION), "speed": 1.0}),
    Subject("Stepper.run_until", of_stepper("run_until"), {"until": "1ms", "condition": None}),
    Subject("Stepper.wait", of_stepper("wait"), {"timeout": 1}),
    Subject("Stepper.next_events", of_stepper("next_events"), {"most": 50}),
    Subject("Stepper.queue", of_stepper("queue"), {"link": "a-b", "most": 5}),
    Subject("Stepper.messages", of_stepper("messages"), {"first": 0, "most": 5}),
    Subject("Stepper.follow", of_stepper("follow"), {"interfaces": ["a-eth0"]}),
    Subject("Stepper.live", of_stepper("live"), {"host": "127.0.0.1", "port": 0, "names": ()}),
]  # fmt: skip
POPEN = {
    "args": ["true"], "shell": False, "stdin": None, "stdout": -1, "stderr": -1, "env": None, "cwd": None, "text": True,
}  # fmt: skip
OF_NODES = [
    *(
        Subject(cls.__name__, cls, {"name": "n1", "ip": None})
        for cls in (Node, Host, CPULimitedHost, LinuxBridge, Switch)
    ),
    Subject("Node.cmd", of_node("h1", "cmd"), {"args": "true", "verbose": False, "timeout": None}),
    Subject("Node.cmdPrint", of_node("h1", "cmdPrint"), {"args": "true"}),
    Subject("Node.sendCmd", of_node("h1", "sendCmd"), {"args": "true"}),
    Subject("Node.waitOutput", of_node("h1", "waitOutput"), {"verbose": False}),
    Subject("Node.sendInt", of_node("h1", "sendInt"), {}),
    Subject("Node.popen", of_node("h1", "popen"), {**POPEN, **NO_OPTION}),
    Subject("Node.execute", of_node("h1", "execute"), {"argv": ["true"], "timeout": 1}),
    Subject("Node.intf", of_node("h1", "intf"), {"intf": None}),
    Subject("Node.IP", of_node("h1", "IP"), {"intf": None}),
    Subject("Node.IP6", of_node("h1", "IP6"), {"intf": None}),
    Subject("Node.MAC", of_node("h1", "MAC"), {"intf": None}),
    Subject("Node.setIP", of_node("h1", "setIP"), {"ip": "10.0.0.1", "prefixLen": 8, "intf": None}),
    Subject("Node.setMAC", of_node("h1", "setMAC"), {"mac": "02:00:00:00:00:01", "intf": None}),
    Subject("Node.setARP", of_node("h1", "setARP"), {"ip": "10.0.0.2", "mac": "02:00:00:00:00:01"}),
    Subject("Node.setDefaultRoute", of_node("h1", "setDefaultRoute"), {"intf": None}),
    Subject("Node.setHostRoute", of_node("h1", "setHostRoute"), {"ip": "10.0.0.9", "intf": None}),
    Subject("Node.set_interface", of_node("h1", "set_interface"), {"name": "h1-eth0", "up": True}),
    Subject("Node.connectionsTo", of_node("h1", "connectionsTo"), {"node": None}),
    Subject("Switch.dpctl", of_node("s1", "dpctl"), {"args": "show"}),
    Subject("Switch.start", of_node("s1", "start"), {"controllers": []}),
    Subject("Switch.stop", of_node("s1", "stop"), {"deleteIntfs": True}),
    Subject("Switch.connected", of_node("s1", "connected"), {}),
    Subject("Intf", Intf, {"name": "eth1", "node": None, "port": None, "plan": None}),
    Subject("Link", Link, {"name": "h1", "kind": "h2", "intf1": None, "intf2": None, **NO_OPTION}),
    Subject("Intf.setIP", of_interface("setIP"), {"ipstr": "10.0.0.1/8", "prefixLen": None}),
    Subject("Intf.setMAC", of_interface("setMAC"), {"mac": "02:00:00:00:00:01"}),
    Subject("Intf.ifconfig", of_interface("ifconfig"), {"args": "up"}),
    Subject("Popen.wait", program("wait"), {"timeout": 1}, also=(TimeoutExpired,)),
    Subject("Popen.send_signal", program("send_signal"), {"signal": 15}),
    Subject(
        "Popen.communicate", program("communicate"), {"input": None, "timeout": 1}, also=(TimeoutExpired,)
    ),
    Subject("Popen.stdin.write", program("stdin.write"), {"data": "x"}),
]
OF_APPS = {
    "port": None, "rest_port": None, "arguments": (), "log": None, "on_line": None, "machines": None, "ip": "127.0.0.1",
    "protocol": "tcp", **NO_OPTION,
}  # fmt: skip
OF_CONTROLLERS = [
    Subject("RemoteController", RemoteController, {
        "name": "c0", "ip": "127.0.0.1", "port": None, "machines": None, "protocol": "tcp", "command": None,
        **NO_OPTION,
    }),
    *(Subject(cls.__name__, cls, {"name": "c0", **OF_APPS}) for cls in (Ryu, Controller, OVSController, OsKen)),
    *(Subject(cls.__name__, cls, {"name": "c0", "config": __file__, **OF_APPS}) for cls in (Faucet, Gauge)),
    Subject("Ryu(app)", lambda app: Ryu("c0", app), {"app": "tree_switch"}),
]  # fmt: skip
DIRECTION = dict.fromkeys(keys())
NO_ROOT = [
    Subject("Client", Client, {"url": "http://127.0.0.1:1/?token=t", "timeout": 1}),
    Subject("SshMachine", SshMachine, {
        "target": "user@host", "name": None, "address": None, "python": None, "port": None, "identity": None,
        "options": (), "state": "/run/hybridnet",
    }),
    Subject("replay", replay, {"record": Path("no-such.pcapng"), "plan": None, "out": None}),
    Subject("Cluster.local", Cluster.local, {"names": [5], "on_head_address": print}, {
        "names": NO_NAMES, "on_head_address": WRONG,
    }),
    Subject("Cluster.ssh", Cluster.ssh, {"hosts": [5], "python": None, "head_address": None, "grace_s": 30.0}, {
        "hosts": NO_NAMES,
    }),
    Subject("Cluster.connect", Cluster.connect, {
        "scheduler_address": "nowhere", "security": None, "workers": None, "names": None, "timeout": 0.1,
        "grace_s": 30.0,
    }),
    Subject("Wire", Wire, {
        "a": NO_DEVICE, "b": "none-2", "forward": None, "backward": None, "backend": "packet", "portal_options": None,
        "realtime": None, "name": None, "limits": None, "seed": 1, "record": None, **DIRECTION, **NO_OPTION,
    }),
    Subject("Generator", Generator, {
        "device": NO_DEVICE, "rate": "10pps", "schedule": None, "duration": "1 s", "count": None, "size": 100,
        "gaps": "constant", "on": "10 ms", "off": "10 ms", "source_mac": None, "destination_mac": None,
        "source": "198.18.0.1", "destination": "198.18.0.2", "source_port": 5300, "destination_port": 5300,
        "pcap": None, "speed": None, "loop": 1, "gather": None, "trains": False, "backend": "packet", "patience": "1 s",
        "wait": "sleep", "cpu": None, "fifo_priority": None, "seed": 1, "lateness_limit": None,
    }, {"device": WRONG.filter(lambda value: value != "lo")}),
    Subject("Receiver", Receiver, {
        "device": NO_DEVICE, "port": 5300, "count": None, "silence": None, "gro": True, "backend": "packet",
        "cpu": None, "fifo_priority": None,
    }),
]  # fmt: skip
SUBJECTS = [*OF_NET, *OF_STEPPER, *OF_NODES, *OF_CONTROLLERS, *NO_ROOT]
