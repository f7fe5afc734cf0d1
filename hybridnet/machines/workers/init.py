# SPDX-License-Identifier: MIT
"""The first process of a machine: makes its namespaces, starts its agent, reaps orphans, ends everything.

::

    head ──stdin──▶ outer process ──fork into a new PID namespace──▶ init (pid 1 of the machine) ──▶ agent

Two lines of JSON arrive on standard input. After the first (`run`, `machine`, `state`, `own_network`) the namespaces
are made, a line ``{"init_pid": …}`` is printed, so that the head can plug in a cable (from elsewhere it says which
hybridnet is there, too), and the agent is started. The
second (`network`, `agent`) says where the head is, and is passed on to the agent. Then standard input stays open for as
long as the head lives. Whichever ends first, the head, its connection or the agent: the agent is asked to clean up, and
when this process ends the kernel kills whatever is left in the PID namespace; the machine's namespaces, its hosts'
names and its mounts vanish with it.

On a computer of its own (reached by SSH) a machine keeps the network namespace of that computer; the rest is the same.

Only the standard library is used here: this runs before anything else on a machine does.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import select
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

from hybridnet.machines.workers.edition import edition
from hybridnet.machines.workers.lines import AgentSettings, Cable, FirstLine, InitWords, SecondLine
from hybridnet.system.journal import make_private
from hybridnet.system.name_servers import files_in
from hybridnet.system.parent import die_with_parent
from hybridnet.system.python_command import python_module

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWPID, CLONE_NEWNET = (
    0x20000,
    0x4000000,
    0x8000000,
    0x20000000,
    0x40000000,
)
MS_BIND, MS_REC, MS_PRIVATE, MS_NOSUID, MS_NODEV, MS_NOEXEC = 0x1000, 0x4000, 0x40000, 0x2, 0x4, 0x8
MNT_DETACH = 2
CLEANUP_SECONDS = 30

_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> None:
    if result != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")


def unshare(flags: int) -> None:
    """unshare(2)."""
    _checked(_libc.unshare(flags), f"unshare({flags:#x})")


def mount(source: str, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    """mount(2)."""
    encoded = [None if text is None else text.encode() for text in (source, target, kind, data)]
    _checked(
        _libc.mount(encoded[0], encoded[1], encoded[2], ctypes.c_ulong(flags), encoded[3]),
        f"mount {source} on {target}",
    )


def _read_line() -> Any:
    """The next line of standard input, and not a byte more; None at its end."""
    line = bytearray()
    while True:
        byte = os.read(0, 1)
        if not byte:
            return None
        if byte == b"\n":
            return json.loads(line)
        line += byte


def _let_go(target: str) -> None:
    """Unmount the copy of a namespace at `target`.

    Another run may end meanwhile: it removes the name, and the kernel takes the mount away from every mount namespace.
    Then there is nothing left to do.
    """
    if _libc.umount2(target.encode(), MNT_DETACH) != 0 and ctypes.get_errno() not in (
        errno.ENOENT,
        errno.EINVAL,
    ):
        raise OSError(ctypes.get_errno(), f"umount {target}: {os.strerror(ctypes.get_errno())}")


def _let_go_of_namespaces() -> None:
    """Unmount the copies of the computer's named namespaces: they would keep those alive after their removal."""
    for line in reversed(Path("/proc/self/mountinfo").read_text().splitlines()):
        fields = line.split()
        if fields[fields.index("-") + 1] == "nsfs":
            target = fields[4].encode().decode("unicode_escape")  # mountinfo writes a space as \\040
            _let_go(target)


def mount_machine(own_network: bool, state: str | None = None) -> None:
    """Give the machine its own /proc, /sys and /run; a shared computer's other files stay as they are.

    Args:
        own_network: whether it has another network than the computer.
        state: the state directory that it shares with the computer; None: it has one of its own.
    """
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    _let_go_of_namespaces()
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    if own_network:
        groups = (
            os.open("/sys/fs/cgroup", os.O_PATH | os.O_DIRECTORY) if os.path.isdir("/sys/fs/cgroup") else None
        )
        mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC)
        if groups is not None:  # the computer's control groups, for the limits of hosts
            mount(f"/proc/self/fd/{groups}", "/sys/fs/cgroup", None, MS_BIND | MS_REC)
            os.close(groups)
    # What a machine of its own computer needs of /run stays visible; a local machine sees only the state directory, and
    # which name servers the computer asks. /run/netns and /run/openvswitch are always the machine's own.
    before = os.open("/run", os.O_PATH | os.O_DIRECTORY)
    servers = files_in("/run")
    own = {"netns", "openvswitch"} if state is not None else {"netns", "openvswitch", "lock", "hybridnet"}
    kept = [] if own_network and state is not None else sorted(set(os.listdir("/run")) - own)
    outside = None if state is None else os.open(state, os.O_PATH | os.O_DIRECTORY)
    mount("run", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755")
    for name in kept:
        target = Path("/run") / name
        source = f"/proc/self/fd/{before}/{name}"
        if os.path.islink(source):
            target.symlink_to(os.readlink(source))
            continue
        if os.path.isdir(source):
            target.mkdir()
        else:
            target.touch()
        mount(source, str(target), None, MS_BIND | MS_REC)
    for file, text in servers.items():
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    if state is not None and outside is not None:
        if state.startswith("/run/") and own_network:
            Path(state).mkdir(parents=True)
            mount(f"/proc/self/fd/{outside}", state, None, MS_BIND | MS_REC)
        os.close(outside)
    os.close(before)
    for directory in ("/run/netns", "/run/lock"):
        Path(directory).mkdir(exist_ok=True)
    Path("/run/openvswitch").mkdir(mode=0o700)  # whoever opens a socket in it commands the switches


def remove_files(directory: Path) -> None:
    """Remove the directory of a machine that has ended well, where the head cannot reach it: the agent's log and an
    empty journal. The run's stays while another machine of it is on this computer, or its head.
    """
    shutil.rmtree(directory, ignore_errors=True)
    with contextlib.suppress(OSError):  # somebody else is there
        directory.parent.rmdir()
        directory.parent.parent.rmdir()


def _plug_in(network: Cable) -> None:
    """Configure the device that the head has moved into this network namespace."""
    device = network["device"]
    settings = Path("/proc/sys/net")
    (settings / f"ipv6/conf/{device}/disable_ipv6").write_text("1")
    # The computer's own settings are copied into a new namespace; a machine never forwards, and takes no packet from a
    # device by which it would not answer: see `hybridnet.agent.hosts.pairs.keep_stack_out`.
    (settings / "ipv4/ip_forward").write_text("0")
    (settings / "ipv4/conf/all/rp_filter").write_text("1")
    (settings / "ipv4/udp_early_demux").write_text(
        "0"
    )  # it hands a peer's datagram on before that is checked
    subprocess.run(
        ["ip", "-batch", "-"],
        input=f"link set lo up\naddr add {network['address']} dev {device}\nlink set {device} up\n",
        text=True,
        check=True,
    )


def _reap_until(agent: int, wakeup: int) -> int | None:
    """Reap children; return the agent's exit status once it has ended, else None."""
    with contextlib.suppress(BlockingIOError):
        os.read(wakeup, 4096)
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return 1
        if pid == 0:
            return None
        if pid == agent:
            return os.waitstatus_to_exitcode(status)


def _run_as_init(first: FirstLine) -> int:
    die_with_parent()
    run, machine, state = first["run"], first["machine"], first["state"]
    # Not before the fork: the outer process writes into the state directory while this one mounts over /run.
    unshare(CLONE_NEWNS)
    mount_machine(first["own_network"], state)
    if first["own_network"]:
        _libc.sethostname(machine.encode(), len(machine.encode()))
    directory = Path(state) / run / machine
    directory.mkdir(parents=True, exist_ok=True)
    reading, writing = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    terminated: list[int] = []
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: terminated.append(1))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's ^C is for the head, which tells the agents
    with (directory / "agent.log").open("wb") as log:
        agent = subprocess.Popen(
            python_module("hybridnet.machines.workers.worker"),
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            env={**os.environ, "HYBRIDNET_RUN": run, "HYBRIDNET_STATE_DIR": state},
            pass_fds=[first["outside"]] if "outside" in first else [],
        )
    assert agent.stdin is not None
    # What the agent imports takes half a second, in which the head plugs the machine in and starts its scheduler.
    second: SecondLine | None = _read_line()
    status: int | None = None
    if second is None:  # the head has given up, and the agent has made nothing
        agent.kill()
        agent.wait()
        status = 0
    else:
        if second["network"] is not None:
            _plug_in(second["network"])
        with contextlib.suppress(BrokenPipeError):
            agent.stdin.write(json.dumps(AgentSettings(**first, **second["agent"])).encode())
            agent.stdin.close()

    watched = [0, reading]
    while status is None and 0 in watched and not terminated:
        readable, _, _ = select.select(watched, [], [])
        if 0 in readable and not os.read(0, 4096):
            watched.remove(0)  # the head is gone
        status = _reap_until(agent.pid, reading)
    if status is None:
        os.kill(agent.pid, signal.SIGTERM)
        while status is None and select.select([reading], [], [], CLEANUP_SECONDS)[0]:
            status = _reap_until(agent.pid, reading)
    if status == 0 and not first["own_network"]:
        remove_files(directory)
    if status:
        text = (directory / "agent.log").read_bytes()[-4000:]
        os.write(2, text + f"agent of machine {machine} ended with status {status}\n".encode())
    return 0 if status == 0 else 1


def main() -> NoReturn:
    """Read the first line, make the namespaces, and become the outer process or the machine's init."""
    first: FirstLine | None = _read_line()
    if first is None:
        sys.exit(0)
    directory = Path(first["state"]) / first["run"]
    make_private(directory)
    if first["own_network"]:  # for what the agent is asked to lead outside
        first["outside"] = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    unshare(CLONE_NEWPID | CLONE_NEWIPC | (CLONE_NEWNET | CLONE_NEWUTS if first["own_network"] else 0))
    pid = os.fork()
    if pid == 0:
        sys.exit(_run_as_init(first))
    signal.signal(signal.SIGTERM, lambda *_: os.kill(pid, signal.SIGTERM))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ssh = os.environ.get(
        "HYBRIDNET_SSH", ""
    ).split()  # the head's address and port, ours and ours, as sshd sees them
    directory /= first["machine"]
    directory.mkdir(exist_ok=True)
    (directory / "init").write_text(str(pid))  # for hybridnet.machines.workers.enter
    words: InitWords = {"init_pid": pid, "ssh": ssh, "edition": "" if first["own_network"] else edition()}
    os.write(1, json.dumps(words).encode() + b"\n")
    os.close(0)
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    sys.exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
