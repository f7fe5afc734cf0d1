# SPDX-License-Identifier: MIT
"""The programs `ofdatapath` and `ofprotocol` of Mininet's scripts: an OpenFlow switch on devices of a namespace.

Stanford's reference switch, which nobody has any more, was these two programs; scripts start them by hand::

    ofdatapath -i s0-eth1,s0-eth2 ptcp: &               the ports, and where the other is expected
    ofprotocol tcp:10.0.123.1 tcp:localhost &           the controllers, and where the first one listens

Here the first one runs a simulated OpenFlow switch with a portal at each device as soon as the second one has told it
the controllers, and until that one ends. Other options are taken and have no effect.
"""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hybridnet.errors import HybridnetError, MachineError, UsageError
from hybridnet.system.python_command import python_module

__all__ = ["controllers_of", "main", "plan_of", "ports_of"]

USUAL_PORT = 6633
PATIENCE_S = 10.0  # of `ofprotocol`, for `ofdatapath` to listen: scripts start both in the background
_POLL_S = 0.05
_LOCAL = ("localhost", "127.0.0.1", "::1")
_LONGEST_LINE = 1 << 16


def ports_of(words: Sequence[str]) -> tuple[list[str], str]:
    """The devices and the listening place that the arguments of `ofdatapath` name.

    Raises:
        UsageError: one of both is missing.

    Example:
        >>> ports_of(["-i", "s0-eth1,s0-eth2", "ptcp:"])
        (['s0-eth1', 's0-eth2'], 'ptcp:')
    """
    devices: list[str] = []
    for option, value in zip(words, [*words[1:], ""], strict=True):
        if option in ("-i", "--interfaces"):
            devices = value.split(",")
        elif option.startswith("--interfaces="):
            devices = option.partition("=")[2].split(",")
    places = [word for word in words if word.startswith(("ptcp:", "punix:"))]
    if not devices or not places:
        raise UsageError(f"ofdatapath {' '.join(words)}: write ofdatapath -i DEVICE,DEVICE ptcp:")
    return devices, places[0]


def controllers_of(words: Sequence[str]) -> tuple[str, dict[str, object]]:
    """The place of the datapath that the arguments of `ofprotocol` name, and what it is to obey.

    Args:
        words: two places or more, in any order: the datapath's is on this computer.

    Raises:
        UsageError: there is no place of a datapath, or none of a controller.

    Example:
        >>> controllers_of(["tcp:10.0.0.9", "tcp:localhost", "--fail=closed"])
        ('tcp:localhost', {'controllers': ['tcp:10.0.0.9:6633'], 'fail_mode': 'secure'})
    """
    places = [word for word in words if word.startswith(("tcp:", "unix:"))]
    own = [place for place in places if place.startswith("unix:") or place.split(":")[1] in _LOCAL]
    if not own or len(places) < 2:
        raise UsageError(f"ofprotocol {' '.join(words)}: write ofprotocol tcp:localhost tcp:CONTROLLER")
    others = [place for place in places if place is not own[0]]
    named = [place if place.count(":") > 1 else f"{place}:{USUAL_PORT}" for place in others]
    return own[0], {"controllers": named, "fail_mode": "secure" if "--fail=closed" in words else "standalone"}


def plan_of(devices: Sequence[str], dpid: int, obeying: dict[str, object]) -> dict[str, object]:
    """The instance plan (``schema/instance.json``) of a switch with a port at each device."""
    direction = {
        "rate_bps": None, "delay_ns": 0, "queue_packets": 1000, "queue_bytes": None, "overhead_bytes": 0,
        "train_limit_ns": 50_000,
    }  # fmt: skip
    node = {
        "name": "switch",
        "kind": "openflow",
        "interfaces": [{"name": f"port{number}", "number": number} for number, _ in enumerate(devices, 1)],
        "openflow": {
            "dpid": f"{dpid:016x}",
            "protocols": ["OpenFlow10", "OpenFlow13"],
            "listens": [],
            **obeying,
        },
    }
    return {
        "format": 1,
        "name": "ofdatapath",
        "seed": 1,
        "token": "0" * 16,  # no peers, no datagrams
        "nodes": [node],
        "emulation_portals": [{"name": each, "device": each, "backend": "packet"} for each in devices],
        "peers": [],
        "links": [
            {
                "name": f"link{number}",
                "a": {"portal": device},
                "b": {"interface": f"port{number}"},
                "a_to_b": direction,
                "b_to_a": direction,
            }
            for number, device in enumerate(devices, 1)
        ],
        "captures": [],
        "realtime": {},
    }


def _ofdatapath(words: Sequence[str]) -> None:
    devices, place = ports_of(words)
    with _listening(place) as server:
        while True:
            connection, _ = server.accept()
            with connection, connection.makefile() as told:
                if (obeying := _obeying(told.readline(_LONGEST_LINE))) is None:
                    continue
                dpid = int(Path(f"/sys/class/net/{devices[0]}/address").read_text().replace(":", ""), 16)
                with _running(plan_of(devices, dpid, obeying)):
                    told.readline()  # until the other end closes


def _obeying(line: str) -> dict[str, object] | None:
    """What `ofprotocol` tells: two settings, and nothing else of the switch. None: it is somebody else."""
    try:
        told = json.loads(line)
        return {name: told[name] for name in ("controllers", "fail_mode")}
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _ofprotocol(words: Sequence[str]) -> None:
    place, obeying = controllers_of(words)
    with _connected(place) as datapath:
        datapath.sendall((json.dumps(obeying) + "\n").encode())
        datapath.recv(1)  # until the other end closes


@contextlib.contextmanager
def _running(plan: dict[str, object]) -> Any:
    """A process of its own has the switch meanwhile; it ends with this one, however this one ends."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "plan.json")
        file.write_text(json.dumps(plan))
        command = [*python_module("hybridnet.simulate.instance"), str(file), "--control", f"{folder}/control"]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            yield
        finally:
            process.terminate()
            process.wait()


def _listening(place: str) -> socket.socket:
    kind, _, where = place.partition(":")
    if kind == "punix":
        server = socket.socket(socket.AF_UNIX)
        if Path(where).is_socket():  # of an earlier one
            Path(where).unlink()
        server.bind(where)
    else:
        server = socket.socket()
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(("127.0.0.1", int(where.partition(":")[0] or USUAL_PORT)))
    server.listen()
    return server


def _connected(place: str) -> socket.socket:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        kind, _, where = place.partition(":")
        datapath = socket.socket(socket.AF_UNIX if kind == "unix" else socket.AF_INET)
        try:
            if kind == "unix":
                datapath.connect(where)
            else:
                datapath.connect(("127.0.0.1", int(where.partition(":")[2] or USUAL_PORT)))
            return datapath
        except OSError as problem:
            datapath.close()
            if time.monotonic() > deadline:
                raise MachineError(
                    f"ofprotocol: no ofdatapath listens at {place} ({problem.strerror}); start it first"
                ) from None
            time.sleep(_POLL_S)


def main(program: str, words: Sequence[str]) -> int:
    """Serve until a signal ends it. Returns the exit status."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(0))
    try:
        (_ofdatapath if program == "ofdatapath" else _ofprotocol)(words)
    except (HybridnetError, OSError) as problem:
        print(f"{program}: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
