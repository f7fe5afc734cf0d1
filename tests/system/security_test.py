# SPDX-License-Identifier: MIT
"""Nobody else gets in: another user, a host of the network, and another run try everything that a run listens on.

Each attempt is a real one, made by `tests.system.attempts`; docs/security.md has the table of what they got.
"""

from __future__ import annotations

import json
import os
import pwd
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet import Net, Ryu
from hybridnet.machines.cluster import Cluster
from hybridnet.machines.cluster.calls import present_workers
from hybridnet.run.controllers.process import free_port
from hybridnet.system.journal import read_entries
from hybridnet.topologies import TwoTrees
from tests.system import attempts as attempts_program
from tests.system.live import snapshots
from tests.system.port_type import PORT_TYPE

pytestmark = pytest.mark.thorough

NOBODY = pwd.getpwnam("nobody").pw_uid
PROGRAM = [sys.executable, attempts_program.__file__]
PEERING_PORT = 47000
FORGED = b"HNP\x02\x02\x01\x00\x00" + bytes(8) + bytes(80)  # a clock exchange, with a token of zeros
UNSECURED, STRANGE = "run_as_root", "run_with_foreign_certificate"


class Run:
    """A network that runs, and where its parts listen."""

    def __init__(self, net: Net, ryu: Ryu) -> None:
        self.net, self.ryu = net, ryu
        self.cluster = net.cluster
        client = net.cluster.client
        assert client.scheduler is not None
        self.scheduler = client.scheduler.address.removeprefix("tls://")
        workers = present_workers(client)
        self.workers = {info["name"]: address.removeprefix("tls://") for address, info in workers.items()}
        assert ryu.process is not None
        assert ryu.process.pid is not None
        self.controller = ryu.process.pid
        self.secret = ryu.process.rest.secret
        self.openflow = f"{ryu.process.address}:{ryu.process.port}"
        self.rest = f"{ryu.process.rest.url}/stats/switches"
        self.peering = f"{self.cluster.address('m1')}:{PEERING_PORT}"
        self.directory = self.cluster.journal.directory

    def network_attempts(self) -> list[list[str]]:
        """What can be tried over a network."""
        attempts = [
            [kind, address]
            for address in (self.scheduler, self.workers["m1"])
            for kind in (
                UNSECURED,
                STRANGE,
                "tls_without_certificate",
                "tls_with_foreign_certificate",
                "plain",
            )
        ]
        return [*attempts, ["get", self.rest], ["get", self.rest, "guessed"], ["plain", self.openflow]]

    def refused_datagrams(self) -> int:
        """Peering datagrams that the instance of m1 received and did not take."""
        return sum(sum(peer["dropped"].values()) for peer in snapshots(self.net)["m1"]["peers"])


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    ryu = Ryu("c0", "tree_switch", "ryu.app.ofctl_rest", rest_port=free_port())
    with Net(TwoTrees(depth=1), controller=ryu, port_type=PORT_TYPE) as net:
        yield Run(net, ryu)


def tried(attempts: list[list[str]], user: int = NOBODY) -> dict[str, str]:
    """What each attempt got, made by `user` of this computer."""
    done = subprocess.run(
        [*PROGRAM, str(user)],
        input=json.dumps(attempts),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return answers(attempts, done.stdout)


def tried_in(cluster: Cluster, machine: str, node: str, attempts: list[list[str]]) -> dict[str, str]:
    """The same, made as root on a machine, or in a host of it."""
    done = cluster.call(
        machine, "exec", argv=[*PROGRAM, "0"], node=node, input=json.dumps(attempts).encode(), timeout=120
    )
    assert done["status"] == 0, done
    return answers(attempts, done["stdout"].decode())


def answers(attempts: list[list[str]], output: str) -> dict[str, str]:
    found = {" ".join(one): got for one, got in zip(attempts, json.loads(output), strict=True)}
    for what, got in found.items():
        print(f"{what[:100]:100} {got[:150]}")
    return found


def assert_refused(got: dict[str, str]) -> None:
    assert {what: answer for what, answer in got.items() if not answer.startswith("refused")} == {}


def test_the_attempts_work_where_they_are_allowed(run: Run) -> None:
    """Else all that follows could pass because the attempts themselves are broken."""
    got = tried([["read", str(run.directory)], ["connect", run.scheduler]], user=0)
    assert all(answer.startswith("got") for answer in got.values()), got
    assert sorted(run.ryu.rest("/stats/switches")) == [1, 2]
    secret = run.secret
    assert tried([["get", run.rest, secret]])[f"get {run.rest} {secret}"].startswith("got")


def test_another_user_gets_no_code_run_and_no_page(run: Run) -> None:
    got = tried(run.network_attempts())
    assert_refused(got)
    assert "401" in got[f"get {run.rest}"]


def test_another_user_reads_no_file_and_opens_no_socket_of_a_run(run: Run) -> None:
    [init] = [
        entry["pid"] for entry in read_entries(run.directory) if entry.get("what") == "init of machine m1"
    ]
    inside = f"/proc/{init}/root"
    looks = "find /run/openvswitch /run/hybridnet-agent -type s"
    sockets = run.cluster.call("m1", "exec", argv=looks)["stdout"].decode().split()
    assert len(sockets) >= 6  # database, two of management, two of the bridge, the instance's
    plan = run.directory / "m1" / "instances" / "m1" / "instance.json"
    assert "token" in json.loads(plan.read_text())
    assert_refused(
        tried(
            [
                ["read", str(run.directory)],
                ["read", str(plan)],
                ["read", str(run.directory / "m1" / "agent.log")],
                ["read", f"{inside}/run/netns"],
                ["read", f"/proc/{init}/environ"],
                *(["unix", f"{inside}{path}"] for path in sockets),
            ]
        )
    )


def test_within_a_machine_another_user_opens_no_socket_either(run: Run) -> None:
    """Programs of another user in a host, as after `su`, have the machine's files before them."""
    looks = "find /run -type s"
    sockets = run.cluster.call("m1", "exec", argv=looks)["stdout"].decode().split()
    attempts = [["unix", path] for path in sockets] + [["read", str(run.directory)]]
    done = run.cluster.call(
        "m1", "exec", argv=[*PROGRAM, str(NOBODY)], node="h1", input=json.dumps(attempts).encode()
    )
    assert done["status"] == 0, done
    assert_refused(answers(attempts, done["stdout"].decode()))


def test_a_forged_peering_datagram_of_another_user_is_not_taken(run: Run) -> None:
    before = run.refused_datagrams()
    assert_refused(tried([["datagram", run.peering, FORGED.hex()]]))
    assert (
        run.refused_datagrams() == before
    )  # not even looked at: it takes only what its peer's address sends
    assert run.net.ping(run.net.get("h1", "h3"), timeout=5) == 0


def test_a_host_of_the_network_reaches_nothing_of_the_machine_or_the_head(run: Run) -> None:
    """As root in the host: it gives itself an address and a route, and knows the hardware address to send to."""
    machine, head = run.cluster.address("m1"), run.scheduler.rpartition(":")[0]
    near = run.net["s1"].intfNames()
    device = next(name for name in near if name.endswith("eth1"))
    lladdr = (
        run.cluster.call("m1", "exec", argv=f"cat /sys/class/net/{device}/address")["stdout"].decode().strip()
    )
    h1 = run.net["h1"]
    peer = run.cluster.address("m2")
    h1.cmd(f"ip addr add {peer}/32 dev h1-eth0")  # as if it were the other machine
    for target in (machine, head):
        h1.cmd(f"ip route add {target} dev h1-eth0 src {peer}")
    before = run.refused_datagrams()
    try:
        # Nobody answers who has these addresses.
        assert_refused(tried_in(run.cluster, "m1", "h1", [["ping", machine], ["ping", head]]))
        assert "lladdr" not in h1.cmd(f"ip neigh show {machine}; ip neigh show {head}")
        for target in (machine, head):
            h1.cmd(f"ip neigh replace {target} lladdr {lladdr} dev h1-eth0")
        attempts = [["connect", address] for address in (run.scheduler, run.workers["m1"], run.openflow)]
        attempts += [["get", run.rest], ["ping", machine], ["ping", head]]
        attempts += [["datagram", run.peering, FORGED.hex(), f"{peer}:{PEERING_PORT}"]]
        assert_refused(tried_in(run.cluster, "m1", "h1", attempts))
        assert run.refused_datagrams() == before
    finally:
        for target in (machine, head):
            h1.cmd(f"ip neigh del {target} dev h1-eth0; ip route del {target} dev h1-eth0")
        h1.cmd(f"ip addr del {peer}/32 dev h1-eth0")
    assert run.net.ping(run.net.get("h1", "h3"), timeout=5) == 0


def test_another_run_does_not_get_in(run: Run) -> None:
    """From a machine of a second run, as root, which leads itself a way through this computer."""
    with Cluster.local(["m1"]) as other:
        head = other.client.scheduler.address.removeprefix("tls://").rpartition(":")[0]  # type: ignore[union-attr]
        for target in (run.cluster.address("m1"), run.scheduler.rpartition(":")[0]):
            other.call("m1", "exec", argv=f"ip route add {target} via {head}")
        assert_refused(tried_in(other, "m1", "", run.network_attempts()))
        before = run.refused_datagrams()
        assert_refused(tried_in(other, "m1", "", [["datagram", run.peering, FORGED.hex()]]))
        assert run.refused_datagrams() == before
    assert run.net.ping(run.net.get("h1", "h3"), timeout=5) == 0


def test_a_run_listens_where_it_says_and_nowhere_else(run: Run) -> None:
    """A listener that is added some day has to be secured, and to be named here."""
    head = listeners([os.getpid(), run.controller])
    assert head == {run.scheduler, run.openflow, run.rest.split("/")[2]}
    for machine in run.cluster.machines:
        said = run.cluster.call(machine, "exec", argv="ss -HlntuO; grep -c @ /proc/net/unix")[
            "stdout"
        ].decode()
        lines = said.splitlines()
        here = {line.split()[4] for line in lines[:-1]}
        assert here == {run.workers[machine]}  # and the peering socket, which hears nobody but its peer
        assert lines[-1] == "0"  # abstract sockets
    for host in ("h1", "h3"):
        assert run.net[host].cmd("ss -Hlntu") == ""


def listeners(pids: list[int]) -> set[str]:
    said = subprocess.run(["ss", "-HlntupO"], capture_output=True, text=True, check=True).stdout
    return {
        re.sub(r"%\w+", "", line.split()[4])  # the device, where it is bound to one
        for line in said.splitlines()
        if set(map(int, re.findall(r"pid=(\d+)", line))) & set(pids)
    }


def test_keys_are_on_no_command_line_in_no_environment_and_in_no_file(run: Run) -> None:
    key = run.cluster.client.security.tls_client_key
    [middle] = [line for line in key.splitlines() if not line.startswith("-")][:1]
    token = json.loads((run.directory / "m1" / "instances" / "m1" / "instance.json").read_text())["token"]
    ours = [
        path
        for path in Path("/proc").glob("[0-9]*")
        if f"HYBRIDNET_RUN={run.cluster.journal.run}".encode() in bytes_of(path / "environ")
    ]
    assert len(ours) > 8
    for path in (*ours, Path(f"/proc/{os.getpid()}"), Path(f"/proc/{run.controller}")):
        for secret in (middle, token, run.ryu.process.rest.secret):  # type: ignore[union-attr]
            assert secret.encode() not in bytes_of(path / "cmdline")
        assert middle.encode() not in bytes_of(path / "environ")
    for path in run.directory.rglob("*"):
        if path.is_file():
            assert middle.encode() not in path.read_bytes(), path


def bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # it has just ended
        return b""
