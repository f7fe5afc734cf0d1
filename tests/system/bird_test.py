# SPDX-License-Identifier: MIT
"""Routers with BIRD: their ways are the simulator's own, they speak with FRR's, and nothing stays when they end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet import Net, Topo
from hybridnet.describe.kinds import host_kinds
from hybridnet.errors import MachineError
from tests.system.daemon_routes import routes_of_bird

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(
        not Path("/usr/sbin/bird").exists(), reason="BIRD is not installed: apt-get install bird2"
    ),
]

PATIENCE_S = 60.0


class Mixed(Topo):
    """OSPF between r1 (BIRD), r2 (FRR) and r3 (BIRD); BGP between r3 and r4 (FRR), and r3 and r5 (BIRD)."""

    def build(self) -> None:
        self.addRouter("r1", kind="bird", ospf=True)
        self.addRouter("r2", ospf=True)
        self.addRouter("r3", kind="bird", ospf=True, bgp=65003)
        self.addRouter("r4", bgp=65004)
        self.addRouter(
            "r5", kind="bird", bgp=65005, conf="protocol static { ipv4; route 203.0.113.0/24 blackhole; }"
        )
        for one, other in ((1, 2), (2, 3), (3, 4), (3, 5)):
            self.addLink(
                f"r{one}",
                f"r{other}",
                params1={"ip": f"10.{one}.{other}.1/24"},
                params2={"ip": f"10.{one}.{other}.2/24"},
            )


@pytest.fixture(scope="module")
def mixed() -> Iterator[Net]:
    if not Path("/usr/lib/frr/zebra").exists():
        pytest.skip("FRR is not installed: apt-get install frr")
    with Net(Mixed(), controller=None) as net:
        net.waitConverged(PATIENCE_S)
        yield net


def test_bird_and_frr_speak_ospf_and_bgp_with_each_other(mixed: Net) -> None:
    assert routes_of_bird(mixed, "r1")["10.2.3.0/24"] == (20, {"10.1.2.2"})
    assert "10.1.2.0/24" in json.loads(mixed["r2"].vtysh("show ip route ospf json"))
    assert {"10.2.3.0/24", "10.3.5.0/24"} <= json.loads(mixed["r4"].vtysh("show ip route bgp json")).keys()
    assert "10.3.4.0/24" in mixed["r5"].birdc("show route protocol bgp1")
    assert " 0 received" not in mixed["r1"].cmd("ping -c 3 -i 0.2 10.2.3.2")


def test_a_router_begins_anew_and_says_what_it_refuses(mixed: Net) -> None:
    router = mixed["r3"]
    router.end()
    assert router.cmd("ip route show proto bird").strip() == ""
    with pytest.raises(MachineError, match=r"r3: .*Unable to connect"):
        router.birdc("show route")
    router.restart()
    mixed.waitConverged(PATIENCE_S)
    assert "10.3.5.0/24" in mixed["r4"].vtysh("show ip route bgp")
    for command, said in (("show nonsense", "No such command"), ("show route for nonsense", "syntax error")):
        with pytest.raises(MachineError, match=f"(?s)router r3: .*{said}"):
            router.birdc(command)


def test_a_whole_configuration_is_the_users_and_its_mistake_is_quoted() -> None:
    topo = Topo()
    whole = (
        "router id 192.0.2.1; protocol device {} protocol static { ipv4; route 203.0.113.0/24 blackhole; }"
    )
    topo.addRouter("r1", kind="bird", conf=whole)
    topo.addRouter("r2", kind="bird", conf="protocol nonsense {}")
    topo.addLink("r1", "r2", params1={"ip": "10.0.0.1/24"}, params2={"ip": "10.0.0.2/24"})
    with pytest.raises(MachineError, match=r"router r2: .*bird\.conf:1:\d+ syntax error"):  # noqa: SIM117
        with Net(topo, controller=None):
            pass
    assert "bird" in host_kinds()
