# SPDX-License-Identifier: MIT
"""Two local machines, each with a real sshd, for what goes over SSH."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from hybridnet.machines.cluster import Cluster
from hybridnet.machines.workers.ssh import SshMachine

ROOT = Path(__file__).resolve().parents[2]
MEASURED = "COVERAGE_PROCESS_CONFIG"
"""What processes are told whose coverage is measured. sshd passes on nothing by itself."""


@contextlib.contextmanager
def ssh_place(directory: Path) -> Iterator[tuple[Cluster, list[SshMachine]]]:
    """The machines a and b, and how to get there. `directory` gets the keys, and for the command line a folder bin
    with an ssh that has them. On the far side `python3` is the Python of this test, with this hybridnet.
    """
    for key in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", directory / key], check=True)
    (directory / "authorized").write_text((directory / "user.pub").read_text())
    known = directory / "known"
    hosts = []
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = f"PATH={path} PYTHONPATH={ROOT}"
    if measured := os.environ.get(MEASURED):
        environment += f" {MEASURED}={measured}"
    with Cluster.local(["a", "b"]) as outer:
        for name in outer.machines:
            address = outer.address(name)
            configuration = directory / f"sshd-{name}"
            configuration.write_text(
                textwrap.dedent(
                    f"""\
                    ListenAddress {address}
                    HostKey {directory}/host
                    AuthorizedKeysFile {directory}/authorized
                    PermitRootLogin prohibit-password
                    PasswordAuthentication no
                    StrictModes no
                    UsePAM no
                    PidFile none
                    ForceCommand {environment} exec sh -c "$SSH_ORIGINAL_COMMAND"
                    """
                )
            )
            outer.call(name, "exec", argv=["mkdir", "-p", "/run/sshd"])
            sshd = ["/usr/sbin/sshd", "-D", "-e", "-f", str(configuration)]
            outer.call(name, "start_process", node="", command=sshd)
            with known.open("a") as file:
                file.write(f"{address} {(directory / 'host.pub').read_text()}")
            hosts.append(
                SshMachine(
                    f"root@{address}",
                    python=sys.executable,
                    identity=str(directory / "user"),
                    options=("-o", f"UserKnownHostsFile={known}", "-o", "StrictHostKeyChecking=yes"),
                    state=str(directory / f"state-{name}"),
                )
            )
            listening = f"ss -ltn | grep -q '{address}:22 '"
            outer.call(name, "exec", argv=f"while ! {listening}; do sleep 0.05; done", timeout=20)
        ssh = directory / "bin" / "ssh"
        ssh.parent.mkdir()
        options = f"-i {directory}/user -o UserKnownHostsFile={known} -o StrictHostKeyChecking=yes"
        ssh.write_text(f'#!/bin/sh\nexec /usr/bin/ssh {options} "$@"\n')
        ssh.chmod(0o755)
        yield outer, hosts
