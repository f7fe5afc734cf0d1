# SPDX-License-Identifier: MIT
"""What a machine has, which decides what can be built there."""

from __future__ import annotations

import os
import platform
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TypedDict, final

from hybridnet.agent.switching.openvswitch import kernel_datapath
from hybridnet.system.journal import network_namespace
from hybridnet.system.processor import computer, processor_model
from hybridnet.system.rootless import in_user_namespace
from hybridnet.system.simulated_time import time_is_simulated


@final
class Capacity(TypedDict):
    """What a plan takes into account."""

    computer: str  # all machines on one computer share it
    cpus: list[int]  # numbers of the processors that this process may use
    kernel_datapath: bool
    afxdp: bool  # Open vSwitch and the kernel have it, for us
    memory_available_bytes: int
    shared_switching: bool  # an Open vSwitch is used here that is not the run's
    network: int  # which of the computer's network namespaces is the machine's


@final
class Facts(TypedDict):
    """What a machine has."""

    hostname: str
    kernel: str
    processor: str  # the model
    cpus: list[int]  # numbers of the processors that this process may use
    memory_bytes: int
    memory_available_bytes: int
    root: bool
    openvswitch: str | None  # version
    kernel_datapath: bool
    afxdp: bool  # Open vSwitch and the kernel have it, for us
    simulator: bool  # the extension is built
    congestion_control: str
    load: float
    python: str
    executable: str  # the interpreter that has hybridnet
    hybridnet: str


def capacity(shared_switching: bool) -> Capacity:
    """What a plan takes into account of this machine."""
    return {
        "computer": computer(),
        "cpus": sorted(os.sched_getaffinity(0)),
        "kernel_datapath": kernel_datapath(),
        "afxdp": _afxdp(),
        "memory_available_bytes": _available(_memory()),
        "shared_switching": shared_switching,
        "network": network_namespace(),
    }


def facts() -> Facts:
    """What this machine has."""
    from hybridnet import __version__  # reading it takes a while

    memory = _memory()
    return {
        "hostname": socket.gethostname(),
        "kernel": platform.release(),
        "processor": processor_model(),
        "cpus": sorted(os.sched_getaffinity(0)),
        "memory_bytes": memory["MemTotal"],
        "memory_available_bytes": _available(memory),
        "root": os.geteuid() == 0,
        "openvswitch": _openvswitch_version(),
        "kernel_datapath": kernel_datapath(),
        "afxdp": _afxdp(),
        "simulator": find_spec("hybridnet._simcore") is not None,
        "congestion_control": Path("/proc/sys/net/ipv4/tcp_congestion_control").read_text().strip(),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        "executable": sys.executable,
        "hybridnet": __version__,
    }


def _memory() -> dict[str, int]:
    """The figures of /proc/meminfo, in bytes."""
    lines = re.findall(r"^(\w+):\s+(\d+) kB", Path("/proc/meminfo").read_text(), re.MULTILINE)
    return {name: int(kilobytes) * 1024 for name, kilobytes in lines}


def _available(memory: Mapping[str, int]) -> int:
    """What programs may still take, in bytes. In simulated time it is all that the kernel has: what it holds already
    depends on the computer's files, in pages, and a run would not repeat.
    """
    return memory["MemTotal" if time_is_simulated() else "MemAvailable"]


def _openvswitch_version() -> str | None:
    command = shutil.which("ovs-vswitchd")
    if command is None:
        return None
    found = re.search(
        r"\d+\.\d+\.\d+", subprocess.run([command, "--version"], capture_output=True, text=True).stdout
    )
    return found[0] if found else None


def _afxdp() -> bool:
    """Whether the kernel makes AF_XDP sockets and loads their programs for us, and ovs-vswitchd has libxdp."""
    command = shutil.which("ovs-vswitchd")
    if command is None or in_user_namespace() or not hasattr(socket, "AF_PACKET"):
        return False
    af_xdp = 44  # linux/socket.h; Python 3.11 has no name for it
    try:
        socket.socket(af_xdp, socket.SOCK_RAW).close()
    except OSError:
        return False
    # The names of the libraries that a program is linked with stand near its beginning.
    with open(command, "rb") as file:
        return b"libxdp.so" in file.read(1 << 20)
