# SPDX-License-Identifier: MIT
"""The images of a machine's hosts: unpacked before the hosts are made, and what their programs get from them."""

from __future__ import annotations

import os
import re
import shutil
import signal
import stat
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridnet.agent.hosts.image_root import SHELL
from hybridnet.describe.images import parse_image
from hybridnet.describe.schema.plans import HostPlan, ImagePlan
from hybridnet.describe.values import shown
from hybridnet.errors import EnvironmentLackError, MachineError
from hybridnet.system.ending import Endings
from hybridnet.system.journal import Journal
from hybridnet.system.name_servers import COMPUTERS, reachable_servers

if TYPE_CHECKING:
    from hybridnet.agent.hosts.image_root import ImageRoot
    from hybridnet.images.store import Unpacked

__all__ = ["HostImage", "HostImages"]

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
MOST_TABLE_BYTES = 1 << 20  # of an image's list of users
MOST_ID = (1 << 32) - 2  # of a user or a group: the next number means "as it is"
_LOADER, _LIBRARIES, _BASH = "ld.so", "lib", "bash"


@dataclass(frozen=True)
class HostImage:
    """The image of a host, and what its programs get.

    Args:
        root: what the host sees: see `hybridnet.agent.hosts.image_root`.
        environment: of every program.
        folder: where a program begins.
        argv: the image's own command; empty: it has none.
        user: number of the user, and of the group, as whom that runs.
        stop: the signal that ends it.
    """

    root: ImageRoot
    environment: Mapping[str, str]
    folder: str
    argv: Sequence[str]
    user: tuple[int, int]
    stop: int


class HostImages:
    """Those of one machine.

    Args:
        journal: in whose directory is the shell that all hosts with an image have.
    """

    def __init__(self, journal: Journal) -> None:
        self._shell = journal.directory / "shell"
        # By these a program is known as one of the run, whatever else it is told.
        self._marks = {k: v for k, v in journal.environment().items() if k.startswith("HYBRIDNET_")}
        self._images: dict[str, HostImage] = {}
        self._held: dict[str, Unpacked] = {}  # by what plans call them

    def __contains__(self, host: object) -> bool:
        return host in self._images

    def __getitem__(self, host: str) -> HostImage:
        return self._images[host]

    def create(self, plans: Sequence[HostPlan], on_progress: Callable[[str], object]) -> None:
        """Have the images of those hosts unpacked that have one.

        Raises:
            MachineError: an image is not there, damaged or made to harm, or says what makes no sense.
            EnvironmentLackError: this computer lacks a program.
        """
        for plan in plans:
            if (wanted := plan.get("image")) is None:
                continue
            from hybridnet.images.store import unpacked  # few networks wait for this import

            if not self._shell.exists():
                _make_shell(self._shell)
            source = wanted["source"]
            if source not in self._held:
                self._held[source] = unpacked(parse_image(source, f"host {plan['name']}: image"), on_progress)
            try:
                self._images[plan["name"]] = self._of(plan, wanted, self._held[source])
            except MachineError as error:
                raise MachineError(f"host {plan['name']}: image {source}: {error}") from None

    def _of(self, plan: HostPlan, wanted: ImagePlan, image: Unpacked) -> HostImage:
        found = _host_image(plan, wanted, image, self._shell)
        return replace(found, environment={**found.environment, **self._marks})

    def remove(self, hosts: Sequence[str]) -> None:
        """Forget those of some hosts."""
        for host in hosts:
            self._images.pop(host, None)

    def destroy(self) -> None:
        """Forget all, and let others remove them from the computer."""
        self._images = {}
        held, self._held = self._held, {}
        Endings(
            *(lambda each=each: os.close(each.hold) for each in held.values()),
            lambda: shutil.rmtree(self._shell, ignore_errors=True),
        ).close()


def shell_command() -> list[str]:
    """The shell of hosts with an image, as a command within them: hybridnet's own, whatever the image has."""
    return [
        f"{SHELL}/{_LOADER}",
        "--library-path",
        f"{SHELL}/{_LIBRARIES}",
        "--argv0",
        "bash",
        f"{SHELL}/{_BASH}",
    ]


def _make_shell(folder: Path) -> None:
    """Copy bash with all that it needs into a folder, so that it runs in any root.

    Raises:
        EnvironmentLackError: there is no bash, or what it needs cannot be found.
    """
    bash, ldd = shutil.which("bash"), shutil.which("ldd")
    done = (
        None
        if bash is None or ldd is None
        else subprocess.run([ldd, bash], capture_output=True, text=True, check=False)
    )
    if bash is None or done is None or done.returncode != 0:
        raise EnvironmentLackError(
            "hosts with an image have the computer's bash as their shell, and it or ldd, which says what it needs, is "
            "not there; install bash and libc-bin"
        )
    libraries = re.findall(r"=> (/\S+)", done.stdout)
    loader = re.findall(r"^\s*(/\S+/ld[^\s/]*) ", done.stdout, re.MULTILINE)
    if len(loader) != 1:
        raise EnvironmentLackError(
            f"the loader of {bash} cannot be found; ldd says: {done.stdout.strip()[:300]}"
        )
    unfinished = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(unfinished, ignore_errors=True)
    for made in (unfinished, unfinished / _LIBRARIES):
        made.mkdir()
        made.chmod(0o755)  # for an image's user, whatever the umask
    for source in libraries:
        shutil.copy(source, unfinished / _LIBRARIES)
    shutil.copy(bash, unfinished / _BASH)
    shutil.copy(loader[0], unfinished / _LOADER)
    os.rename(unfinished, folder)


def _host_image(plan: HostPlan, wanted: ImagePlan, image: Unpacked, shell: Path) -> HostImage:
    config = image.about.config
    entrypoint = wanted.get("entrypoint", _words(config, "Entrypoint"))
    # As of `docker run`: another entrypoint does not get the image's own arguments.
    own = [] if "entrypoint" in wanted else _words(config, "Cmd")
    command = wanted.get("command", own)
    folder = _text(config, "WorkingDir") or "/"
    if not folder.startswith("/"):
        folder = f"/{folder}"
    for volume in wanted["volumes"]:
        if not os.path.exists(volume["source"]):
            raise MachineError(f"the volume {volume['source']} is not there; make it first")
    root: ImageRoot = {
        "root": str(image.root),
        "shell": str(shell),
        "folder": os.path.normpath(folder),
        "volumes": [
            {"source": each["source"], "at": each["at"], "read_only": each["read_only"]}
            for each in wanted["volumes"]
        ],
        "files": {
            "/etc/hostname": f"{plan['name']}\n",
            "/etc/resolv.conf": _resolver(wanted),
            **plan.get("files", {}),
        },
    }
    for each in plan["private_dirs"]:
        if not isinstance(each, str):
            root["volumes"].append({"source": each["source"], "at": each["at"], "read_only": False})
    uid, gid, home = _user(wanted.get("user", _text(config, "User")), image.root)
    return HostImage(
        root,
        {
            "PATH": PATH,
            "HOME": home,
            "HOSTNAME": plan["name"],
            **_environment(config),
            **wanted["environment"],
        },
        root["folder"],
        [*entrypoint, *command],
        (uid, gid),
        _signal(_text(config, "StopSignal")),
    )


def _text(config: Mapping[str, Any], key: str) -> str:
    found = config.get(key) or ""
    if not isinstance(found, str) or "\0" in found:
        raise MachineError(f"its configuration says {key} {shown(found)}, which is no text")
    return found


def _words(config: Mapping[str, Any], key: str) -> list[str]:
    found = config.get(key) or []
    if not isinstance(found, list) or not all(isinstance(each, str) and "\0" not in each for each in found):
        raise MachineError(f"its configuration says {key} {shown(found)}, which is no list of words")
    return found


def _environment(config: Mapping[str, Any]) -> dict[str, str]:
    divided = [each.partition("=") for each in _words(config, "Env")]
    return {name: value for name, _, value in divided if name}


def _resolver(wanted: ImagePlan) -> str:
    if (servers := wanted.get("nameservers")) is not None:
        return "".join(f"nameserver {each}\n" for each in servers)
    return reachable_servers() or (COMPUTERS.read_text(errors="replace") if COMPUTERS.exists() else "")


def _signal(name: str) -> int:
    """The number of a signal: a number, or a name with or without SIG; none: SIGTERM."""
    if not name:
        return signal.SIGTERM
    if name in (numbers := {str(int(each)): int(each) for each in signal.valid_signals()}):
        return numbers[name]
    found = getattr(signal, name if name.startswith("SIG") else f"SIG{name}", None)
    if not isinstance(found, signal.Signals):
        raise MachineError(f"its configuration says StopSignal {shown(name)}, which is no signal")
    return found


def _user(said: str, root: Path) -> tuple[int, int, str]:
    """User, group and home of what an image or a description says: ``NAME``, ``NUMBER``, or either with a group behind
    a colon; nothing: root.
    """
    name, _, group = said.partition(":")
    name = name or "0"
    users = _table(root, "passwd", 7)
    row = next((row for row in users if name in (row[0], row[2])), None)
    if row is None and not _is_id(name):
        raise MachineError(f"its user {shown(name)} is not in its /etc/passwd; choose one with user=")
    uid = int(name if row is None else row[2])
    gid = 0 if row is None else int(row[3])
    home = "/root" if uid == 0 and row is None else "/" if row is None else row[5] or "/"
    if group:
        of_group = next((each for each in _table(root, "group", 4) if group in (each[0], each[2])), None)
        if of_group is None and not _is_id(group):
            raise MachineError(f"its group {shown(group)} is not in its /etc/group; choose one with user=")
        gid = int(group if of_group is None else of_group[2])
    return uid, gid, home


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= len(str(MOST_ID)) and int(text) <= MOST_ID


def _table(root: Path, name: str, columns: int) -> list[list[str]]:
    """The rows of a file in an image's /etc whose third and fourth columns, as far as there are some, are numbers. No
    link is followed: it would lead into the computer's files.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        folder = os.open(root / "etc", flags | os.O_DIRECTORY)
        try:
            descriptor = os.open(name, flags, dir_fd=folder)
        finally:
            os.close(folder)
    except OSError:
        return []
    with os.fdopen(descriptor, "rb") as file:
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        lines = file.read(MOST_TABLE_BYTES).decode(errors="replace").splitlines() if is_file else []
    rows = [line.split(":") for line in lines]
    numbers = slice(2, 4 if columns == 7 else 3)
    return [row for row in rows if len(row) == columns and all(_is_id(each) for each in row[numbers])]
