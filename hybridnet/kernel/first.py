# SPDX-License-Identifier: MIT
"""The first process of a kernel in simulated time. It runs by itself, with the standard library alone.

The root of the computer is the kernel's, read-only, below an overlay in memory; what is written in the directories that
the request names reaches the computer. The command runs as root of the kernel, which has the rights of the user who
started the kernel, and no others. Its standard streams are /dev/host3 to /dev/host5; see recipe/host_files.c.

Over /dev/host6 come a request, one line of JSON, and go lines of JSON:
    {"begins": true}                                the command begins; from now on signals for it may come
    {"exit": 0, "brought": ["results.csv"], "left": {"trace": "it has ..."}}
                                                    the command has ended; what of it has reached the computer, and not
    {"spins": "h1: python3 spin.py (process 212)"}  the answer to SIGUSR1: what computes
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

TIMER_ABSTIME = 1
RESEED = 0x5207  # RNDRESEEDCRNG: the next key of the seed
MS_RDONLY, MS_MOVE, MS_SHARED, MS_REC = 1, 8192, 1 << 20, 16384
PIVOT_ROOT = 155  # the number of the system call on x86-64
POWER_OFF = 0x4321FEDC
BROUGHT_MOST = 256 << 20
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)

SETTINGS = {
    "kernel/threads-max": "4096",  # each is a process of the computer: a program that starts ever more is refused one
    "kernel/sched_rt_runtime_us": "-1",  # processor time is free: whoever comes first in real time need not pause
}

libc = ctypes.CDLL(None, use_errno=True)


def mount(source: str, target: str, kind: str | None, flags: int = 0, options: str | None = None) -> None:
    """mount(2). Raises OSError."""
    words = [word.encode() if word is not None else None for word in (source, target, kind)]
    if libc.mount(*words, ctypes.c_ulong(flags), options.encode() if options is not None else None) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), target)


def make_root() -> None:
    """The computer's root below an overlay in memory, as this kernel's. chroot would not do: programs look at
    /proc/PID/root of others.
    """
    mount("proc", "/proc", "proc")
    mount("sysfs", "/sys", "sysfs")
    mount("devtmpfs", "/dev", "devtmpfs")
    mount("tmpfs", "/run", "tmpfs", 0, "mode=755")
    mount("tmpfs", "/mnt", "tmpfs", 0, "mode=755,size=75%")
    for name in ("upper", "work", "root"):
        os.mkdir(f"/mnt/{name}")
    mount("overlay", "/mnt/root", "overlay", 0, "lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work")
    os.makedirs("/mnt/root/mnt/below", exist_ok=True)
    os.chdir("/mnt/root")
    if libc.syscall(PIVOT_ROOT, b".", b"mnt/below") != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), "/mnt/root")
    os.chdir("/")
    for name in ("proc", "sys", "run", "dev"):
        mount(f"/mnt/below/{name}", f"/{name}", None, MS_MOVE)
    mount("none", "/", None, MS_SHARED | MS_REC)
    for name, kind, options in (
        ("/dev/shm", "tmpfs", "mode=1777"),
        ("/dev/pts", "devpts", "mode=620,ptmxmode=666"),
        ("/dev/mqueue", "mqueue", None),
        ("/sys/fs/cgroup", "cgroup2", None),
    ):
        if name.startswith("/dev"):
            os.mkdir(name)
        mount(kind, name, kind, 0, options)
    for name, there in (("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
        os.symlink(there, f"/dev/{name}")
    for name in ("netns", "lock", "openvswitch"):
        os.mkdir(f"/run/{name}")


def kernel_thread(name: str) -> int:
    """The number of a thread of the kernel. The one that moves packets which interrupts leave over would else wait for
    programs, for milliseconds.
    """
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and (entry / "comm").read_text() == f"{name}\n":
            return int(entry.name)
    raise FileNotFoundError(f"a thread of the kernel named {name}")


def plug_in(cable: dict[str, Any]) -> None:
    """Configure the card, by which other kernels are reached."""
    Path("/proc/sys/net/ipv6/conf/eth0/disable_ipv6").write_text("1")
    os.system(
        f"ip link set eth0 address {cable['mac']} mtu {cable['mtu']} up && ip addr add {cable['address']} dev eth0"
    )


def begin_anew(after_s: int) -> None:
    """Whatever came before, and how long it took: it is the same instant now, with the same random numbers to come."""
    until = (ctypes.c_long * 2)(after_s, 0)
    libc.clock_nanosleep(time.CLOCK_BOOTTIME, TIMER_ABSTIME, until, None)
    random = os.open("/dev/urandom", os.O_RDONLY)
    fcntl.ioctl(random, RESEED)
    os.close(random)


def begin(request: dict[str, Any]) -> int:
    """Start the command, which has signals blocked. Returns its process number, once signals may be sent to it."""
    ready, holds = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        for number in SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        os.dup2(os.open("/dev/host3", os.O_RDONLY), 0)
        os.dup2(os.open("/dev/host4", os.O_WRONLY), 1)
        os.dup2(os.open("/dev/host5", os.O_WRONLY), 2)
        os.closerange(3, 64)
        try:
            os.chdir(request["directory"])
            os.execvpe(request["command"][0], request["command"], request["environment"])
        except OSError as error:
            os.write(2, f"error: {request['command'][0]}: {error.strerror}\n".encode())
            os._exit(127)
    os.close(holds)
    os.read(ready, 1)  # nothing, once the child has closed its end
    os.close(ready)
    return pid


def send(child: int, number: int) -> None:
    """Send the command a signal; ^C reaches its group, as from a terminal."""
    with contextlib.suppress(ProcessLookupError):  # it has ended
        (os.killpg if number == signal.SIGINT else os.kill)(child, number)


def what_computes() -> str:
    """The process that would run if this one did not: its node, if its network namespace has a name; its command."""
    found = []
    for entry in sorted(Path("/proc").iterdir(), key=lambda each: each.name):
        if not entry.name.isdecimal() or entry.name == "1":
            continue
        try:
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            words = (entry / "cmdline").read_bytes().rstrip(b"\0").split(b"\0")
            if state == "R" and words != [b""]:
                command = " ".join(word.decode(errors="replace") for word in words)
                found.append(f"{node_of(entry)}{command[:200]} (process {entry.name})")
        except OSError:  # it has ended
            continue
    return "; ".join(found) or "a program that has ended"


def node_of(process: Path) -> str:
    """The name of a process's network namespace, before a colon; empty: it has none."""
    namespace = os.stat(process / "ns" / "net")
    for place in {str(each) for each in process.parent.glob("[0-9]*/root/run/netns")}:
        with contextlib.suppress(
            OSError
        ):  # what a program has made its root (chroot) may have anything there
            for name in os.listdir(place):
                if _is_at(f"{place}/{name}", namespace):
                    return f"{name}: "
    return ""


def _is_at(path: str, namespace: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.stat(path), namespace)
    except OSError:
        return False


def bring_home(directory: str) -> tuple[list[str], dict[str, str]]:
    """Copy what was written in a directory, as far as only the kernel has it, to the computer.

    Returns:
        The files; and of those that could not be copied, why.
    """
    os.makedirs("/run/home", exist_ok=True)
    mount("none", "/run/home", "hostfs", 0, directory)
    return copy_over(Path(f"/mnt/below/mnt/upper{directory}"), Path("/run/home"))


def copy_over(upper: Path, home: Path) -> tuple[list[str], dict[str, str]]:
    """Copy files over those of another directory. Where that has a link, a file takes its place, as it has for the
    command; nothing is written through one.

    Returns:
        As `bring_home`.
    """
    brought: list[str] = []
    left: dict[str, str] = {}
    room = BROUGHT_MOST
    for folder, folders, files in os.walk(upper):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(files):
            source = Path(folder, name)
            relative = source.relative_to(upper)
            if source.is_symlink() or not source.is_file():  # a file that was removed is a device there
                continue
            size = source.stat().st_size
            if size > room:
                left[str(relative)] = (
                    f"it has {size} bytes, and {BROUGHT_MOST} of all files are brought at most"
                )
                continue
            if links := [each for each in relative.parents if (home / each).is_symlink() and each.name]:
                left[str(relative)] = f"{links[-1]} is a link here"
                continue
            room -= size
            target = home / relative
            try:
                os.makedirs(target.parent, exist_ok=True)
                if target.is_symlink():
                    target.unlink()
                shutil.copyfile(source, target)
                shutil.copymode(source, target)
                brought.append(str(relative))
            except OSError as error:
                left[str(relative)] = error.strerror or str(error)
    return brought, left


def end(control: int, answer: dict[str, Any]) -> NoReturn:
    """Answer, and end the kernel with all that is in it."""
    os.write(control, json.dumps(answer).encode() + b"\n")
    os.sync()
    libc.reboot(ctypes.c_int(POWER_OFF))
    raise SystemExit("the kernel does not end")


def main() -> NoReturn:
    """Be the first process."""
    make_root()
    control = os.open("/dev/host6", os.O_RDWR)
    line = b""
    while not line.endswith(b"\n"):
        data = os.read(control, 65536)
        if not data:
            raise SystemExit("whoever started the kernel has ended")
        line += data
    request = json.loads(line)
    os.makedirs(request["directory"], exist_ok=True)
    for there, here in request["files"].items():
        os.makedirs(os.path.dirname(there), exist_ok=True)
        if os.path.lexists(there):
            os.unlink(
                there
            )  # to write over it would be to read it, which the user who started the kernel may not
        shutil.copy(here, there)
    for there, text in request["texts"].items():
        os.makedirs(os.path.dirname(there), exist_ok=True)
        if os.path.lexists(there):
            os.unlink(there)
        with os.fdopen(os.open(there, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)
    for there, here in request["kept"].items():
        os.makedirs(there, exist_ok=True)
        mount("none", there, "hostfs", 0, here)
    for pid in (0, kernel_thread("ksoftirqd/0")):
        os.sched_setscheduler(pid, os.SCHED_FIFO, os.sched_param(99))
    os.system("ip link set lo up")
    if request["cable"] is not None:
        plug_in(request["cable"])
    for setting, value in {**SETTINGS, "kernel/hostname": request["host_name"]}.items():
        Path("/proc/sys", setting).write_text(value)
    begin_anew(request["after_s"])
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    os.write(control, b'{"begins": true}\n')
    child = begin(request)
    for number in SIGNALS:
        signal.signal(number, lambda number, _: send(child, number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    signal.signal(signal.SIGUSR1, lambda *_: end(control, {"spins": what_computes()}))
    while True:
        pid, status = os.wait()
        if pid == child:
            break
    code = os.waitstatus_to_exitcode(status)
    brought, left = bring_home(request["directory"]) if request["brings"] else ([], {})
    end(control, {"exit": 128 - code if code < 0 else code, "brought": brought, "left": left})


if __name__ == "__main__":
    try:
        main()
    except Exception as error:  # the log of the kernel is all that is left to say it
        print(f"first process: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        raise
