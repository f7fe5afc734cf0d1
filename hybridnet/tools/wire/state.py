# SPDX-License-Identifier: MIT
"""The wires that run on this computer: where to find each, its options, and how to change them.

A wire's folder, ``STATE/RUN/wire-NAME``, has the control socket of its instance and ``options.json``: the options of
each direction as they were written. A change is those options with the new ones, resolved afresh. So whoever changes
one need not know the others, and two changes at once happen one after the other.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import socket
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hybridnet.describe.topo.direction import Direction
from hybridnet.describe.values import shown
from hybridnet.errors import MachineError, UsageError
from hybridnet.system.journal import state_directory
from hybridnet.tools.wire.options import Options, given_options, resolve_options

__all__ = [
    "LINK",
    "SOCKET",
    "WAYS",
    "change",
    "changes_of_ways",
    "options_of_ways",
    "reachable",
    "read_directions",
    "resolve_ways",
    "set_wire",
    "write_options",
]

LINK = "wire"
WAYS = (("a_to_b", "forward"), ("b_to_a", "backward"))  # a direction in a plan, and as an option is called
SOCKET = "instance.sock"
_FILE = "options.json"
_SECONDS = 20.0

Ask = Callable[[Mapping[str, Any]], dict[str, object]]


def options_of_ways(
    what: str,
    options: Mapping[str, object],
    forward: Mapping[str, object] | None,
    backward: Mapping[str, object] | None,
) -> dict[str, Options]:
    """Return the options of each direction: those of both, and its own, which take precedence. Raises UsageError."""
    common = given_options(options, what)
    own = {"forward": forward, "backward": backward}
    for word, given in own.items():
        if given is not None and not isinstance(given, Mapping):
            raise UsageError(f"{what}: {word} {shown(given)} is not a dictionary; write {{'delay': '5 ms'}}")
    return {key: {**common, **given_options(own[word] or {}, f"{what}, {word}")} for key, word in WAYS}


def changes_of_ways(
    what: str,
    options: Mapping[str, object],
    forward: Mapping[str, object] | None,
    backward: Mapping[str, object] | None,
) -> dict[str, Options]:
    """As `options_of_ways`, for a change. Raises UsageError if there is nothing to change."""
    changes = options_of_ways(what, options, forward, backward)
    if not any(changes.values()):
        raise UsageError(f"{what}: nothing to change is given; give for example --rate or --delay")
    return changes


def resolve_ways(what: str, options: Mapping[str, Options]) -> dict[str, Direction]:
    """Both directions. Raises UsageError and UnitError, which name the direction."""
    return {key: resolve_options(options[key], f"{what}, {word}") for key, word in WAYS}


def write_options(directory: Path, options: Mapping[str, Options]) -> None:
    """Record a wire's options."""
    new = directory / f"{_FILE}.new"
    new.write_text(json.dumps(options))
    new.rename(directory / _FILE)


def read_directions(directory: Path) -> dict[str, Direction]:
    """Return the last options of the wire with this folder."""
    return resolve_ways(directory_name(directory), json.loads((directory / _FILE).read_text()))


def directory_name(directory: Path) -> str:
    """``wire NAME``, for errors."""
    return f"wire {directory.name.removeprefix('wire-')}"


def change(directory: Path, changes: Mapping[str, Options], ask: Ask) -> dict[str, Direction]:
    """Tell the instance what is new, and record it.

    Args:
        changes: the options of each direction that are given.
        ask: sends a request to the instance's control socket and returns the answer.

    Returns:
        What holds from now on.

    Raises:
        UsageError, UnitError: the options make no sense; nothing has changed.
        MachineError: the instance refused it; nothing has changed.
    """
    what = directory_name(directory)
    with _alone(directory):
        options = json.loads((directory / _FILE).read_text())
        new = {key: {**options[key], **changes[key]} for key, _ in WAYS}
        directions = resolve_ways(what, new)
        request = {key: directions[key].to_change() if changes[key] else None for key, _ in WAYS}
        ask({"verb": "set_link", "link": LINK, **request})
        write_options(directory, new)
    return directions


def set_wire(
    name: str,
    *,
    forward: Mapping[str, object] | None = None,
    backward: Mapping[str, object] | None = None,
    **options: object,
) -> dict[str, Direction]:
    """Change a wire that another process of this computer runs, as `Wire.set` does.

    Returns:
        What holds now, ``a_to_b`` and ``b_to_a``.

    Raises:
        UsageError: there is no wire of this name, or nothing to change is given.
        MachineError: the wire refused it.
    """
    changes = changes_of_ways(f"wire {name}", options, forward, backward)
    found = reachable(name)
    if found is None:
        raise UsageError(
            f"wire {name}: there is no wire of this name; there are {', '.join(_names()) or 'none'}"
        )
    directory, connection = found
    with connection, connection.makefile("rwb") as lines:

        def ask(request: Mapping[str, Any]) -> dict[str, object]:
            lines.write(json.dumps(request).encode() + b"\n")
            lines.flush()
            answer: dict[str, object] = json.loads(lines.readline() or b'{"error": "it has just ended"}')
            if "error" in answer:
                raise MachineError(f"wire {name}: {answer['error']}")
            return answer

        return change(directory, changes, ask)


def reachable(name: str) -> tuple[Path, socket.socket] | None:
    """The folder of the wire of this name, and a connection to its instance.

    A socket that nobody serves was left by a wire that was killed.
    """
    for path in _sockets().get(name, []):
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(_SECONDS)
        try:
            connection.connect(str(path))
            return path.parent, connection
        except OSError:
            connection.close()
    return None


def _names() -> list[str]:
    names = []
    for name in sorted(_sockets()):
        if (found := reachable(name)) is not None:
            found[1].close()
            names.append(name)
    return names


def _sockets() -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    for path in state_directory().glob(f"*/wire-*/{SOCKET}"):
        found.setdefault(path.parent.name.removeprefix("wire-"), []).append(path)
    return found


@contextlib.contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """Hold the lock that keeps others from changing this wire."""
    with (directory / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
