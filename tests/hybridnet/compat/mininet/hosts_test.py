# SPDX-License-Identifier: MIT
"""Nodes and interfaces as scripts make them, before there is a network, and where the computer lacks something."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.compat.mininet import hosts
from hybridnet.compat.mininet.link import Intf, Link, TCIntf, TCLink, set_param
from hybridnet.compat.mininet.net import Mininet
from hybridnet.compat.mininet.node import CPULimitedHost, Host
from hybridnet.errors import EnvironmentLackError, UsageError


def test_an_interface_without_a_node_is_refused() -> None:
    with pytest.raises(
        UsageError, match="interface eth1: a device of this computer goes to a node; give node="
    ):
        Intf("eth1")


def test_a_constructor_that_does_more_than_run_a_command_is_refused() -> None:
    class Impatient(Host):
        def __init__(self, name: str, **params: Any) -> None:
            super().__init__(name, **params)
            self.sendCmd("true")

    with pytest.raises(UsageError, match=r"node h1: its constructor can run commands with cmd\(\) only"):
        Mininet(controller=None).addHost("h1", cls=Impatient)


def test_an_interface_is_forgotten_by_its_node_once() -> None:
    net = Mininet(controller=None)
    h1 = net.addHost("h1")
    link = net.addLink(h1, net.addHost("h2"))
    h1.delIntf(link.intf1)
    h1.delIntf(link.intf1)
    assert h1.intfNames() == []


def test_a_node_links_itself_by_a_class_of_link() -> None:
    net = Mininet(controller=None)
    h1, h2 = net.addHost("h1"), net.addHost("h2")
    link = h1.linkTo(h2, TCLink)
    assert isinstance(link.intf1, TCIntf)
    assert net.links == [link]
    assert repr(link) == "<TCLink h1-eth0<->h2-eth0>"


def test_configuration_before_there_is_a_network_waits_for_it() -> None:
    net = Mininet(controller=None)
    h1 = net.addHost("h1")
    h1.configDefault(lo="down")
    assert h1.params["lo"] == "down"


@pytest.mark.parametrize(
    ("share", "sched", "limit"),
    [
        (0.5, "cfs", {"share": 0.5 * 4, "sched": "cfs", "period_us": 50_000}),
        (0.5, "rt", {"share": 0.5, "sched": "rt", "period_us": 50_000}),
        (-1, "cfs", {"share": None, "sched": "cfs", "period_us": 50_000}),
    ],
)
def test_a_share_is_of_all_processors_and_in_real_time_of_each(
    share: float, sched: str, limit: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosts, "numCores", lambda: 4)
    given: list[dict[str, Any]] = []
    monkeypatch.setattr("hybridnet.run.node.Host._limit", lambda self, limit: given.append(limit))
    host = Mininet(controller=None).addHost("h1", cls=CPULimitedHost, sched=sched, period_us=50_000)
    host.setCPUFrac(share)
    assert given == [limit]


def test_a_limit_that_the_computer_cannot_set_has_no_effect_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lacking(self: Any, limit: Any) -> None:
        raise EnvironmentLackError("there is no cgroup v2")

    monkeypatch.setattr("hybridnet.run.node.Host._limit", lacking)
    host = Mininet(controller=None).addHost("h1", cls=CPULimitedHost)
    host.config(cpu=0.5, cores=[0, 1])
    assert "cpu= and cores= of hosts: it has no effect: there is no cgroup v2" in capsys.readouterr().err


@pytest.mark.parametrize("cpu", ["abc", "0.5", True, 5000])
def test_a_share_of_the_processors_that_is_no_number_is_refused_by_name(cpu: Any) -> None:
    host = Mininet(controller=None).addHost("h1", cls=CPULimitedHost)
    with pytest.raises(UsageError, match=f"host h1: cpu {cpu!r} is not a number from -4096 to 4096"):
        host.config(cpu=cpu)
    with pytest.raises(UsageError, match="host h1: cpu"):
        host.setCPUFrac(cpu)


def test_a_method_gets_one_value_a_list_of_them_or_some_by_their_names() -> None:
    class Told:
        def tell(self, *args: Any, **params: Any) -> Any:
            return args, params

    results: dict[str, Any] = {}
    assert set_param(Told(), results, "tell", one=1) == ((1,), {})
    assert set_param(Told(), results, "tell", some=[1, 2]) == ((1, 2), {})
    assert set_param(Told(), results, "tell", named={"a": 1}) == ((), {"a": 1})
    assert set_param(Told(), results, "tell", none=None) is None
    assert set_param(Told(), results, "there_is_none", value=1) is None
    assert list(results) == ["one", "some", "named"]


def test_a_link_that_is_deleted_twice_is_gone_once() -> None:
    net = Mininet(controller=None)
    link: Link = net.addLink(net.addHost("h1"), net.addHost("h2"))
    link.stop()
    link.delete()
    assert net.links == []


def test_a_method_in_a_command_is_its_text_as_in_mininet(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, str]] = []
    monkeypatch.setattr(hosts, "tolerate", lambda what, instead: told.append((what, instead)))
    h1 = Mininet(controller=None).addHost("h1")
    assert hosts.joined(("echo", h1.IP)) == ("echo", str(h1.IP))
    assert told == [("command: IP without ()", "the shell gets the text of the method itself")]
