# SPDX-License-Identifier: MIT
"""Machines and instances that join a network with traffic in it, and leave it.

h1 - r1 ==== 5 ms ==== r2 - h2          m1, m2: a ping all the time, none of which may be lost
      \\\\=== 10 ms ==== r3 - h3          m3, which joins and leaves
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cloudpickle
import pyarrow.parquet
import pytest

from hybridnet import Host, HybridnetError, MachineError, Net, Topo
from hybridnet.machines.cluster import Cluster
from hybridnet.run.live.client import Client
from hybridnet.system.journal import MACHINE_VARIABLE, RUN_VARIABLE, read_entries, state_directory
from tests.system import faults
from tests.system.faults import Fault, inject, remove_faults
from tests.system.live import rtts_ms, wait_until

cloudpickle.register_pickle_by_value(faults)  # the agents have no tests


class Two(Topo):
    def build(self) -> None:
        for number in ("1", "2"):
            self.addHost(f"h{number}", machine=f"m{number}")
            self.addSimRouter(f"r{number}", machine=f"m{number}")
            self.addLink(f"h{number}", f"r{number}")
        self.addLink("r1", "r2", delay="5ms")


def join(net: Net, machine: str = "m3", **options: Any) -> None:
    with net.changes():
        net.addSimRouter("r3", machine=machine, **options)
        net.addHost("h3", machine=machine)
        net.addLink("h3", "r3")
        net.addLink("r3", "r1", delay="10ms")


class Steady:
    """A ping from h1 to h2, twenty times a second, from here to `answered`."""

    def __init__(self, net: Net) -> None:
        self._ping = net["h1"].popen(["ping", "-i", "0.05", str(net["h2"].IP())])

    def answered(self) -> tuple[int, int]:
        """How many were sent, and how many of these were answered."""
        self._ping.send_signal(2)
        said = self._ping.communicate()[0]
        found = re.search(r"(\d+) packets transmitted, (\d+) received", said)
        assert found is not None, said
        return int(found[1]), int(found[2])


def processes_of(net: Net, machine: str) -> list[str]:
    """Processes of a machine of this run that live."""
    wanted = {f"{RUN_VARIABLE}={net.cluster.journal.run}", f"{MACHINE_VARIABLE}={machine}"}
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            environment = set((path / "environ").read_bytes().decode(errors="replace").split("\0"))
            if wanted <= environment:
                found.append((path / "comm").read_text().strip())
        except OSError:  # it has just ended
            continue
    return found


def what_is_there(net: Net) -> dict[str, Any]:
    """What a machine could leave: files of the run, its journal, sockets and devices of the others, cables."""
    run = state_directory() / net.cluster.journal.run
    census = "ss -uanH | awk '{print $4, $5}' | sort; ls /sys/class/net /run/netns; ls /run/hybridnet-agent"
    others = {m: net.cluster.call(m, "exec", argv=census)["stdout"].decode() for m in ("m1", "m2")}
    fabric = net.cluster._starter._fabric  # type: ignore[attr-defined]
    cables = os.popen(f"nsenter --net={fabric._path} ip -o link").read()
    return {
        "files": sorted(str(path.relative_to(run)) for path in run.glob("*") if path.name != "dask"),
        "journal": [e["what"] for e in read_entries(run) if e.get("what", "").endswith("m3")],
        "others": others,
        "cables": cables,
        "processes": processes_of(net, "m3"),
    }


@pytest.fixture(scope="module")
def net() -> Iterator[Net]:
    with Net(Two(), controller=None) as net:
        assert net.pingAll(timeout=10) == 0
        join(net)  # what the first time leaves in caches and pools is there from now on
        net.delMachine("m3")
        yield net


def test_a_machine_joins_and_leaves_and_traffic_of_the_others_is_not_disturbed(net: Net) -> None:
    before, mark, steady = what_is_there(net), net.mark(), Steady(net)
    join(net)
    assert net.cluster.machines == ["m1", "m2", "m3"]
    near, far = rtts_ms(net, "h1", net["h3"].IP(), 20), rtts_ms(net, "h3", net["h2"].IP(), 20)
    assert 20 <= near[0] < 20.5
    assert 30 <= far[0] < 30.5
    assert {row["name"] for row in net.snapshot()["m1"]["peers"]} == {"m2", "m3"}
    assert len(processes_of(net, "m3")) > 2
    assert "m3" in net.mark().counters
    figures = net.verdict(mark).figures
    assert figures["m3"]["peer_lost_packets"] == 0
    net.delMachine("m3")
    sent, answered = steady.answered()
    assert sent > 40
    assert sent - answered <= 1  # the last one was on its way
    assert "h3" not in net
    assert {row["name"] for row in net.snapshot()["m1"]["peers"]} == {"m2"}
    verdict = net.verdict(mark)
    assert {
        name: row["peer_lost_packets"] for name, row in verdict.figures.items() if name in "m1 m2 m3"
    } == {
        "m1": 0,
        "m2": 0,
        "m3": 0,
    }
    assert not [reason for reason in verdict.reasons if "lost" in reason or "missing" in reason]
    wait_until(lambda: not processes_of(net, "m3"))
    assert what_is_there(net) == before


def test_the_page_and_series_have_a_machine_that_joined(tmp_path: Path) -> None:
    with Net(Two(), controller=None, record_series="50ms", out=tmp_path / "run") as net, net.live() as page:
        client = Client(page.url)
        join(net)
        assert rtts_ms(net, "h1", net["h3"].IP(), 20)[0] >= 20
        names = {machine["name"] for machine in client.network()["machines"]}
        assert names == {"m1", "m2", "m3"}
        net.delMachine("m3")
        wait_until(lambda: {m["name"] for m in client.network()["machines"]} == {"m1", "m2"})
    [folder] = [path.parent for path in (tmp_path / "run").rglob("machines.json")]
    assert set(json.loads((folder / "machines.json").read_text())) == {"m1", "m2", "m3"}

    table = pyarrow.parquet.read_table(folder / "series.parquet").to_pylist()
    seen = {str(row) for row in table if "r3-r1" in str(row)}
    assert any("m1" in row for row in seen), table[:3]
    assert any("m3" in row for row in seen)


HEAD = [
    Fault("hybridnet.machines.workers.launch:LaunchedMachine.await_namespaces"),
    Fault("hybridnet.machines.workers.fabric:Fabric.plug_in", after=True),
    Fault("hybridnet.machines.workers.launch:LaunchedMachine.start_agent", after=True),
    Fault("hybridnet.machines.cluster.cluster:Cluster._joined", after=True),
    Fault("hybridnet.run.net.startup:late_spec"),
    Fault("hybridnet.run.net.measure:Measuring.joined"),
    Fault("hybridnet.run.net.changes:wait"),
    Fault("hybridnet.machines.cluster.roll:Roll.admit"),
    Fault("hybridnet.run.net.startup:await_peers"),
    Fault("hybridnet.run.net.startup:bind_nodes", after=True),
    Fault("hybridnet.run.node:Host.config"),
]


@pytest.mark.thorough
@pytest.mark.parametrize("fault", HEAD, ids=str)
def test_a_fault_while_a_machine_joins_leaves_the_network_as_it_was(net: Net, fault: Fault) -> None:
    before, steady, plan = what_is_there(net), Steady(net), net.plan
    inject(fault)
    try:
        with pytest.raises(faults.Injected, match=re.escape(f"injected {fault}")):
            join(net)
    finally:
        remove_faults()
    assert net.cluster.machines == ["m1", "m2"]
    assert net.plan is plan
    assert "h3" not in net
    assert [link.name for link in net.links] == ["h1-r1", "h2-r2", "r1-r2"]
    sent, answered = steady.answered()
    assert sent - answered <= 1
    wait_until(lambda: not processes_of(net, "m3"))
    assert what_is_there(net) == before
    join(net)
    assert rtts_ms(net, "h1", net["h3"].IP(), 3)[0] >= 20
    net.delMachine("m3")


def test_a_machine_whose_agent_dies_while_it_is_built_is_named_with_the_cause(net: Net) -> None:
    class Fatal(Host):
        pass

    before = what_is_there(net)
    real = net.cluster.joining

    def joining(machine: str) -> Any:
        arrival = real(machine)

        class Killed:
            def __enter__(self) -> Any:
                made = arrival.__enter__()
                with pytest.raises(MachineError):
                    made.call("exec", argv="kill -9 $PPID")
                return made

            def __exit__(self, *error: Any) -> Any:
                return arrival.__exit__(*error)

        return Killed()

    net.cluster.joining = joining  # type: ignore[method-assign]
    try:
        with pytest.raises(HybridnetError, match="machine m3: its agent"):
            join(net)
    finally:
        del net.cluster.joining
    wait_until(lambda: not processes_of(net, "m3"))
    assert what_is_there(net) == before
    assert isinstance(net.cluster, Cluster)
    assert net.cluster.lost() == {}


def test_an_instance_joins_and_leaves_on_a_machine_that_runs(net: Net) -> None:
    before, steady = what_is_there(net), Steady(net)
    for _ in range(2):
        join(net, "m1", instance="m1.2")
        assert list(net.snapshot()) == ["m1", "m1.2", "m2"]
        assert 20 <= rtts_ms(net, "h2", net["h3"].IP(), 10)[0] - 10 < 20.5
        assert 20 <= rtts_ms(net, "h1", net["h3"].IP(), 10)[0] < 20.5
        with net.changes():
            net.delNode("h3")
            net.delNode("r3")
            net.delInstance("m1.2")
        assert list(net.snapshot()) == ["m1", "m2"]
    sent, answered = steady.answered()
    assert sent - answered <= 1
    assert what_is_there(net) == before
