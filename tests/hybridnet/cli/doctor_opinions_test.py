# SPDX-License-Identifier: MIT
"""What is seen on a computer becomes a lack or a note with its cure, or nothing to worry about."""

from __future__ import annotations

import pytest

from hybridnet.cli import doctor_opinions as opinions
from hybridnet.cli.doctor_opinions import UNTRIED, Finding
from hybridnet.plan.choices.fit import AFXDP_PORT_BYTES

SLOW_US, QUICK_US = 101, 100


@pytest.mark.parametrize(
    ("finding", "state", "says"),
    [
        (opinions.root(0), "has", "uid 0"),
        (opinions.root(1000), "lacks", "uid 1000"),
        (opinions.processors(4), "has", "4"),
        (opinions.processors(3), "note", "3"),
        (opinions.memory(140 * AFXDP_PORT_BYTES), "has", "140 AF_XDP ports"),
        (opinions.memory(140 * AFXDP_PORT_BYTES - 1), "note", "139 AF_XDP ports"),
        (opinions.rootless(None, 0o20666), "has", "works"),
        (opinions.rootless(None, 0o20600), "note", "/dev/net/tun is closed to others"),
        (opinions.rootless(None, None), "note", "/dev/net/tun is not there"),
        (opinions.rootless(("unshare failed", "as root"), 0o20666), "lacks", "unshare failed"),
        (opinions.simulator(True), "has", "built"),
        (opinions.simulator(False), "lacks", "not built"),
        (opinions.open_vswitch("3.1.0"), "has", "3.1.0"),
        (opinions.open_vswitch("2.17.0"), "has", "2.17.0"),
        (opinions.open_vswitch("2.9.10"), "note", "2.9.10"),
        (opinions.open_vswitch(None), "lacks", "not installed"),
        (opinions.kernel_datapath(loaded=True, loadable=True), "has", "is loaded"),
        (opinions.kernel_datapath(loaded=False, loadable=True), "has", "can be loaded"),
        (opinions.kernel_datapath(loaded=False, loadable=False), "lacks", "no module"),
        (opinions.af_xdp(True), "has", "kernel and Open vSwitch"),
        (opinions.af_xdp(False), "lacks", "kernel or Open vSwitch"),
        (opinions.packet_sockets(None), "has", "AF_PACKET"),
        (opinions.packet_sockets("Operation not permitted"), "lacks", "Operation not permitted"),
        (opinions.packet_sockets(UNTRIED), "unknown", "only root"),
        (opinions.tun(None), "has", "TAP"),
        (opinions.tun("No such file or directory"), "lacks", "No such file"),
        (opinions.nanosecond_timeouts(True, "6.1"), "has", "nanosecond"),
        (opinions.nanosecond_timeouts(False, "5.10"), "lacks", "kernel 5.10"),
        (opinions.idle_states([], None, False), "has", "not managed"),
        (
            opinions.idle_states([1, QUICK_US], "intel_idle", False),
            "has",
            "2 states, slowest wakes in 100 us",
        ),
        (opinions.idle_states([1, SLOW_US], "intel_idle", False), "note", "slowest wakes in 101 us"),
        (opinions.idle_states([1, SLOW_US], "intel_idle", True), "has", "enter no slow one"),
        (opinions.idle_states([1], "haltpoll", False), "note", "1 states"),
        (opinions.governor(None), "has", "not managed"),
        (opinions.governor("performance"), "has", "performance"),
        (opinions.governor("powersave"), "note", "powersave"),
        (opinions.congestion_control("cubic", ["reno", "cubic"]), "has", "cubic"),
        (opinions.congestion_control("bbr", ["cubic", "bbr"]), "note", "default bbr"),
        (opinions.congestion_control("reno", ["reno"]), "lacks", "default reno"),
        (opinions.ryu("4.34"), "has", "4.34"),
        (opinions.no_ryu("no environment"), "lacks", "no environment"),
        (opinions.mininet("2.3.0"), "has", "2.3.0"),
        (opinions.mininet(None), "lacks", "not installed"),
        (opinions.command("ip", "/sbin/ip", "iproute2", "no links"), "has", "/sbin/ip"),
        (opinions.command("ip", None, "iproute2", "no links"), "lacks", "not installed"),
        (opinions.tried("htb", None, "no shaping", "modprobe"), "has", "works"),
        (opinions.tried("htb", "unknown qdisc", "no shaping", "modprobe"), "lacks", "unknown qdisc"),
        (opinions.tried("htb", UNTRIED, "no shaping", "modprobe"), "unknown", "only root"),
    ],
)
def test_what_is_seen_becomes_a_finding(finding: Finding, state: str, says: str) -> None:
    assert finding.state == state
    assert says in finding.found
    if state == "lacks":
        assert finding.means, "a lack says what it means"
        assert finding.cure, "a lack says how to cure it"
    if state == "has":
        assert not finding.means
        assert not finding.cure


def test_a_command_is_installed_by_its_package() -> None:
    finding = opinions.command("ss", None, "iproute2", "no sockets are seen", needed=True)
    assert (finding.cure, finding.needed) == ("apt-get install iproute2", True)


def test_a_lack_of_ryu_has_the_cure_that_its_search_knows() -> None:
    assert opinions.no_ryu("no environment", "set it").cure == "set it"
    assert opinions.no_ryu("/x/python has none").cure == "run setup/install"


def test_one_command_installs_every_package_that_is_missing_once_in_the_order_of_the_table() -> None:
    findings = [
        opinions.root(1000),  # a lack that no package cures
        opinions.open_vswitch(None),
        opinions.mininet("2.3.0"),
        opinions.command("ip", None, "iproute2", "no links", needed=True),
        opinions.command("tc", None, "iproute2", "no shaping"),
        opinions.command("ping", "/bin/ping", "iputils-ping", "no pings"),
    ]
    assert opinions.installing(findings) == "apt-get install openvswitch-switch iproute2"
    assert opinions.installing(findings[:1]) == ""
