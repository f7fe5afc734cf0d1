# SPDX-License-Identifier: MIT
"""Three network namespaces of this computer, and the programs in them.

::

    a eth0 ── wa  w  wb ── eth0 b

A namespace lives as long as a process that waits for this one to end: nothing of it stays, also not after ``kill -9``.
"""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from types import TracebackType

from hybridnet.errors import EnvironmentLackError, ExperimentError
from hybridnet.system.journal import Journal

__all__ = ["Namespace", "joined"]


class Namespace:
    """A network namespace."""

    def __init__(self, journal: Journal, name: str) -> None:
        self.name = name
        self.environment = journal.environment()
        """Of every program in it: by this a run that was killed is known."""
        self._keeper = subprocess.Popen(
            ["unshare", "--net", "--", "sh", "-c", "echo in; exec cat"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
        )
        journal.process(self._keeper.pid, f"namespace {name}")
        assert self._keeper.stdout is not None
        assert self._keeper.stderr is not None
        if self._keeper.stdout.readline() != b"in\n":
            raise EnvironmentLackError(
                f"make network namespace {name}: {self._keeper.stderr.read().decode().strip()}; run as root"
            )

    @property
    def pid(self) -> int:
        """Of the process that keeps it."""
        return self._keeper.pid

    def inside(self, *command: str) -> list[str]:
        """A command that runs in it."""
        return ["nsenter", f"--net=/proc/{self.pid}/ns/net", "--", *command]

    def run(self, *command: str) -> None:
        """Run a command in it to its end. Raises ExperimentError when it fails."""
        _run(*self.inside(*command))

    def close(self) -> None:
        """End it, when no other process is in it."""
        assert self._keeper.stdin is not None
        self._keeper.stdin.close()
        self._keeper.wait()
        for pipe in (self._keeper.stdout, self._keeper.stderr):
            if pipe is not None:
                pipe.close()

    def __enter__(self) -> Namespace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@contextlib.contextmanager
def joined(journal: Journal) -> Iterator[tuple[Namespace, Namespace, Namespace]]:
    """The namespaces a, w and b, their interfaces up, and quiet: without addresses no stack sends anything."""
    with contextlib.ExitStack() as stack:
        a, w, b = (stack.enter_context(Namespace(journal, name)) for name in ("a", "w", "b"))
        for each in (a, w, b):
            each.run("sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1")
            each.run("sysctl", "-qw", "net.ipv6.conf.default.disable_ipv6=1")
        for end, name in ((a, "wa"), (b, "wb")):
            near = ["link", "add", "name", "eth0", "netns", str(end.pid), "type", "veth"]
            _run("ip", *near, "peer", "name", name, "netns", str(w.pid))
            end.run("ip", "link", "set", "dev", "eth0", "up")
            w.run("ip", "link", "set", "dev", name, "up")
        yield a, w, b


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode != 0:
        raise ExperimentError(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
