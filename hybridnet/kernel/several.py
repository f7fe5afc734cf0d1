# SPDX-License-Identifier: MIT
"""Runs a command in a kernel in simulated time, beside kernels that are the machines of its run:

    kernel 0: the command ──┐
    kernel 1: machine m1  ──┤ a simulated switch, in this process: 0.1 ms from one to another
    kernel 2: machine m2  ──┘

The machines have an SSH server each, which takes the run's key, and nobody but the command can reach it. So all that
runs on several computers runs on these, and in one simulated time: the switch keeps it
(`simcore/guests/guest_network.h`). What each kernel sees does not depend on how many processors there are; they are
used as far as there is something to do at the same time.
"""

from __future__ import annotations

import contextlib
import hashlib
import ipaddress
import json
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from hybridnet._simcore import GuestNetwork
from hybridnet.errors import EnvironmentLackError, HybridnetError, UsageError
from hybridnet.kernel.process import (
    STARTS_AT_NS,
    Command,
    Joined,
    KernelProcess,
    await_first,
    report,
)
from hybridnet.kernel.sockets import nameless_sockets
from hybridnet.system.process_limits import allow_open_files
from hybridnet.system.simulated_time import KERNELS_VARIABLE

__all__ = ["MACHINES_LIMIT", "run_in_kernels"]

ADDRESSES = ipaddress.IPv4Network("198.19.255.0/24")
"""Of the kernels; out of 198.18.0.0/15, which RFC 2544 sets aside for tests."""
HEAD_HOST_NUMBER = 254
MACHINES_LIMIT = 250
MTU = 9000
CABLE_DELAY_NS = 50_000
"""From a kernel to the switch. Kernels run at the same time for as long as what one does is not felt by another."""
SSH_SERVER = "/usr/sbin/sshd"
PLACE = Path("/run/sshd")
"""In the kernels: where the server looks for its own directory anyway, and where keys are."""
HEAD_BEGINS_AFTER_S = 12  # a second after the machines, whose servers are up then

SSHD = f"""HostKey {PLACE}/host_key
AuthorizedKeysFile {PLACE}/authorized_keys
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
PermitRootLogin prohibit-password
UseDNS no
PrintMotd no
LogLevel ERROR
SetEnv PYTHONHASHSEED=0
"""


def run_in_kernels(
    kernel: Path, command: Command, machines: Sequence[str], say: Callable[[str], object]
) -> int:
    """Run it to its end.

    Args:
        kernel: the kernel's file, as `hybridnet.kernel.build` makes it.
        machines: their names. The command finds them in `KERNELS_VARIABLE`.
        say: takes a line about what has happened besides.

    Returns:
        The command's exit code.

    Raises:
        EnvironmentLackError: a kernel does not start here, or has failed; there is no SSH server.
        ExperimentError: a program computes and makes no system call, so that time stands still.
        UsageError: there are no machines, or more than 250.
    """
    if not 1 <= len(machines) <= MACHINES_LIMIT:
        raise UsageError(f"{len(machines)} machines in simulated time: write 1 to {MACHINES_LIMIT}")
    if not os.access(SSH_SERVER, os.X_OK):
        raise EnvironmentLackError(
            f"machines in simulated time need an SSH server, and there is no {SSH_SERVER}; apt-get install "
            "openssh-server"
        )
    allow_open_files()
    names = ["the script's kernel", *(f"the kernel of machine {name}" for name in machines)]
    keys = _Keys(command.seed, machines)
    with contextlib.ExitStack() as ending:
        sockets = nameless_sockets(2 * len(names))
        places = [
            (clock, card, Joined(clock.way, card.way, number))
            for number, (clock, card) in enumerate(zip(sockets[::2], sockets[1::2], strict=True))
        ]
        network = GuestNetwork(
            command.seed,
            [
                (name, clock.socket.detach(), card.socket.detach())
                for name, (clock, card, _) in zip(names, places, strict=True)
            ],
            CABLE_DELAY_NS,
            STARTS_AT_NS,
        )
        commands = [
            keys.head(command),
            *(keys.machine(command, number) for number in range(1, len(machines) + 1)),
        ]
        kernels = [
            ending.enter_context(KernelProcess(kernel, each, (1, 2) if at.number == 0 else (), at, name))
            for each, (_, _, at), name in zip(commands, places, names, strict=True)
        ]
        for number, each in enumerate(kernels):
            network.started(number, os.pidfd_open(each.pid))
        for nameless in sockets:
            nameless.close()
        keeper = _Keeper(network)
        ending.callback(keeper.join)
        for each in kernels:
            ending.callback(each.kill)
        answer = await_first(kernels, say, keeper)
    for number, name in enumerate(names):
        if lost := network.dropped(number):
            say(f"Warning: {lost} frames were lost at the card of {name}, which had no room for them")
    return report(answer, say)


class _Keeper:
    """The thread that keeps their time."""

    def __init__(self, network: GuestNetwork) -> None:
        self._network = network
        self._error: Exception | None = None
        self._over, self._told = os.pipe()
        self._thread = threading.Thread(target=self._run, name="time of the kernels")
        self._thread.start()

    def fileno(self) -> int:
        """Readable once it has ended."""
        return self._over

    def error(self) -> Exception | None:
        """Why it has ended; None: the command's kernel has."""
        return self._error

    def join(self) -> None:
        """Wait for its end: the kernels have ended."""
        self._thread.join()
        os.close(self._over)

    def _run(self) -> None:
        try:
            self._network.run()
        except HybridnetError as error:
            self._error = error
        except Exception as error:  # whatever it is, they would wait for ever
            self._error = EnvironmentLackError(
                f"nobody keeps the time of the kernels any more: {type(error).__name__}: {error}"
            )
        finally:
            os.close(self._told)


class _Keys:
    """What the command needs to reach the machines, and they to know it. Keys come from the seed, as all does: nobody
    reaches the machines but what runs in the kernels.
    """

    def __init__(self, seed: int, names: Sequence[str]) -> None:
        self._names = names
        self._machines = range(1, len(names) + 1)
        own, host = (_key(f"{seed} {whose}") for whose in ("command", "machines"))
        known = "".join(f"{self._address(number)} {_public(host)}" for number in self._machines)
        self._head = {PLACE / "key": _private(own), PLACE / "known_hosts": known}
        self._machine = {
            PLACE / "authorized_keys": _public(own),
            PLACE / "host_key": _private(host),
            PLACE / "sshd_config": SSHD,
            # One that is locked or has no entry is refused, whatever this computer has.
            Path("/etc/shadow"): "root:*:19000:0:99999:7:::\nsshd:!:19000::::::\n",
            Path("/etc/passwd"): _with_plain_shell(Path("/etc/passwd").read_text()),
        }

    def head(self, command: Command) -> Command:
        """The command, with its cable and its keys."""
        told = {
            "head": self._address(HEAD_HOST_NUMBER),
            "machines": [self._address(number) for number in self._machines],
            "key": str(PLACE / "key"),
            "known_hosts": str(PLACE / "known_hosts"),
        }
        return replace(
            command,
            texts={**command.texts, **self._head},
            environment={**command.environment, KERNELS_VARIABLE: json.dumps(told)},
            cable=self._cable(HEAD_HOST_NUMBER),
            after_s=HEAD_BEGINS_AFTER_S,
        )

    def machine(self, command: Command, number: int) -> Command:
        """What runs in a machine's kernel."""
        return Command(
            [SSH_SERVER, "-D", "-e", "-f", str(PLACE / "sshd_config")],
            seed=command.seed + number,
            directory=Path("/"),
            brings=False,
            texts=self._machine,
            environment={"PATH": os.defpath, "LC_ALL": "C"},
            cable=self._cable(number),
            host_name=self._names[number - 1],  # Open MPI tells computers apart by it
        )

    def _cable(self, number: int) -> dict[str, str | int]:
        return {
            "address": f"{self._address(number)}/{ADDRESSES.prefixlen}",
            "mac": f"02:00:00:00:00:{number:02x}",
            "mtu": MTU,
        }

    def _address(self, number: int) -> str:
        return str(ADDRESSES[number])


def _with_plain_shell(users: str) -> str:
    """A file of users in which root has a shell that reads no file of the user's own: those may start hundreds of
    programs, for each command over SSH.
    """
    own = [line for line in users.splitlines() if not line.startswith("root:")]
    return "\n".join(["root:x:0:0:root:/root:/bin/sh", *own]) + "\n"


def _key(whose: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(hashlib.sha256(f"hybridnet {whose}".encode()).digest())


def _private(key: Ed25519PrivateKey) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()).decode()


def _public(key: Ed25519PrivateKey) -> str:
    return key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode() + "\n"
