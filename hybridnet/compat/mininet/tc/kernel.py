# SPDX-License-Identifier: MIT
"""Links that the kernel shapes and not the simulator, as in Mininet: ``TCLink`` with ``kernel=True``.

    addLink(h1, s1, cls=TCLink, kernel=True, bw=10) ─▶ try the commands of tc on a loopback of their own ─▶ (network
    made) a veth pair or a switch's port, and the same commands at each end

The first step says before anything is made what this computer's kernel has not: many have no netem.
"""

from __future__ import annotations

import functools
import os
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

from hybridnet.compat.mininet.lenient_options import SHAPING, shaping, truth
from hybridnet.compat.mininet.tc.commands import OF_NETEM, fifo_commands
from hybridnet.describe.quantities import parse_bandwidth
from hybridnet.errors import EnvironmentLackError, MachineError, UsageError

__all__ = ["KERNEL", "apply", "asks_kernel", "check_kernel_link", "commands_of", "kernels_tc"]

KERNEL = "kernel"
"""The option that asks for it."""
_OF_RATES = ("speedup", "use_hfsc", "use_tbf", "latency_ms")
TRY_SECONDS = 30.0
_UNKNOWN = "kind is unknown"


def asks_kernel(params: Mapping[str, Any]) -> bool:
    """Whether the options of an end say that the kernel shapes its link."""
    return truth(params.get(KERNEL))


def check_kernel_link(link: Any, *, here: bool) -> None:
    """Refuse a link that the kernel cannot shape as it is asked to.

    Args:
        here: the network is on this computer itself.

    Raises:
        UsageError: it is no TCLink, or the network is on other machines.
        EnvironmentLackError: the kernel lacks what it takes; or tc is not installed.
    """
    what = f"link {link.name}: {KERNEL}=True"
    if not here:
        raise UsageError(
            f"{what}: only a network on this computer itself has it; leave it out, and the simulator shapes the link"
        )
    for intf in (link.intf1, link.intf2):
        if not intf.knows_tc:
            raise UsageError(f"{what}: {intf} is not a TCIntf, which knows the commands; add cls=TCLink")
        _try(tuple(commands_of(intf, intf.shaped)), f"{what}: interface {intf}")


def apply(intf: Any, params: Mapping[str, Any]) -> list[str]:
    """Shape an interface that is made, in place of what shaped it. Returns what the commands printed.

    Raises:
        MachineError: one of them fails.
    """
    tc = _tc()
    intf.tc("%s qdisc del dev %s root 2>/dev/null", tc)
    said = []
    for command in commands_of(intf, params):
        out, err, status = intf.node.pexec(*(command % (tc, intf)).split())
        if status != 0:
            raise MachineError(f"interface {intf}: {command % ('tc', intf)} failed: {_one_line(err or out)}")
        said.append(out + err)
    return said


def commands_of(intf: Any, params: Mapping[str, Any]) -> list[str]:
    """The commands of tc for an interface with these options, with places for tc and the interface.

    A rate is HTB's, or TBF's or HFSC's where use_tbf= or use_hfsc= says so; delay, jitter and loss are netem's. A queue
    alone is a FIFO, which every kernel has.
    """
    what = f"link {intf.link.name}"
    own = shaping({name: params[name] for name in (*SHAPING, "gro", "txo", "rxo") if name in params}, what)
    rates = {name: params[name] for name in _OF_RATES if params.get(name)}
    speedup = rates.get("speedup", 0)
    bw = speedup if speedup and intf.node.is_bridge else own.get("bw")
    mbps = None if bw is None else parse_bandwidth(bw, f"{what}: bw") / 1e6
    flags = {name: truth(own.get(name)) for name in ("enable_red", "enable_ecn")}
    commands, parent = intf.bwCmds(bw=mbps, **rates, **flags)
    of_netem = {name: own.get(name) for name in OF_NETEM}
    if intf.has_own_commands() or any(of_netem[name] is not None for name in ("delay", "jitter", "loss")):
        more, _ = intf.delayCmds(parent=parent, **of_netem)
    else:
        more, _ = fifo_commands(parent, of_netem["max_queue_size"])
    return [*commands, *more]


@functools.cache
def _try(commands: Sequence[str], what: str) -> None:
    """Run commands at a loopback that nobody else has, and that is gone afterwards."""
    tc = _tc()
    script = " && ".join(f"echo && {command % (tc, 'lo')}" for command in commands) or "true"
    done = subprocess.run(
        ["unshare", "--net", "sh", "-c", script],
        capture_output=True,
        text=True,
        timeout=TRY_SECONDS,
        check=False,
    )
    if done.returncode == 0:
        return
    begun = done.stdout.count("\n")  # each command has a line before it, and the last one failed
    if begun == 0:
        raise EnvironmentLackError(f"{what}: it needs root: {_one_line(done.stderr)}")
    command = commands[begun - 1] % ("tc", "lo")
    if _UNKNOWN not in done.stderr:
        raise UsageError(f"{what}: {command} failed: {_one_line(done.stderr)}")
    kind = _kind(command)
    raise EnvironmentLackError(
        f"{what}: this kernel has no {kind}; leave {KERNEL}=True out, and the simulator does the same, or use a kernel "
        f"with sch_{kind}"
    )


def kernels_tc() -> str | None:
    """The program for which tc.cc stands; None: there is none."""
    folders = os.environ.get("HYBRIDNET_PATH", os.defpath).split(os.pathsep)
    found = (os.path.join(folder, "tc") for folder in (*folders, "/sbin", "/usr/sbin"))
    return next((path for path in found if os.access(path, os.X_OK)), None)


def _tc() -> str:
    program = kernels_tc()
    if program is None:
        raise EnvironmentLackError(f"{KERNEL}=True of links: tc is not installed; install iproute2")
    return program


def _kind(command: str) -> str:
    """The kind of qdisc that a command adds: the word behind its handle or its place."""
    words = command.split()
    at = words.index("handle") + 2 if "handle" in words else words.index("root") + 1
    return words[at]


def _one_line(text: str) -> str:
    return " ".join(text.split())
