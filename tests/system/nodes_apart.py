# SPDX-License-Identifier: MIT
"""Computers that share nothing, as far as namespaces go: what a rack of nodes is to a run.

Each is a local machine (network, processes, host name of its own) with a root file system of its own: an overlay over
this computer's, whose changes nobody else sees, with an empty /run and /tmp. CLOCK_MONOTONIC differs, too. There is a
user who may become root by sudo, and a real sshd that lets nobody but this user in. What it lacks of other computers:
the kernel, the processors and CLOCK_REALTIME are this computer's.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hybridnet.machines.cluster import Cluster

ROOT = Path(__file__).resolve().parents[2]
USER = "grace"

_ENTER = r"""
set -e
lower=$1 work=$2 setup=$3
mount -t tmpfs tmpfs "$work"
mkdir "$work/upper" "$work/work" "$work/root"
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$work/upper,workdir=$work/work" "$work/root"
cd "$work/root"
mount --rbind /dev dev
mount -t proc proc proc
mount -t sysfs sysfs sys
mount --rbind /sys/fs/cgroup sys/fs/cgroup
cp "$setup" root/setup
mkdir -p old
pivot_root . old
cd /
mount -t tmpfs tmpfs /run
mount -t tmpfs -o mode=1777 tmpfs /tmp
umount --lazy /old
exec sh /root/setup
"""


@dataclass(frozen=True)
class Node:
    """One of them.

    Args:
        name: its host name.
        address: where its sshd is.
        ssh: the command that runs the next words there as the user.
    """

    name: str
    address: str
    ssh: Sequence[str]

    def run(
        self, command: str, timeout_s: float = 60.0, input: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a shell command there, as the user."""
        return subprocess.run(
            [*self.ssh, command], capture_output=True, text=True, timeout=timeout_s, check=False, input=input
        )


@contextlib.contextmanager
def nodes_apart(
    directory: Path,
    names: Sequence[str] = ("a", "b"),
    more: Callable[[list[str]], str] = lambda addresses: "",
    *,
    bare: Path | None = None,
) -> Iterator[list[Node]]:
    """Make them. On each, ``/opt/hybridnet/bin/python`` has this hybridnet, as after `hybridnet deploy`.

    Args:
        directory: gets the user's key, and a folder bin with an ssh that has it.
        more: from the addresses of all to shell commands that each runs as root before its sshd starts.
        bare: a root file system with an sshd, for nodes that have nothing else: no hybridnet, and root is the user.
    """
    for key in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", directory / key], check=True)
    known = directory / "known"
    ssh = ["/usr/bin/ssh", "-i", str(directory / "user"), "-o", f"UserKnownHostsFile={known}"]
    wrapper = directory / "bin" / "ssh"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\nexec {" ".join(ssh)} "$@"\n')
    wrapper.chmod(0o755)
    user = "root" if bare else USER
    with Cluster.local(names) as outer:
        addresses = [outer.address(name) for name in names]
        for ahead_s, (name, address) in enumerate(zip(names, addresses, strict=True), 1):
            setup = directory / f"setup-{name}"
            of_user = _of_root() if bare else _of_user()
            setup.write_text(_setup_of(directory, address, of_user + more(addresses), user))
            work = directory / name
            work.mkdir()
            offsets = [f"--monotonic={1_000_000 * ahead_s}", f"--boottime={1_000_000 * ahead_s}"]
            command = ["unshare", "--mount", "--time", *offsets, "--fork", "--kill-child", "sh", "-c", _ENTER]
            words = ["node", str(bare or "/"), str(work), str(setup)]
            outer.call(name, "start_process", node="", command=[*command, *words], merge=True)
            with known.open("a") as file:
                file.write(f"{address} {(directory / 'host.pub').read_text()}")
        for name, address in zip(names, addresses, strict=True):
            listening = f"ss -ltn | grep -q '{address}:22 '"
            outer.call(name, "exec", argv=f"while ! {listening}; do sleep 0.05; done", timeout=20)
        yield [
            Node(name, address, [*ssh, f"{user}@{address}"])
            for name, address in zip(names, addresses, strict=True)
        ]


def _of_user() -> str:
    """A user with sudo, and this hybridnet."""
    return textwrap.dedent(
        f"""\
        useradd --create-home --shell /bin/bash --password '*' {USER}
        echo '{USER} ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/{USER}
        chmod 440 /etc/sudoers.d/{USER}
        mkdir -p /opt/hybridnet/bin
        printf '#!/bin/sh\\nPYTHONPATH={ROOT} exec {sys.executable} "$@"\\n' >/opt/hybridnet/bin/python
        printf '#!/bin/sh\\nexec /opt/hybridnet/bin/python -m hybridnet.cli "$@"\\n' >/usr/local/bin/hybridnet
        chmod +x /opt/hybridnet/bin/python /usr/local/bin/hybridnet
        """
    )


def _of_root() -> str:
    """Nothing but root."""
    return "chmod 755 /\n"


def _setup_of(directory: Path, address: str, more: str, user: str) -> str:
    """What a node runs as root, to its end."""
    home = "/root" if user == "root" else f"/home/{user}"
    return textwrap.dedent(
        """\
        set -e
        ip link set lo up
        echo "127.0.1.1 $(hostname)" >>/etc/hosts
        {more}
        mkdir -p -m 700 {home}/.ssh
        echo '{public}' >>{home}/.ssh/authorized_keys
        chown -R {user}: {home}
        mkdir -p /run/sshd
        cat >/etc/ssh/host <<'END'
        {host_key}END
        chmod 600 /etc/ssh/host
        exec /usr/sbin/sshd -D -e -f /dev/null -o ListenAddress={address} -o HostKey=/etc/ssh/host \\
          -o AllowUsers={user} -o PasswordAuthentication=no -o UsePAM=no -o PidFile=none
        """
    ).format(
        address=address,
        user=user,
        home=home,
        public=(directory / "user.pub").read_text().strip(),
        host_key=(directory / "host").read_text(),
        more=more,
    )
