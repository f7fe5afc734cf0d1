# SPDX-License-Identifier: MIT
"""Real Ryu, by ControllerProcess, over a real ovs-vswitchd: h1 - s1 - s2 - s3 - h3, in namespaces of our own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hybridnet.errors import ControllerError
from hybridnet.run.controllers.process import ControllerProcess, free_port, listens
from hybridnet.run.controllers.rest import USER, Rest

pytestmark = pytest.mark.slow

SCHEMA = "/usr/share/openvswitch/vswitch.ovsschema"
SWITCHES = ("s1", "s2", "s3")
OPENFLOW_PORT, REST_PORT = 6653, 8080  # free in a namespace of our own


def run(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=60).stdout


def wait_until(condition: Callable[[], bool], what: str, patience_s: float = 20) -> None:
    deadline_s = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < deadline_s, f"not within {patience_s} s: {what}"
        time.sleep(0.05)


class Line:
    """The three switches and two hosts. Everything is named by this process's id."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.tag = f"ct{os.getpid()}"
        self.namespaces = {name: f"{self.tag}-{name}" for name in ("net", "h1", "h3")}
        self.daemons: list[subprocess.Popen[bytes]] = []

    def inside(self, name: str, *command: str) -> str:
        return run("ip", "netns", "exec", self.namespaces[name], *command)

    def build(self) -> None:
        for namespace in self.namespaces.values():
            run("ip", "netns", "add", namespace)
            run("ip", "-n", namespace, "link", "set", "lo", "up")
        net = self.namespaces["net"]
        for host in ("h1", "h3"):
            # without IPv6 a host sends nothing of its own accord, and packet-ins can be counted
            self.inside(
                host,
                "sysctl",
                "-qw",
                "net.ipv6.conf.all.disable_ipv6=1",
                "net.ipv6.conf.default.disable_ipv6=1",
            )
            run(
                "ip",
                "-n",
                net,
                "link",
                "add",
                "name",
                f"{host}-port",
                "type",
                "veth",
                "peer",
                "name",
                f"{host}-eth0",
            )
            run("ip", "-n", net, "link", "set", f"{host}-eth0", "netns", self.namespaces[host])
            run("ip", "-n", net, "link", "set", f"{host}-port", "up")
            self.inside(host, "ip", "address", "add", f"10.0.0.{host[1]}/24", "dev", f"{host}-eth0")
            self.inside(host, "ip", "link", "set", f"{host}-eth0", "up")
        self._start_ovs()
        for switch in SWITCHES:
            self.vsctl(
                *(
                    "add-br",
                    switch,
                    "--",
                    "set",
                    "bridge",
                    switch,
                    "datapath_type=netdev",
                    "fail_mode=secure",
                ),
                "protocols=OpenFlow13",
            )
        self.vsctl("add-port", "s1", "h1-port", "--", "add-port", "s3", "h3-port")
        for left, right in (("s1", "s2"), ("s2", "s3")):
            for here, there in ((left, right), (right, left)):
                name, peer = f"{here}-{there}", f"{there}-{here}"
                self.vsctl(
                    "add-port",
                    here,
                    name,
                    "--",
                    "set",
                    "interface",
                    name,
                    "type=patch",
                    f"options:peer={peer}",
                )

    def connect(self) -> None:
        """Tells the switches of their controller. It listens already: their retries would take up to 8 s."""
        for switch in SWITCHES:
            self.vsctl(
                *("set-controller", switch, f"tcp:127.0.0.1:{OPENFLOW_PORT}"),
                *("--", "set", "controller", switch, "connection_mode=out-of-band"),
            )

    def _start_ovs(self) -> None:
        database = self.directory / "conf.db"
        run("ovsdb-tool", "create", str(database), SCHEMA)
        self.socket = f"unix:{self.directory}/db.sock"
        self._daemon(
            "ovsdb-server", str(database), f"--remote=p{self.socket}", f"--unixctl={self.directory}/db.ctl"
        )
        wait_until((self.directory / "db.sock").exists, "ovsdb-server's socket")
        run("ovs-vsctl", f"--db={self.socket}", "--no-wait", "init")
        self._daemon("ovs-vswitchd", self.socket, f"--unixctl={self.directory}/vswitchd.ctl")

    def _daemon(self, name: str, *arguments: str) -> None:
        with (self.directory / f"{name}.log").open("wb") as log:
            command = [
                "ip",
                "netns",
                "exec",
                self.namespaces["net"],
                name,
                *arguments,
                "--no-chdir",
                "-vconsole:info",
            ]
            environment = {**os.environ, "OVS_RUNDIR": str(self.directory), "OVS_DBDIR": str(self.directory)}
            self.daemons.append(subprocess.Popen(command, stdout=log, stderr=log, env=environment))

    def vsctl(self, *arguments: str) -> str:
        return run("ovs-vsctl", f"--db={self.socket}", "--timeout=30", *arguments)

    def flows(self, switch: str) -> str:
        run(
            "ovs-appctl", "-t", f"{self.directory}/vswitchd.ctl", "revalidator/wait"
        )  # counters are current after it
        return run("ovs-ofctl", "-O", "OpenFlow13", "dump-flows", f"unix:{self.directory}/{switch}.mgmt")

    def flooded_frames(self) -> int:
        """How many frames all switches have flooded because they knew no better, or because it was a broadcast."""
        # counters are current after it
        run("ovs-appctl", "-t", f"{self.directory}/vswitchd.ctl", "revalidator/wait")
        floods = [line for switch in SWITCHES for line in self.flows(switch).splitlines() if "FLOOD" in line]
        assert len(floods) == len(SWITCHES), floods  # one flow each
        return sum(int(re.search(r"n_packets=(\d+)", line)[1]) for line in floods)

    def ping(self, count: int) -> int:
        """How many of ``count`` pings from h1 to h3 were answered."""
        output = subprocess.run(
            [
                "ip",
                "netns",
                "exec",
                self.namespaces["h1"],
                "ping",
                "-c",
                str(count),
                "-i",
                "0.1",
                "-W",
                "2",
                "10.0.0.3",
            ],
            stdout=subprocess.PIPE,
            text=True,
            timeout=60,
        ).stdout
        return int(re.search(r"(\d+) received", output)[1])

    def mac(self, host: str) -> str:
        return json.loads(self.inside(host, "ip", "-j", "link", "show", f"{host}-eth0"))[0]["address"]

    def rest(self, ryu: ControllerProcess, path: str) -> object:
        """As with another client than ours."""
        secret = f"{USER}:{ryu.rest.secret}"
        url = f"http://127.0.0.1:{REST_PORT}{path}"
        return json.loads(self.inside("net", "curl", "-sS", "--max-time", "5", "-u", secret, url))

    def controller(self, *apps: str, **options: object) -> ControllerProcess:
        prefix = ("ip", "netns", "exec", self.namespaces["net"])
        return ControllerProcess(apps, port=OPENFLOW_PORT, rest_port=REST_PORT, prefix=prefix, **options)

    def all_connected(self) -> bool:
        return self.vsctl("--columns=is_connected", "list", "controller").count("true") == len(SWITCHES)

    def ready(self) -> bool:
        """All switches are connected and have their table-miss flows."""
        return self.all_connected() and self.have_flows()

    def have_flows(self) -> bool:
        """All switches have their table-miss flows."""
        return all(self.flows(switch).count("priority=0 ") == 2 for switch in SWITCHES)

    def remove(self) -> None:
        for daemon in reversed(self.daemons):
            daemon.terminate()
            daemon.wait(20)
        for namespace in self.namespaces.values():
            subprocess.run(["ip", "netns", "delete", namespace], stderr=subprocess.DEVNULL)


@pytest.fixture
def line(tmp_path: Path) -> Iterator[Line]:
    network = Line(tmp_path)
    try:
        network.build()
        yield network
    finally:
        network.remove()


def test_tree_switch_floods_broadcasts_only_and_asks_the_controller_nothing(line: Line) -> None:
    log: list[str] = []
    with line.controller("tree_switch", on_line=log.append) as ryu:
        line.connect()
        wait_until(lambda: sum("connected" in text for text in log) == len(SWITCHES), "three that are ready")
        assert line.have_flows(), "their flows are there once it says so, which is what a start waits for"
        assert line.ping(5) == 5
        assert line.flooded_frames() == len(SWITCHES)  # the ARP request, once at each switch
        assert line.ping(20) == 20
        assert line.flooded_frames() == len(SWITCHES)
        assert not any("CONTROLLER" in line.flows(switch) for switch in SWITCHES)
        ryu.check()
    assert sum("connected" in text for text in log) == len(SWITCHES)
    assert not [text for text in log if "Traceback" in text]


def test_host_is_forgotten_when_its_port_goes_down_and_found_again(line: Line) -> None:
    with line.controller("tree_switch"):
        line.connect()
        wait_until(line.ready, "three switches with their flows")
        assert line.ping(3) == 3
        h1 = line.mac("h1")
        assert h1 in line.flows("s1")
        line.inside("h1", "ip", "link", "set", "h1-eth0", "down")
        wait_until(lambda: h1 not in line.flows("s1"), "s1 has forgotten h1")
        line.inside("h1", "ip", "link", "set", "h1-eth0", "up")
        wait_until(lambda: line.ping(1) == 1, "h1 reaches h3 again")


def test_switches_that_connect_again_start_anew(line: Line) -> None:
    with line.controller("tree_switch"):
        line.connect()
        wait_until(line.ready, "three switches with their flows")
        assert line.ping(3) == 3
    with line.controller("tree_switch") as second:
        h1 = line.mac("h1")
        wait_until(
            lambda: line.all_connected() and h1 not in line.flows("s1"), "the old controller's flows are gone"
        )
        wait_until(line.ready, "three switches with their flows")
        assert line.ping(3) == 3
        second.check()


def test_ryus_rest_and_link_discovery_apps_run_beside_it(line: Line) -> None:
    apps = ("tree_switch", "ryu.app.ofctl_rest", "ryu.app.rest_topology")
    with line.controller(*apps, arguments=["--observe-links"]) as ryu:
        line.connect()
        wait_until(line.ready, "three switches with their flows")
        dpids = {
            int(line.vsctl("get", "bridge", switch, "datapath_id").strip().strip('"'), 16)
            for switch in SWITCHES
        }
        assert set(line.rest(ryu, "/stats/switches")) == dpids
        both_ways = 2 * (len(SWITCHES) - 1)
        wait_until(
            lambda: len(line.rest(ryu, "/v1.0/topology/links")) == both_ways,
            "links s1-s2 and s2-s3, both ways",
        )
        assert line.ping(3) == 3


@pytest.mark.parametrize("app", ["ryu.app.simple_switch_13", "simple_switch_13"])
def test_unmodified_app_of_ryus_runs(line: Line, app: str) -> None:
    with line.controller(app) as ryu:
        line.connect()
        wait_until(line.all_connected, "three switches")
        wait_until(lambda: line.ping(1) == 1, "h1 reaches h3")
        ryu.check()


def test_taken_port_is_named_with_the_cure() -> None:
    port = free_port()
    with ControllerProcess(["tree_switch"], port=port):
        second = ControllerProcess(["tree_switch"], port=port)
        with pytest.raises(ControllerError, match=rf"TCP port {port} is taken.*ss -ltnp.*another port"):
            second.start()
        assert second.pid is None


def test_app_that_fails_to_load_is_quoted(tmp_path: Path) -> None:
    app = tmp_path / "broken.py"
    app.write_text("raise RuntimeError('no such luck')\n")
    with pytest.raises(ControllerError, match=r"(?s)broken\.py .*ended with status 1.*no such luck"):
        ControllerProcess([app], port=free_port()).start()


def test_dead_controller_is_reported() -> None:
    with ControllerProcess(["tree_switch"], port=free_port()) as ryu:
        os.kill(ryu.pid, signal.SIGKILL)
        os.waitid(os.P_PID, ryu.pid, os.WEXITED | os.WNOWAIT)
        with pytest.raises(ControllerError, match="was killed by SIGKILL"):
            ryu.check()


def test_stop_frees_the_port_and_keeps_the_log(tmp_path: Path) -> None:
    port, log = free_port(), tmp_path / "ryu.log"
    with ControllerProcess(["tree_switch"], port=port, log=log) as ryu:
        pid = ryu.pid
        assert listens(pid, port)
    assert not Path(f"/proc/{pid}").exists()
    assert "TreeSwitch" in log.read_text()
    with ControllerProcess(["tree_switch"], port=port):
        pass


def test_controller_does_not_survive_the_program_that_started_it(tmp_path: Path) -> None:
    program = textwrap.dedent(f"""
        from hybridnet.run.controllers.process import ControllerProcess
        ryu = ControllerProcess(["tree_switch"], port={free_port()}).start()
        print(ryu.pid, flush=True)
        input()
    """)
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as head:
        ryu_pid = int(head.stdout.readline())
        assert Path(f"/proc/{ryu_pid}").exists()
        head.kill()
    wait_until(lambda: not is_running(ryu_pid), "Ryu has ended")


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def test_rest_call_is_answered_at_the_port_given_to_who_shows_the_secret() -> None:
    rest_port = free_port()
    with ControllerProcess(["ryu.app.ofctl_rest"], port=free_port(), rest_port=rest_port) as ryu:
        assert ryu.rest.url == f"http://127.0.0.1:{rest_port}"
        assert ryu.rest.call("/stats/switches") == []
        with pytest.raises(ControllerError, match="status 404"):
            ryu.rest.call("/stats/no_such_thing")
        for headers in ({}, Rest("127.0.0.1", rest_port).headers, {"Authorization": "Basic \xe9"}):
            request = urllib.request.Request(f"{ryu.rest.url}/stats/switches", headers=headers)
            with pytest.raises(urllib.error.HTTPError, match="401"):
                urllib.request.urlopen(request, timeout=10)
