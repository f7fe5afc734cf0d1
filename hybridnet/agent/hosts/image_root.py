# SPDX-License-Identifier: MIT
"""Makes an image the root of a host's mount namespace: a part of the program `host_namespaces`, for hosts with one.

The image's own folder stays as it is, and is shared by all hosts that have it. What a host writes goes to memory of its
own, which lies over it (overlayfs). All of these mounts are in the host's mount namespace only, so they end with it,
however that happens. The computer's root is not in it any more when the first program of the host begins.

Nothing that the image has is followed out of it: mount points are made once the image is the root, so that a link leads
where it leads for the host's programs, and before /proc is there, in which links lead to the computer's files.

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
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC = 2, 4, 8, 0x1000, 0x4000
MNT_DETACH = 2
MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE, MOUNT_ATTR_RDONLY = 442, -100, 0x8000, 1
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
    _mount_point("/sys", folder=True)
    mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, None)
    _make_devices(mount)
    volumes = list(zip(sources, image["volumes"], strict=True))
    _furnish([each for each in private if not _is_in_proc(each)], image["files"], hosts, mount)
    _show_volumes([each for each in volumes if not _is_in_proc(each[1]["at"])], mount)
    _show(shell, SHELL, mount, read_only=True)
    os.makedirs(image["folder"], exist_ok=True)
    _mount_point("/proc", folder=True)
    mount("proc", "/proc", None, MS_BIND | MS_REC, None)
    _furnish([each for each in private if _is_in_proc(each)], {}, None, mount)
    _show_volumes([each for each in volumes if _is_in_proc(each[1]["at"])], mount)
    _checked(_libc.umount2(b".", MNT_DETACH), "unmount the computer's root")
    os.chdir("/")


def _is_in_proc(path: str) -> bool:
    return path == "/proc" or path.startswith("/proc/")


def _furnish(private: list[str], files: dict[str, str], hosts: str | None, mount: Mount) -> None:
    for path in private:
        _mount_point(path, folder=True)
        mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, None)
    for path, text in files.items():
        _write(path, text)
    if hosts is not None:
        _show(hosts, "/etc/hosts", mount, read_only=False)


def _show_volumes(volumes: list[tuple[str, Volume]], mount: Mount) -> None:
    for source, volume in volumes:
        _show(source, volume["at"], mount, read_only=volume["read_only"])


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
    """Show a folder or a file of the computer at a path of the image, with all that is mounted in it."""
    source = source.lstrip("/") or "."  # it begins at the computer's root, the current folder
    _mount_point(at, folder=os.path.isdir(source))
    mount(source, at, None, MS_BIND | MS_REC, None)
    if read_only:
        _make_read_only(at)


class _MountAttributes(ctypes.Structure):
    """struct mount_attr: mount_setattr(2)."""

    _fields_ = tuple((name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "user_namespace"))


def _make_read_only(at: str) -> None:
    """Let nobody write at a mount, nor at those in it. Other restrictions stay, which mount(2) would take away, and may
    not in a user namespace.
    """
    wanted = _MountAttributes(set=MOUNT_ATTR_RDONLY)
    done = _libc.syscall(
        ctypes.c_long(MOUNT_SETATTR),
        ctypes.c_int(AT_FDCWD),
        os.fsencode(at),
        ctypes.c_uint(AT_RECURSIVE),
        ctypes.byref(wanted),
        ctypes.c_size_t(ctypes.sizeof(wanted)),
    )
    _checked(done, f"make {at} read-only, which Linux 5.12 and newer can")


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
