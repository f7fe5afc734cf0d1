# SPDX-License-Identifier: MIT
"""Controllers under os-ken, Faucet and Gauge: real ones, over real switches."""

from __future__ import annotations

import re
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from hybridnet import ControllerError, Faucet, Gauge, Net, OsKen, Ryu, Topo, UsageError
from hybridnet.run.controllers.frameworks import RYU, find_python
from hybridnet.topologies import LinearTopo
from tests.system.live import wait_until

pytestmark = [pytest.mark.system, pytest.mark.thorough]

PINGS = 100
FAUCET = """
vlans:
  office: {vid: 100}
  guest: {vid: 200}
dps:
  sw1:
    dp_id: 0x1
    hardware: Open vSwitch
    interfaces:
      1: {native_vlan: office}
      2: {native_vlan: office}
      3: {native_vlan: guest}
      4: {native_vlan: guest}
"""
GAUGE = """
faucet_configs: [FAUCET]
watchers:
  ports: {type: port_stats, dps: [sw1], interval: 1, db: prometheus}
dbs:
  prometheus: {type: prometheus, prometheus_port: 9303}
"""


def app_of_ryu(name: str) -> Path:
    """The file of an app in Ryu's environment."""
    [folder] = (find_python(RYU).parent.parent / "lib").glob("python*/site-packages/ryu/app")
    return folder / f"{name}.py"


def test_an_app_that_was_written_for_ryu_runs_under_os_ken() -> None:
    with Net(LinearTopo(3), controller=OsKen("c0", app_of_ryu("simple_switch_13"))) as net:
        assert net.pingAll(timeout=5) == 0


def test_hybridnets_own_app_runs_under_os_ken() -> None:
    with Net(LinearTopo(3), controller=OsKen("c0")) as net:
        assert net.pingAll(timeout=5) == 0


def test_a_module_that_os_ken_does_not_have_is_said() -> None:
    net = Net(LinearTopo(1), controller=OsKen("c0", app_of_ryu("ofctl_rest")))
    with pytest.raises(
        ControllerError, match="os-ken has no such module: run the app under another framework"
    ):
        net.start()


def answers(net: Net, source: str, target: str) -> bool:
    return "1 received" in net[source].cmd(f"ping -c 1 -W 1 {net[target].IP()}")


def test_vlans_of_faucet_isolate_and_gauge_counts_what_the_switch_counts(tmp_path: Path) -> None:
    (tmp_path / "faucet.yaml").write_text(FAUCET)
    (tmp_path / "gauge.yaml").write_text(GAUGE.replace("FAUCET", str(tmp_path / "faucet.yaml")))
    topo = Topo()
    topo.addSwitch("s1")
    for number in range(1, 5):
        topo.addLink(topo.addHost(f"h{number}"), "s1")
    faucet, gauge = Faucet("c0", tmp_path / "faucet.yaml"), Gauge("c1", tmp_path / "gauge.yaml")
    with Net(topo, controller=[faucet, gauge]) as net:
        wait_until(lambda: answers(net, "h1", "h2"), 20)  # Faucet configures a switch once it is connected
        assert [answers(net, "h3", "h4"), answers(net, "h1", "h3"), answers(net, "h4", "h2")] == [
            True,
            False,
            False,
        ]
        assert f"{PINGS} received" in net["h1"].cmd(f"ping -c {PINGS} -i 0.01 {net['h2'].IP()}")

        def counted(said: str) -> dict[str, int]:
            rows = re.findall(r'of_port_rx_packets\{[^}]*port="(\d)"[^}]*\} ([\d.]+)', said)
            return {port: round(float(value)) for port, value in rows}

        def of_the_switch() -> dict[str, int]:
            return {
                port: int(packets)
                for port, packets in re.findall(r"port +(\d): rx pkts=(\d+)", net["s1"].dpctl("dump-ports"))
            }

        wait_until(lambda: counted(gauge.metrics()) == of_the_switch(), 20)
        assert counted(gauge.metrics())["1"] > PINGS
        assert "faucet_config_reload_requests" in faucet.metrics()
        for controller in (faucet, gauge):
            assert controller.process is not None
            with pytest.raises(urllib.error.HTTPError, match="401"):
                urllib.request.urlopen(controller.process.rest.url + "/metrics", timeout=5)


@pytest.mark.parametrize(
    ("kind", "text", "why"),
    [
        (Faucet, FAUCET.replace("interfaces", "interfacs"), r"\{'interfacs'\} fields unknown in sw1"),
        (Gauge, GAUGE.replace("port_stats", "port_status"), "type port_status not"),
    ],
    ids=["Faucet", "Gauge"],
)
def test_a_configuration_that_is_rejected_ends_the_start(
    kind: type[Faucet], text: str, why: str, tmp_path: Path
) -> None:
    (tmp_path / "faucet.yaml").write_text(FAUCET)
    (tmp_path / "mine.yaml").write_text(text.replace("FAUCET", str(tmp_path / "faucet.yaml")))
    net = Net(LinearTopo(1), controller=kind("c0", tmp_path / "mine.yaml"))
    with pytest.raises(ControllerError, match=rf"c0: {kind.__name__} rejects .*{why}.*; correct the file"):
        net.start()


def test_an_app_that_os_ken_lacks_and_ryu_has_is_sent_there() -> None:
    with pytest.raises(UsageError, match=r"simple_switch_13: .*; Ryu has it: run it there"):
        OsKen("c0", "simple_switch_13")


def test_an_app_of_another_version_of_openflow_is_named_at_once_and_the_option_helps() -> None:
    net = Net(LinearTopo(2), controller=Ryu("c0", "ryu.app.simple_switch"))
    began = time.monotonic()
    cure = "its apps speak OpenFlow10, and a switch speaks OpenFlow13; write --protocols OpenFlow10"
    with pytest.raises(ControllerError, match=cure):
        net.start()
    assert time.monotonic() - began < 30, "not after the minute that a start waits for switches"
    with Net(LinearTopo(2), controller=Ryu("c0", "ryu.app.simple_switch"), protocols="OpenFlow10") as net:
        assert net.pingAll(timeout=5) == 0
        assert "OF1.3" not in net["s1"].dpctl("dump-ports")


def test_two_controllers_of_different_versions_share_the_switches() -> None:
    topo = Topo()
    for number, version in ((1, "OpenFlow10"), (2, "OpenFlow13")):
        topo.addSwitch(f"s{number}", protocols=version)
        topo.addLink(topo.addHost(f"h{number}"), f"s{number}")
    topo.addLink("s1", "s2")
    controllers = [Ryu("c0", "ryu.app.simple_switch"), Ryu("c1", "ryu.app.simple_switch_13")]
    with Net(topo, controller=controllers) as net:
        assert net.pingAll(timeout=5) == 0
        net.check()
