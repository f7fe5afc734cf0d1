# SPDX-License-Identifier: MIT
"""How the options of emulated hosts are read: each returns what the plan takes, or raises TopologyError."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hybridnet.describe.quantities import MAX_SIZE_BYTES, parse_size
from hybridnet.describe.values import choice, flag, number, shown, whole
from hybridnet.errors import TopologyError

__all__ = [
    "commands", "cores", "devices", "directories", "files", "in_namespace", "memory", "nat", "period_us", "pids",
    "scheduler", "share",
]  # fmt: skip

SCHEDULERS = ("cfs", "rt")
MOST_CORES = 4096
MAX_PERIOD_US = 1_000_000  # the kernel takes no more
LEAST_MEMORY = 6 << 20
"""Docker takes no less, either: a shell hardly runs in it."""
MOST_PROCESSES = 1 << 22  # PID_MAX_LIMIT of the kernel
MOST_COMMANDS = 1000  # of one host
MOST_FILES = 1000
MOST_TEXT = 65_536  # characters of a command
MOST_FILE_TEXT = 1 << 20  # characters of a file, and
MOST_FILES_TEXT = 8 << 20  # of all of a host
_LONGEST_PATH = 1000
_NO_FILES_IN = ("dev", "proc", "sys")  # which the kernel fills


def share(value: Any, what: str) -> float | None:
    """How many processors' worth of time it may take: 0.2 is a fifth of one. None, or Mininet's -1: no limit."""
    if value is None or (type(value) in (int, float) and value == -1):
        return None
    found = number(value, what, 0, MOST_CORES, error=TopologyError)
    if found == 0:
        raise TopologyError(f"{what} is 0, which is no time at all; write a share above it, or leave it out")
    return found


def cores(value: Any, what: str) -> list[int] | None:
    """The processors that it may use: a number, a list of numbers, or text such as ``"0,2-3"``. None: all."""
    if value is None:
        return None
    if isinstance(value, str) and re.fullmatch(r"\d{1,4}(-\d{1,4})?(,\d{1,4}(-\d{1,4})?)*", value):
        bounds = [[int(end) for end in part.split("-")] for part in value.split(",")]
        found = [core for ends in bounds for core in range(ends[0], ends[-1] + 1)]
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        found = list(value)
    else:
        found = [value]
    if not found or not all(type(core) is int and 0 <= core < MOST_CORES for core in found):
        raise TopologyError(f"{what} {shown(value)} is not a list of processors; write 0, [0, 1] or '0,2-3'")
    return sorted(set(found))


def scheduler(value: Any, what: str) -> str:
    """``"cfs"``, or ``"rt"``: in real time."""
    return SCHEDULERS[0] if value is None else choice(value, what, SCHEDULERS, error=TopologyError)


def period_us(value: Any, what: str) -> int | None:
    """In so many microseconds it gets its share once."""
    return None if value is None else whole(value, what, 1000, MAX_PERIOD_US, error=TopologyError)


def memory(value: Any, what: str) -> int | None:
    """The most memory, in bytes: a number of bytes, or text such as ``"256M"``. K, M and G are 2^10, 2^20 and 2^30, as
    control groups and Docker read them; other units are hybridnet's, such as ``"256 MB"``. None: no limit.
    """
    if value is None:
        return None
    found = value
    if isinstance(value, str) and (
        read := re.fullmatch(r"\s*(\d{1,15})\s*([bkmg])\s*", value, re.IGNORECASE)
    ):
        found = int(read[1]) << {"b": 0, "k": 10, "m": 20, "g": 30}[read[2].lower()]
    elif isinstance(value, str):
        found = parse_size(value, what)
    if type(found) is not int or not LEAST_MEMORY <= found <= MAX_SIZE_BYTES:
        raise TopologyError(
            f"{what} {shown(value)} is not a size from {LEAST_MEMORY >> 20} MiB to {MAX_SIZE_BYTES >> 40} TiB; write "
            "'256M' or the like"
        )
    return found


def pids(value: Any, what: str) -> int | None:
    """The most processes, threads counted. None: no limit."""
    return None if value is None else whole(value, what, 1, MOST_PROCESSES, error=TopologyError)


def directories(value: Any, what: str) -> list[str | tuple[str, str]]:
    """Private directories: paths, or pairs of a path and of what shows there, in which %(name)s is the host's name."""
    if value is None:
        return []
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise TopologyError(
            f"{what} {shown(value)} is not a list of directories; write ['/var/run'] or the like"
        )
    return [_directory(each, what) for each in value]


def files(value: Any, what: str) -> dict[str, str]:
    """Texts by the absolute path where only this host has them."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise TopologyError(f"{what} {shown(value)} are not texts by path; write {{'/etc/motd': 'hello'}}")
    if (
        len(value) > MOST_FILES
        or sum(len(text) for text in value.values() if isinstance(text, str)) > MOST_FILES_TEXT
    ):
        raise TopologyError(
            f"{what}: they are more than {MOST_FILES}, or longer than {MOST_FILES_TEXT >> 20} MiB; write fewer, or "
            "give the host a directory of yours (privateDirs)"
        )
    for path, text in value.items():
        _file_path(path, what)
        if not isinstance(text, str) or len(text) > MOST_FILE_TEXT or "\0" in text:
            raise TopologyError(
                f"{what}: {shown(path)} is not a text of at most {MOST_FILE_TEXT >> 20} MiB; give the host a directory "
                "of yours instead (privateDirs)"
            )
    return dict(value)


def commands(value: Any, what: str) -> list[str]:
    """What the host's shell runs once the network has been built, in this order."""
    if value is None:
        return []
    if not isinstance(value, Sequence) or isinstance(value, str | bytes) or len(value) > MOST_COMMANDS:
        raise TopologyError(
            f"{what} {shown(value)} is not a list of at most {MOST_COMMANDS} commands; write ['sleep 100 &']"
        )
    for command in value:
        if not isinstance(command, str) or not command.strip() or len(command) > MOST_TEXT or "\0" in command:
            raise TopologyError(f"{what}: {shown(command)} is not a command of 1 to {MOST_TEXT} characters")
    return list(value)


def in_namespace(value: Any, what: str) -> bool:
    """Whether it has namespaces of its own; None means that it has."""
    return True if value is None else flag(value, what, error=TopologyError)


def devices(value: Any, what: str) -> list[str]:
    """Names of devices of the computer."""
    if value is None:
        return []
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise TopologyError(f"{what} {shown(value)} is not a list of devices; write ['eth1']")
    for device in value:
        if not isinstance(device, str) or not re.fullmatch(r"[^/\s]{1,15}", device):
            raise TopologyError(f"{what}: {shown(device)} is not a name of a device; write one like 'eth1'")
    return list(value)


def nat(value: Any, what: str) -> bool | str:
    """Whether it translates addresses: True for those of its first interface's subnet, or a subnet. None: False."""
    if value is None or isinstance(value, bool):
        return bool(value)
    try:
        return str(ipaddress.IPv4Network(value if isinstance(value, str) else "", strict=False))
    except ValueError:
        raise TopologyError(
            f"{what} {shown(value)} is not an IPv4 subnet; write True, or one like 10.0.0.0/8"
        ) from None


def _directory(value: Any, what: str) -> str | tuple[str, str]:
    if isinstance(value, list | tuple):
        if len(value) != 2:
            raise TopologyError(
                f"{what}: {shown(value)} is not a pair; write ('/var/run', '/tmp/%(name)s/var/run')"
            )
        at, source = (_path(part, what) for part in value)
        try:
            source % {"name": "h1"}
        except (KeyError, TypeError, ValueError):
            raise TopologyError(
                f"{what}: {shown(source)} is not a template; only %(name)s stands for something, the host's name"
            ) from None
        return at, source
    return _path(value, what)


def _path(value: Any, what: str) -> str:
    if not isinstance(value, str) or not value.startswith("/") or "\0" in value:
        raise TopologyError(f"{what}: {shown(value)} is not an absolute path; write one like '/var/run'")
    return value


def _file_path(value: Any, what: str) -> None:
    parts = (
        value.split("/")[1:]
        if isinstance(value, str) and value.isprintable() and value.startswith("/")
        else []
    )
    if len(parts) < 2 or not all(parts) or {".", ".."} & set(parts):
        raise TopologyError(
            f"{what}: {shown(value)} is not the path of a file in a directory; write one like '/etc/motd'"
        )
    if parts[0] in _NO_FILES_IN or len(value) > _LONGEST_PATH:
        raise TopologyError(
            f"{what}: {shown(value)}: no file can be laid there; choose a path of at most {_LONGEST_PATH} characters "
            f"that is not in /{', /'.join(_NO_FILES_IN)}"
        )
