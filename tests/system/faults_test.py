# SPDX-License-Identifier: MIT
"""Whatever raises, wherever: afterwards nothing of the run is left.

Each fault is an exception that nobody expects, put into the running program (`tests.system.faults`): while a network
is built, while it starts, while it runs, while it stops. What is there before and after is compared: devices,
namespaces, processes, mounts, files, settings, on the computer and inside the machines.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cloudpickle
import pytest

from hybridnet import HybridnetError, Net, Ryu
from hybridnet.cluster import Cluster
from hybridnet.topologies import TwoTrees
from tests.system import faults
from tests.system.faults import Fault, Injected, inject, remove_faults
from tests.system.port_type import PORT_TYPE
from tests.system.traces import network_namespaces_of, traces

cloudpickle.register_pickle_by_value(faults)  # the agents have no tests

BUILD = [
    Fault("hybridnet.agent.agent:check"),
    Fault("hybridnet.agent.switching:Switching.start", after=True),
    Fault("hybridnet.agent.openvswitch:OwnOpenVSwitch._spawn", call=2, after=True),
    Fault("hybridnet.agent.openvswitch:OwnOpenVSwitch._await_socket"),
    Fault("hybridnet.agent.switching:Switching._transact", call=2),
    Fault("hybridnet.agent.switching:Switching._refuse_broken_ports"),
    Fault("hybridnet.agent.hosts:Hosts.create", after=True),
    Fault("hybridnet.agent.hosts:ip_lines", call=2),
    Fault("hybridnet.agent.pairs:ip_batch", after=True),
    Fault("hybridnet.agent.pairs:keep_stack_out"),
    Fault("hybridnet.agent.instance_process:raise_session"),
    Fault("hybridnet.agent.instance_process:InstanceProcess.await_ready"),
    Fault("hybridnet.agent.instance_process:InstanceProcess.await_ready", after=True),
    Fault("hybridnet.system.journal:Journal.process", call=2),
]
"""In the agent of m2, while it builds."""

DESTROY = [
    Fault("hybridnet.agent.agent:Agent.destroy"),
    Fault("hybridnet.agent.instance_process:InstanceProcess.stop"),
    Fault("hybridnet.agent.instance_process:InstanceProcess._end"),
    Fault("hybridnet.agent.processes:Process.close"),
    Fault("hybridnet.agent.shell:Shell.close"),
    Fault("hybridnet.agent.hosts:Hosts.kill_processes"),
    Fault("hybridnet.agent.hosts:Hosts._remove_namespaces"),
    Fault("hybridnet.agent.openvswitch:OwnOpenVSwitch._end_daemon"),
    Fault("hybridnet.agent.switching:delete_links"),
    Fault("hybridnet.agent.openvswitch:OwnOpenVSwitch._forget"),
    Fault("hybridnet.agent.pairs:Pairs.destroy"),
]
"""In the agent of m2, while it takes its part down."""

START = [
    Fault("hybridnet.machines.fabric:Fabric._build", after=True),
    Fault("hybridnet.agent.neighbours:NeighbourLimits._raise", call=3, after=True),
    Fault("hybridnet.machines.launch:LaunchedMachine._send", call=2, after=True),
    Fault("hybridnet.machines.launch:LaunchedMachine.await_namespaces", call=2, after=True),
    Fault("hybridnet.machines.fabric:Fabric.plug_in", call=2),
    Fault("hybridnet.cluster.cluster:Cluster._await_agents"),
    Fault("hybridnet.controllers.ryu:RyuController.launch", after=True),
    Fault("hybridnet.controllers.ryu:RyuController.await_listening"),
    Fault("hybridnet.net.boot:bind_nodes"),
    Fault("hybridnet.net.boot:await_switches"),
    Fault("hybridnet.node:Host.config", call=2),
]
"""In the head, while a network starts."""

STOP = [
    Fault("hybridnet.node:Host.terminate"),
    Fault("hybridnet.controllers.kinds:Ryu.end"),
    Fault("hybridnet.controllers.ryu:RyuController.stop"),
    Fault("hybridnet.net.net:Net._destroy"),
    Fault("hybridnet.cluster.cluster:Cluster._end_client"),
    Fault("hybridnet.machines.launch:LaunchedMachine.await_end"),
    Fault("hybridnet.machines.fabric:Fabric._remove_device"),
    Fault("hybridnet.agent.neighbours:NeighbourLimits.restore"),
]
"""In the head, while a network stops."""


def small(**options: Any) -> Net:
    return Net(TwoTrees(depth=1), port_type=PORT_TYPE, **options)


# -- in an agent: many faults, one cluster ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with pytest.MonkeyPatch.context() as patch:
        # Its own: the machines see the directories of all runs that share it.
        patch.setenv("HYBRIDNET_STATE_DIR", str(tmp_path_factory.mktemp("faults") / "state"))
        with Cluster.local(["m1", "m2"]) as made:
            with small(controller=None, cluster=made):
                pass  # what an agent makes once and keeps is there from now on
            yield made


LOOKS = """ip -o link | cut -d: -f2 | grep -v @
find /run "$HYBRIDNET_STATE_DIR" -not -path '*/dask/*' | sort
cut -d' ' -f5 /proc/self/mountinfo | sort
ps ax -o comm= | grep -v -e ps -e grep -e sh -e cut -e sort -e ip -e find | sort
"""


def looks(cluster: Cluster) -> dict[str, str]:
    """Devices, files, mounts and processes of each machine."""
    found = cluster.call_all({machine: ("exec", {"argv": LOOKS}) for machine in cluster.machines})
    return {machine: answer["stdout"].decode() for machine, answer in found.items()}


@pytest.fixture
def put_into_m2(cluster: Cluster) -> Iterator[Any]:
    [worker] = [
        address
        for address, info in cluster.client.scheduler_info(n_workers=-1)["workers"].items()
        if info["name"] == "m2"
    ]
    yield lambda fault: cluster.client.run(inject, fault, workers=[worker])
    cluster.client.run(remove_faults, workers=[worker])


@pytest.mark.parametrize("fault", BUILD, ids=str)
def test_a_fault_while_a_machine_is_built(cluster: Cluster, put_into_m2: Any, fault: Fault) -> None:
    before = looks(cluster)
    put_into_m2(fault)
    with pytest.raises(HybridnetError, match=f"machine m2: verb build failed: Injected: injected {fault}"):
        small(controller=None, cluster=cluster).start()
    assert looks(cluster) == before


@pytest.mark.parametrize("fault", DESTROY, ids=str)
def test_a_fault_while_a_machine_is_taken_down(cluster: Cluster, put_into_m2: Any, fault: Fault) -> None:
    """Whatever one part raises, the others end; a second call ends what is left."""
    before = looks(cluster)
    net = small(controller=None, cluster=cluster)
    net.start()
    try:
        net["h3"].cmd("sleep 1000 &")
        net["h4"].popen(["sleep", "1000"])
        put_into_m2(fault)
        with pytest.raises(
            HybridnetError, match=f"machine m2: verb destroy failed: Injected: injected {fault}"
        ):
            cluster.call("m2", "destroy")
        cluster.call("m2", "destroy")
    finally:
        net.stop()
    assert looks(cluster) == before


def test_a_fault_in_a_task_of_a_running_instance(cluster: Cluster, tmp_path: Path) -> None:
    """What is posted to its loop and raises there is the error of who posted it; the instance runs on, and ends."""
    before = looks(cluster)
    trace = tmp_path / "trace"
    trace.write_text("this is no trace\n")
    with small(controller=None, cluster=cluster) as net:
        [link] = [link.name for link in net.plan.links if link.kind not in ("veth", "patch")]  # type: ignore[union-attr]
        with pytest.raises(HybridnetError, match="machine m1: instance m1: set_link"):
            cluster.call(
                "m1",
                "set_link",
                instance="m1",
                link=link,
                a_to_b={"wire": {"kind": "opportunities", "file": str(trace)}},
                b_to_a={},
            )
        assert net.snapshot()["m1"]["links"]
    assert looks(cluster) == before


# -- in the head: a cluster each ----------------------------------------------------------------------------------


@pytest.fixture
def nothing_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Compares before and after; the test puts the names of its runs into the list."""
    state, temporary = tmp_path / "state", tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(state))
    monkeypatch.setenv("TMPDIR", str(temporary))
    before = everything()
    runs: list[str] = []
    yield runs
    remove_faults()
    after = everything()
    for run in runs:
        assert traces(run)["processes"] == set()
        assert network_namespaces_of(run) == set()
    assert not state.exists()
    assert list(temporary.iterdir()) == []
    assert after == before


def everything() -> dict[str, Any]:
    """What this computer has, as far as a run of ours could have changed it; others may run networks meanwhile."""
    present = traces()
    foreign = list(Path("/run/hybridnet").glob("2*"))
    return {
        "children": children(),
        "links": {name for name in present["links"] if not name.startswith("hn")},
        "our links": {name for name in present["links"] if name.startswith("hn") and not foreign},
        "names": present["names"] & {"h1", "h2", "h3", "h4"},
        "mounts": {line for line in present["mounts"] if "hybridnet" not in line},
        "settings": present["settings"] if not foreign else set(),
        "shared memory": set(os.listdir("/dev/shm")),
    }


def children() -> set[str]:
    found = set()
    for thread in os.listdir(f"/proc/{os.getpid()}/task"):
        with contextlib.suppress(OSError):  # it has just ended
            found.update(Path(f"/proc/{os.getpid()}/task/{thread}/children").read_text().split())
    return found


@pytest.mark.alone
@pytest.mark.parametrize("fault", START, ids=str)
def test_a_fault_while_a_network_starts(nothing_left: list[str], fault: Fault) -> None:
    inject(fault)
    net = small(controller=Ryu("c0"))
    with pytest.raises((Injected, HybridnetError), match=f"injected {fault}"):
        net.start()


@pytest.mark.alone
@pytest.mark.parametrize("fault", STOP, ids=str)
def test_a_fault_while_a_network_stops(nothing_left: list[str], fault: Fault) -> None:
    inject(fault)
    net = small(controller=Ryu("c0"))
    net.start()
    nothing_left.append(net.cluster.journal.run)
    with pytest.raises((Injected, HybridnetError), match=f"injected {fault}"):
        net.stop()
    net.stop()


PROGRAM = """
from hybridnet import Net, Ryu
from hybridnet.topologies import TwoTrees
net = Net(TwoTrees(depth=1), port_type="{port_type}", controller=Ryu("c0"))
net.start()
print(net.cluster.journal.run, flush=True)
{end}
"""
OTHER_ENDS = ("import sys; sys.exit(3)", "raise KeyboardInterrupt")


@pytest.mark.alone
@pytest.mark.parametrize(
    "end",
    ["", "1 / 0", *(pytest.param(end, marks=pytest.mark.slow) for end in OTHER_ENDS)],
)
def test_a_program_that_ends_without_stop(nothing_left: list[str], end: str) -> None:
    """However it ends, short of being killed: what it made and the settings that it raised go with it."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(port_type=PORT_TYPE, end=end)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    nothing_left.append(done.stdout.strip())
    assert done.stdout.strip(), done.stderr
    assert (done.returncode == 0) == (end == ""), done.stderr


@pytest.mark.alone
def test_a_command_that_is_terminated(nothing_left: list[str], tmp_path: Path) -> None:
    """SIGTERM, as from `timeout` or at the computer's shutdown, ends `hybridnet run` as ^C does."""
    script = tmp_path / "script.py"
    script.write_text(
        PROGRAM.format(port_type=PORT_TYPE, end="import os, signal; os.kill(os.getpid(), signal.SIGTERM)")
    )
    done = subprocess.run(
        [sys.executable, "-m", "hybridnet.cli", "run", str(script)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    run = done.stdout.split()[-1]
    nothing_left.append(run)
    assert done.returncode == 128 + signal.SIGTERM, done.stderr
