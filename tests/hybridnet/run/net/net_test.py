# SPDX-License-Identifier: MIT
"""Net: what it tells the machines, in which order, and what it leaves behind when something fails."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.errors import ControllerError, MachineError, PlanError, TopologyError, UsageError
from hybridnet.run.controllers.kinds import RemoteController, Ryu
from hybridnet.run.net import Net, own_address_toward
from hybridnet.run.node import Host, Switch
from hybridnet.system.log import setLogLevel
from hybridnet.topologies import SingleSwitchTopo, TwoTrees
from tests.hybridnet.run.net.support import FakeCluster


class Recorded(RemoteController):
    """A controller that always answers, and remembers."""

    def __init__(self, name: str = "c0") -> None:
        super().__init__(name, port=6653)
        self.log: list[str] = []
        self.dead = False

    def begin(self, head_address: str) -> None:
        self.log.append(f"begin {head_address}")

    def ready(self) -> None:
        self.log.append("ready")

    def check(self) -> None:
        if self.dead:
            raise ControllerError("controller c0 is dead")

    def end(self) -> None:
        self.log.append("end")


def net(*machines: str, topo: Any = None, **options: Any) -> Net:
    options.setdefault("controller", None)
    return Net(topo or SingleSwitchTopo(k=3), cluster=FakeCluster(*machines), **options)  # type: ignore[arg-type]


def fake(network: Net) -> FakeCluster:
    cluster: Any = network.cluster
    return cluster


def test_nodes_are_known_before_the_start_and_useless_until_then() -> None:
    network = net()
    assert [host.name for host in network.hosts] == ["h1", "h2", "h3"]
    with pytest.raises(MachineError, match=r"node h1 is not there: .*call net.start\(\) first"):
        network["h1"].cmd("true")


def test_start_builds_every_machine_and_stop_takes_it_down() -> None:
    network = net("m1", "m2", topo=TwoTrees(depth=1))
    with network:
        for machine in ("m1", "m2"):
            assert fake(network).verbs(machine) == ["capacity", "build", "snapshot", "counters"]
        assert network["h1"].IP() == "10.0.0.1"
        assert network["h3"].machine == "m2"
        assert [link.kind for link in network.links].count("cut") == 1
        cluster = fake(network)
    assert cluster.verbs("m2")[-1] == "destroy"
    assert not cluster.closed  # it was given, so it is not ours to close
    assert network.final_counters == {"m1": {"name": "m1"}, "m2": {"name": "m2"}}
    with pytest.raises(MachineError, match="not running"):
        network["h1"].cmd("true")


def test_a_second_start_and_a_second_stop_do_nothing() -> None:
    network = net()
    network.start()
    network.start()
    assert fake(network).verbs().count("build") == 1
    network.stop()
    network.stop()
    assert fake(network).verbs().count("destroy") == 1


def test_switches_are_told_the_controllers_address_as_seen_from_their_machine() -> None:
    controller = Recorded()
    network = net(controller=controller)
    with network:
        plan = next(arguments["plan"] for _, verb, arguments in fake(network).calls if verb == "build")
        assert plan["switches"][0]["controllers"] == [f"tcp:{own_address_toward('127.0.0.1')}:6653"]
        assert network.controllers == [controller]
    assert controller.log == ["begin 127.0.0.1", "ready", "end"]


def test_a_controller_that_does_not_come_up_is_the_error_and_nothing_stays() -> None:
    class Stillborn(Recorded):
        def ready(self) -> None:
            raise ControllerError("controller c0 ended")

    network = net(controller=Stillborn())
    cluster: Any = network.cluster
    with pytest.raises(ControllerError, match="c0 ended"):
        network.start()
    assert "obey_controllers" not in cluster.verbs()
    assert cluster.verbs()[-1] == "destroy"


def test_a_controller_for_a_machine_is_told_to_its_switches_only() -> None:
    network = net("m1", "m2", topo=TwoTrees(depth=1))
    for number, machine in enumerate(("m1", "m2"), start=1):
        network.addController(RemoteController(f"c{number}", ip="192.0.2.1", port=6653, machines=[machine]))
        network.controllers[-1].begin = lambda head: None  # type: ignore[method-assign]
        network.controllers[-1].port = 6600 + number
    with network:
        plans = {m: arguments["plan"] for m, verb, arguments in fake(network).calls if verb == "build"}
        told = {m: plan["switches"][0]["controllers"] for m, plan in plans.items()}
        assert told == {"m1": ["tcp:192.0.2.1:6601"], "m2": ["tcp:192.0.2.1:6602"]}


def test_a_controller_for_a_machine_that_is_not_there_is_refused() -> None:
    controller = RemoteController("c0", port=6653, machines=["m7"])
    with pytest.raises(UsageError, match=r"controller c0: there is no machine 'm7'; the machines are m1"):
        net(controller=controller).start()


def test_start_waits_for_the_switches_and_asks_again() -> None:
    network = net(controller=Recorded())
    answers = iter([False, False, True])
    cluster: Any = network.cluster
    cluster.answers["switches_connected"] = lambda machine: {"s1": next(answers)}
    with network:
        assert cluster.verbs().count("switches_connected") == 3


def test_a_switch_that_finds_no_controller_is_named_and_everything_is_removed() -> None:
    controller = Recorded()
    network = net(controller=controller, waitConnected=0.01)
    cluster: Any = network.cluster
    cluster.answers["switches_connected"] = lambda machine: {"s1": False}
    with pytest.raises(
        ControllerError, match=r"1 of 1 switches \(s1\) found no controller.*protocols='OpenFlow10'"
    ):
        network.start()
    assert cluster.verbs()[-1] == "destroy"
    assert controller.log[-1] == "end"


def test_a_controller_that_dies_while_switches_are_awaited_is_the_error() -> None:
    controller = Recorded()
    controller.dead = True
    network = net(controller=controller)
    cluster: Any = network.cluster
    cluster.answers["switches_connected"] = lambda machine: {"s1": False}
    with pytest.raises(ControllerError, match="controller c0 is dead"):
        network.start()


def test_a_failed_build_is_raised_after_the_controllers_ended() -> None:
    def refuse(**_: Any) -> None:
        raise MachineError("machine m1: no room")

    controller = Recorded()
    network = net(controller=controller)
    cluster: Any = network.cluster
    cluster.answers["build"] = refuse
    with pytest.raises(MachineError, match="no room"):
        network.start()
    assert controller.log[-1] == "end"


def test_what_cannot_be_built_is_said_before_a_machine_or_controller_is_started() -> None:
    controller = Recorded()
    network = Net(TwoTrees(depth=1, delay="1us"), controller=controller)
    with pytest.raises(PlanError, match="cannot hide the transit"):
        network.start()
    assert "begin 127.0.0.1" not in controller.log
    with pytest.raises(MachineError, match="not running"):
        _ = network.cluster


def test_check_raises_what_has_died() -> None:
    network = net()
    with network:
        network.check()
        fake(network).lose("m1", "its agent is gone")
        with pytest.raises(MachineError, match="its agent is gone"):
            network.check()


def test_stop_leaves_out_machines_that_are_lost() -> None:
    network = net("m1", "m2", topo=TwoTrees(depth=1))
    network.start()
    fake(network).lose("m2", "gone")
    network.stop()
    assert list(network.final_counters) == ["m1"]


def test_networks_can_be_described_with_the_net_itself() -> None:
    network = net(topo=None)
    network = Net(controller=None, cluster=FakeCluster())  # type: ignore[arg-type]
    h1, s1 = network.addHost("h1", ip="10.0.0.9/8"), network.addSwitch("s1")
    network.addLink(h1, s1, 0, 4)
    with network:
        assert h1.IP() == "10.0.0.9"
        assert s1.intfNames() == ["s1-eth4"]
        assert s1.dpid == "0000000000000001"
        assert [(a.name, b.name) for a, b in h1.connectionsTo(s1)] == [("h1-eth0", "s1-eth4")]
        assert network.linksBetween(h1, s1)[0].name == "h1-s1"


def test_a_switch_that_is_started_by_hand_starts_the_network_as_miniedit_scripts_expect() -> None:
    network = net()
    network["s1"].start([])
    network["s1"].start([])
    assert fake(network).verbs().count("build") == 1
    network.stop()


def test_unknown_and_simulated_nodes_are_told_apart() -> None:
    network = net("m1", "m2", topo=TwoTrees(depth=1, join="routed"))
    with pytest.raises(UsageError, match="node 'h9' does not exist; the nodes are h1, h2"):
        network.get("h9")
    with pytest.raises(UsageError, match="node 'r1' is simulated and runs no commands"):
        network.get("r1")
    assert [node.name for node in network.get("h1", "s1")] == ["h1", "s1"]
    assert "h1" in network
    assert len(network) == 6


@pytest.mark.parametrize(
    ("option", "cure"),
    [
        ("xterms", "popen"),
        ("inNamespace", "switches live"),
        ("listenPort", r"addSwitch\(listenPort="),
        ("autoPinCpus", "cores="),
    ],
)
def test_options_that_cannot_be_had_are_refused(option: str, cure: str) -> None:
    with pytest.raises(UsageError, match=f"{option}= is not supported; .*{cure}"):
        net(**{option: True})


def test_the_folder_of_a_record_is_looked_for_before_a_controller_starts() -> None:
    def is_missing(machine: str, folder: str) -> None:
        raise MachineError(f"machine {machine}: there is no folder {folder}")

    ryu = Ryu("c0")
    network = net(record="/nowhere", controller=ryu)
    cluster = fake(network)
    cluster.answers["check_folder"] = is_missing
    with pytest.raises(MachineError, match="machine m1: there is no folder /nowhere"):
        network.start()
    assert "build" not in cluster.verbs()
    assert ryu.process is None


def test_unknown_options_are_refused_and_plan_options_pass() -> None:
    with pytest.raises(UsageError, match=r"unknown option 'autoSetMac'; did you mean 'autoSetMacs'\?"):
        net(autoSetMac=True)
    with pytest.raises(UsageError, match=r"unknown option 'sead'; did you mean 'seed'\?"):
        net(sead=9)
    with pytest.raises(UsageError, match=r"unknown option 'qqq'; see help\(hybridnet.Net\)"):
        net(qqq=1)
    with pytest.raises(UsageError, match="ipBase= and ip_base= are two names of one option; leave one out"):
        net(ipBase="10.1.0.0/16", ip_base="10.1.0.0/16")
    network = net(autoSetMacs=True, ipBase="10.7.0.0/16", port_type="afxdp", seed=9)
    with network:
        assert network["h1"].IP() == "10.7.0.1"
        assert network["h1"].MAC() == "00:00:00:00:00:01"
        assert network.plan is not None
        assert network.plan.machines["m1"]["port_type"] == "afxdp"


def test_classes_of_nodes_are_used_and_configured_once_the_network_runs() -> None:
    class Configured(Host):
        def config(self, **params: Any) -> None:
            self.seen = (params, self.cmd("sysctl"))

    network = Net(controller=None, cluster=FakeCluster())  # type: ignore[arg-type]
    host: Any = network.addHost("h1", cls=Configured, ip="10.0.0.1/8")
    with network:
        assert host.seen == ({"ip": "10.0.0.1/8"}, "h1$ sysctl\n")
    with pytest.raises(TopologyError, match="is not a Host class"):
        network.addHost("h2", cls=dict)
    assert "h2" not in network.topo.nodes()


def test_a_ping_of_some_hosts_prints_the_table_without_its_headline_as_mininet_does(
    capsys: pytest.CaptureFixture[str],
) -> None:
    setLogLevel("output")
    network = net()
    with network:
        fake(network).answers["ping_pairs"] = lambda machine, pairs, **_: [{"received": 1} for _ in pairs]
        network.pingPair()
    assert capsys.readouterr().err == "h1 -> h2 \nh2 -> h1 \n*** Results: 0% dropped (2/2 received)\n"


def test_ping_all_prints_mininets_table_and_returns_the_loss(capsys: pytest.CaptureFixture[str]) -> None:
    setLogLevel("output")
    network = net()
    with network:
        fake(network).answers["ping_pairs"] = lambda machine, pairs, **_: [
            {"received": int(address == "10.0.0.3")} for _, address in pairs
        ]
        lost = network.pingAll()
    assert lost == pytest.approx(100 * 4 / 6)
    assert capsys.readouterr().err == (
        "*** Ping: testing ping reachability\n"
        "h1 -> X h3 \n"
        "h2 -> X h3 \n"
        "h3 -> X X \n"
        "*** Results: 66% dropped (2/6 received)\n"
    )


def test_a_host_without_an_address_is_reached_by_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    """Mininet 2.3: it sends a ping to "None", and counts it as lost; 100 % of nothing would be success."""
    setLogLevel("output")
    topo = Topo()
    topo.addSwitch("s1")
    for name, ip in ("h1", None), ("h2", None):
        topo.addHost(name, ip=ip)
        topo.addLink(name, "s1")
    with net(topo=topo) as network:
        fake(network).answers["ping_pairs"] = lambda machine, pairs, **_: [{"received": 1} for _ in pairs]
        assert network.pingAll() == network.pingAll(parallel=True) == 100
    assert (
        capsys.readouterr().err.count("h1 -> X \nh2 -> X \n*** Results: 100% dropped (0/2 received)\n") == 2
    )


def test_ping_pair_takes_the_first_two_hosts(capsys: pytest.CaptureFixture[str]) -> None:
    with net() as network:
        network.pingPair()
    assert "(2/2 received)" in capsys.readouterr().err


def test_link_status_reaches_the_emulated_ends_or_the_simulation() -> None:
    network = net("m1", "m2", topo=TwoTrees(depth=1, join="routed"))
    with network:
        network.configLinkStatus("s1", "r1", "down")
        assert fake(network).calls[-1] == ("m1", "link_down", {"node": "s1", "interface": "s1-eth3"})
        network.configLinkStatus("r1", "r2", "down")
        told = {"link": "r1-r2", "up": False}
        assert fake(network).calls[-2:] == [
            (machine, "set_link", {"instance": machine, **told}) for machine in ("m1", "m2")
        ]
        with pytest.raises(UsageError, match="no such link"):
            network.configLinkStatus("h1", "h2", "down")
        with pytest.raises(UsageError, match="status 'sideways'"):
            network.configLinkStatus("h1", "s1", "sideways")


def sim_pair(**options: Any) -> Topo:
    topo = Topo()
    topo.addSimHost("a", ip="10.0.0.1/8", machine="m1")
    topo.addSimHost("b", ip="10.0.0.2/8", machine=options.pop("machine", "m1"))
    topo.addLink("a", "b", **options)
    return topo


def told(network: Net) -> dict[str, dict[str, Any]]:
    return {machine: given for machine, verb, given in fake(network).calls if verb == "set_link"}


def test_a_link_is_changed_with_the_options_of_its_description() -> None:
    network = net(topo=sim_pair(bw=10, delay="5ms", params1={"loss": 1}))
    fake(network).answers["set_link"] = lambda **_: None
    with network:
        network.set_link("a", "b", delay="20ms", params2={"aqm": "codel"})
        changed = told(network)["m1"]
        assert changed["link"] == "a-b"
        assert (changed["a_to_b"]["delay_ns"], changed["b_to_a"]["delay_ns"]) == (20_000_000, 20_000_000)
        assert changed["a_to_b"]["rate_bps"] == 10**7
        assert changed["a_to_b"]["loss"]["probability"] == 0.01
        assert changed["a_to_b"]["queue"] is None
        assert changed["b_to_a"]["queue"]["model"] == "codel"
        network.set_link("a", "b", loss=None, bw=None, trace="/t", params2={"aqm": None})
        changed = told(network)["m1"]
        assert changed["a_to_b"]["loss"] is None
        assert changed["b_to_a"]["queue"] is None
        assert changed["b_to_a"]["rate_model"] == {"model": "opportunities", "file": "/t"}
        assert changed["b_to_a"]["delay_ns"] == 20_000_000


def test_of_a_cut_link_each_machine_is_told_its_side() -> None:
    network = net("m1", "m2", topo=sim_pair(machine="m2", delay="5ms"))
    fake(network).answers["set_link"] = lambda **_: None
    with network:
        network.set_link("a", "b", params1={"delay": "7ms", "loss": 5})
        both = told(network)
        assert both["m1"]["a_to_b"] == both["m2"]["b_to_a"]
        assert both["m1"]["b_to_a"] == both["m2"]["a_to_b"]
        assert both["m1"]["a_to_b"]["delay_ns"] == 7_000_000
        with pytest.raises(PlanError, match="cannot hide the transit between them"):
            network.set_link("a", "b", delay="1us")


def test_what_cannot_be_changed_says_why() -> None:
    with net() as network:
        with pytest.raises(TopologyError, match="did you mean 'delay'"):
            network.set_link("h1", "s1", dealy="5ms")
        with pytest.raises(TopologyError, match="unknown option 'mtu'"):
            network.set_link("h1", "s1", mtu=600)
        with pytest.raises(TopologyError, match="there is no link between h1 and h2"):
            network.set_link("h1", "h2", delay="5ms")


def test_what_only_a_simulated_switch_has_is_refused_before_anything_starts() -> None:
    topo = Topo()
    topo.addSwitch("s1", setup_rate=5)
    with pytest.raises(TopologyError, match="switch s1: only a simulated switch has setup_rate"):
        Net(topo)
    Net(topo, switches="simulated")
    Net(topo, switch=functools.partial(Switch, kind="simulated"))
