# SPDX-License-Identifier: MIT
"""Whatever raises, wherever: afterwards nothing of the run is left.

Each fault is an exception that nobody expects, put into the running program (`tests.system.faults`): while a network
is built, while it starts, while it runs, while it stops. What is there before and after is compared: devices,
namespaces, processes, mounts, files, settings, on the computer and inside the machines.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cloudpickle
import pytest

from hybridnet import HybridnetError
from hybridnet.machines.cluster import Cluster
from hybridnet.machines.cluster.calls import present_workers
from tests.system import faults
from tests.system.computer import ROOT, on_a_computer
from tests.system.faults import Fault, inject, remove_faults
from tests.system.faulty_head import small

pytestmark = pytest.mark.thorough

cloudpickle.register_pickle_by_value(faults)  # the agents have no tests

BUILD = [
    Fault("hybridnet.agent.machine.agent:check"),
    Fault("hybridnet.agent.switching.switching:Switching.start", after=True),
    Fault("hybridnet.agent.switching.openvswitch:OwnOpenVSwitch._spawn", call=2, after=True),
    Fault("hybridnet.agent.switching.openvswitch:OwnOpenVSwitch._await_socket"),
    Fault("hybridnet.agent.switching.switching:Switching._transact", call=2),
    Fault("hybridnet.agent.switching.switching:Switching._refuse_broken_ports"),
    Fault("hybridnet.agent.hosts.hosts:Hosts.create", after=True),
    Fault("hybridnet.agent.hosts.hosts:ip_lines", call=2),
    Fault("hybridnet.agent.hosts.pairs:ip_batch", after=True),
    Fault("hybridnet.agent.hosts.pairs:keep_stack_out"),
    Fault("hybridnet.agent.instances.instance_process:raise_session"),
    Fault("hybridnet.agent.instances.instance_process:InstanceProcess.await_ready"),
    Fault("hybridnet.agent.instances.instance_process:InstanceProcess.await_ready", after=True),
    Fault("hybridnet.system.journal:Journal.process", call=2),
]
"""In the agent of m2, while it builds."""

DESTROY = [
    Fault("hybridnet.agent.machine.agent:Agent.destroy"),
    Fault("hybridnet.agent.instances.instance_process:InstanceProcess.stop"),
    Fault("hybridnet.agent.instances.instance_process:InstanceProcess._end"),
    Fault("hybridnet.agent.programs.piped_programs:Process.close"),
    Fault("hybridnet.agent.programs.shell:Shell.close"),
    Fault("hybridnet.agent.hosts.hosts:Hosts.kill_processes"),
    Fault("hybridnet.agent.hosts.hosts:Hosts._remove_namespaces"),
    Fault("hybridnet.agent.switching.openvswitch:OwnOpenVSwitch._end_daemon"),
    Fault("hybridnet.agent.switching.switching:delete_links"),
    Fault("hybridnet.agent.switching.openvswitch:OwnOpenVSwitch._forget"),
    Fault("hybridnet.agent.hosts.pairs:Pairs.destroy"),
]
"""In the agent of m2, while it takes its part down."""

START = [
    Fault("hybridnet.machines.workers.fabric:Fabric._build", after=True),
    Fault("hybridnet.agent.hosts.neighbours:NeighbourLimits._raise", call=3, after=True),
    Fault("hybridnet.machines.workers.launch:LaunchedMachine._send", call=2, after=True),
    Fault("hybridnet.machines.workers.launch:LaunchedMachine.await_namespaces", call=2, after=True),
    Fault("hybridnet.machines.workers.fabric:Fabric.plug_in", call=2),
    Fault("hybridnet.machines.cluster.cluster:Cluster._await_agents"),
    Fault("hybridnet.run.controllers.process:ControllerProcess.launch", after=True),
    Fault("hybridnet.run.controllers.process:ControllerProcess.await_listening"),
    Fault("hybridnet.run.net.startup:bind_nodes"),
    Fault("hybridnet.run.net.startup:await_switches"),
    Fault("hybridnet.run.node:Host.config", call=2),
]
"""In the head, while a network starts."""

STOP = [
    Fault("hybridnet.run.node:Host.terminate"),
    Fault("hybridnet.run.controllers.kinds:Ryu.end"),
    Fault("hybridnet.run.controllers.process:ControllerProcess.stop"),
    Fault("hybridnet.run.net.net:Net._destroy"),
    Fault("hybridnet.machines.cluster.messenger:Messenger._end_client"),
    Fault("hybridnet.machines.workers.launch:LaunchedMachine.await_end"),
    Fault("hybridnet.machines.workers.fabric:Fabric._remove_device"),
    Fault("hybridnet.agent.hosts.neighbours:NeighbourLimits.restore"),
]
"""In the head, while a network stops."""


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
    [worker] = [address for address, info in present_workers(cluster.client).items() if info["name"] == "m2"]
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


@pytest.fixture(scope="module")
def head() -> Iterator[Callable[..., list[str]]]:
    """Has a head do something on a computer of its own, and returns what of it is left, or went otherwise than asked:
    see `tests.system.faulty_head`.
    """
    init = ["sh", "-c", '"$@"; exit $?', "init"]  # takes on whose parents have ended
    with subprocess.Popen(
        on_a_computer([*init, sys.executable, "-m", "tests.system.faulty_head"]),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        asked, told = program.stdin, program.stdout

        def ask(what: str, **arguments: Any) -> list[str]:
            print(json.dumps({"what": what, **arguments}), file=asked, flush=True)
            answer: list[str] = json.loads(told.readline())
            return answer

        yield ask
        asked.close()
        assert program.wait(30) == 0


@pytest.mark.parametrize("fault", START, ids=str)
def test_a_fault_while_a_network_starts(head: Callable[..., list[str]], fault: Fault) -> None:
    assert head("start", fault=asdict(fault)) == []


@pytest.mark.parametrize("fault", STOP, ids=str)
def test_a_fault_while_a_network_stops(head: Callable[..., list[str]], fault: Fault) -> None:
    assert head("stop", fault=asdict(fault)) == []


OTHER_ENDS = ("import sys; sys.exit(3)", "raise KeyboardInterrupt")


@pytest.mark.parametrize(
    "end",
    ["", "1 / 0", *(pytest.param(end, marks=pytest.mark.slow) for end in OTHER_ENDS)],
)
def test_a_program_that_ends_without_stop(head: Callable[..., list[str]], end: str) -> None:
    """However it ends, short of being killed: what it made and the settings that it raised go with it."""
    assert head("program", end=end) == []


def test_a_command_that_is_terminated(head: Callable[..., list[str]]) -> None:
    """SIGTERM, as from `timeout` or at the computer's shutdown, ends `hybridnet run` as ^C does."""
    assert head("terminated") == []
