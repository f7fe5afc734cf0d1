# SPDX-License-Identifier: MIT
"""Whatever fails is one clear error, and afterwards nothing of the run is left.

Unknown nodes, names given twice, values without a unit: tests/hybridnet/describe/topo/topo_test.py, which needs no
root.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hybridnet import (
    ControllerError,
    Host,
    HybridnetError,
    MachineError,
    Net,
    Ryu,
    Topo,
    UsageError,
)
from hybridnet.system.journal import network_namespace, read_entries
from hybridnet.topologies import TwoTrees
from tests.hybridnet.run.net.ring import Ring
from tests.system.live import rtts_ms, wait_until
from tests.system.port_type import PORT_TYPE
from tests.system.traces import groups_of, network_namespaces_of, traces

pytestmark = pytest.mark.thorough


class Run:
    """A network, and what it must leave behind: nothing."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.run = ""
        self.ours: set[tuple[str, str]] = set()

    def started(self, net: Net) -> None:
        """Notes the run, and the devices, mounts and names it made on this computer."""
        self.run = net.cluster.journal.run
        for entry in read_entries(net.cluster.journal.directory):
            if entry["kind"] == "link" and entry["network"] == network_namespace():
                self.ours.add(("links", entry["name"]))
        present = traces(self.run)
        assert present["processes"]
        assert network_namespaces_of(self.run)
        assert {name for _, name in self.ours} <= present["links"]

    def assert_nothing_left(self) -> None:
        after = traces(self.run)
        assert after["processes"] == set()
        assert network_namespaces_of(self.run) == set()
        assert {(kind, name) for kind, name in self.ours if name in after[kind]} == set()
        assert [line for line in after["mounts"] if self.run and self.run in line] == []
        assert not self.state.exists()


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    state = tmp_path / "state"
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(state))
    before = children()
    run = Run(state)
    yield run
    run.assert_nothing_left()
    assert children() == before


def children() -> set[str]:
    """The processes that this one has, controllers among them."""
    own = os.getpid()
    return {
        pid
        for thread in os.listdir(f"/proc/{own}/task")
        for pid in Path(f"/proc/{own}/task/{thread}/children").read_text().split()
    }


def small(**options: object) -> Net:
    options.setdefault("controller", Ryu("c0"))
    return Net(TwoTrees(depth=1), port_type=PORT_TYPE, **options)  # type: ignore[arg-type]


def noticed(what: Callable[[], object], error: type[HybridnetError], patience_s: float = 15.0) -> str:
    """Asks until `what` raises; its one error, as text. A death is known when the kernel has reported it."""
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        try:
            what()
        except error as found:
            return str(found)
    raise AssertionError(f"not noticed within {patience_s:g} s")


def in_machine(net: Net, machine: str, pattern: str) -> str:
    """The one process of a machine whose command line has `pattern`, in the machine's numbers."""
    done = net.cluster.call(machine, "exec", argv=["pgrep", "-f", pattern])
    [pid] = done["stdout"].decode().split()
    return pid


def kill_agent(directory: Path, machine: str) -> None:
    """Kills the agent of a local machine of the run whose directory this is."""
    [init] = [
        entry["pid"] for entry in read_entries(directory) if entry.get("what") == f"init of machine {machine}"
    ]
    [agent] = Path(f"/proc/{init}/task/{init}/children").read_text().split()
    os.kill(int(agent), signal.SIGKILL)


def goes_around(host: Host, address: str) -> bool:
    """Whether a ping is answered the long way of `Ring`: shortly after a machine was killed, it may still work."""
    took = re.search(r"time=([\d.]+) ms", host.cmd(f"ping -c 1 -W 1 {address}"))
    return took is not None and float(took[1]) >= 40


def test_a_controller_app_that_does_not_exist(made: Run) -> None:
    with pytest.raises(UsageError, match=r"no_such_app\.py"):
        small(controller=Ryu("c0", "no_such_app.py")).start()


def test_an_app_that_ryu_cannot_load(made: Run, tmp_path: Path) -> None:
    app = tmp_path / "app.py"
    app.write_text("import no_such_module\n")
    with pytest.raises(ControllerError, match="no_such_module"):
        small(controller=Ryu("c0", app)).start()


def test_a_busy_controller_port(made: Run) -> None:
    with socket.create_server(("0.0.0.0", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(ControllerError, match=f"TCP port {port} is taken"):
            small(controller=Ryu("c0", port=port)).start()


def test_a_controller_killed_during_the_run(made: Run) -> None:
    controller = Ryu("c7")
    with small(controller=controller) as net:
        made.started(net)
        assert controller.process is not None
        assert controller.process.pid is not None
        os.kill(controller.process.pid, signal.SIGKILL)
        text = noticed(net.check, ControllerError)
        assert "controller" in text
        assert "tree_switch" in text
        assert "SIGKILL" in text


def test_a_simulator_killed_during_the_run(made: Run) -> None:
    with small() as net:
        made.started(net)
        pid = in_machine(net, "m2", "hybridnet.simulate.instance")
        net.cluster.call("m2", "exec", argv=["kill", "-9", pid])
        assert "instance m2 was killed by signal 9" in noticed(net.check, MachineError)
        assert net.snapshot()["m2"] is None
        assert "instance m2 was killed by signal 9 and is missing" in str(net.verdict())
        assert net.ping(net.get("h1", "h2"), timeout=5) == 0  # what was emulated on m1 works on


def test_an_agent_killed_during_the_run(made: Run) -> None:
    with small() as net:
        made.started(net)
        kill_agent(net.cluster.journal.directory, "m2")
        assert "machine m2: its agent" in noticed(net.check, MachineError)
        with pytest.raises(MachineError, match="machine m2"):
            net["h4"].cmd("true")
        assert net["h1"].cmd("echo here") == "here\n"


def test_a_machine_is_lost_and_the_others_go_on_around_it(made: Run) -> None:
    with Net(Ring(), controller=None, reroute=True, on_loss="continue") as net:
        made.started(net)
        there = net["h3"].IP()
        assert min(rtts_ms(net, "h1", there, 3)) < 20  # by r2
        mark = net.mark()
        kill_agent(net.cluster.journal.directory, "m2")
        wait_until(lambda: goes_around(net["h1"], there), patience_s=20)
        assert min(rtts_ms(net, "h1", there, 3)) >= 40
        assert net["h1"].cmd(f"ping -c 3 -i 0.2 -W 1 {net['h2'].IP()}").count("time=") == 0
        net.check()
        snapshots = net.snapshot()
        assert snapshots["m2"] is None
        assert [name for name, snapshot in snapshots.items() if snapshot is not None] == ["m1", "m3"]
        assert net.pingAll(timeout=5) == 0  # among the hosts that are left
        with pytest.raises(MachineError, match="machine m2: its agent"):
            net["h2"].cmd("true")
        said = net.verdict(mark).reasons[0]
        assert said.startswith("machine m2: its agent")
        assert "it was lost after " in said


def test_a_machine_that_was_lost_returns(made: Run) -> None:
    with Net(Ring(), controller=None, reroute=True, on_loss="continue") as net:
        made.started(net)
        directory, h2 = net.cluster.journal.directory, net["h2"]
        there, beyond = h2.IP(), net["h3"].IP()
        mark = net.mark()
        net.configLinkStatus("h2", "r2", "down")
        program = h2.popen(["sleep", "1000"])
        for _ in range(2):
            kill_agent(directory, "m2")
            wait_until(lambda: goes_around(net["h1"], beyond), patience_s=20)
            assert list(net.cluster.lost()) == ["m2"]
            with pytest.raises(MachineError, match="machine m2: its agent"):
                h2.cmd("true")
            net.restart_machine("m2")
            assert h2.cmd("echo here") == "here\n"
        assert "0 received" in net["h1"].cmd(f"ping -c 1 -W 1 {there}")  # that link is down as before
        net.configLinkStatus("h2", "r2", "up")
        with pytest.raises(UsageError, match="there is no program number"):
            program.poll()  # which went with its machine, whatever the new one runs
        wait_until(lambda: "1 received" in net["h1"].cmd(f"ping -c 1 -W 1 {there}"), patience_s=20)
        assert min(rtts_ms(net, "h1", beyond, 3)) < 20  # by r2 again, and not around
        net.check()
        assert net.pingAll(timeout=10) == 0
        assert all(snapshot is not None for snapshot in net.snapshot().values())
        first, second, *_ = net.verdict(mark).reasons
        for said in (first, second):
            assert said.startswith("machine m2: its agent")
            assert "it was away for " in said
        fresh = net.mark()
        rtts_ms(net, "h1", there, 20)
        again = net.verdict(fresh)  # its new counters are not compared with those before
        assert not any("away" in reason or "lost" in reason for reason in again.reasons), again
        assert min(min(row.values()) for row in again.figures.values()) >= 0
        with pytest.raises(UsageError, match="machine m2 is not lost"):
            net.restart_machine("m2")


def test_a_machine_returns_with_what_was_set_before_and_changed_meanwhile(made: Run) -> None:
    def addressing() -> str:
        return h2.cmd("ip -o address show h2-eth0 | cut -d' ' -f2-; ip route; ip neigh show nud permanent")

    with Net(Ring(), controller=None, on_loss="continue") as net:
        made.started(net)
        h2 = net["h2"]
        there, beyond = h2.IP(), net["h3"].IP()
        via = h2.cmd("ip route show default").split()[2]
        h2.setMAC("02:00:00:00:99:02")
        length = h2.defaultIntf().prefixLen
        h2.setIP("10.77.0.2/24")
        h2.setIP(f"{there}/{length}")
        h2.setDefaultRoute(f"via {via}")
        h2.setHostRoute("192.0.2.1", "h2-eth0")
        h2.setARP("192.0.2.1", "02:00:00:00:99:01")
        before = [line for line in addressing().splitlines() if "inet6" not in line]
        kill_agent(net.cluster.journal.directory, "m2")
        wait_until(lambda: "m2" in net.cluster.lost(), patience_s=20)
        net.set_link("r2", "r3", delay="30ms")
        net.set_link("h2", "r2", delay="10ms")
        net.restart_machine("m2")
        assert [line for line in addressing().splitlines() if "inet6" not in line] == before
        assert 80 <= min(rtts_ms(net, "h2", beyond, 5)) < 100


def test_what_a_killed_agent_has_outside_its_machine_goes(made: Run) -> None:
    topo = Topo()
    topo.addHost("h1", machine="m1")
    topo.addHost("h2", machine="m2", cpu=0.5)
    with Net(topo, controller=None, on_loss="continue") as net:
        made.started(net)
        for _ in range(2):
            before = groups_of(made.run)
            assert before
            kill_agent(net.cluster.journal.directory, "m2")
            wait_until(lambda: "m2" in net.cluster.lost(), patience_s=20)
            net.restart_machine("m2")
            assert net["h2"].cmd("echo here") == "here\n"
            assert groups_of(made.run) == before
        kill_agent(net.cluster.journal.directory, "m2")
        wait_until(lambda: "m2" in net.cluster.lost(), patience_s=20)
    assert groups_of(made.run) == []


WAITING = """
import sys, time
sys.path.insert(0, {root!r})
from hybridnet import Net
from tests.hybridnet.run.net.ring import Ring
with Net(Ring(), controller=None) as net:
    print(net.cluster.journal.directory, flush=True)
    time.sleep(1000)
"""


def test_a_command_ends_when_a_machine_is_lost_whatever_it_does(made: Run, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(WAITING.format(root=str(Path(__file__).parents[2])))
    command = [sys.executable, "-m", "hybridnet.cli", "run", str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as head:
        assert head.stdout is not None
        directory = Path(head.stdout.readline().strip())
        made.run = directory.name
        kill_agent(directory, "m2")
        _, said = head.communicate(timeout=60)
    assert head.returncode == 1
    lines = said.splitlines()
    assert "*** without machine m2 the run ends" in lines
    assert [line for line in lines if line.startswith("*** Verdict: broken: machine m2: its agent")]
    assert [line for line in lines if line.startswith("error: machine m2: its agent")]
