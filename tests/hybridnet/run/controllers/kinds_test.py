# SPDX-License-Identifier: MIT
"""Controllers: reachable or an error; what switches are told."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest

from hybridnet.errors import ControllerError, UsageError
from hybridnet.run.controllers.kinds import Controller, RemoteController, Ryu


def test_a_listening_controller_is_accepted_and_loopback_becomes_this_computers_address() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        controller = RemoteController("c0", ip="localhost", port=port)
        controller.begin("127.0.0.1")
        assert controller.target("198.18.0.254") == f"tcp:198.18.0.254:{port}"


def test_a_silent_controller_is_an_error_with_the_cure() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(
        ControllerError, match=rf"controller c1: nothing answers \(127.0.0.1:{port}: .*start it first"
    ):
        RemoteController("c1", port=port).begin("127.0.0.1")


def test_an_address_elsewhere_is_told_as_it_is() -> None:
    assert RemoteController("c0", ip="192.0.2.7", port=6633).target("198.18.0.254") == "tcp:192.0.2.7:6633"


@pytest.mark.parametrize(
    "ip", ["999.1.1.1", "10.0.0.1/24", "192.0.2.1:6653", "a b", "-a", "c0..example", "300"]
)
def test_what_is_neither_an_address_nor_a_name_of_a_computer_is_refused_before_anything_is_built(
    ip: str,
) -> None:
    with pytest.raises(
        UsageError, match=r"controller c0: ip .* is neither an address nor the name of a computer"
    ):
        RemoteController("c0", ip=ip)


@pytest.mark.parametrize("ip", ["2001:db8::1", "fe80::1%eth0", "c0", "onos-1.lab.example", "_ryu.local."])
def test_addresses_and_names_of_computers_are_taken(ip: str) -> None:
    assert RemoteController("c0", ip=ip).ip == ip


def test_unknown_options_are_refused() -> None:
    with pytest.raises(UsageError, match="unknown option 'prot'"):
        RemoteController("c0", prot="tcp")
    with pytest.raises(UsageError, match="protocol 'ssl' is not supported"):
        RemoteController("c0", protocol="ssl")


def test_options_of_miniedits_scripts_are_taken_by_every_controller() -> None:
    for kind in (Controller, RemoteController, Ryu):
        made = kind(name="c0", ip="127.0.0.1", protocol="tcp", port=6633)
        assert made.port == 6633
    with pytest.raises(UsageError, match=r"ip '192\.0\.2\.1' is another computer"):
        Controller("c0", ip="192.0.2.1")
    for option in ("command", "cargs", "cdir"):
        with pytest.raises(UsageError, match=f"controller c0: {option}= is not supported"):
            Controller("c0", **{option: "x"})


def test_the_default_controller_runs_our_learning_switch() -> None:
    assert Controller().apps == ("tree_switch",)
    assert Ryu("c0", "tree_switch", "ryu.app.ofctl_rest").apps == ("tree_switch", "ryu.app.ofctl_rest")


def test_a_start_waits_until_tree_switch_has_set_up_the_switches_that_connect() -> None:
    controller = Ryu("c0")
    first, second = "0000000000000001", "00000000000000ab"
    controller._line(f"switch {first} connected, 1 in all")
    controller.settle(2, [first], 0.0)
    with pytest.raises(ControllerError, match="c0: tree_switch has set up 1 of 2 switches after 0 s"):
        controller.settle(2, [first, second], 0.0)
    controller._line(f"switch {second} connected, 2 in all")
    controller.settle(2, [first, second], 0.0)
    controller._line(f"switch {first} left, 1 remain")
    with pytest.raises(ControllerError, match="has set up 0 of 1 switches"):
        controller.settle(2, [first], 0.0)
    Ryu("c1", "ryu.app.simple_switch_13").settle(2, [first, second], 0.0)  # nobody knows when that is ready


def test_what_cannot_be_meant_is_said_before_anything_is_started() -> None:
    with pytest.raises(UsageError, match=r"nowhere/a\.py: there is no such file"):
        Ryu("c0", "nowhere/a.py")
    for module in ("nosuch", "ryu.app.nosuch", ".x"):
        with pytest.raises(
            UsageError, match=f"controller {module}: it is neither an app of hybridnet's .*tree_switch"
        ):
            Ryu("c0", module)
    for port in (0, 65536, "6653", True):
        with pytest.raises(UsageError, match="is not a TCP port"):
            RemoteController("c0", port=port)  # type: ignore[arg-type]


def test_an_app_beside_the_user_is_offered_for_its_bare_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "of_mine.py").touch()
    with pytest.raises(UsageError, match=r"of_mine\.py is here: write \./of_mine\.py"):
        Ryu("c0", "of_mine")


def test_where_ryu_has_no_environment_yet_nothing_is_said_of_its_modules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HYBRIDNET_RYU_PYTHON", "/nowhere/python")
    assert Ryu("c0", "of_an_environment_to_come").apps == ("of_an_environment_to_come",)


def test_without_an_app_the_topology_decides_and_the_choice_is_said() -> None:
    ryu = Ryu("c0")
    assert ryu.suit([]) == ""
    assert ryu.apps == ("tree_switch",)
    assert ryu.suit(["s1", "s2", "s3"]) == (
        "Controller c0 is ecmp_switch: the switches have loops (s1 - s2 - s3)"
    )
    assert ryu.apps == ("ecmp_switch",)
    assert ryu.suit([]) == "", "of another network"
    assert ryu.apps == ("tree_switch",)


def test_a_named_app_is_left_alone() -> None:
    ryu = Ryu("c0", "ryu.app.simple_switch_13")
    assert "floods loops for ever" in ryu.suit(["s1", "s2", "s3"])
    assert ryu.apps == ("ryu.app.simple_switch_13",)
    own = Ryu("c0", "tree_switch")
    assert "floods loops for ever" in own.suit(["s1", "s2", "s3"])
    assert own.apps == ("tree_switch",)
    assert RemoteController("c0").suit(["s1", "s2", "s3"]) == ""


@pytest.mark.parametrize(
    ("app", "says"),
    [
        (
            "ryu.app.simple_switch_13",
            "Warning: simple_switch_13 floods loops for ever, and the switches have some",
        ),
        (
            "simple_switch_13",
            "Warning: simple_switch_13 floods loops for ever, .*; use ecmp_switch, hybridnet's",
        ),
        (
            "mine.py",
            r"Warning: the switches have loops \(s1 - s2\): if mine\.py floods there, packets circulate for",
        ),
        (
            "ryu.app.simple_switch_stp_13",
            "opens their ports about 30 s after the start: packets before are lost",
        ),
        ("hedera_switch", "$"),
    ],
)
def test_who_names_an_app_for_loops_is_told_what_it_does_there(
    app: str, says: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").touch()
    assert re.match(f".*{says}" if says != "$" else says, Ryu("c0", app).suit(["s1", "s2"]))
    assert Ryu("c0", app).suit([]) == ""


def test_ryus_own_apps_have_short_names_and_a_slip_is_told_the_nearest() -> None:
    Ryu("c0", "simple_switch_stp_13")
    with pytest.raises(UsageError, match=r"controller simple_swich_13: .*; did you mean simple_switch_13\?"):
        Ryu("c0", "simple_swich_13")
