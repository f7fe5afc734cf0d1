# SPDX-License-Identifier: MIT
"""Containernet's hosts and network as they are described: what is asked for, tolerated and refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hybridnet.compat.mininet import lenient_options
from hybridnet.compat.mininet.containers import image_of
from hybridnet.compat.mininet.net import Containernet
from hybridnet.compat.mininet.node import Docker, OVSBridge
from hybridnet.compat.mininet.topolib import TreeContainerNet
from hybridnet.errors import MachineError, TopologyError, UsageError


@pytest.fixture(autouse=True)
def _untold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lenient_options, "_told", set())


def described(**options: Any) -> dict[str, Any]:
    """What a host with these options asks of the network."""
    net = Containernet(controller=None)
    net.addDocker("d1", **{"dimage": "web.tar", **options})
    net.build()
    found: dict[str, Any] = net._network.description().nodeInfo("d1")
    return found


@pytest.mark.parametrize(
    ("dimage", "image"),
    [
        ("ubuntu:trusty", "docker://docker.io/library/ubuntu:trusty"),
        ("mpeuster/stress", "docker://docker.io/mpeuster/stress"),
        ("ghcr.io/a/b:1", "docker://ghcr.io/a/b:1"),
        ("localhost/a", "docker://localhost/a"),
        ("registry:5000/a", "docker://registry:5000/a"),
        ("docker://example.org/a:1", "docker://example.org/a:1"),
        ("/srv/web.tar", "archive:/srv/web.tar"),
        ("oci:/srv/web:1.2", "oci:/srv/web:1.2"),
    ],
)
def test_an_image_has_a_name_as_docker_reads_it_or_a_form_of_hybridnet(dimage: str, image: str) -> None:
    assert image_of(dimage, "host d1") == image


def test_what_names_no_image_is_refused() -> None:
    with pytest.raises(UsageError, match="host d1: dimage= is missing; write"):
        Containernet(controller=None).addDocker("d1")
    with pytest.raises(TopologyError, match=r"host d1: dimage 'docker://docker\.io/library/a b' is no name"):
        image_of("a b", "host d1")


def test_dcmd_stands_for_the_images_entrypoint_and_command() -> None:
    asked = described(dcmd="sh -c 'echo $MODE; sleep 9'")
    assert (asked["entrypoint"], asked["command"]) == ([], "sh -c 'echo $MODE; sleep 9'")
    own = described()
    assert "command" not in own
    assert "entrypoint" not in own  # `start` begins what the image says
    assert own["run"] is asked["run"] is False  # the host begins it, once its limits are set


def test_environment_name_servers_volumes_and_folders_in_memory_are_the_hosts(tmp_path: Path) -> None:
    asked = described(
        environment={"MODE": "x", "FLAG": True, "UNSET": None},
        dns=["10.0.0.53"],
        volumes=[f"{tmp_path}:/a", f"{tmp_path}:/b:ro,z", "/own"],
        tmpfs=["/mem/:size=3G,uid=1000"],
        privateDirs=["/var/run"],
    )
    assert asked["environment"] == {"MODE": "x", "FLAG": "True"}
    assert asked["dns"] == ["10.0.0.53"]
    assert asked["volumes"] == [f"{tmp_path}:/a:rw", f"{tmp_path}:/b:ro"]
    assert asked["privateDirs"] == ["/var/run", "/mem", "/own"]


def test_volumes_and_folders_in_memory_may_be_dictionaries(tmp_path: Path) -> None:
    asked = described(volumes={str(tmp_path): {"bind": "/a", "mode": "ro"}}, tmpfs={"/mem": "size=3G"})
    assert asked["volumes"] == [f"{tmp_path}:/a:ro"]
    assert asked["privateDirs"] == ["/mem"]


def test_a_folder_that_is_missing_is_made_as_docker_makes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert described(volumes=[f"{tmp_path}/new/data:/data"])["volumes"] == [f"{tmp_path}/new/data:/data:rw"]
    assert (tmp_path / "new/data").is_dir()
    assert f"its volume {tmp_path}/new/data was not there: it is made, and stays" in capsys.readouterr().err


def test_devices_are_files_of_the_computer_and_no_interfaces(capsys: pytest.CaptureFixture[str]) -> None:
    asked = described(devices=["/dev/null:/dev/nothing:rwm", "/dev/none"])
    assert asked["volumes"] == ["/dev/null:/dev/nothing"]
    assert asked["devices"] == []
    assert "there is no /dev/none here; the host goes without it" in capsys.readouterr().err


def test_what_only_docker_has_is_told_by_name_and_what_is_so_anyway_is_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    described(cpu_shares=20, port_bindings={80: 80}, ipc_mode="host", storage_opt={"size": "1G"})
    told = capsys.readouterr().err
    for name in ("cpu_shares", "port_bindings", "ipc_mode", "storage_opt"):
        assert f"Docker hosts: {name}=: it has no effect: " in told
    described(ports=[80], publish_all_ports=True, cap_add=["sys_admin"], rm=True, network_mode=None)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"build_params": {"path": "."}}, "host d1: build_params=: images are built by Docker's daemon"),
        ({"volumes": ["data:/data"]}, "volumes=: 'data:/data' has a name, and only Docker's daemon"),
        ({"volumes": 7}, r"host d1: volumes 7 is no list; write \['/srv/data:/data:rw'\]"),
    ],
)
def test_what_needs_the_daemon_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        described(**options)


def test_the_daemon_itself_is_not_there() -> None:
    d1 = Containernet(controller=None).addDocker("d1", dimage="web.tar")
    with pytest.raises(UsageError, match="host d1: dcli: a client of Docker's daemon"):
        _ = d1.dcli
    assert not hasattr(d1, "d_client")


def limits_of(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    given: list[dict[str, Any]] = []
    monkeypatch.setattr("hybridnet.run.node.Host._limit", lambda self, limit: given.append(limit))
    monkeypatch.setattr(Docker, "is_made", lambda self: True)
    return given


def test_a_quota_in_a_period_is_a_share_of_one_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    given = limits_of(monkeypatch)
    d1 = Containernet(controller=None).addDocker("d1", dimage="web.tar", cpu_period=50_000, cpu_quota=10_000)
    d1.updateCpuLimit(cpu_period=50_001, cpu_quota=20_000, cores="0,2-3")
    assert given == [
        {"share": 20_000 / 50_001, "sched": "cfs", "period_us": 50_001},
        {"cores": [0, 2, 3]},
    ]
    assert {name: d1.resources[name] for name in ("cpu_quota", "cpu_period", "cpuset_cpus")} == {
        "cpu_quota": 20_000,
        "cpu_period": 50_001,
        "cpuset_cpus": "0,2-3",
    }


def test_a_quota_below_zero_takes_the_limit_away(monkeypatch: pytest.MonkeyPatch) -> None:
    given = limits_of(monkeypatch)
    d1 = Containernet(controller=None).addDocker("d1", dimage="web.tar", cpus=1.5)
    d1.update_resources()
    d1.updateCpuLimit()  # as Containernet's: -1 is its default
    assert [limit["share"] for limit in given] == [1.5, None]


@pytest.mark.parametrize(
    ("said", "limit"),
    [("64m", 64 << 20), ("1gb", 1 << 30), (66_093_056, 66_093_056), ("66093056", 66_093_056), (-1, None)],
)
def test_memory_and_processes_are_limited_as_docker_reads_them(
    said: Any, limit: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = limits_of(monkeypatch)
    d1 = Containernet(controller=None).addDocker("d1", dimage="web.tar", mem_limit=said, pids_limit=50)
    d1.update_resources()
    assert given == [{"memory_bytes": limit}, {"processes": 50}]


def test_a_limit_of_memory_may_change(monkeypatch: pytest.MonkeyPatch) -> None:
    given = limits_of(monkeypatch)
    d1 = Containernet(controller=None).addDocker("d1", dimage="web.tar", mem_limit=132_182_016)
    d1.updateMemoryLimit(mem_limit=66_093_056)
    assert (given, d1.resources["mem_limit"]) == ([{"memory_bytes": 66_093_056}], 66_093_056)


def test_of_resources_of_which_one_is_refused_none_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[dict[str, Any]] = []

    def limited(self: Docker, limit: dict[str, Any]) -> None:
        if limit.get("memory_bytes") == 64 << 20:
            raise MachineError("refused")
        given.append(limit)

    monkeypatch.setattr("hybridnet.run.node.Host._limit", limited)
    monkeypatch.setattr(Docker, "is_made", lambda self: True)
    d1 = Containernet(controller=None).addDocker("d1", dimage="web.tar", cpu_quota=20_000)
    before = dict(d1.resources)
    with pytest.raises(MachineError, match="refused"):
        d1.update_resources(cpu_quota=50_000, cpuset_cpus="0", mem_limit="64m")
    share, cores = {"sched": "cfs", "period_us": 100_000}, [{"cores": [0]}, {"cores": None}]
    assert given == [{"share": 0.5, **share}, *cores, {"share": 0.2, **share}]
    assert d1.resources == before
    with pytest.raises(TopologyError):
        d1.update_resources(cpu_quota=50_000, cpuset_cpus="none")
    assert len(given) == 4
    assert d1.resources == before


def test_resources_that_have_no_effect_are_kept_and_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    limits_of(monkeypatch)
    d1 = Containernet(controller=None).addDocker("d1", dimage="web.tar")
    d1.updateCpuLimit(cpu_shares=512)
    d1.update_resources(blkio_weight=10)
    assert (d1.resources["cpu_shares"], d1.resources["blkio_weight"]) == (512, 10)
    told = capsys.readouterr().err
    assert "cpu_shares=: it has no effect" in told
    assert "blkio_weight=: it has no effect: only Docker's daemon knows it" in told


def test_a_network_has_containers_and_loses_them() -> None:
    net = Containernet(controller=None)
    d1, h1 = net.addDocker("d1", dimage="web.tar"), net.addHost("h1")
    d2 = net.addHost("d2", cls=Docker, dimage="web.tar")
    s1 = net.addSwitch("s1", cls=OVSBridge)
    for host in (d1, d2, h1):
        net.addLink(host, s1)
    assert [host.name for host in net.hosts] == ["d1", "h1", "d2"]
    net.removeLink(node1="s1", node2="d1")
    assert len(net.links) == 2
    assert net.removeDocker("d1")
    assert net.removeDocker(d2)
    assert [host.name for host in net.hosts] == ["h1"]
    assert len(net.links) == 1


def test_what_is_not_there_cannot_be_removed_and_that_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    net = Containernet(controller=None)
    assert not net.removeDocker("d9")
    net.removeLink(node1="d9", node2="s1")
    told = "".join(capsys.readouterr())
    assert "Host: d9 not found. Cannot remove it." in told
    assert "Couldn't find link to be removed." in told


def test_service_access_points_are_refused_by_name() -> None:
    net = Containernet(controller=None)
    with pytest.raises(UsageError, match=r"addExtSAP\('sap1'\): a service access point gives this computer"):
        net.addExtSAP("sap1", "10.0.0.99/24")
    with pytest.raises(UsageError, match="service access point"):
        net.removeExtSAP("sap1")


def test_a_tree_has_containers_at_its_leaves() -> None:
    net = TreeContainerNet(2, 2, dimage="web.tar", controller=None)
    assert [type(host) for host in net.hosts] == [Docker] * 4
    assert {host.dimage for host in net.hosts} == {"web.tar"}
    assert len(net.switches) == 3
