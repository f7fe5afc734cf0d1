# SPDX-License-Identifier: MIT
"""A head in which faults happen, on a computer of its own: what it leaves there is seen, as nobody else is there.

Run as ``python -m tests.system.faulty_head``, it reads questions, a line of JSON each, and answers each with a list of
what is wrong: what is there afterwards and was not before, or the other way round; or that it did not end as it should.
The heads of some questions are this program itself, which lives on: what only its end would remove is left, too.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hybridnet import HybridnetError, Net, Ryu
from hybridnet.topologies import TwoTrees
from tests.system.faults import Fault, Injected, inject, remove_faults
from tests.system.port_type import PORT_TYPE
from tests.system.traces import network_namespaces_of, traces

# The kernel has these settings in the first network namespace only, so this computer gets files in their place.
LIMITS = {"gc_thresh1": 128, "gc_thresh2": 512, "gc_thresh3": 1024}

PROGRAM = """
from hybridnet import Net, Ryu
from hybridnet.topologies import TwoTrees
net = Net(TwoTrees(depth=1), port_type="{port_type}", controller=Ryu("c0"))
net.start()
print(net.cluster.journal.run, flush=True)
{end}
"""


def small(**options: Any) -> Net:
    """Two machines with a switch, two hosts and an instance each."""
    return Net(TwoTrees(depth=1), port_type=PORT_TYPE, **options)


class Wrong(Exception):
    """It did not end as it should."""


def start(runs: list[str], fault: dict[str, Any]) -> None:
    """A fault while a network starts is the error of `start`."""
    injected = Fault(**fault)
    inject(injected)
    with _raised(injected):
        small(controller=Ryu("c0")).start()


def stop(runs: list[str], fault: dict[str, Any]) -> None:
    """A fault while a network stops is the error of `stop`; a second call ends what is left."""
    injected = Fault(**fault)
    inject(injected)
    net = small(controller=Ryu("c0"))
    net.start()
    runs.append(net.cluster.journal.run)
    with _raised(injected):
        net.stop()
    net.stop()


def program(runs: list[str], end: str) -> None:
    """A program ends so without `stop`."""
    done = _run(["-c", PROGRAM.format(port_type=PORT_TYPE, end=end)])
    runs.append(done.stdout.strip())
    if not runs[0] or (done.returncode == 0) != (end == ""):
        raise Wrong(f"status {done.returncode}: {done.stderr}")


def terminated(runs: list[str]) -> None:
    """`hybridnet run` gets SIGTERM."""
    with tempfile.NamedTemporaryFile("w", suffix=".py", dir="/run") as script:
        end = "import os, signal; os.kill(os.getpid(), signal.SIGTERM)"
        script.write(PROGRAM.format(port_type=PORT_TYPE, end=end))
        script.flush()
        done = _run(["-m", "hybridnet.cli", "run", script.name])
    runs.append(done.stdout.split()[-1])
    if done.returncode != 128 + signal.SIGTERM:
        raise Wrong(f"status {done.returncode}: {done.stderr}")


def left_by(do: Callable[..., None], **arguments: Any) -> list[str]:
    """Do it, and return what is wrong."""
    before = everything()
    runs: list[str] = []
    found: list[str] = []
    with tempfile.TemporaryDirectory(dir="/run") as directory:
        state, temporary = Path(directory) / "state", Path(directory) / "tmp"
        temporary.mkdir()
        # `tempfile` itself remembers the folder for this program.
        own = {"HYBRIDNET_STATE_DIR": str(state), "TMPDIR": str(temporary)}
        kept = {name: os.environ.get(name) for name in own}
        tempfile.tempdir = None
        os.environ.update(own)
        try:
            do(runs, **arguments)
        except Wrong as error:
            found.append(str(error))
        finally:
            remove_faults()
            tempfile.tempdir = None
            for name, value in kept.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})
        found += [f"state: {state}"] if state.exists() else []
        found += [f"temporary: {path}" for path in temporary.iterdir()]
    for run in runs:
        found += [f"process of {run}: {pid}" for pid in traces(run)["processes"]]
        found += [f"namespace of {run}: {name}" for name in network_namespaces_of(run)]
    after = everything()
    for kind, was in before.items():
        found += [f"{kind}: +{each}" for each in after[kind] - was]
        found += [f"{kind}: -{each}" for each in was - after[kind]]
    return sorted(found)


def everything() -> dict[str, set[str]]:
    """What this computer has, as far as a run of ours could change it."""
    present = traces("of nobody")
    return {**present, "children": children(), "shared memory": set(os.listdir("/dev/shm"))}


def children() -> set[str]:
    """The processes that this one has started."""
    found = set()
    for thread in os.listdir(f"/proc/{os.getpid()}/task"):
        with contextlib.suppress(OSError):  # it has just ended
            found.update(Path(f"/proc/{os.getpid()}/task/{thread}/children").read_text().split())
    return found


@contextlib.contextmanager
def _raised(fault: Fault) -> Iterator[None]:
    try:
        yield
    except (Injected, HybridnetError) as error:
        if f"injected {fault}" in str(error):
            return
        raise Wrong(f"{type(error).__name__}: {error}") from None
    raise Wrong(f"injected {fault}: nothing was raised")


def _run(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, timeout=60
    )


def _give_limits() -> None:
    for family in ("ipv4", "ipv6"):
        directory = Path(f"/proc/sys/net/{family}/neigh")
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(directory)], check=True)
        (directory / "default").mkdir()
        for name, value in LIMITS.items():
            (directory / "default" / name).write_text(str(value))


def main() -> None:
    """See the module."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what networks print is no answer
    _give_limits()
    questions: dict[str, Callable[..., None]] = {
        each.__name__: each for each in (start, stop, program, terminated)
    }
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(left_by(questions[asked.pop("what")], **asked)), file=answers, flush=True)


if __name__ == "__main__":
    main()
