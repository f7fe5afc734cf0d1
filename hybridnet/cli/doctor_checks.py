# SPDX-License-Identifier: MIT
"""What `hybridnet doctor` looks at; what that means is in `hybridnet.cli.doctor_opinions`. No check changes anything:
what must be tried is tried in a network namespace that ends with the trial.
"""

from __future__ import annotations

import ctypes
import errno
import importlib.util
import os
import platform
import pwd
import re
import shutil
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

from hybridnet.cli import doctor_opinions as opinions
from hybridnet.cli.doctor_opinions import UNTRIED, Finding
from hybridnet.errors import EnvironmentLackError
from hybridnet.system.python_command import WITHOUT_MODULES
from hybridnet.system.tun import TUN

__all__ = ["CHECKS", "Finding", "examine"]

_EPOLL_PWAIT2 = 441  # the same number on every architecture


def examine() -> list[Finding]:
    """All findings, in the order of the table."""
    return [check() for check in CHECKS]


def _root() -> Finding:
    return opinions.root(os.geteuid())


def _processors() -> Finding:
    return opinions.processors(len(os.sched_getaffinity(0)))


def _memory() -> Finding:
    text = Path("/proc/meminfo").read_text()
    return opinions.memory(int(re.search(r"MemAvailable:\s+(\d+)", text)[1]) * 1024)  # type: ignore[index]


def _namespaces() -> Finding:
    means = "no hosts and no local machines"
    cure = "use a kernel with CONFIG_NET_NS, and not a container without CAP_SYS_ADMIN"
    return opinions.tried("network namespaces", _trial("true"), means, cure, needed=True)


def _rootless() -> Finding:
    from hybridnet.machines.workers.user_namespace import lack

    # Root asks for others, of whom nobody has the least rights.
    found = lack(pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else None)
    return opinions.rootless(found, os.stat(TUN).st_mode if os.path.exists(TUN) else None)


def _simulator() -> Finding:
    return opinions.simulator(importlib.util.find_spec("hybridnet._simcore") is not None)


def _open_vswitch() -> Finding:
    return opinions.open_vswitch(_version(["ovs-vswitchd", "--version"], r"\d+\.\d+\.\d+"))


def _kernel_datapath() -> Finding:
    modules = Path(f"/lib/modules/{platform.release()}")
    return opinions.kernel_datapath(
        loaded=Path("/sys/module/openvswitch").is_dir(),
        loadable=modules.is_dir() and any(modules.rglob("openvswitch.ko*")),
    )


def _af_xdp() -> Finding:
    from hybridnet.agent.machine.facts import facts

    if os.geteuid() != 0:
        return opinions.untried("AF_XDP ports")
    return opinions.af_xdp(facts()["afxdp"])


def _packet_socket() -> Finding:
    return opinions.packet_sockets(
        _problem_of(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close())
    )


def _tun() -> Finding:
    return opinions.tun(_problem_of(lambda: os.close(os.open(TUN, os.O_RDWR))))


def _epoll_pwait2() -> Finding:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall(_EPOLL_PWAIT2, -1, None, 0, None, None, 0)
    return opinions.nanosecond_timeouts(ctypes.get_errno() != errno.ENOSYS, platform.release())


def _htb() -> Finding:
    problem = _trial("ip link set lo up && tc qdisc add dev lo root htb")
    means = "Mininet's TCLink cannot shape in the maxinet arm; hybridnet's links are simulated"
    return opinions.tried("htb", problem, means, "modprobe sch_htb, or a kernel with CONFIG_NET_SCH_HTB")


def _netem() -> Finding:
    problem = _trial("ip link set lo up && tc qdisc add dev lo root netem delay 1ms")
    means = "the maxinet arm cannot use Mininet's delay and loss; hybridnet's links are simulated"
    return opinions.tried("netem", problem, means, "modprobe sch_netem, or a stock kernel")


def _vxlan() -> Finding:
    problem = _trial("ip link add name vx0 type vxlan id 1 dstport 4789")
    means = "the maxinet and tunnel arms have no tunnel"
    return opinions.tried("VXLAN", problem, means, "modprobe vxlan, or a stock kernel")


def _gretap() -> Finding:
    problem = _trial("ip link add name gt0 type gretap local 127.0.0.1 remote 127.0.0.1")
    means = "the maxinet arm uses VXLAN instead"
    return opinions.tried("GRE tap", problem, means, "modprobe ip_gre, or a stock kernel")


def _idle_states() -> Finding:
    states = sorted(Path("/sys/devices/system/cpu/cpu0/cpuidle").glob("state*"))
    return opinions.idle_states(
        [int((state / "latency").read_text()) for state in states],
        _line_of(Path("/sys/devices/system/cpu/cpuidle/current_driver")),
        os.access("/dev/cpu_dma_latency", os.W_OK),
    )


def _governor() -> Finding:
    return opinions.governor(_line_of(Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")))


def _congestion_control() -> Finding:
    folder = Path("/proc/sys/net/ipv4")
    available = (folder / "tcp_available_congestion_control").read_text().split()
    return opinions.congestion_control((folder / "tcp_congestion_control").read_text().strip(), available)


def _ryu() -> Finding:
    from hybridnet.run.controllers.frameworks import RYU, find_python

    try:
        python = find_python(RYU)
    except EnvironmentLackError as problem:
        return opinions.no_ryu("no environment", str(problem))
    program = "import importlib.metadata; print(importlib.metadata.version('ryu'))"
    version = _version([str(python.absolute()), "-c", program], r"\d\S*")
    return opinions.no_ryu(f"{python} has none") if version is None else opinions.ryu(version)


def _mininet() -> Finding:
    program = "from mininet.net import VERSION; print(VERSION)"
    return opinions.mininet(_version(["/usr/bin/python3", "-c", program], r"\d\S*"))


def _simulated_time() -> Finding:
    from hybridnet.kernel.build import find_kernel

    try:
        return opinions.simulated_time(str(find_kernel()), None)
    except EnvironmentLackError as problem:
        return opinions.simulated_time("no kernel for it", str(problem))


def _command(name: str, package: str, means: str, needed: bool = False) -> Callable[[], Finding]:
    return lambda: opinions.command(name, shutil.which(name), package, means, needed=needed)


CHECKS: list[Callable[[], Finding]] = [
    _root,
    _processors,
    _memory,
    _namespaces,
    _rootless,
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
    _simulated_time,
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
    """Run a shell line in a network namespace of its own. Returns what went wrong, or None; only root can try it."""
    if os.geteuid() != 0:
        return UNTRIED
    try:
        done = subprocess.run(
            ["unshare", "--net", "sh", "-c", script], capture_output=True, text=True, timeout=10, check=False
        )
    except (FileNotFoundError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None if done.returncode == 0 else (done.stderr.strip().splitlines() or ["failed"])[0]


def _problem_of(act: Callable[[], object]) -> str | None:
    """What the kernel says against it; None: nothing; UNTRIED: only root may."""
    try:
        act()
    except OSError as problem:
        forbidden = isinstance(problem, PermissionError) and os.geteuid() != 0
        return UNTRIED if forbidden else str(problem.strerror)
    return None


def _line_of(file: Path) -> str | None:
    """What a file of one line says; None: it is not there."""
    return file.read_text().strip() if file.exists() else None


def _version(argv: list[str], pattern: str) -> str | None:
    try:
        done = subprocess.run(
            argv, cwd=WITHOUT_MODULES, capture_output=True, text=True, timeout=20, check=False
        )
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return None
    found = re.search(pattern, done.stdout)
    return found[0] if done.returncode == 0 and found else None
