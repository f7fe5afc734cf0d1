# SPDX-License-Identifier: MIT
"""A computer of one's own without root: namespaces within a user namespace, in which the user is root.

::

    the command (outside) ──▶ this module: makes the namespaces ──▶ init (process 1 of them) ──▶ the same command

What runs there has this computer's files, which belong to others than the user as before, a network with nothing but
``lo``, and an empty ``/run``. All of it ends with its process 1, and that with the command, however that ends.

Source: user_namespaces(7), pid_namespaces(7).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from hybridnet.errors import EnvironmentLackError
from hybridnet.machines.workers.init import (
    CLONE_NEWIPC,
    CLONE_NEWNET,
    CLONE_NEWNS,
    CLONE_NEWPID,
    CLONE_NEWUTS,
    MS_NODEV,
    MS_NOSUID,
    mount,
    mount_machine,
    unshare,
)
from hybridnet.system.parent import die_with_parent
from hybridnet.system.python_command import python_module
from hybridnet.system.rootless import VARIABLE, lend_sockets

__all__ = ["lack", "run_as_user"]

CLONE_NEWUSER = 0x10000000
_ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_SETTINGS = Path("/proc/sys")
# What the distributions close user namespaces with: the setting, the value that does, and the value that opens them.
_CLOSED_BY = (
    ("user/max_user_namespaces", "0", "10000"),
    ("kernel/unprivileged_userns_clone", "0", "1"),  # Debian's kernels
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),  # Ubuntu's since 24.04
)
_TRIAL = "mount -t sysfs sysfs /sys && mount -t tmpfs tmpfs /run && ip link set dev lo up"


def lack(user: int | None = None) -> tuple[str, str] | None:
    """Why a user has no such namespaces here, and the cure; None: they can be made, as a trial shows.

    Args:
        user: whom to try it for, which takes root; default: this process's.
    """
    words = [
        "--user",
        "--map-root-user",
        "--net",
        "--mount",
        "--pid",
        "--ipc",
        "--uts",
        "--fork",
        "--mount-proc",
    ]
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        return "unshare or ip is not installed", "apt-get install util-linux iproute2"
    tried = subprocess.run(
        ["unshare", *words, "sh", "-c", _TRIAL],
        cwd="/",
        user=user,
        group=user,
        extra_groups=None if user is None else [],
        capture_output=True,
        text=True,
        check=False,
    )
    if tried.returncode == 0:
        return None
    said = (tried.stderr.strip().splitlines() or ["failed"])[0]
    for setting, closed, opened in _CLOSED_BY:
        file = _SETTINGS / setting
        if file.exists() and file.read_text().strip() == closed:
            name = setting.replace("/", ".")
            return f"{said}; {name} is {closed}", f"as root: sysctl -w {name}={opened}"
    return said, "in a container give it more rights (docker run --privileged); else run as root"


def run_as_user(words: Sequence[str]) -> int:
    """Run a command line of hybridnet in a user namespace. Returns its exit code.

    Raises:
        EnvironmentLackError: this user has none here.
    """
    if (found := lack()) is not None:
        raise EnvironmentLackError(f"--rootless: user namespaces do not work here: {found[0]}; {found[1]}")
    helper, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with helper:
        with theirs:
            command = [
                *python_module("hybridnet.machines.workers.user_namespace"),
                str(theirs.fileno()),
                *words,
            ]
            # A terminal's ^C goes to all of its processes, and is for the innermost: it ends, and the others with it.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            started = subprocess.Popen(command, pass_fds=[theirs.fileno()])
        _forward(started.pid)
        lend_sockets(helper)
        return _code(started.wait())


def _forward(process: int) -> None:
    """Have signals that end programs go on to a process."""
    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, _: _tell(process, number))


def _tell(process: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):  # it has ended
        os.kill(process, number)


def _become_root() -> None:
    """Make the namespaces: this process is root there, and what it makes belongs to the user outside."""
    user, group = os.geteuid(), os.getegid()
    unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET)
    own = Path("/proc/self")
    (own / "setgroups").write_text("deny")  # without it the kernel takes no map of groups
    (own / "gid_map").write_text(f"0 {group} 1")
    (own / "uid_map").write_text(f"0 {user} 1")


def _run_as_init(descriptor: int, words: Sequence[str]) -> int:
    """Process 1: reaps what others leave until the command ends."""
    mount_machine(own_network=True)
    mount(
        "shm", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777"
    )  # shared memory ends with the run, too
    subprocess.run(["ip", "link", "set", "dev", "lo", "up"], check=True)
    environment = {**os.environ, VARIABLE: str(descriptor)}
    command = subprocess.Popen(
        python_module("hybridnet.cli") + list(words),
        pass_fds=[descriptor],
        env=environment,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    os.close(descriptor)
    _forward(command.pid)
    while True:
        pid, status = os.wait()
        if pid == command.pid:
            return _code(os.waitstatus_to_exitcode(status))


def _code(code: int) -> int:
    """As a shell has it."""
    return code if code >= 0 else 128 - code


def main() -> NoReturn:
    """Make the namespaces and their first process, and end with it."""
    descriptor, words = int(sys.argv[1]), sys.argv[2:]
    _become_root()
    die_with_parent()
    pid = os.fork()
    if pid == 0:
        die_with_parent()
        sys.exit(_run_as_init(descriptor, words))
    os.close(descriptor)
    _forward(pid)
    _, status = os.waitpid(pid, 0)
    sys.exit(_code(os.waitstatus_to_exitcode(status)))


if __name__ == "__main__":
    main()
