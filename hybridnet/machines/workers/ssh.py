# SPDX-License-Identifier: MIT
"""Machines that are other computers, reached with the OpenSSH client.

The same programs run there as here: `hybridnet.machines.workers.init` and the agent. hybridnet must be installed on the
host, and the user must be root or able to become root by `sudo -n`. One connection per machine carries the start and,
by staying open, the life of the agent; the work itself goes through Dask, over TLS, with a certificate made for this
run that is sent through that connection.

`hybridnet deploy` puts hybridnet where it is looked for first: in `DEPLOYED`.
"""

from __future__ import annotations

import math
import shlex
import shutil
from dataclasses import dataclass, field

from hybridnet.describe.values import shown, text, whole
from hybridnet.errors import EnvironmentLackError, UsageError
from hybridnet.system.journal import MACHINE_VARIABLE, RUN_VARIABLE

ALIVE_S = 10
"""How often a silent connection is asked whether it is alive."""

RUN_PATIENCE_S = 3600.0
"""How long the connection that starts a machine, and ends it, may be silent."""

DEPLOYED = "/opt/hybridnet"
"""Where `hybridnet deploy` installs it on a host: a virtual environment."""


@dataclass(frozen=True)
class SshMachine:
    """A host and how to get there.

    Args:
        target: ``"user@host"`` or ``"host"``, as `ssh` takes it.
        name: the machine's name in topologies; default: m1, m2 … by position.
        address: the machine's IPv4 address toward the other machines, where peering datagrams go; default: the one
            that the SSH connection arrives at. On CloudLab: the experiment network's, not the control network's.
        python: the interpreter there that has hybridnet; default: what `hybridnet deploy` installed, else ``python3``.
        port: of sshd.
        identity: a private key file.
        options: more arguments for `ssh`, for example ``("-o", "StrictHostKeyChecking=accept-new")``.
        state: the state directory there.
    """

    target: str
    name: str | None = None
    address: str | None = None
    python: str | None = None
    port: int | None = None
    identity: str | None = None
    options: tuple[str, ...] = field(default=())
    state: str = "/run/hybridnet"

    def __post_init__(self) -> None:
        for what, given in (
            ("name", self.name),
            ("address", self.address),
            ("python", self.python),
            ("identity", self.identity),
        ):
            if given is not None:
                text(given, f"SSH machine: {what}")
        text(self.state, "SSH machine: state")
        if self.port is not None:
            whole(self.port, "SSH machine: port", 1, 65535)
        if not isinstance(self.options, tuple) or not all(isinstance(word, str) for word in self.options):
            raise UsageError(
                f"SSH machine: options {shown(self.options)} is not a tuple of words; write ('-4',)"
            )
        if (
            not isinstance(self.target, str)
            or not self.target
            or self.target.startswith("-")
            or any(c.isspace() for c in self.target)
        ):
            raise UsageError(f'SSH machine {self.target!r}: write "user@host" or "host"')

    def command(self, remote: str, patience_s: float = 30.0) -> list[str]:
        """The `ssh` command that runs the shell command `remote` there.

        Args:
            patience_s: how long the connection may be silent before ssh ends it.

        Raises:
            EnvironmentLackError: there is no `ssh`.
        """
        if shutil.which("ssh") is None:
            raise EnvironmentLackError("the command ssh is not there; apt-get install openssh-client")
        argv = ["ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20"]
        alive = math.ceil(patience_s / ALIVE_S) + 1
        argv += ["-o", f"ServerAliveInterval={ALIVE_S}", "-o", f"ServerAliveCountMax={alive}"]
        if self.port is not None:
            argv += ["-p", str(self.port)]
        if self.identity is not None:
            argv += ["-i", self.identity, "-o", "IdentitiesOnly=yes"]
        return [*argv, *self.options, "--", self.target, remote]

    def start_command(self, run: str, machine: str) -> list[str]:
        """The command that starts the init of `machine` for `run`.

        Whether the machine is still there is not judged by this connection; see `hybridnet.machines.cluster.presence`.
        """
        names = f'"{RUN_VARIABLE}={run}" "{MACHINE_VARIABLE}={machine}"'
        variables = f'{names} "HYBRIDNET_SSH=$SSH_CONNECTION"'
        return self.command(self._as_root(variables, "hybridnet.machines.workers.init"), RUN_PATIENCE_S)

    def clean_command(self, run: str, machine: str | None = None) -> list[str]:
        """Return the command that removes what `run` has left there, or what one machine of it has left, which is ended
        first.
        """
        names = [run] if machine is None else [run, machine]
        arguments = f"hybridnet.system.cleaning {shlex.join(names)}"
        return self.command(self._as_root(f"HYBRIDNET_STATE_DIR={shlex.quote(self.state)}", arguments))

    def enter_command(self, run: str, machine: str, command: list[str]) -> list[str]:
        """The command that runs `command` in the namespaces of the machine of `run` there."""
        arguments = f"hybridnet.machines.workers.enter {shlex.join([run, machine, *command])}"
        return self.command(self._as_root(f"HYBRIDNET_STATE_DIR={shlex.quote(self.state)}", arguments))

    def _as_root(self, variables: str, module: str) -> str:
        deployed = f"{DEPLOYED}/bin/python"
        choice = (
            f"python={deployed}; test -x $python || python=python3"
            if self.python is None
            else f"python={shlex.quote(self.python)}"
        )
        program = f'env {variables} "$python" -m {module}'
        return f"{choice}; if [ $(id -u) = 0 ]; then exec {program}; else exec sudo -n {program}; fi"
