# SPDX-License-Identifier: MIT
"""What `hybridnet doctor` looks at. No check changes anything: what must be tried is tried in a network
namespace that ends with the trial.
"""

from __future__ import annotations

import ctypes
import errno
import importlib.util
import os
import platform
import re
import shutil
import socket
import subprocess
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hybridnet.errors import EnvironmentLackError
from hybridnet.plan.fit import AFXDP_PORT_BYTES
from hybridnet.system.python_command import WITHOUT_MODULES

__all__ = ["CHECKS", "Finding", "examine"]

# Longer exit latencies of an idle state show in the instance's lateness.
_LATENCY_LIMIT_US = 100
_EPOLL_PWAIT2 = 441  # the same number on every architecture
_INSTALL = "run setup/install"


@dataclass(frozen=True)
class Finding:
    """One line of the table. `state`: has, lacks, note (works, but worth knowing), unknown (only
    root can try it).
    """

    what: str
    state: str
    found: str
    means: str = ""
    cure: str = ""
    needed: bool = False  # without it the main job does not run

    def to_json(self) -> dict[str, Any]:
        """As data."""
        return asdict(self)


def examine() -> list[Finding]:
    """All findings, in the order of the table."""
    return [check() for check in CHECKS]


def _root() -> Finding:
    if os.geteuid() == 0:
        return Finding("root", "has", "uid 0", needed=True)
    means = "no namespaces, switches or packet sockets; planning and offline simulation work"
    return Finding("root", "lacks", f"uid {os.geteuid()}", means, "run with sudo", True)


def _processors() -> Finding:
    count = len(os.sched_getaffinity(0))
    if count >= 4:
        return Finding("processors", "has", str(count))
    means = "instances, switches and traffic generators share them: a busy network is soon saturated"
    return Finding("processors", "note", str(count), means, "use a larger computer for the paper's scale")


def _memory() -> Finding:
    text = Path("/proc/meminfo").read_text()
    available = int(re.search(r"MemAvailable:\s+(\d+)", text)[1]) * 1024  # type: ignore[index]
    ports = available // AFXDP_PORT_BYTES
    means = "" if ports >= 140 else "an AF_XDP port takes 75 MB; the 128-host trees have 130 of them"
    return Finding(
        "memory", "note" if means else "has", f"{available / 1e9:.1f} GB, {ports} AF_XDP ports", means
    )


def _namespaces() -> Finding:
    problem = _trial("true")
    means = "no hosts and no local machines"
    cure = "use a kernel with CONFIG_NET_NS, and not a container without CAP_SYS_ADMIN"
    return _tried("network namespaces", problem, means, cure, needed=True)


def _simulator() -> Finding:
    if importlib.util.find_spec("hybridnet._simcore") is not None:
        return Finding("simcore extension", "has", "built", needed=True)
    return Finding(
        "simcore extension",
        "lacks",
        "not built",
        "nothing is simulated",
        f"{_INSTALL}, or pip install -e .",
        True,
    )


def _open_vswitch() -> Finding:
    version = _version(["ovs-vswitchd", "--version"], r"\d+\.\d+\.\d+")
    if version is None:
        return Finding(
            "Open vSwitch",
            "lacks",
            "not installed",
            "no switches",
            "apt-get install openvswitch-switch",
            True,
        )
    if tuple(map(int, version.split("."))) < (2, 17, 0):
        means = "older than the oldest tested version (2.17): AF_XDP ports and pmd-maxsleep may be missing"
        return Finding("Open vSwitch", "note", version, means, "install 3.1 or newer", True)
    return Finding("Open vSwitch", "has", version, needed=True)


def _kernel_datapath() -> Finding:
    if Path("/sys/module/openvswitch").is_dir():
        return Finding("OVS kernel datapath", "has", "module openvswitch is loaded")
    module = Path(f"/lib/modules/{platform.release()}")
    if module.is_dir() and any(module.rglob("openvswitch.ko*")):
        return Finding("OVS kernel datapath", "has", "module openvswitch can be loaded")
    means = "switches run in user space (netdev), with AF_XDP or packet sockets as ports"
    return Finding(
        "OVS kernel datapath", "lacks", "no module openvswitch", means, "use a distribution's stock kernel"
    )


def _af_xdp() -> Finding:
    from hybridnet.agent.facts import facts

    if os.geteuid() != 0:
        return _untried("AF_XDP ports")
    if facts()["afxdp"]:
        return Finding("AF_XDP ports", "has", "kernel and Open vSwitch")
    means = "large trees in user space are slower: each packet waits until all bridges were visited"
    return Finding(
        "AF_XDP ports", "lacks", "kernel or Open vSwitch", means, "install an Open vSwitch built with libxdp"
    )


def _packet_socket() -> Finding:
    if os.geteuid() != 0:
        return _untried("packet sockets")
    try:
        socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()
    except OSError as error:
        means = "emulation portals cannot read devices"
        return Finding(
            "packet sockets", "lacks", str(error.strerror), means, "run as root, CONFIG_PACKET=y", True
        )
    return Finding("packet sockets", "has", "AF_PACKET", needed=True)


def _tun() -> Finding:
    try:
        os.close(os.open("/dev/net/tun", os.O_RDWR))
    except OSError as error:
        means = "AF_PACKET ports of switches and `tap` portals cannot be made"
        return Finding(
            "/dev/net/tun", "lacks", str(error.strerror), means, "modprobe tun, or a kernel with CONFIG_TUN"
        )
    return Finding("/dev/net/tun", "has", "TAP devices can be made")


def _epoll_pwait2() -> Finding:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall(_EPOLL_PWAIT2, -1, None, 0, None, None, 0)
    if ctypes.get_errno() != errno.ENOSYS:
        return Finding("epoll_pwait2", "has", "nanosecond timeouts")
    means = "instances sleep in whole milliseconds and are late by up to one"
    return Finding("epoll_pwait2", "lacks", f"kernel {platform.release()}", means, "use kernel 5.11 or newer")


def _htb() -> Finding:
    problem = _trial("ip link set lo up && tc qdisc add dev lo root htb")
    means = "Mininet's TCLink cannot shape in the maxinet arm; hybridnet's links are simulated"
    return _tried("htb", problem, means, "modprobe sch_htb, or a kernel with CONFIG_NET_SCH_HTB")


def _netem() -> Finding:
    problem = _trial("ip link set lo up && tc qdisc add dev lo root netem delay 1ms")
    means = "the maxinet arm cannot use Mininet's delay and loss; hybridnet's links are simulated"
    return _tried("netem", problem, means, "modprobe sch_netem, or a stock kernel")


def _vxlan() -> Finding:
    problem = _trial("ip link add name vx0 type vxlan id 1 dstport 4789")
    return _tried(
        "VXLAN", problem, "the maxinet and tunnel arms have no tunnel", "modprobe vxlan, or a stock kernel"
    )


def _gretap() -> Finding:
    problem = _trial("ip link add name gt0 type gretap local 127.0.0.1 remote 127.0.0.1")
    return _tried(
        "GRE tap", problem, "the maxinet arm uses VXLAN instead", "modprobe ip_gre, or a stock kernel"
    )


def _idle_states() -> Finding:
    states = sorted(Path("/sys/devices/system/cpu/cpu0/cpuidle").glob("state*"))
    if not states:
        return Finding("processor idle states", "has", "not managed here")
    slowest = max(int((state / "latency").read_text()) for state in states)
    found = f"{len(states)} states, slowest wakes in {slowest} us"
    if slowest <= _LATENCY_LIMIT_US and _idle_driver() != "haltpoll":
        return Finding("processor idle states", "has", found)
    if os.access("/dev/cpu_dma_latency", os.W_OK):
        return Finding(
            "processor idle states", "has", f"{found}; processors enter no slow one while an instance runs"
        )
    means = "a sleeping instance may wake up late; in a virtual machine by tens of us, whatever the state's latency"
    return Finding(
        "processor idle states", "note", found, means, "run with sudo, where /dev/cpu_dma_latency is"
    )


def _idle_driver() -> str:
    driver = Path("/sys/devices/system/cpu/cpuidle/current_driver")
    return driver.read_text().strip() if driver.exists() else ""


def _governor() -> Finding:
    governor = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    if not governor.exists():
        return Finding("frequency governor", "has", "not managed here")
    name = governor.read_text().strip()
    if name == "performance":
        return Finding("frequency governor", "has", name)
    means = "the first packets after a pause run at a low frequency"
    return Finding("frequency governor", "note", name, means, "cpupower frequency-set -g performance")


def _congestion_control() -> Finding:
    folder = Path("/proc/sys/net/ipv4")
    default = (folder / "tcp_congestion_control").read_text().strip()
    available = (folder / "tcp_available_congestion_control").read_text().split()
    if "cubic" not in available:
        means = "the comparison's TCP flows use cubic"
        return Finding("congestion control", "lacks", f"default {default}", means, "modprobe tcp_cubic")
    if default != "cubic":
        means = "iperf and the experiments ask for cubic themselves; your own programs get the default"
        return Finding(
            "congestion control",
            "note",
            f"default {default}",
            means,
            "sysctl net.ipv4.tcp_congestion_control=cubic",
        )
    return Finding("congestion control", "has", "cubic")


def _ryu() -> Finding:
    from hybridnet.controllers.ryu_environment import find_ryu_python

    try:
        python = find_ryu_python()
    except EnvironmentLackError as error:
        return Finding("Ryu", "lacks", "no environment", "no controllers but remote ones", str(error), True)
    program = "import importlib.metadata; print(importlib.metadata.version('ryu'))"
    version = _version([str(python.absolute()), "-c", program], r"\d\S*")
    if version is None:
        return Finding("Ryu", "lacks", f"{python} has none", "no controllers but remote ones", _INSTALL, True)
    return Finding("Ryu", "has", version, needed=True)


def _mininet() -> Finding:
    program = "from mininet.net import VERSION; print(VERSION)"
    version = _version(["/usr/bin/python3", "-c", program], r"\d\S*")
    if version is None:
        means = "`reproduce maxinet` has nothing to compare with"
        return Finding("Mininet", "lacks", "not installed", means, "apt-get install mininet")
    return Finding("Mininet", "has", version)


def _command(name: str, package: str, means: str, needed: bool = False) -> Callable[[], Finding]:
    def check() -> Finding:
        path = shutil.which(name)
        if path is None:
            return Finding(name, "lacks", "not installed", means, f"apt-get install {package}", needed)
        return Finding(name, "has", path, needed=needed)

    return check


CHECKS: list[Callable[[], Finding]] = [
    _root,
    _processors,
    _memory,
    _namespaces,
    _simulator,
    _open_vswitch,
    _kernel_datapath,
    _af_xdp,
    _packet_socket,
    _tun,
    _epoll_pwait2,
    _htb,
    _netem,
    _vxlan,
    _gretap,
    _idle_states,
    _governor,
    _congestion_control,
    _ryu,
    _mininet,
    _command("ip", "iproute2", "no namespaces or veth pairs", needed=True),
    _command(
        "ethtool", "ethtool", "offloads cannot be set; TCP stalls at switches in user space", needed=True
    ),
    _command("ping", "iputils-ping", "no pingAll", needed=True),
    _command("iperf3", "iperf3", "no iperf and no comparison", needed=True),
    _command("traceroute", "traceroute", "simulated hops cannot be shown"),
    _command("tcpdump", "tcpdump", "no captures in hosts"),
    _command("ssh", "openssh-client", "no machines over SSH"),
]


def _trial(script: str) -> str | None:
    """Run a shell line in a network namespace of its own. Returns what went wrong, or None."""
    try:
        done = subprocess.run(
            ["unshare", "--net", "sh", "-c", script], capture_output=True, text=True, timeout=10, check=False
        )
    except (FileNotFoundError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None if done.returncode == 0 else (done.stderr.strip().splitlines() or ["failed"])[0]


def _tried(what: str, problem: str | None, means: str, cure: str, needed: bool = False) -> Finding:
    if os.geteuid() != 0:
        return _untried(what)
    if problem is None:
        return Finding(what, "has", "works", needed=needed)
    return Finding(what, "lacks", problem, means, cure, needed)


def _untried(what: str) -> Finding:
    return Finding(what, "unknown", "only root can try it")


def _version(argv: list[str], pattern: str) -> str | None:
    try:
        done = subprocess.run(
            argv, cwd=WITHOUT_MODULES, capture_output=True, text=True, timeout=20, check=False
        )
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return None
    found = re.search(pattern, done.stdout)
    return found[0] if done.returncode == 0 and found else None
