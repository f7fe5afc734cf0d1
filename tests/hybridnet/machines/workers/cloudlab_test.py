# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest

from hybridnet.errors import EnvironmentLackError, UsageError
from hybridnet.machines.workers.cloudlab import as_machines, machines_of_cloudlab, read_manifest
from tests.hybridnet.machines.workers.manifests import manifest_of

TWO = {"node-0": ("10.10.1.1", "c1.wisc.cloudlab.us"), "node-1": ("10.10.1.2", "c2.wisc.cloudlab.us")}


def test_nodes_have_the_login_of_who_asks_and_the_address_on_the_experiments_link() -> None:
    first, second = read_manifest(manifest_of(TWO, ("ada", "grace")), "grace")
    assert (first.name, first.user, first.login, first.port) == ("node-0", "grace", "c1.wisc.cloudlab.us", 22)
    assert (first.hardware, first.address, second.address) == ("c220g5", "10.10.1.1", "10.10.1.2")


def test_who_has_no_login_gets_the_first() -> None:
    assert read_manifest(manifest_of(TWO, ("ada", "grace")), "nobody")[0].user == "ada"


def test_nodes_are_machines_in_the_order_of_their_numbers() -> None:
    many = {f"node-{n}": (f"10.10.1.{n + 1}", f"c{n}.wisc.cloudlab.us") for n in (10, 2, 0)}
    names = [node.name for node in read_manifest(manifest_of(many), "grace")]
    assert names == ["node-0", "node-2", "node-10"]


def test_on_a_node_everything_goes_over_the_experiments_link() -> None:
    nodes = read_manifest(manifest_of(TWO), "grace")
    first, second = as_machines(nodes, ["127.0.0.1", "128.105.144.1", "10.10.1.1"], "/home/grace/.ssh/key")
    assert [first.target, second.target] == ["grace@10.10.1.1", "grace@10.10.1.2"]
    assert (first.name, first.address, second.identity) == ("m1", "10.10.1.1", "/home/grace/.ssh/key")


def test_from_elsewhere_ssh_goes_to_the_logins_and_peering_over_the_experiments_link() -> None:
    nodes = read_manifest(manifest_of(TWO), "grace")
    first, second = as_machines(nodes, ["192.168.0.2"], None)
    assert [first.target, second.target] == ["grace@c1.wisc.cloudlab.us", "grace@c2.wisc.cloudlab.us"]
    assert [first.address, second.address] == ["10.10.1.1", "10.10.1.2"]


def test_experiments_do_not_share_the_keys_of_their_hosts() -> None:
    [one], [other] = (
        as_machines(read_manifest(manifest_of({name: ("10.10.1.1", "c1")}), "grace"), [], None)
        for name in ("node-0", "node-7")
    )
    assert one.options != other.options


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nothing", "not XML"),
        ("<a/>", "not an RSpec v3 manifest"),
        (manifest_of(TWO).replace('type="manifest"', 'type="request"'), "not an RSpec v3 manifest"),
        (manifest_of({}), "it has no node"),
        (manifest_of(TWO, ()), "node node-0 has no login"),
        (manifest_of(TWO).replace('type="ipv4"', 'type="ipv6"'), "node node-0 has no IPv4 address"),
        (manifest_of({"node-0": ("10.10.1", "c1")}), "node node-0: .*10.10.1"),
    ],
)
def test_what_is_no_manifest_is_refused(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        read_manifest(text, "grace")


def test_a_file_that_is_not_there_and_a_computer_that_is_no_node_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/usr/sbin:/bin:/sbin")
    with pytest.raises(UsageError, match=r"--manifest .*missing\.xml: No such file"):
        machines_of_cloudlab(str(tmp_path / "missing.xml"))
    with pytest.raises(EnvironmentLackError, match=r"not a CloudLab node.*--manifest"):
        machines_of_cloudlab(None)
