# SPDX-License-Identifier: MIT
"""Makes an image the root of a host's mount namespace: a part of the program `host_namespaces`, for hosts with one.

The image's own folder stays as it is, and is shared by all hosts that have it. What a host writes goes to memory of its
own, which lies over it (overlayfs). All of these mounts are in the host's mount namespace only, so they end with it,
however that happens. The computer's root is not in it any more when the first program of the host begins.

Nothing that the image has is followed out of it: mount points are made once the image is the root, so that a link leads
where it leads for the host's programs.

Only the standard library, as `host_namespaces`.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    class Volume(TypedDict):
        """A folder or file of the computer, which the host sees."""

        source: str
        at: str
        read_only: bool

    class ImageRoot(TypedDict):
        """What a host with an image sees."""

        root: str  # the image's files
        shell: str  # a folder with hybridnet's own shell, which shows at `SHELL`
        folder: str  # the working directory of its programs, made where it is missing
        volumes: list[Volume]
        files: dict[str, str]  # texts by path


SHELL = "/.hybridnet"
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC = 1, 2, 4, 8, 32, 0x1000, 0x4000
MNT_DETACH = 2
DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "net/tun")
LINKS = {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}

Mount = Callable[[str, str, "str | None", int, "str | None"], None]
"""Mount a source on a target: kind, flags, data. Raises OSError."""

_libc = ctypes.CDLL(None, use_errno=True)


def take_root(
    image: ImageRoot, scratch: str, private: list[str], hosts_file: str | None, mount: Mount
) -> None:
    """Make an image the root of this process's mount namespace, which is private. Raises OSError.

    Args:
        scratch: an empty folder; nothing is made in it.
        private: paths at which the host has empty folders of its own.
        hosts_file: what is its /etc/hosts; None: the image's.
    """
    sources = [os.path.realpath(volume["source"]) for volume in image["volumes"]]
    shell = os.path.realpath(image["shell"])
    hosts = None if hosts_file is None else os.path.realpath(hosts_file)
    mount("image", scratch, "tmpfs", MS_NOSUID | MS_NODEV, "mode=700")
    for name in ("upper", "work", "root"):
        os.mkdir(f"{scratch}/{name}", 0o755)
    lower = os.stat(image["root"])
    os.chmod(f"{scratch}/upper", lower.st_mode & 0o7777)
    with contextlib.suppress(PermissionError):  # root of a user namespace has no other users
        os.chown(f"{scratch}/upper", lower.st_uid, lower.st_gid)
    layers = f"lowerdir={_escaped(image['root'])},upperdir={scratch}/upper,workdir={scratch}/work"
    try:
        mount("overlay", f"{scratch}/root", "overlay", MS_NODEV, layers)
    except OSError:  # root of a user namespace may not use attributes of the name space "trusted"
        mount("overlay", f"{scratch}/root", "overlay", MS_NODEV, f"{layers},userxattr")
    _pivot(f"{scratch}/root")
    # From here on an absolute path is one of the image, and a relative one of the computer.
    _mount_point("/proc", folder=True)
    mount("proc", "/proc", None, MS_BIND | MS_REC, None)
    _mount_point("/sys", folder=True)
    mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, None)
    _make_devices(mount)
    for path in private:
        _mount_point(path, folder=True)
        mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, None)
    for path, text in image["files"].items():
        _write(path, text)
    if hosts is not None:
        _show(hosts, "/etc/hosts", mount, read_only=False)
    for source, volume in zip(sources, image["volumes"], strict=True):
        _show(source, volume["at"], mount, read_only=volume["read_only"])
    _show(shell, SHELL, mount, read_only=True)
    os.makedirs(image["folder"], exist_ok=True)
    _checked(_libc.umount2(b".", MNT_DETACH), "unmount the computer's root")
    os.chdir("/")


def _escaped(path: str) -> str:
    for special in "\\:,":
        path = path.replace(special, f"\\{special}")
    return path


def _pivot(root: str) -> None:
    """Make a mount the root. The old one is the current folder then, and has no name."""
    old = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    os.chdir(root)
    _checked(_libc.pivot_root(b".", b"."), "pivot_root")
    os.fchdir(old)
    os.close(old)


def _make_devices(mount: Mount) -> None:
    _mount_point("/dev", folder=True)
    mount("dev", "/dev", "tmpfs", MS_NOSUID, "mode=755,size=64k")
    for name in DEVICES:
        if os.path.exists(f"dev/{name}"):
            _show(f"dev/{name}", f"/dev/{name}", mount, read_only=False)
    for name, target in LINKS.items():
        os.symlink(target, f"/dev/{name}")
    os.mkdir("/dev/pts", 0o755)
    mount("dev/pts", "/dev/pts", None, MS_BIND, None)
    os.mkdir("/dev/shm", 0o1777)
    mount("shm", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777")


def _show(source: str, at: str, mount: Mount, *, read_only: bool) -> None:
    """Show a folder or a file of the computer at a path of the image."""
    source = source.lstrip("/") or "."  # it begins at the computer's root, the current folder
    _mount_point(at, folder=os.path.isdir(source))
    mount(source, at, None, MS_BIND | MS_REC, None)
    if read_only:
        mount("none", at, None, MS_REMOUNT | MS_BIND | MS_RDONLY, None)


def _mount_point(path: str, *, folder: bool) -> None:
    if os.path.exists(path):
        return
    os.makedirs(path if folder else os.path.dirname(path), exist_ok=True)
    if not folder:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)  # it may be a link to what there is on a computer with a daemon
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, 0o755 if text.startswith("#!") else 0o644)


def _checked(result: int, what: str) -> None:
    if result != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")
