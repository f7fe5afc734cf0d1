# SPDX-License-Identifier: MIT
"""Makes the namespaces of many hosts at once: a program of its own, which the agent starts with a list on its input.

A host has a network namespace, visible as /run/netns/NAME, and a mount namespace in which /sys shows the host's devices
and each of its private directories is an empty file system, or another directory. It may have a name of its own, and an
/etc/hosts, which hides the computer's. A host with an image has that as its root instead of the computer's files
(`image_root`). Processes of all hosts of a machine see each other, as in Mininet.

A mount namespace has no name: the agent holds it open. (Binding it to a name fails now and then on recent kernels,
whose namespace numbers no longer grow with time across processors; the kernel compares them to rule out loops.) It
is a copy, and a copy of another host's name would keep that host's network namespace alive after the name is removed.
So all are made before any network namespace gets its name, and one that is made later loses the names of the others.

It is a program because a thread of the agent cannot make a mount namespace, and the standard library only, because it
is started as a file, without waiting for any import of ours.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections.abc import Callable

TYPE_CHECKING = False  # the module that has it takes its time to import
if TYPE_CHECKING:
    from types import ModuleType
    from typing import NoReturn, TypedDict

    from hybridnet.agent.hosts.image_root import ImageRoot
    from hybridnet.describe.schema.plans import DirectoryPlan

    class Host(TypedDict):
        """What is made of a host."""

        name: str
        private_dirs: list[str | DirectoryPlan]
        files: dict[str, str]  # texts by path
        hosts_file: str | None  # None: it finds the computer's, and has its name
        image: ImageRoot | None  # its root; None: the computer's


CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWNET = 0x20000, 0x4000000, 0x40000000
MNT_DETACH = 2
MS_BIND, MS_REC, MS_PRIVATE, MS_NOSUID, MS_NODEV, MS_NOEXEC = 0x1000, 0x4000, 0x40000, 0x2, 0x4, 0x8
NETWORK_DIRECTORY = "/run/netns"
CONNECTION_TABLE = "/proc/sys/net/ipv4/tcp_child_ehash_entries"
CONNECTIONS = 4096
"""Buckets of a host's table of TCP connections."""

_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> None:
    if result != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")


def _mount(source: str, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    encoded = [None if text is None else os.fsencode(text) for text in (source, target, kind, data)]
    flagged = [*encoded[:3], ctypes.c_ulong(flags), encoded[3]]
    _checked(_libc.mount(*flagged), f"mount {source} on {target}")


def _have_hosts_own_tables() -> None:
    """Have each network namespace made from here get a table of TCP connections of its own (Linux 6.1).

    Else all share the computer's, and whoever asks for the connections of one walks through that: 2.6 ms for 262,144
    buckets. The kernel takes the size from the namespace that another is made in, so that is a new one, which nobody
    else sees.
    """
    if not os.path.exists(CONNECTION_TABLE):
        return
    with open(CONNECTION_TABLE) as asked:
        if int(asked.read()):  # somebody has chosen
            return
    _checked(_libc.unshare(CLONE_NEWNET), "unshare")
    with open(CONNECTION_TABLE, "w") as size:
        size.write(str(CONNECTIONS))


def _become_host(host: Host, others: list[str], images: ModuleType | None) -> None:
    names = host["hosts_file"]
    _checked(_libc.unshare(CLONE_NEWNS | CLONE_NEWNET | (CLONE_NEWUTS if names else 0)), "unshare")
    _mount("none", "/", None, MS_REC | MS_PRIVATE)
    for name in others:
        _libc.umount2(f"{NETWORK_DIRECTORY}/{name}".encode(), MNT_DETACH)  # it may be going just now
    if names:
        _checked(_libc.sethostname(host["name"].encode(), len(host["name"].encode())), "sethostname")
    if host["image"] is not None and images is not None:
        images.take_root(host["image"], NETWORK_DIRECTORY, _private(host), names, _mount)
        return
    # Of the names that come later a host would see files that are no namespaces, and `ip` would complain about each.
    _mount("netns", NETWORK_DIRECTORY, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    _mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    if names and os.path.exists("/etc/hosts"):  # before a private directory hides it
        _mount(names, "/etc/hosts", None, MS_BIND)
    for directory in host["private_dirs"]:
        if isinstance(directory, str):
            _mount("tmpfs", directory, "tmpfs", MS_NOSUID | MS_NODEV)
        else:
            _mount(directory["source"], directory["at"], None, MS_BIND)
    if host["files"]:
        _lay(host["files"], [each for each in host["private_dirs"] if isinstance(each, str)])


def _lay(files: dict[str, str], own: list[str]) -> None:
    """Lay files over the computer's, for this host only.

    A file in a directory that is the host's own is written there; one that the computer has, too, is hidden by a bind
    mount. For any other its directory, or the nearest one above it that exists, becomes the upper layer of an overlay
    over the computer's, so that what the host writes there stays its own.

    Args:
        files: texts by path.
        own: directories that are the host's own.
    """
    stage = NETWORK_DIRECTORY  # where a host has an empty directory; the mounts live on without the name
    _mount("files", stage, "tmpfs", MS_NOSUID | MS_NODEV)
    for number, (path, text) in enumerate(sorted(files.items())):
        real = os.path.realpath(path)
        if os.path.isfile(real) and not _is_in(real, own):
            _write(f"{stage}/{number}", text)
            _mount(f"{stage}/{number}", real, None, MS_BIND)
            continue
        if not _is_in(real, own):
            base = os.path.dirname(real)
            while not os.path.isdir(base):
                base = os.path.dirname(base)
            if base == "/":
                raise OSError(f"{path}: the computer has no directory {'/'.join(real.split('/')[:2])}")
            _overlay(base, f"{stage}/{number}")
            own = [*own, base]
        os.makedirs(os.path.dirname(real), exist_ok=True)
        _write(real, text)
    _checked(_libc.umount2(stage.encode(), MNT_DETACH), f"umount {stage}")


def _is_in(path: str, directories: list[str]) -> bool:
    return any(path.startswith(f"{each}/") for each in directories)


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755 if text.startswith("#!") else 0o644)


def _overlay(base: str, stage: str) -> None:
    """Put an empty layer over a directory; what is mounted inside it stays there."""
    with open("/proc/self/mountinfo", encoding="utf-8") as table:
        mounted = [line.split()[4].encode().decode("unicode_escape") for line in table]
    inside = [each for each in dict.fromkeys(mounted) if each.startswith(f"{base}/") and os.path.exists(each)]
    for part in ("", "/upper", "/work", "/kept"):
        os.mkdir(stage + part)
    for number, target in enumerate(inside):
        if os.path.isdir(target):
            os.mkdir(f"{stage}/kept/{number}")
        else:
            _write(f"{stage}/kept/{number}", "")
        _mount(target, f"{stage}/kept/{number}", None, MS_BIND)
    there = os.stat(base)
    os.chown(f"{stage}/upper", there.st_uid, there.st_gid)
    os.chmod(f"{stage}/upper", there.st_mode & 0o7777)
    layers = f"lowerdir={base},upperdir={stage}/upper,workdir={stage}/work"
    _mount("files", base, "overlay", MS_NOSUID | MS_NODEV, layers)
    for number, target in enumerate(inside):
        _mount(f"{stage}/kept/{number}", target, None, MS_BIND)


def _private(host: Host) -> list[str]:
    return [each for each in host["private_dirs"] if isinstance(each, str)]


def _image_root() -> ModuleType:
    """`image_root`, which lies beside this file: few networks have an image."""
    from importlib.util import module_from_spec, spec_from_file_location

    found = spec_from_file_location("image_root", os.path.join(os.path.dirname(__file__), "image_root.py"))
    assert found is not None
    assert found.loader is not None
    module = module_from_spec(found)
    found.loader.exec_module(module)
    return module


def _bind(source: str, target: str) -> None:
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDONLY, 0o444))
    try:
        _mount(source, target, None, MS_BIND)
    except OSError:
        os.unlink(target)
        raise


def create(hosts: list[Host], others: list[str], until_taken: Callable[[dict[str, int]], None]) -> None:
    """Make the namespaces of every host, ``{"name": …, "private_dirs": […], "files": {…}, "hosts_file": …}``, beside
    those of `others`.

    `until_taken` is called with one process of each host by name, before any network namespace has its name; when it
    returns, somebody must hold the mount namespaces open, and the names must be in the journal.
    """
    _have_hosts_own_tables()
    images = _image_root() if any(host["image"] for host in hosts) else None
    children: dict[str, int] = {}
    made_reading, made_writing = os.pipe()
    taken_reading, taken_writing = os.pipe()
    try:
        for host in hosts:
            pid = os.fork()
            if pid == 0:
                os.close(taken_writing)
                _be_host(host, others, images, made_writing, taken_reading)
            children[host["name"]] = pid
        os.close(made_writing)
        _await_made(made_reading, len(hosts))
        until_taken(children)
        for name, pid in children.items():
            _bind(f"/proc/{pid}/ns/net", f"{NETWORK_DIRECTORY}/{name}")
    finally:
        os.close(taken_writing)
        for pid in children.values():
            os.waitpid(pid, 0)


def _be_host(host: Host, others: list[str], images: ModuleType | None, made: int, until: int) -> NoReturn:
    """In a process of its own: make a host's namespaces, say so, and keep them until `until` is closed elsewhere."""
    try:
        _become_host(host, others, images)
        os.write(made, b"\0")
        os.close(made)  # once all have, or have ended, whoever reads there sees the end
        os.read(until, 1)
    except Exception as error:  # whatever it is, who waits for this host must hear of it
        os.write(made, f"host {host['name']}: {error}\n".encode(errors="replace"))
    finally:
        os._exit(0)


def _await_made(made: int, count: int) -> None:
    """Wait until so many hosts are made. Raises OSError: one could not be, or its process has been killed."""
    answers = 0
    while answers < count:
        answer = os.read(made, 4096)
        if words := answer.strip(b"\0"):
            raise OSError(words.decode(errors="replace").strip())
        if not answer:
            raise OSError(
                f"{count - answers} of {count} processes that make hosts were killed; is there enough memory?"
            )
        answers += len(answer)


def _announce(children: dict[str, int]) -> None:
    print(json.dumps(children), flush=True)
    if not sys.stdin.readline():  # whoever asked has ended, and has perhaps not written the names down
        raise OSError("nobody has taken the namespaces")


if __name__ == "__main__":
    try:
        create(**json.loads(sys.stdin.readline()), until_taken=_announce)
    except OSError as error:
        sys.exit(str(error))
