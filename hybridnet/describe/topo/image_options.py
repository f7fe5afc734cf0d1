# SPDX-License-Identifier: MIT
"""How the options of hosts with an image are read: each returns what the plan takes, or raises TopologyError."""

from __future__ import annotations

import ipaddress
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from hybridnet.describe.images import parse_image
from hybridnet.describe.kinds import KindOption
from hybridnet.describe.schema.plans import VolumePlan
from hybridnet.describe.values import flag, shown, speakable, text
from hybridnet.errors import TopologyError

__all__ = ["IMAGE_OPTIONS", "environment", "image", "nameservers", "run", "user", "volumes", "words"]

MOST_WORDS = 4096
MOST_VARIABLES = 1000
MOST_VOLUMES = 100
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_MODES = {"ro": True, "rw": False}


def image(value: Any, what: str) -> str | None:
    """The image, as `hybridnet.describe.images.parse_image` reads it, with an absolute path."""
    return None if value is None else str(parse_image(value, what))


def words(value: Any, what: str) -> list[str] | None:
    """A program with its arguments: a list, or text that is divided as a shell does. None: as the image says."""
    if value is None:
        return None
    found = value
    if isinstance(value, str):
        try:
            found = shlex.split(value)
        except ValueError as error:
            raise TopologyError(f"{what} {shown(value)} cannot be divided into words: {error}") from None
    if (
        not isinstance(found, Sequence)
        or len(found) > MOST_WORDS
        or not all(isinstance(word, str) and speakable(word) for word in found)
    ):
        raise TopologyError(
            f"{what} {shown(value)} is no list of words; write ['nginx', '-g', 'daemon off;']"
        )
    return list(found)


def environment(value: Any, what: str) -> dict[str, str]:
    """Variables: a dictionary, or a list of ``"NAME=VALUE"``."""
    if value is None:
        return {}
    if isinstance(value, Mapping):
        found = {name: each for name, each in value.items() if isinstance(name, str)}
        whole = len(found) == len(value)
    else:
        whole = isinstance(value, Sequence) and not isinstance(value, str)
        whole = whole and all(isinstance(each, str) and "=" in each for each in value)
        found = {each.partition("=")[0]: each.partition("=")[2] for each in value} if whole else {}
    for name, each in found.items():
        if isinstance(each, bool) or not isinstance(each, str | int | float) or not speakable(str(each)):
            raise TopologyError(f"{what}: {name} is {shown(each)}, which no program can be given; write text")
        whole = whole and _VARIABLE.fullmatch(name) is not None
    if not whole or len(found) > MOST_VARIABLES:
        raise TopologyError(f"{what} {shown(value)} is no set of variables; write {{'MODE': 'test'}}")
    return {name: str(each) for name, each in found.items()}


def volumes(value: Any, what: str) -> list[VolumePlan]:
    """Folders and files of the machine that the host sees: ``"FROM:AT"``, ``"FROM:AT:ro"``, or a dictionary as
    Docker's ``{FROM: {"bind": AT, "mode": "ro"}}``.
    """
    if value is None:
        return []
    if isinstance(value, Mapping):
        value = [
            ":".join([str(source), str(at.get("bind")), str(at.get("mode", "rw"))])
            if isinstance(at, Mapping)
            else f"{source}:{at}"
            for source, at in value.items()
        ]
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) > MOST_VOLUMES:
        raise TopologyError(f"{what} {shown(value)} is no list of volumes; write ['/srv/site:/site:ro']")
    return [_volume(each, what) for each in value]


def _volume(value: Any, what: str) -> VolumePlan:
    parts = value.split(":") if isinstance(value, str) and speakable(value) else []
    if len(parts) == 2:
        parts.append("rw")
    if len(parts) != 3 or parts[2] not in _MODES or not parts[0] or not parts[1].startswith("/"):
        raise TopologyError(
            f"{what}: {shown(value)} is no volume; write FOLDER:PLACE or FOLDER:PLACE:ro, such as "
            "'/srv/site:/site:ro', where PLACE is absolute"
        )
    at = os.path.normpath(parts[1])
    if at in ("/", "//") or ".." in parts[1].split("/"):
        raise TopologyError(f"{what}: {shown(value)} would hide the image's root; choose a place within it")
    return {"source": os.path.abspath(parts[0]), "at": at, "read_only": _MODES[parts[2]]}


def nameservers(value: Any, what: str) -> list[str] | None:
    """Addresses of name servers: one, or a list. None: the computer's."""
    if value is None:
        return None
    given = [value] if isinstance(value, str) else value
    try:
        return [str(ipaddress.ip_address(each if isinstance(each, str) else "")) for each in given]
    except (TypeError, ValueError):
        raise TopologyError(f"{what} {shown(value)} is no list of addresses; write ['10.0.0.53']") from None


def user(value: Any, what: str) -> str | None:
    """As whom its command runs: a name or a number, and a group behind a colon. None: as the image says."""
    if value is None:
        return None
    found = str(value) if type(value) is int else text(value, what, error=TopologyError)
    if not re.fullmatch(r"[\w.-]+(:[\w.-]+)?", found, re.ASCII):
        raise TopologyError(f"{what} {shown(value)} is no user; write 'www-data', '33' or '33:33'")
    return found


def run(value: Any, what: str) -> bool:
    """Whether its command is started. None: it is."""
    return True if value is None else flag(value, what, error=TopologyError)


IMAGE_OPTIONS = {
    "image": KindOption(image, "where the image is: FILE.tar, oci:FOLDER:TAG, docker://NAME:TAG"),
    "entrypoint": KindOption(words, "program instead of the image's, without the image's arguments"),
    "command": KindOption(words, "arguments instead of the image's, or the program where it names none"),
    "environment": KindOption(environment, "variables beside the image's: {MODE: test}", "map"),
    "volumes": KindOption(
        volumes, "folders and files of the machine that it sees: [/srv/site:/site:ro]", "list"
    ),
    "dns": KindOption(nameservers, "addresses of name servers; else the computer's", "list"),
    "user": KindOption(user, "as whom the command runs: a name or a number, and a group behind a colon"),
    "run": KindOption(run, "no: its command does not begin with the network", "flag"),
}
"""By name, as `hybridnet.describe.kinds.HostKind` has them."""
